# SPDX-License-Identifier: GPL-3.0-or-later
# Failures around a replay, with each engine: a full target, no permission, too few descriptors, a
# request that does not return, a signal.
. "$SRCDIR/tests/e2e/lib.sh"

header=pid,tid,begin,end,function,args,rvalue
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# in a mount namespace of its own, so that nothing stays mounted: 64 writes of 32 KiB with room for
# 1 MiB
awk -v header=$header 'BEGIN { print header
	print "10,10,0,500,open,\"path=f;flags=0x42;mode=0644\",3"
	for (i = 0; i < 64; i++) printf "10,10,%d,%d,write,\"fd=3;path=f;length=32768\",32768\n", 1000 + i * 1000, 1500 + i * 1000
	print "10,10,100000,100500,close,\"fd=3;path=f\",0" }' >full.csv
mkdir small
cat >in-small.sh <<'E2'
mount -t tmpfs -o size=1m none small || exit 77
exec "$VALIDATE" replay --engine "$1" --order fs --dir small -o full.out full.csv
E2
full() {
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || return 0 # a mount takes root
	expect_status 3 unshare -m sh in-small.sh "$1"
	expect_line err 'the storage failed: 32 requests failed with errors that the trace does not have'
	[ -s full.out ] || fail "$1: no replay trace"
	expect_line out 'by operation  write 32'
	expect_line out 'No space left on device'
	[ "$(grep -c '^  request [0-9]*: write of f' out)" -eq 10 ] || fail "$1: not the first ten"
	expect_line out 'and 22 more'
}

# files that the replaying user must not open, and a directory in which the user must not create
# files
{
	echo $header
	echo '1,1,0,10,open,"path=secret;flags=2;mode=0",3'
	echo '1,1,20,30,pread,"fd=3;path=secret;offset=0;length=4096",4096'
	echo '1,1,40,50,mkdir,"path=d;mode=0755",0'
} >denied.csv
denied() {
	rm -rf theirs
	mkdir theirs
	head -c 4096 /dev/zero >theirs/secret
	chmod 400 theirs/secret
	chmod 555 theirs
	as=
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid 12345 --clear-groups test -r "$PWD/denied.csv" -a -x "$VALIDATE" || return 0 # it cannot get here
		chown -R 12345 theirs
		as='setpriv --reuid 12345 --clear-groups'
	fi
	mkdir -p own
	chmod 777 own
	expect_status 0 $as env XDG_CACHE_HOME="$PWD/own" "$VALIDATE" replay --engine "$1" --dir theirs denied.csv
	expect_line out 'by operation  open 1, pread 1, mkdir 1'
	expect_line out 'request 0: open of secret returned failure (Permission denied)'
	expect_line out 'request 2: mkdir of d returned failure (Permission denied)'
	chmod 755 theirs
}

# a hundred files open at a time, with a limit of 64: reported before any file is created
awk -v header=$header 'BEGIN { print header
	for (i = 0; i < 100; i++) printf "1,1,%d,%d,open,\"path=f%d;flags=0x42;mode=0644\",%d\n", i * 100, i * 100 + 50, i, i + 3 }' >many.csv
descriptors() {
	rm -rf tree
	mkdir tree
	cc=
	[ "$1" != compiled ] || cc="--cc no-such-compiler" # reported before the compilation
	(ulimit -n 64 && expect_status 3 "$VALIDATE" replay --engine "$1" $cc --dir tree many.csv && cp err err.many) || fail "$1: few descriptors"
	expect_line err.many 'open at one time), but only 64 are permitted'
	[ -z "$(ls tree)" ] || fail "$1: something was made"
}

# a lock that another process never releases; the next request, in another thread, waits for it
{
	echo $header
	echo '1,1,0,10,open,"path=f;flags=0x42;mode=0644",3'
	echo '1,1,20,30,flock,"fd=3;path=f;flags=2",0'
	echo '1,2,40,50,mkdir,"path=d;mode=0755",0'
	echo '1,1,60,70,close,"fd=3;path=f",0'
} >blocked.csv
blocked() {
	rm -rf tree
	mkdir tree
	: >tree/f
	exec 5>tree/f
	flock -x 5
	expect_status 3 "$VALIDATE" replay --engine "$1" --watchdog 300ms --dir tree blocked.csv 5>&-
	exec 5>&-
	expect_line err 'request 1 (flock of f) does not return'
	expect_line err 'request 2 (mkdir of d) waits for request 1'
}

