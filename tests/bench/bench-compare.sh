#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures time and peak memory of `validate compare` on 1,000 scenarios with 30 replicates each.
# First, it compares two baselines, in turn with jq, which reads both files as JSON. Then it uses a
# results directory of 64,000 runs, in turn with a plain read of the same files. It also measures
# `validate report` there.
#
# With BENCH_COMPARISONS=N instead: N campaigns of protocols/ci.conf on this machine. The new
# version is slower by BENCH_SLOWER (5%; 0: not slower) in one random scenario of each campaign. The
# output counts how often the slow scenario is called worse, and how often each other scenario is
# called the same.
#
# usage: bench-compare.sh [BUILD]; BENCH_ROUNDS=5; BENCH_SCENARIOS=1000 of the results directory
. "$(dirname "$0")/lib.sh"
maker=$BUILD/tests/bench/make-results scenarios=${BENCH_SCENARIOS:-1000}
command -v jq >/dev/null || { echo "jq is not there to make the baselines" >&2; exit 3; }

# SCENARIO: prints protocols/ci.conf with a new version that is slower in this scenario
slower_conf() {
	lines="mutant = proportional:$slower\nmutant-workloads = $1"
	[ "$slower" = 0 ] && lines="; the same version"
	awk -v lines="$lines" '{ print } $0 == "[replayer new]" { print lines }' "$SRCDIR/protocols/ci.conf"
}

# SCENARIO: writes the outcomes of the comparison to dir/one, as lines of scenario, tab, outcome
comparison() {
	slower_conf "$1" >"$dir/ci.conf"
	rm -rf "$dir/results"
	"$BUILD/validate" run "$dir/ci.conf" -o "$dir/results" -q >"$dir/log" 2>&1
	[ $? -le 4 ] && [ -d "$dir/results/report" ] || { tail -n 5 "$dir/log" >&2; exit 3; }
	"$BUILD/validate" compare "$dir/results" -f json >"$dir/one.json"
	jq -r '.cases[] | [.scenario, .outcome] | @tsv' "$dir/one.json" >"$dir/one"
	[ "$(wc -l <"$dir/one")" -eq 16 ] ||
		{ echo "a comparison of other than 16 scenarios" >&2; exit 3; }
}

if [ -n "${BENCH_COMPARISONS:-}" ]; then
	slower=${BENCH_SLOWER:-5%}
	for workload in random-read random-write sequential-read sequential-write; do
		for level in 1 2; do
			printf '%s\n' "$workload level=$level block-size=4K" "$workload level=$level block-size=16K"
		done
	done >"$dir/scenarios"
	i=0
	while [ $i -lt "$BENCH_COMPARISONS" ]; do
		slow=$(shuf -n 1 "$dir/scenarios") begin=$(date +%s)
		comparison "$slow"
		awk -F '\t' -v slow="$slow" -v seconds=$(($(date +%s) - begin)) '
			$1 == slow { found = $2; next }
			{ n[$2]++ }
			END { printf "%d s\t%s\t%s\t%d\t%d\t%d\n", seconds, slow, found, n["same"], n["inconclusive"], n["worse"] + n["better"] }
		' "$dir/one" | tee -a "$dir/rows"
		i=$((i + 1))
	done
	awk -F '\t' -v slower="$slower" '{ found += $3 == "worse"; same += $4; open += $5; changed += $6 }
		END {
			printf "slower by %s in one scenario of 16: called worse in %d of %d comparisons\n", slower, found, NR
			printf "the other scenarios: %d of %d the same, %d inconclusive, %d worse or better\n", same, 15 * NR, open, changed
		}' "$dir/rows"
	exit 0
fi

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
