# SPDX-License-Identifier: GPL-3.0-or-later
# Compares an older version with the present version: execution time of replays at full speed, time
# to prepare files, and under capture app and capture vfs the time of a read call and of the whole
# capture (1 or 2 threads). In each round, every case runs with both versions, in random order.
# Prints the ratio new / old of each case: median, and the 95 % interval by order statistics.
#
# usage: BENCH_OLD=OLD/build bench-versions.sh [BUILD]; BENCH_ROUNDS=20; BENCH_DIR=/dev/shm
# (directory of the files); BENCH_CASES='prepare call,vfs,2' (default all). Without BENCH_OLD, the
# present version is compared with itself.
BENCH_ROUNDS=${BENCH_ROUNDS:-$([ -n "${BENCH_QUICK-1}" ] && echo 7 || echo 20)}
. "$(dirname "$0")/lib.sh"
new=$BUILD/validate old=$(cd -- "${BENCH_OLD:-$BUILD}" && pwd)/validate || exit 3
work=$(mktemp -d "${BENCH_DIR:-/dev/shm}/bench-versions.XXXXXX") || exit 3
trap 'rm -rf "$dir" "$work"' EXIT
cd "$work" || exit 3
${CC:-cc} -O2 -std=c11 -I"$SRCDIR" -o loop "$SRCDIR/tests/programs/pread-loop.c" -pthread -ldl || exit 3
dd if=/dev/urandom of=file bs=1M count=1 2>/dev/null
mkdir tree files
for i in $(seq 40); do
	mkdir "tree/$i"
	for k in $(seq 50); do echo "$i $k" >"tree/$i/$k"; done
done
tar cf a.tar tree

# both versions replay traces of the older one
"$old" microbench random-read --requests 100000 --file-size 64M --dir files -o read.trace >/dev/null &&
	"$old" microbench random-write --level 2 --requests 50000 --file-size 64M --dir files -o write.trace >/dev/null &&
	mkdir run && (cd run && "$old" capture app --snapshot --root "$PWD" -o ../tar.trace -- tar xf ../a.tar) >/dev/null &&
	(cd tree && "$old" capture app --snapshot --root "$PWD" -o ../grep.trace -- grep -r nothing .) >/dev/null
[ -s grep.trace ] || { echo 'the traces could not be made' >&2; exit 3; }

span() { # VERSION TRACE OPTION...: execution time of a replay in ns
	program=$1 trace=$2
	shift 2
	mkdir fresh && "$program" replay --prepare --dir fresh --no-sync-output -o out.trace "$@" "$trace" >log 2>&1 ||
		{ cat log >&2; exit 3; }
	"$program" info --json out.trace | jq .span_ns
	rm -r fresh
}
whole() { # COMMAND...: its time in ns
	begin=$(date +%s%N)
	"$@" >log 2>&1 || { cat log >&2; exit 3; }
	echo $(($(date +%s%N) - begin))
}
measure() { # CASE VERSION
	case $1 in
	prepare)
		mkdir fresh
		whole "$2" replay --prepare-only --dir fresh grep.trace
		rm -r fresh
		;;
	call,* | capture,*)
		set -- "$2" $(echo "$1" | tr , ' ')
		all=$(whole "$1" capture "$3" -o out.trace -- ./loop file 100000 "$4" 9>loop.out) || exit 3
		[ "$2" = capture ] && echo "$all" || cut -d ' ' -f 1 loop.out
		;;
	*)
		set -- "$2" $(echo "$1" | tr , ' ')
		program=$1 trace=$2.trace engine=$3 order=$4
		span "$program" "$trace" --engine "$engine" --order "$order"
		;;
	esac
}
cases=prepare
for what in call capture; do
	for method in app vfs; do cases="$cases $what,$method,1 $what,$method,2"; done
done
for trace in read write tar; do
	for way in event,fs event,temporal event,none coordinator,fs compiled,fs; do cases="$cases $trace,$way"; done
done
cases=${BENCH_CASES:-$cases}
for round in $(seq 0 "$BENCH_ROUNDS"); do # round 0 fills caches and is not counted
	for case in $(echo "$cases" | tr ' ' '\n' | shuf); do
		for which in $(shuf -e old new); do
			eval "time_$which=\$(measure $case \"\$$which\")" || exit 3
		done
		[ "$round" -eq 0 ] || echo "$case $time_new $time_old" >>"$dir/times"
	done
done
"$old" version | head -n 1
"$new" version | head -n 1
printf '%-26s %13s %9s\n' "$BENCH_ROUNDS pairs" old 'new / old'
for case in $cases; do
	awk -v c="$case" '$1 == c { print $2 / $3, $3 }' "$dir/times" | sort -n | awk -v c="$case" '
		{ x[NR] = $1; sum += $2 }
		END { k = int((NR - 1.96 * sqrt(NR)) / 2); if (k < 1) k = 1
			old = c ~ /^call/ ? sprintf("%.0f ns", sum / NR) : sprintf("%.2f ms", sum / NR / 1e6)
			printf "%-26s %13s %9.3f (%.3f to %.3f)\n", c, old, (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2,
				x[k], x[NR + 1 - k] }'
done
