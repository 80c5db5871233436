# SPDX-License-Identifier: GPL-3.0-or-later
# Measures response times of metadata calls on a cold tree: grep -r, git status and find on ext4 and
# XFS on loop devices. In each round the program, the replay of its trace and the program once more
# run, in an order that changes from round to round. Before each run the caches are dropped
# (drop_caches = 3); nothing is prepared after that. Prints, for each file system, program and
# operation (`open` contains opendir): calls, the program's mean response time (median over the
# runs), and the ratio of the replay's mean to the program's in the same round (median, 95 %
# interval of the median from order statistics). The ratio is computed for all calls, and without
# the slowest 1 %, because on a busy machine a few calls that waited for a CPU determine the mean of
# all calls. `again`: the same ratio of the program's second run to its first. It shows the scatter
# of the ratio for equal programs. Needs root, losetup, mkfs.ext4, mkfs.xfs, git. usage:
# bench-cold.sh; BENCH_PAIRS=20 (rounds) BENCH_TREE=DIR (what is copied: the sources) BENCH_FS='ext4
# xfs' BENCH_PROGRAMS='grep git find' BENCH_REPLAY='--order fs --timing think --processes'
# (options of the replays) BENCH_KEEP=DIR (keep the response times of all runs) BENCH_DIR=DIR (of the
# file systems' images; in /dev/shm the device is as fast as memory) BENCH_AWAKE=1 (a loop of idle
# priority on each CPU: a virtual CPU that halts takes longer to wake up than such a device to
# answer)
set -eu
LC_ALL=C
export LC_ALL
SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
VALIDATE=${VALIDATE:-$SRCDIR/build/validate}
pairs=${BENCH_PAIRS:-$([ -n "${BENCH_QUICK-1}" ] && echo 4 || echo 20)}
tree=${BENCH_TREE:-$SRCDIR}
if [ "$(id -u)" -ne 0 ] || [ ! -w /proc/sys/vm/drop_caches ]; then
	echo 'skipped: only root may drop dentries and inodes'
	exit 77
fi
dir=$(mktemp -d "${BENCH_DIR:-/var/tmp}/bench-cold.XXXXXX")
trap 'cd /; for i in ext4 xfs; do mountpoint -q "$dir/$i" && umount "$dir/$i"; done; rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -n "${BENCH_AWAKE-}" ]; then
	# a loop in another session must not get an equal share of the CPU
	autogroup=/proc/sys/kernel/sched_autogroup_enabled before=0
	[ ! -w $autogroup ] || { before=$(cat $autogroup); echo 0 >$autogroup; }
	loops=
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		chrt -i 0 taskset -c "$cpu" sh -c 'while :; do :; done' &
		loops="$loops $!"
	done
	trap 'kill $loops; [ ! -w $autogroup ] || echo $before >$autogroup; cd /; for i in ext4 xfs; do mountpoint -q "$dir/$i" && umount "$dir/$i"; done; rm -rf "$dir"' EXIT
fi

make_tree() { # ext4 or xfs
	truncate -s 1G "$dir/$1.img"
	case $1 in
	ext4) mkfs.ext4 -q -F "$dir/$1.img" ;;
	xfs) mkfs.xfs -q -f "$dir/$1.img" ;;
	esac
	mkdir "$dir/$1"
	mount -o loop "$dir/$1.img" "$dir/$1"
	mkdir "$dir/$1/tree"
	(cd "$tree" && tar cf - --exclude=./build --exclude=./.git .) | tar xf - -C "$dir/$1/tree"
	(
		cd "$dir/$1/tree"
		git init -q .
		git add -A 2>/dev/null
		git -c user.name=bench -c user.email=bench@localhost commit -q -m tree
		git status >/dev/null
	)
}

cold() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

program() { # FS PROGRAM TRACE
	cold
	(
		cd "$dir/$1/tree"
		case $2 in
		grep) set -- "$1" "$3" grep -r -e 'a word that no file has' . ;;
		git) set -- "$1" "$3" git --no-optional-locks status ;;
		find) set -- "$1" "$3" find . -size +1000M ;;
		esac
		root=$dir/$1/tree trace=$2
		shift 2
		"$VALIDATE" capture app --root "$root" -o "$trace" -- "$@" >/dev/null
	)
}

