#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures time and peak memory of a summary of a run of 10 million requests, as ratios to a pass
# that only reads every record of the same traces, in turn. Also measures `validate report` on 1,000
# runs.
#
# usage: bench-summary.sh [BUILD]; BENCH_REQUESTS=10000000 BENCH_ROUNDS=5 BENCH_DIR=directory with
# 4.5 GB of space (default /dev/shm, else TMPDIR)
n=${BENCH_REQUESTS:-10000000}
need_kib=$((n / 1000 * 96 * 4 + n / 1000 * 40 + 100000))
fits() {
	[ -d "$1" ] && [ -w "$1" ] && [ "$(df -Pk "$1" | awk 'NR == 2 { print $4 }')" -gt "$need_kib" ]
}
free_kib=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
if [ -n "${BENCH_DIR:-}" ]; then
	base=$BENCH_DIR
elif fits /dev/shm && [ "$free_kib" -gt $((2 * need_kib)) ]; then
	base=/dev/shm
else
	base=${TMPDIR:-/var/tmp}
fi
if ! fits "$base"; then
	echo "no $((need_kib / 1024)) MiB in $base for traces of $n requests: set BENCH_DIR, or BENCH_REQUESTS lower" >&2
	exit 3
fi
TMPDIR=$base
. "$(dirname "$0")/lib.sh"
maker=$BUILD/tests/bench/make-results

# NAME TRACES ARGUMENTS: each round runs `pass` on the traces and `summary` with the arguments, so
# that both measure the same state of the machine
compare() {
	: >"$dir/rows"
	i=0
	while [ $i -lt "$rounds" ]; do
		# shellcheck disable=SC2086
		pass=$("$tool" pass $2 2>/dev/null) && summary=$("$tool" summary $3 2>/dev/null) || exit 3
		echo "$pass $summary" >>"$dir/rows"
		i=$((i + 1))
	done
	printf '%-50s time %s  cpu %s  %s s  peak %s MiB\n' "$1" \
		"$(awk '{ print $4 / $1 }' "$dir/rows" | spread %.2f)" "$(awk '{ print $5 / $2 }' "$dir/rows" | spread %.2f)" \
		"$(awk '{ print $4 }' "$dir/rows" | spread %.3f)" "$(awk '{ print $6 }' "$dir/rows" | sort -n | tail -n 1)"
}

echo "summarising runs of $n requests, 2 threads, $((n / 1000 * 96 / 1000)) MB a trace, in $base ($(stat -f -c %T "$base"))"
echo "ratios to a plain skip the same traces: median (smallest .. largest) of $rounds rounds"
"$tool" make "$dir/input" "$dir/near" "$n" 1.0001 || exit 3
compare "the program's own run (in order)" "$dir/input" "$dir/input"
compare "a replay beside its input, threads level" "$dir/near $dir/input" "$dir/near $dir/input"
rm -f "$dir/near"
"$tool" make "$dir/input" "$dir/far" "$n" 1.5 || exit 3
compare "the same, one thread 1.5 times as quick (2 passes)" "$dir/far $dir/input" "$dir/far $dir/input"
rm -f "$dir/far"
"$tool" make "$dir/input" "$dir/near" 400000 1.0001 || exit 3
compare "a replay of 400000 requests beside its input" "$dir/near $dir/input" "$dir/near $dir/input"
rm -f "$dir/near" "$dir/input"

echo
n_runs=$("$maker" "$dir/results" 40) || exit 3
size=$(du -sk "$dir/results/runs" | cut -f 1)
if ! "$BUILD/validate" report --help >/dev/null 2>&1; then
	echo "report on $n_runs runs ($size KiB of summaries): $BUILD/validate has no report"
	exit 3
fi
: >"$dir/rows"
i=0
while [ $i -lt "$rounds" ]; do
	"$tool" cost "$BUILD/validate" report "$dir/results" >>"$dir/rows" 2>"$dir/log" || {
		tail -n 3 "$dir/log" >&2
		exit 3
	}
	i=$((i + 1))
done
[ -f "$dir/results/report/report.json" ] || {
	echo "validate report left no report.json" >&2
	exit 3
}
printf 'validate report on %s runs (%s KiB of summaries): %s s, cpu %s s, peak %s MiB\n' "$n_runs" "$size" \
	"$(awk '{ print $1 }' "$dir/rows" | spread %.2f)" "$(awk '{ print $2 }' "$dir/rows" | spread %.2f)" \
	"$(awk '{ print $3 }' "$dir/rows" | sort -n | tail -n 1)"
