# SPDX-License-Identifier: GPL-3.0-or-later
# long: 18 s
# The compiled engine: its source contains no bytes of the trace, such as names. Programs are
# cached, and unsafe caches are not used. A missing compiler, a killed program, and a killed replay.
. "$SRCDIR/tests/e2e/lib.sh"
command -v cc >/dev/null || skip 'no C compiler is called cc'
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
store=$XDG_CACHE_HOME/validate/programs

run() { # status, then arguments
	want=$1
	shift
	expect_status "$want" "$VALIDATE" replay --engine compiled "$@"
}

mkdir target
"$VALIDATE" microbench sr --level 2 --requests 300 --file-size 256K --prepare --dir target -o sr.trace >/dev/null

# a program is compiled once; other tables or another code form give another program
cat >counting-cc <<-'END'
	#!/bin/sh
	echo x >>"$COUNT"
	exec cc "$@"
	END
chmod +x counting-cc
COUNT=$PWD/count
export COUNT
run 0 --cc "$PWD/counting-cc" --dir target -o out.trace sr.trace
run 0 --cc "$PWD/counting-cc" --dir target -o out.trace sr.trace
run 0 --cc "$PWD/counting-cc" --spin 1ms --pin --dir target -o out.trace sr.trace
expect_line out 'mismatches      0'
[ "$(wc -l <count)" -eq 1 ] || fail "compiled $(wc -l <count) times for one program"
run 0 --cc "$PWD/counting-cc" --timing think --dir target sr.trace
[ "$(wc -l <count)" -eq 2 ] || fail 'another timing is the same program'
run 0 --cc "$PWD/counting-cc" --timing timestamp --compile-only --dir target sr.trace
run 0 --cc "$PWD/counting-cc" --timing timestamp --dir target sr.trace
[ "$(wc -l <count)" -eq 3 ] || fail '--compile-only does not keep the program'
# a replay and its blank are one program, but the blank makes no calls
"$VALIDATE" microbench sw --level 2 --requests 300 --file-size 256K --prepare --dir target -o sw.trace >/dev/null
for order in temporal none; do
	rm -f count
	run 0 --cc "$PWD/counting-cc" --order $order --dir target -o out.trace sw.trace
	"$VALIDATE" replay --blank --order $order --dir target -o event.trace sw.trace >/dev/null
	find target -type f -exec sh -c 'tr "\\0-\\377" x <"$1" >"$1.x" && mv "$1.x" "$1"' - {} \;
	cksum target/* >before
	run 0 --cc "$PWD/counting-cc" --order $order --blank --dir target -o blank.trace sw.trace
	n=$(awk '$1 == "requests" { print $2 }' out)
	expect_line out "$n of $n"
	expect_line out 'mismatches      0'
	[ "$(wc -l <count)" -eq 1 ] || fail "$order: the blank was compiled apart"
	[ "$(cksum target/*)" = "$(cat before)" ] || fail "$order: a blank replay wrote"
	for t in event blank; do # as by event: every request exists, and each result is 0
		"$VALIDATE" info --csv $t.csv $t.trace >/dev/null
		[ "$(grep -c ',"[^"]*",0,' $t.csv)" -eq "$n" ] || fail "$order: $t: $(head -n 5 $t.csv)"
	done
done
# a directory of the user with other content: it stays, even if old or large
mkdir -m 700 own own/build-abcdef
echo kept >own/build-abcdef/file
touch -d '2 hours ago' own/build-abcdef
truncate -s 3G own/film
run 0 --cc "$PWD/counting-cc" --program-cache own --dir target sr.trace
[ -e own/build-abcdef/file ] && [ -e own/film ] || fail 'something else than programs was removed'
[ "$(ls own | wc -l)" -eq 3 ] || fail "kept: $(ls own)"
rm -rf own
printf 'x\nx\nx\n' >count
[ "$(stat -c %a "$store")" = 700 ] || fail "the programs lie in a directory of mode $(stat -c %a "$store")"
[ -z "$(find "$store" -name '.validate-build-*')" ] || fail 'what it was made in is left'

# a directory that other users can write to is not used, nor is a program that other users could
# have put there
mkdir -m 777 open
run 6 --program-cache open --dir target sr.trace
expect_line err 'closed to other users'
ln -s "$store" link
run 6 --program-cache link --dir target sr.trace
# a cache directory that cannot be created is a failure, and no refusal
: >file
run 3 --program-cache file/below --dir target sr.trace
expect_status 3 env -u XDG_CACHE_HOME -u HOME "$VALIDATE" replay --engine compiled --dir target sr.trace
expect_line err 'no directory for compiled programs'
for kept in "$store"/*; do
	chmod 700 "$kept"
	cp /bin/false "$kept" && chmod 777 "$kept"
done
run 0 --cc "$PWD/counting-cc" --dir target sr.trace
[ "$(wc -l <count)" -eq 4 ] || fail 'a program that others could write to was run'

# no compiler, a compiler that fails, and a compiler that makes no program: a message, and no file
# is left
for bad in no-such-cc false true; do
	run 3 --cc $bad --dir target -o bad.trace sr.trace
	expect_line err "$bad"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one line: $(cat err)"
	[ ! -e bad.trace ] || fail 'a replay that did not begin left a trace'
done
run 3 --cc no-such-cc --dir target sr.trace
expect_line err 'needs a C compiler'

# names that look like code: the source contains none of them and compiles without a warning; no
# other file is created
odd='*/ system("touch owned"); /* ??/" \ %s%n $(touch owned) `touch owned` #include "owned"'
long=$(printf '%0200d' 0 | tr 0 n)
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	i=0
	for name in 'odd1' '"' "'" '\' '??/' '*/int x' '%s%n%n' 'newlineN' 'escapeE' "$long/$long/$long/$long" "$odd"; do
		i=$((i + 1))
		printf '7,%s,%s000,%s500,mkdir,"path=/d%s;mode=0755",0\n' $((8 + i % 3)) $i $i $i
		printf '7,%s,%s600,%s700,open,"path=/d%s/%s;flags=0x42;mode=0644",3\n' $((8 + i % 3)) $i $i $i "$(printf %s "$name" | sed 's/%/%25/g; s/;/%3B/g; s/"/""/g; s/N$/%0Aint owned;/; s/E$/%1B[31m%FF/; s/int owned;/int owned%3B/')"
		printf '7,%s,%s800,%s810,write,"fd=3;length=10",10\n' $((8 + i % 3)) $i $i
		printf '7,%s,%s820,%s830,close,"fd=3",0\n' $((8 + i % 3)) $i $i
	done
} >odd.csv
mkdir odd
for how in --no-unroll --unroll; do
	rm -rf odd source && mkdir odd
	run 0 $how --cc 'cc -Wall -Wextra -Werror -trigraphs' --keep-source source --dir odd -o out.trace odd.csv
	grep -q 'of 44' out || fail "$(cat out)"
	[ "$(find odd -type f | wc -l)" -ge 7 ] || fail "made: $(find odd)"
	[ -x source/program ] && [ -f source/tables.bin ] || fail 'the source is not kept'
	! grep -qE 'owned|nnnn|odd1|int x' source/*.c source/*.h source/build.sh || fail 'a name is in the text'
	! LC_ALL=C grep -q '[^ -~	]' source/*.c source/threads.h || fail 'other bytes than text in the text'
	grep -q odd1 source/tables.bin || fail 'the tables have no names'
	rm source/program && (cd / && sh "$OLDPWD/source/build.sh") && [ -x source/program ] || fail 'build.sh does not do it again'
done
[ -z "$(find . -name 'owned*')" ] || fail 'a name became code'
expect_status 2 source/program
expect_line err 'validate replay --engine compiled'
expect_status 2 source/program 1

# the program is killed: completed requests are in the trace, and the replay reports it
"$VALIDATE" microbench rr --level 2 --requests 40 --pause 10ms --file-size 64K --prepare --dir target -o slow.trace >/dev/null
# in a subshell: a replay of a minute, of which the test takes a second
slowly() {
	exec "$VALIDATE" replay --engine compiled --timing timestamp --speed 0.005 --dir target "$@" slow.trace
}
child_of() { # PID: its child, when it has one that has opened a file of the target
	while kill -0 "$1" 2>/dev/null; do
		child=$(cat "/proc/$1/task/$1/children" 2>/dev/null | tr -d ' ')
		[ -z "$child" ] || ! ls -l "/proc/$child/fd" 2>/dev/null | grep -q 'rr[.]' || return 0
		sleep 0.02
	done
	fail "no program was started: $(cat err)"
}
(slowly --compile-only) >out 2>err || fail "$(cat err)"
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0"
slowly -o killed.trace >out 2>err &
pid=$!
child_of $pid
sleep 1
kill -SEGV "$child"
status=0
wait $pid || status=$?
[ $status -eq 3 ] || fail "status $status: $(cat err)"
expect_line err 'ended by signal 11'
"$VALIDATE" info killed.trace >info.txt || fail 'what was completed is not in the trace'
n=$(sed -n 's/.*) after \([0-9]*\) of 8[0-9] requests.*/\1/p' err)
[ "$n" -gt 0 ] && [ "$n" -lt 80 ] || fail "completed: $(cat err)"

# the replay is killed: the program does not continue without it
slowly >out 2>err &
pid=$!
child_of $pid
kill -KILL $pid
wait $pid 2>/dev/null || :
for try in $(seq 400); do
	[ -e "/proc/$child" ] || break
	sleep 0.05
done
[ ! -e "/proc/$child" ] || ! grep -q validate-program "/proc/$child/cmdline" || fail 'the program outlived the replay'

# a mismatch is reported, and stops the replay if requested
truncate -s 64K target/sr.0
run 0 --dir target -o out.trace sr.trace
expect_line out 'instead of 4096'
run 3 --stop-on-mismatch --dir target -o stopped.trace sr.trace
expect_line err 'stopped at the first mismatch'
[ -e stopped.trace ] || fail 'a stopped replay wrote no trace'
