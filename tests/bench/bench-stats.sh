#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures time and peak memory of `validate stats` on columns of 10^3 to 10^6 values, with 10,000
# bootstrap resamples and without resamples; and the time in which awk sums the numbers of the same
# files in the same round.
#
# usage: bench-stats.sh [BUILD]; BENCH_ROUNDS=5 BENCH_VALUES="1000 10000 100000 1000000"
set -u
LC_ALL=C
export LC_ALL
SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=$(cd -- "${1:-${BUILD:-$SRCDIR/build}}" && pwd) || exit 3
rounds=${BENCH_ROUNDS:-5}
dir=$(mktemp -d "${TMPDIR:-/tmp}/validate-bench-XXXXXX") || exit 3
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# elapsed and CPU seconds and peak MiB of a command, on one line
cost() {
	"$BUILD/tests/bench/summarise" cost "$@"
}
[ -x "$BUILD/tests/bench/summarise" ] || {
	echo "$BUILD/tests/bench/summarise is missing: \"make bench\" builds it" >&2
	exit 3
}
spread() {
	sort -n | awk -v f="$1" '{ x[NR] = $1 } END {
		m = NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2
		printf f " (" f " .. " f ")", m, x[1], x[NR] }'
}
sample() { # values, seed, factor: skewed, with a few values far off, five decimals
	awk -v n="$1" -v seed="$2" -v factor="$3" 'BEGIN { srand(seed); for (i = 0; i < n; i++) {
		u = rand(); v = rand(); z = sqrt(-2 * log(u + 1e-12)) * cos(6.28318530718 * v)
		printf "%.5f\n", factor * 100 * exp(0.3 * z) * (rand() < 0.001 ? 20 : 1) } }'
}
row() { # what, file of rows
	printf '  %-34s %s s  cpu %s s  peak %s MiB\n' "$1" "$(awk '{ print $1 }' "$2" | spread %.3f)" \
		"$(awk '{ print $2 }' "$2" | spread %.3f)" "$(awk '{ print $3 }' "$2" | sort -n | tail -n 1)"
}

echo "median (smallest .. largest) of $rounds rounds; two columns of n values, two files"
for n in ${BENCH_VALUES:-1000 10000 100000 1000000}; do
	sample "$n" 1 1 >"$dir/ref"
	sample "$n" 2 1.01 >"$dir/rep"
	for what in awk text json none one; do : >"$dir/$what"; done
	i=0
	while [ $i -lt "$rounds" ]; do
		cost awk '{ s += $1 } END { print s }' "$dir/ref" "$dir/rep" >>"$dir/awk" 2>/dev/null || exit 3
		cost "$BUILD/validate" stats "$dir/ref" "$dir/rep" >>"$dir/text" 2>/dev/null || exit 3
		cost "$BUILD/validate" stats "$dir/ref" "$dir/rep" --json >>"$dir/json" 2>/dev/null || exit 3
		cost "$BUILD/validate" stats "$dir/ref" "$dir/rep" --bootstrap 0 >>"$dir/none" 2>/dev/null || exit 3
		cost "$BUILD/validate" stats "$dir/ref" >>"$dir/one" 2>/dev/null || exit 3
		i=$((i + 1))
	done
	echo "n = $n"
	row "awk adds them up" "$dir/awk"
	row "stats, 10,000 resamples" "$dir/text"
	row "stats --json, Monte Carlo too" "$dir/json"
	row "stats --bootstrap 0" "$dir/none"
	row "stats, one file described" "$dir/one"
done
