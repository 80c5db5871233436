# SPDX-License-Identifier: GPL-3.0-or-later
# Common first part of benchmark scripts: sets SRCDIR, BUILD, rounds, tool (tests/bench/summarise),
# dir (removed at the end), spread.
#
# usage: . tests/bench/lib.sh, with the script's own arguments: [BUILD]
set -u
LC_ALL=C
export LC_ALL
SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=$(cd -- "${1:-${BUILD:-$SRCDIR/build}}" && pwd) || exit 3
rounds=${BENCH_ROUNDS:-5}
tool=$BUILD/tests/bench/summarise
[ -x "$tool" ] || { echo "$tool is missing: \"make bench\" builds it" >&2; exit 3; }
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/validate-bench-XXXXXX") || exit 3
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# median (smallest .. largest) of the numbers on standard input, by a format of printf
spread() {
	sort -n | awk -v f="$1" '{ x[NR] = $1 } END {
		m = NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2
		printf f " (" f " .. " f ")", m, x[1], x[NR] }'
}

# ROWS COMMAND...: appends the command's seconds, CPU seconds and peak MiB, as a line, to dir/ROWS
cost() {
	rows=$dir/$1
	shift
	"$tool" cost "$@" >>"$rows" 2>"$dir/log" || { tail -n 3 "$dir/log" >&2; exit 3; }
}
seconds() { awk '{ print $1 }' "$dir/$1" | spread %.2f; }
cpu() { awk '{ print $2 }' "$dir/$1" | spread %.2f; }
peak() { awk '{ print $3 }' "$dir/$1" | sort -n | tail -n 1; }

# A function for awk: 97.5 % quantile of Student's t with v degrees of freedom (Cornish-Fisher
# expansion, Abramowitz and Stegun 26.7.5; 0.1 % too small at v = 5).
student='function student(v, z) {
	z = 1.959964
	return z + (z^3 + z) / (4 * v) + (5 * z^5 + 16 * z^3 + 3 * z) / (96 * v^2) \
		+ (3 * z^7 + 19 * z^5 + 17 * z^3 - 15 * z) / (384 * v^3)
}'