replay() { # FS REFERENCE TRACE
	cold
	# shellcheck disable=SC2086 # several options
	"$VALIDATE" replay --dir "$dir/$1/tree" --no-sync-output -o "$3" ${BENCH_REPLAY---order fs --timing think --processes} "$2" >"$dir/said"
	grep -q '^mismatches *0$' "$dir/said" || {
		cat "$dir/said"
		exit 1
	}
}

# lines: operation, calls, mean of all, mean without the slowest 1 %
means() { # TRACE
	"$VALIDATE" info "$1" --csv "$dir/trace.csv"
	awk -F, 'NR > 1 && $5 ~ /^(open|opendir|stat|readdir|getdents|statx|access|readlink)$/ {
		print $5 == "opendir" ? "open" : $5, $4 - $3
	}' "$dir/trace.csv" | tee "$dir/times" |
		sort -k1,1 -k2,2n | awk '
			function flush(i, all, most) {
				for (i = 1; i <= n; i++) {
					all += x[i]
					most += i <= n - int(n / 100) ? x[i] : 0
				}
				if (n)
					print op, n, all / n, most / (n - int(n / 100))
				n = 0
			}
			$1 != op { flush(); op = $1 }
			{ x[++n] = $2 }
			END { flush() }'
}

# the median of column C of a file and its 95 % interval
median() { # FILE COLUMN FORMAT
	awk -v c="$2" '{ print $c }' "$1" | sort -n | awk -v f="$3" '{ x[NR] = $1 } END {
		k = int((NR - 1.96 * sqrt(NR)) / 2)
		k = k < 1 ? 1 : k
		printf f, (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2, x[k], x[NR + 1 - k] }'
}

compare() { # FS PROGRAM
	program "$1" "$2" "$dir/reference.trace"
	: >"$dir/rows"
	i=0
	while [ $i -lt "$pairs" ]; do
		i=$((i + 1))
		case $((i % 3)) in
		0) order='replay program again' ;;
		1) order='program again replay' ;;
		2) order='again replay program' ;;
		esac
		for what in $order; do
			case $what in
			replay) replay "$1" "$dir/reference.trace" "$dir/run.trace" ;;
			*) program "$1" "$2" "$dir/run.trace" ;;
			esac
			means "$dir/run.trace" | sed "s/^/$i $what /" >>"$dir/rows"
			[ -z "${BENCH_KEEP-}" ] || cp "$dir/times" "$BENCH_KEEP/$1-$2-$i-$what"
		done
	done
	for op in open stat readdir getdents statx access readlink; do
		for what in replay again; do
			awk -v op=$op -v what=$what '
				$3 != op { next }
				$2 == "program" { n = $4; all[$1] = $5; most[$1] = $6 }
				$2 == what { other[$1] = $5; other_most[$1] = $6 }
				END {
					for (i in all)
						if (n >= 50 && i in other)
							print n, all[i] / 1000, other[i] / all[i], other_most[i] / most[i]
				}' "$dir/rows" >"$dir/$what.ratios"
		done
		[ -s "$dir/replay.ratios" ] || continue
		printf '%-5s %-5s %-8s %6d calls  %s us' "$1" "$2" $op \
			"$(awk 'NR == 1 { print $1 }' "$dir/replay.ratios")" \
			"$(median "$dir/replay.ratios" 2 %7.2f)"
		for what in replay again; do
			printf '  %s: all %s  without the slowest 1 %% %s' $what \
				"$(median "$dir/$what.ratios" 3 '%.3f (%.3f .. %.3f)')" \
				"$(median "$dir/$what.ratios" 4 '%.3f (%.3f .. %.3f)')"
		done
		echo
	done
}

for fs in ${BENCH_FS:-ext4 xfs}; do
	make_tree "$fs"
	for one in ${BENCH_PROGRAMS:-grep git find}; do
		compare "$fs" "$one"
	done
	umount "$dir/$fs"
done
