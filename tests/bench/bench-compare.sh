#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Time and peak memory of `validate compare` on 1,000 scenarios with 30 replicates each: of two baselines made of the stored ones, in turn with a
# plain read of both files as JSON by jq; and of a results directory of 64,000 runs, in turn with a plain read of what it reads; and of `validate report` there.
# usage: bench-compare.sh [BUILD]; BENCH_ROUNDS=5; BENCH_SCENARIOS=1000 of the results directory
. "$(dirname "$0")/lib.sh"
maker=$BUILD/tests/bench/make-results scenarios=${BENCH_SCENARIOS:-1000}
command -v jq >/dev/null || { echo "jq is not there to make the baselines" >&2; exit 3; }

for side in old same; do
	jq -c '.scenarios[0] as $s | .cases[0] as $c
		| ($c.replicates + ($c.replicates[0:10] | map(.[0] += 20))) as $rows
		| .scenarios = [range(1000) | $s + {name: "scenario \(.)"}]
		| .cases = [range(1000) | $c + {scenario: "scenario \(.)", replicates: $rows}]' \
		"$SRCDIR/tests/data/compare/$side.json" >"$dir/$side.json" || exit 3
done
i=0
while [ $i -lt "$rounds" ]; do
	cost compare "$BUILD/validate" compare "$dir/old.json" "$dir/same.json"
	cost jq jq length "$dir/old.json" "$dir/same.json"
	i=$((i + 1))
done
printf 'validate compare, 1,000 scenarios x 30 replicates, baselines: %s s, cpu %s s, peak %s MiB; jq length on the same files: %s s\n' \
	"$(seconds compare)" "$(cpu compare)" "$(peak compare)" "$(seconds jq)"

n_runs=$("$maker" "$dir/results" 30 "$scenarios") || exit 3
i=0
while [ $i -lt "$rounds" ]; do
	cost save "$BUILD/validate" baseline save "$dir/results" -o "$dir/saved.json"
	cost directory "$BUILD/validate" compare "$dir/results" "$dir/saved.json"
	cost report "$BUILD/validate" report "$dir/results"
	cost read cat "$dir/results/summaries" "$dir/results/journal" "$dir/results/plan.json"
	i=$((i + 1))
done
printf 'validate baseline save, %s runs: %s s, cpu %s s, peak %s MiB; a plain read of the same: %s s\n' "$n_runs" \
	"$(seconds save)" "$(cpu save)" "$(peak save)" "$(seconds read)"
printf 'validate compare, that directory with its baseline: %s s, cpu %s s, peak %s MiB\n' "$(seconds directory)" "$(cpu directory)" "$(peak directory)"
printf 'validate report of it: %s s, cpu %s s, peak %s MiB\n' "$(seconds report)" "$(cpu report)" "$(peak report)"
