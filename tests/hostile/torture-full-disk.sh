#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fills the disk at random points: campaigns on a small file system, which are resumed with space
# again, and commands that write a file.
#
# usage: tests/hostile/torture-full-disk.sh SECONDS SEED
#
# VALIDATE: the program. The current directory: a small file system in memory is mounted there, in a
# mount namespace of its own. Prints a line for each failure, and at the end "count full-disk N" and
# "count full-disk-failures N". Status: 0; 1 after a failure; 77 if nothing can be mounted.
SRCDIR=$(cd "$(dirname "$0")/../.." && pwd)
[ -n "${TORTURE_INSIDE:-}" ] || {
	unshare -m true 2>/dev/null || {
		echo 'torture-full-disk.sh: a mount namespace of its own is not permitted'
		exit 77
	}
	TORTURE_INSIDE=yes exec unshare -m sh "$0" "$@"
}
seconds=$1 state=$2
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

n_points=0 n_failures=0
kib=24576 # size of the file system; a tiny campaign takes less

random_below() { # N: sets $random; the generator of Park and Miller
	state=$(((state % 2147483646 + 1) * 48271 % 2147483647))
	random=$((state % $1))
}

went_well() { # STATUS of a campaign that completed
	case $1 in 0 | 1 | 4) ;; *) return 1 ;; esac
}

# leave KIB: a file takes all other space
leave() {
	rm -f filler
	free=$(df -k --output=avail . | tail -n 1)
	[ "$free" -le "$1" ] || fallocate -l $(((free - $1) * 1024)) filler
}

# A campaign with this space, and resumed with more space; "fail" ends the subshell in which this is
# called
campaign() { # KIB
	rm -rf results
	leave "$1"
	status=0
	"$VALIDATE" run tiny.conf -o results -q >/dev/null 2>../full.err || status=$?
	rm -f filler
	case $status in
	0 | 1 | 4) # it fitted, or single runs failed and are named
		! grep -q '"state":"failed"' results/journal ||
			grep '"state":"failed"' results/journal | grep -q 'No space left\|too little space\|room' ||
			fail "failed runs of another reason: $(grep '"state":"failed"' results/journal | head -n 1)"
		return
		;;
	3) grep -qi 'space\|room' ../full.err ||
		fail "status 3 without the reason: $(head -n 1 ../full.err)" ;;
	*) fail "status $status with a full disk: $(head -n 1 ../full.err)" ;;
	esac
	status=0
	if [ -f results/journal ]; then
		"$VALIDATE" run -o results --resume -q >/dev/null 2>../full.err || status=$?
	else
		rm -rf results
		"$VALIDATE" run tiny.conf -o results -q >/dev/null 2>../full.err || status=$?
	fi
	went_well $status ||
		fail "status $status when it was resumed with space again: $(head -n 2 ../full.err | tr '\n' ' ')"
	complete results "$N_TINY"
	clean results
	[ -z "$(find . -name '.validate-*')" ] || fail "left behind: $(find . -name '.validate-*')"
}

# Each trace file has its own random number, so their records are compared
is_same() { # FILE WANTED
	case $1 in
	*.trace) "$VALIDATE" info --csv ../got.csv "$1" && "$VALIDATE" info --csv ../wanted.csv "$2" &&
		cmp -s ../got.csv ../wanted.csv ;;
	*) cmp -s "$1" "$2" ;;
	esac
}

# A command that writes one file: the file is complete, or it does not exist and the command reports
# why
command_point() { # KIB NAME OUTPUT COMMAND...
	room=$1 name=$2 output=$3
	shift 3
	rm -f "$output"
	leave "$room"
	status=0
	"$@" >/dev/null 2>../full.err || status=$?
	left=$(find . -name '.validate-*')
	rm -f filler
	[ -z "$left" ] || fail "$name left behind: $left"
	if [ $status -eq 0 ]; then
		is_same "$output" "../want-$name" || {
			cp "$output" "../bad-$name"
			fail "$name: status 0 and another file, kept as $(cd .. && pwd)/bad-$name"
		}
	else
		[ $status -eq 3 ] || fail "$name: status $status: $(head -n 1 ../full.err)"
		grep -q '^validate: ' ../full.err || fail "$name: no message"
		# a trace reports itself that it is incomplete; no other format can
		case $output in
		*.trace) ;;
		*) [ ! -s "$output" ] || is_same "$output" "../want-$name" ||
			fail "$name: part of a file stays" ;;
		esac
	fi
	rm -f "$output"
}

writers() { # HOW: calls HOW NAME OUTPUT COMMAND... for each command that writes a file
	"$@" export out.csv "$VALIDATE" export --to csv in.trace -o out.csv
	"$@" slice out.trace "$VALIDATE" slice in.trace -o out.trace
	"$@" import out.trace "$VALIDATE" import ../in.csv -o out.trace
	"$@" html out.html "$VALIDATE" info --html out.html in.trace
}
want() { # NAME OUTPUT COMMAND...
	name=$1 output=$2
	shift 2
	"$@" >/dev/null 2>../full.err || fail "$name: $(cat ../full.err)"
	mv "$output" "../want-$name"
}
point() { # NAME OUTPUT COMMAND...: at a random size
	size=$(($(stat -c %s "../want-$1") / 1024 + 8))
	random_below $size
	n_points=$((n_points + 1))
	(command_point "$random" "$@") >../full.log 2>&1 || failed "$1 with $random KiB"
}
failed() { # WHAT
	n_failures=$((n_failures + 1))
	echo "FAILED full disk, $1: $(tail -n 1 ../full.log)"
}

mkdir -p disk
mount -t tmpfs -o size=${kib}k,mode=755 torture disk || {
	echo 'torture-full-disk.sh: nothing can be mounted'
	exit 77
}
cd disk
export TMPDIR="$PWD"
tiny tiny.conf 'seed = 5'
"$VALIDATE" microbench random-read --level 2 --requests 3000 --file-size 1M --dir . -o in.trace >/dev/null
"$VALIDATE" export --to csv in.trace -o ../in.csv >/dev/null
writers want
until=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt "$until" ]; do
	for i in 1 2 3 4 5 6; do
		writers point
	done
	[ "$(date +%s)" -lt "$until" ] || break
	random_below 14000
	n_points=$((n_points + 1))
	(campaign "$random") >../full.log 2>&1 || failed "campaign with $random KiB"
done
cd ..
echo "count full-disk $n_points"
echo "count full-disk-failures $n_failures"
[ $n_failures -eq 0 ]
