# SPDX-License-Identifier: GPL-3.0-or-later
# A command does not overwrite a file that it reads.
. "$SRCDIR/tests/e2e/lib.sh"

cat >in.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,10,pread,"path=a;fd=3;offset=0;length=64",64
1,2,5,15,pread,"path=a;fd=3;offset=64;length=64",64
END
expect_status 0 "$VALIDATE" import -q in.csv -o one.trace
cp one.trace two.trace
ln one.trace hard.trace
ln -s one.trace soft.trace
head -c 16 /dev/zero | tr '\0' k >key
printf 'columns = begin, offset, length\n' >a.map
cksum one.trace two.trace in.csv key a.map >before

refused() { # COMMAND...: the inputs stay unchanged
	expect_status 3 "$@"
	expect_line err 'the output would overwrite the input'
	cksum one.trace two.trace in.csv key a.map | cmp - before || fail "an input was changed by $*"
}
for same in one.trace ./one.trace hard.trace soft.trace; do
	refused "$VALIDATE" slice --requests 1 one.trace -o $same
	refused "$VALIDATE" import one.trace -o $same
	refused "$VALIDATE" deps --infer one.trace -o $same
	refused "$VALIDATE" export --to csv one.trace -o $same
	refused "$VALIDATE" deps --dot $same one.trace
done
refused "$VALIDATE" slice one.trace two.trace -o two.trace
refused "$VALIDATE" slice --join two.trace one.trace -o two.trace
refused "$VALIDATE" slice --anonymise --key key one.trace -o key
refused "$VALIDATE" slice --calibration two.trace one.trace -o two.trace
refused "$VALIDATE" import in.csv -o in.csv
refused "$VALIDATE" import --mapping a.map in.csv -o a.map
# a file with other content is replaced as before
expect_status 0 "$VALIDATE" slice --requests 1 one.trace -o two.trace
