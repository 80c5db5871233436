# SPDX-License-Identifier: GPL-3.0-or-later
# Behaviour that all commands share: help, versions, wrong usage, and output that cannot be written.
. "$SRCDIR/tests/e2e/lib.sh"

expect_status 2 "$VALIDATE"
expect_line err 'Usage: validate COMMAND'
[ ! -s out ] || fail "wrong usage printed on standard output"

for ask in --help -h help 'help help'; do
	expect_status 0 "$VALIDATE" $ask
	expect_line out 'Usage: validate COMMAND'
	expect_line out 'Exit status: 0 done'
done

# each listed command has its own help, the same in both forms, with one line of usage
"$VALIDATE" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' >names
[ "$(wc -l <names)" -ge 1 ] || fail "no commands in the list"
while read -r name; do
	expect_status 0 "$VALIDATE" "$name" --help
	expect_line out "Usage: validate $name"
	expect_line out '-h, --help'
	! grep '^.\{81\}' out || fail "the help of $name is wider than 80 columns"
	mv out first
	expect_status 0 "$VALIDATE" help "$name"
	cmp -s first out || fail "validate help $name differs from validate $name --help"
	expect_status 2 "$VALIDATE" "$name" --no-such-option-at-all
	expect_line err 'validate: '
	expect_line err 'unknown option --no-such-option-at-all'
	[ "$(wc -l <err)" -eq 1 ] || fail "a wrong option of $name took more than one line"
done <names

# "-" as the output is standard output or an error, never a file with this name
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,0,9,unlink,path=f,0\n' >in.csv
mkdir outputs
cd outputs
for command in 'run x.conf' 'judge in.csv --dir .' 'claim mean-within-10% x.conf' 'selftest stats' 'selftest capture' \
	'pool a b' 'history show db' 'report results' 'standard certify'; do
	# shellcheck disable=SC2086
	expect_status 2 "$VALIDATE" $command -o -
	expect_line err 'validate: --output: "-" does not mean standard output here'
done
for command in 'microbench sr --dir .' 'replay --dir . ../in.csv' 'import ../in.csv' 'slice ../in.csv' 'deps --infer ../in.csv' \
	'capture app' 'capture vfs' 'capture block' 'capture causality'; do
	"$VALIDATE" $command -o - true >out 2>err && fail "$command wrote a trace to standard output" || :
done
"$VALIDATE" export --to csv ../in.csv -o - >csv 2>err || fail "$(cat err)"
"$VALIDATE" init - >conf 2>err || fail "$(cat err)"
[ ! -e ./- ] || fail 'a command made a file named -'
[ -s csv ] && [ -s conf ] || fail 'nothing on standard output'
cd ..

expect_status 2 "$VALIDATE" verison
expect_line err 'validate: unknown command "verison" (did you mean "version"?)'
expect_status 2 "$VALIDATE" --hepl
expect_line err '(did you mean "--help"?)'
expect_status 2 "$VALIDATE" zzzzzzzz
expect_line err '"validate help" lists the commands'
expect_status 2 "$VALIDATE" help zzzzzzzz

expect_status 0 "$VALIDATE" --version
grep -qx 'validate [0-9][0-9.]*' out || fail "--version printed: $(cat out)"
expect_status 0 "$VALIDATE" version
expect_line out "$("$VALIDATE" --version)"
expect_line out 'gsl '
expect_line out 'compiler '
expect_status 0 "$VALIDATE" version --json
expect_line out '"validate": "'
expect_status 2 "$VALIDATE" version --jsno
expect_line err '(did you mean --json?)'
expect_status 2 "$VALIDATE" version surplus
expect_line err 'unexpected argument "surplus"'

# a full disk under standard output is a failure; a reader that closes its pipe early is not
if [ -w /dev/full ]; then
	status=0
	"$VALIDATE" version >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ] || fail "status $status with standard output on a full disk"
	expect_line err 'No space left on device'
fi
status=0
"$VALIDATE" version >&- 2>err || status=$?
[ "$status" -eq 3 ] || fail "status $status with standard output closed"
{
	status=0
	"$VALIDATE" help || status=$?
	echo "$status" >status
} 2>err | true
[ "$(cat status)" -eq 0 ] || fail "status $(cat status) when the reader went away"
[ ! -s err ] || fail "a reader that went away made noise: $(cat err)"

# from any directory, without an installation
mkdir elsewhere
(cd elsewhere && env -i "$VALIDATE" --version >/dev/null) || fail "does not run from another directory"

# a trace that is truncated while it is read: the reader of the first lines truncates it before the
# rest can be written
"$VALIDATE" microbench random-read --requests 20000 --file-size 64K --dir . -o cut.trace >out
{
	status=0
	"$VALIDATE" info cut.trace --csv - || status=$?
	echo "$status" >status
} 2>err | {
	head -c 100 >/dev/null
	truncate -s 0 cut.trace
	cat >/dev/null
}
[ "$(cat status)" -eq 3 ] || fail "status $(cat status) where the trace was truncated while it was read: $(cat err)"
expect_line err 'truncated'
