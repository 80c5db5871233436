#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Time and peak memory of `validate compare` on two baselines of 1,000 scenarios with 30 replicates each, made of the stored ones, and of a
# plain read of both files as JSON by jq, in turn.
# usage: bench-compare.sh [BUILD]; BENCH_ROUNDS=5
set -u
LC_ALL=C
export LC_ALL
SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=$(cd -- "${1:-${BUILD:-$SRCDIR/build}}" && pwd) || exit 3
rounds=${BENCH_ROUNDS:-5}
tool=$BUILD/tests/bench/summarise
[ -x "$tool" ] || { echo "$tool is missing: \"make bench\" builds it" >&2; exit 3; }
command -v jq >/dev/null || { echo "jq is not there to make the baselines" >&2; exit 3; }
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/validate-bench-XXXXXX") || exit 3
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for side in old same; do
	jq -c '.scenarios[0] as $s | .cases[0] as $c
		| ($c.replicates + ($c.replicates[0:10] | map(.[0] += 20))) as $rows
		| .scenarios = [range(1000) | $s + {name: "scenario \(.)"}]
		| .cases = [range(1000) | $c + {scenario: "scenario \(.)", replicates: $rows}]' \
		"$SRCDIR/tests/data/compare/$side.json" >"$dir/$side.json" || exit 3
done

spread() {
	sort -n | awk -v f="$1" '{ x[NR] = $1 } END {
		m = NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2
		printf f " (" f " .. " f ")", m, x[1], x[NR] }'
}
i=0
while [ $i -lt "$rounds" ]; do
	"$tool" cost "$BUILD/validate" compare "$dir/old.json" "$dir/same.json" >>"$dir/rows" 2>"$dir/log" || {
		tail -n 3 "$dir/log" >&2
		exit 3
	}
	"$tool" cost jq length "$dir/old.json" "$dir/same.json" >>"$dir/plain" 2>"$dir/log" || exit 3
	i=$((i + 1))
done
printf 'validate compare, 1,000 scenarios x 30 replicates: %s s, cpu %s s, peak %s MiB; jq length on the same files: %s s\n' \
	"$(awk '{ print $1 }' "$dir/rows" | spread %.2f)" "$(awk '{ print $2 }' "$dir/rows" | spread %.2f)" \
	"$(awk '{ print $3 }' "$dir/rows" | sort -n | tail -n 1)" "$(awk '{ print $1 }' "$dir/plain" | spread %.2f)"