# a signal during a replay that would take an hour: the replay and all its processes end, no replay
# trace remains, and the files stay as they are at that time
awk -v header=$header 'BEGIN { print header
	for (p = 10; p < 12; p++) {
		printf "%d,%d,%d,%d,open,\"path=f%d;flags=0x42;mode=0644\",3\n", p, p, p, 500 + p, p
		printf "%d,%d,3600000000000,3600000000100,close,\"fd=3;path=f%d\",0\n", p, p, p } }' >long.csv
until_true() {
	for _ in $(seq 600); do
		! eval "$1" || return 0
		sleep 0.1
	done
	fail "after a minute not: $1"
}
gone() { # or dead and not yet waited for
	for process in $1; do
		case $(sed 's/.*) //; s/ .*//' "/proc/$process/stat" 2>/dev/null) in '' | Z | X) ;; *) return 1 ;; esac
	done
}
interrupted() { # ENGINE SIGNAL OPTION
	option=${3-}
	rm -rf tree long.out
	mkdir tree
	"$VALIDATE" replay --engine "$1" $option --timing timestamp --dir tree -o long.out long.csv >out 2>err &
	pid=$!
	until_true '[ -e tree/f10 ] && [ -e tree/f11 ]'
	processes=$pid
	for stat in /proc/[0-9]*/stat; do
		case $(sed 's/.*) //' "$stat" 2>/dev/null) in ?" $pid "*) processes="$processes $(echo "$stat" | cut -d / -f 3)" ;; esac
	done
	kill -"$2" $pid
	status=0
	wait $pid || status=$?
	[ $status -gt 128 ] || fail "$1 $option, $2: status $status"
	until_true "gone '$processes'"
	[ ! -e long.out ] || fail "$1 $option, $2: half a replay trace"
	[ "$(ls tree | tr '\n' ' ')" = 'f10 f11 ' ] || fail "$1 $option, $2: $(ls tree)"
}

# the same with --no-keep: prepared and created files are removed, and nothing else; also after a
# replay that ends by itself
{
	echo $header
	echo '1,1,0,10,mkdir,"path=d;mode=0755",0'
	echo '1,1,20,30,open,"path=d/new;flags=0x42;mode=0644",3'
	echo '1,1,40,50,write,"fd=3;path=d/new;length=100",100'
	echo '1,1,60,70,rename,"path=d/new;heap=74686572652f6d6f766564",0'
	echo '1,1,80,90,open,"path=there/read;flags=0;mode=0",4'
	echo '1,1,100,110,pread,"fd=4;path=there/read;offset=0;length=100",100'
} >short.csv
not_kept() { # ENGINE OPTION
	rm -rf tree
	mkdir tree
	echo mine >tree/mine
	# shellcheck disable=SC2086 # options
	"$VALIDATE" replay --engine $1 --prepare --no-keep --timing timestamp --dir tree long.csv >out 2>err &
	pid=$!
	until_true '[ -e tree/f10 ] && [ -e tree/f11 ]'
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ $status -gt 128 ] || fail "$1, not kept: status $status"
	[ "$(ls tree)" = mine ] || fail "$1, not kept: $(ls tree)"
	# shellcheck disable=SC2086 # options
	expect_status 0 "$VALIDATE" replay --engine $1 --prepare --no-keep --dir tree -o short.out short.csv
	expect_line out 'mismatches      0'
	[ -s short.out ] && [ "$(ls tree)" = mine ] || fail "$1, not kept after its end: $(ls -R tree)"
	expect_status 2 "$VALIDATE" replay --no-keep --dir tree short.csv
}

for engine in event coordinator compiled; do
	full $engine
	[ $engine = compiled ] || denied $engine # it would be compiled again, for another user
	descriptors $engine
	blocked $engine
	interrupted $engine TERM --processes
	interrupted $engine KILL --processes
	not_kept "$engine --processes"
done
