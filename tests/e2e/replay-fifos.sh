# SPDX-License-Identifier: GPL-3.0-or-later
# A FIFO that the program made is made, listed, changed, renamed and removed in a replay, too.
# Requests on it are skipped. A FIFO that the replay did not make is not changed.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

cat >program.sh <<'S'
mkfifo p
ls -a >/dev/null
echo hello >p &
cat p >got
wait
chmod 600 p
mv p q
ls -l q >/dev/null
rm q
echo file >q
mkfifo -m 640 kept
S
mkdir in
cd in
expect_status 0 "$VALIDATE" capture app --root . -o ../trace -- sh ../program.sh
cd ..
for order in fs temporal; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay --order $order --prepare --dir dir trace
	expect_line out 'mismatches      0'
	expect_line out 'pipes, sockets and terminals'
	[ "$(cd dir && stat -c '%n %F %a' got kept q)" = "$(cd in && stat -c '%n %F %a' got kept q)" ] ||
		fail "order $order: $(cd dir && stat -c '%n %F %a' *)"
done

# a FIFO of another user
cat >other.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,10,chmod,path=there;mode=0777,0
END
rm -rf dir
mkdir dir
mkfifo -m 600 dir/there
expect_status 6 "$VALIDATE" replay --dir dir other.csv
[ "$(stat -c %a dir/there)" = 600 ] || fail 'the permissions of another FIFO were changed'
