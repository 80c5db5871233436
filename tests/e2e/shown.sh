# SPDX-License-Identifier: GPL-3.0-or-later
# Names with escape sequences: no terminal executes them, in messages or in exported text, and no CI
# service reads them as commands.
. "$SRCDIR/tests/e2e/lib.sh"

escape=$(printf '\033')
# ESC, or the C1 control with the same effect
raw() { LC_ALL=C grep -q "$escape\|$(printf '\302\233')" "$1"; }

# a file name in a failure and in a notice
expect_status 3 "$VALIDATE" info "no${escape}[31m-file
::error::forged"
! raw err || fail "an escape sequence in a failure: $(cat -v err)"
[ "$(wc -l <err)" = 1 ] || fail "a message of several lines: $(cat -v err)"
! grep -q '::' err || fail "a workflow command: $(cat err)"
expect_status 3 "$VALIDATE" report '##vso[task.complete]'
! grep -q '##vso\[' err || fail "a workflow command: $(cat err)"

# a trace whose file has such a name, in every form that is text
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,0,10,open,"path=a%%1B[31mb;flags=0x42;mode=0644",3\n' >in.csv
printf '1,1,20,30,pwrite,"fd=3;offset=0;length=4096;path=a%%1B[31mb",4096\n' >>in.csv
printf '1,1,40,50,pwrite,"fd=4;offset=4096;length=4096;path=%%C2%%9B31m",4096\n' >>in.csv
printf '1,1,60,70,pwrite,"fd=5;offset=4096;length=4096;path=plain",4096\n' >>in.csv
for format in iolog strace strace-2013 artc csv perfetto msr spc fiu parallel blkreplay btrecord; do
	"$VALIDATE" export --to list | grep -q "^$format " || continue
	rm -rf out.text
	status=0
	"$VALIDATE" export --to $format in.csv -o out.text >out 2>err || status=$?
	case $status in 0 | 3) ;; *) fail "$format: status $status: $(cat err)" ;; esac
	for file in out err; do
		! raw $file || fail "$format: an escape sequence in $file: $(cat -v $file)"
	done
	[ ! -f out.text ] || ! raw out.text ||
		fail "$format: an escape sequence in the file: $(cat -v out.text)"
done
sed 2d in.csv >writes.csv
"$VALIDATE" export --to iolog writes.csv -o out.text >out 2>err || fail "iolog: $(cat err)"
grep -q ' plain write 4096 4096' out.text ||
	fail "iolog: the other file is not there: $(cat -v out.text)"
grep -q 'control characters' out || grep -q 'control characters' err ||
	fail "iolog: omitted requests are not reported: $(cat out err)"
for command in 'info' 'info --requests' 'deps' 'metrics'; do
	"$VALIDATE" $command in.csv >out 2>err || :
	! raw out && ! raw err || fail "$command: an escape sequence: $(cat -v out err)"
done

# names of a trace that are commands of CI services: no text except a trace contains them
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	i=10
	for name in '##vso[task.x]' '##[error]' '::error::forged' 'a%0A::error::forged'; do
		echo "1,1,${i}0,${i}5,open,\"path=$name;flags=0x42;mode=0644\",$i"
		echo "1,1,${i}6,${i}9,pwrite,\"fd=$i;offset=0;length=4096;path=$name\",4096"
		i=$((i + 1))
	done
} >commands.csv
mkdir dir
commands() { grep '^[[:space:]]*::\|##vso\[\|##\[' "$@"; }
for command in 'info' 'info --json' 'info --html -' 'deps' 'deps --json' 'replay --dir dir'; do
	expect_status 0 "$VALIDATE" $command commands.csv
	! commands out err || fail "$command: a workflow command"
done
"$VALIDATE" info --json commands.csv | grep -q '##vso\\u005btask' || fail 'the name is not in the JSON'

# a title and the messages of a replayer, in every form of the report
printf '#!/bin/sh\nprintf "%%s\\n" "::error::forged" "##vso[task.x]" "##[error]" >&2\nexit 3\n' >bad
chmod +x bad
cat >bad.conf <<END
[protocol]
title = ::error::title ##vso[task.x]
replicates = 3
allow-undecidable = yes
bank = 1
min-duration = 1ms
[target here]
dir = dir
cache = as-is
[workload reads]
type = random-read
requests = 50
file-size = 64K
[replayer event]
[replayer bad]
engine = exec
export = csv
command = $PWD/bad {traces}
times = self:csv(begin=1, end=2, unit=us)
END
expect_verdict "$VALIDATE" run bad.conf -o results
! commands out err || fail 'run: a workflow command'
"$VALIDATE" report --list | sed -n 's/^ *\([a-z]*\) .*/\1/p' >forms
[ "$(wc -l <forms)" -ge 8 ] || fail "few forms: $(cat forms)"
while read -r form; do
	expect_status $status "$VALIDATE" report results --format $form
	case $form in
	github) sed -i 's/^::[a-z]* title=/title=/' out ;; # its own commands
	esac
	! commands out err || fail "$form: a workflow command"
done <forms
grep -q forged results/report/report.json || fail 'the message of the replayer is not in the report'
! commands -r results/report || fail 'a workflow command in a file of the report'
