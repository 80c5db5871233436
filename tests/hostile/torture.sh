#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Attacks on the program for a given time: hostile traces, kills, full disks, injected faults.
#
# usage: tests/hostile/torture.sh BUILD SECONDS COUNTS
#
# COUNTS: lines "NAME COUNT". The counts of this run are added, and all counts are printed at the
# end. The count so far is the seed of a run. Failing traces and results directories are kept in
# BUILD/torture.
#
# TORTURE_CPUS: permitted CPUs, as for taskset -c (all). TORTURE_JOBS: attacks of one kind that run
# at the same time (1); many attacks wait for a watchdog, a disk or the time of a kill.
# TORTURE_LIMIT: seconds after which a replay counts as hanging (60). Raise it on a busy machine:
# memory of 1 GiB alone takes seconds. TORTURE_PARTS: only these of "replays kills full-disk
# inject", each for the whole time. Status: 0, 1 after a failure, 3 if the script cannot run.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd) || exit 3
BUILD=$(cd "$1" && pwd) || exit 3
seconds=$2
mkdir -p "$(dirname "$3")" "$BUILD/torture/keep" || exit 3
counts=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
touch "$counts" || exit 3
VALIDATE=$BUILD/validate
export BUILD VALIDATE
[ -z "${TORTURE_CPUS:-}" ] || taskset -cp "$TORTURE_CPUS" $$ >/dev/null || exit 3
# a sanitizer's report ends the program with a signal or a text that the harness finds; memory that
# is not freed at the end is no failure
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
export TSAN_OPTIONS="halt_on_error=1:suppressions=$here/../tsan.supp:${TSAN_OPTIONS:-}"
bad=0

count_of() { # NAME
	awk -v n="$1" '$1 == n { s = $2 } END { print s + 0 }' "$counts"
}
counts_add() { # takes lines "count NAME N" from standard input and prints the others
	while read -r line; do
		case $line in
		'count '*)
			set -- $line
			(
				flock 9
				awk -v n="$2" -v more="$3" '$1 == n { $2 += more; found = 1 } { print }
					END { if (!found) print n, more }' "$counts" >"$counts.new" && mv "$counts.new" "$counts"
			) 9>"$BUILD/torture/lock"
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}
job() { # NAME COMMAND...: in its own directory
	name=$1
	shift
	mkdir -p "$BUILD/torture/$name" && rm -f "$BUILD/torture/$name.status"
	(cd "$BUILD/torture/$name" && "$@"; echo $? >"$BUILD/torture/$name.status") 2>&1 | counts_add
}
part() { # NAME SEED COMMAND...: TORTURE_JOBS times, each with its own seed as the last argument
	part=$1 seed=$2 n=0
	shift 2
	while [ $n -lt "${TORTURE_JOBS:-1}" ]; do
		job "$part-$n" "$@" $((seed + n)) &
		n=$((n + 1))
	done
	wait
	while [ $n -gt 0 ]; do
		n=$((n - 1))
		case $(cat "$BUILD/torture/$part-$n.status") in
		0) ;;
		77) echo "$part: not tried" ;;
		*) bad=1 ;;
		esac
	done
}
share() { # PER CENT of the time
	[ ! "${TORTURE_PARTS:-}" ] || set -- 100
	s=$((seconds * $1 / 100))
	[ $s -gt 0 ] && echo $s || echo 1
}
wanted() { # PART
	case " ${TORTURE_PARTS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

! wanted replays ||
	part replays "$(($(count_of replays-event) + 1))" "$BUILD/tests/torture" --seconds "$(share 60)" \
		--limit "${TORTURE_LIMIT:-60}" "$VALIDATE" "$BUILD/torture/keep" --seed
! wanted kills ||
	part kills "$(($(count_of kills) + 1))" sh "$here/torture-kills.sh" "$(share 20)"
! wanted full-disk ||
	part full-disk "$(($(count_of full-disk) + 1))" sh "$here/torture-full-disk.sh" "$(share 10)"
! wanted inject ||
	WORK=$BUILD/torture/inject sh "$here/inject.sh" "$(share 10)" "$counts" || bad=1
[ $bad -eq 0 ] && echo 'nothing was found; counts so far:' || echo "FAILURES are above and in $BUILD/torture; counts so far:"
sed 's/^/  /' "$counts"
exit $bad
