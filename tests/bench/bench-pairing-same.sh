#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests whether slices give the same results as separate runs. Measures bias and execution time of
# every order, of the other engines, and of every fault that has an effect at full speed: by
# separate runs, by slices with the gate, and by slices with signals. The faults drift and coarse
# belong to timed replays, which cannot be sliced. BENCH_FIO=1 adds fio. Then the preloaded library
# observes all replayers, so the bias does not contain faults in a replayer's own stamps. In the
# column of the gate, fio is paused by signals, and the program at its gate.
#
# Each round makes one campaign of each kind, in random order. Every block has its own recording,
# because the recording affects the concurrency of a replay in temporal order. The output has the
# mean of ln(replay / program) with its 95 % interval, and the rows whose slices lie outside the
# interval of the difference from separate runs.
#
# usage: bench-pairing-same.sh [BUILD]; BENCH_ROUNDS=2; BENCH_PAIRS=6 in each campaign;
# BENCH_LEVEL=2; BENCH_QUICK=1: one round. With BENCH_SAMPLES=FILE, the pairs of earlier calls also
# count; BENCH_ROUNDS=0 only prints them. BENCH_KEEP=DIR keeps the results with traces.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || { echo "jq is needed to read the results" >&2; exit 3; }
rounds=${BENCH_ROUNDS:-2} samples=${BENCH_SAMPLES:-$dir/samples}
[ -n "${BENCH_QUICK:-}" ] && rounds=1
touch "$samples"

# KIND SEED: the protocol of one campaign
protocol() {
	pairing=slices
	[ "$1" = runs ] && pairing=runs
	[ "$1" = signal ] && pairing="slices
pause = signal"
	# the program of fio's pairs is paused at its gate, and fio by signals
	fio="[replayer fio]
engine = fio
fio-no-stall = yes"
	[ "$1" = signal ] || [ -z "${BENCH_FIO:-}" ] && fio=
	cat <<-END
	[protocol]
	replicates = ${BENCH_PAIRS:-6}
	allow-undecidable = yes
	min-duration = 0
	pairing = $pairing
	keep = $([ -n "${BENCH_KEEP:-}" ] && echo all || echo none)
	seed = $2
	[target here]
	cache = cold
	cache-budget = 32M
	[workload random-read]
	level = ${BENCH_LEVEL:-2}
	requests = 1500
	pin = yes
	file-size = 64M
	[replayer event]
	order = temporal, temporal-serial, fs, thread, none
	timing = fullspeed
	pin = yes
	[replayer coordinator]
	engine = coordinator
	order = fs
	timing = fullspeed
	pin = yes
	[replayer compiled]
	engine = compiled
	order = fs
	timing = fullspeed
	pin = yes
	$fio
	[replayer fault]
	mutant = delay:20us, proportional:0.2, stall:10ms/100ms, serialise, double
	order = fs
	timing = fullspeed
	pin = yes
	END
}

i=0
while [ $i -lt "$rounds" ]; do
	for kind in $(printf '%s\n' runs gate signal | shuf); do
		seed=$(($(date +%s) % 100000))
		out=${BENCH_KEEP:-$dir}/results-$kind-$seed
		protocol "$kind" "$seed" >"$dir/same.conf"
		"$BUILD/validate" run "$dir/same.conf" -o "$out" -q >"$dir/log" 2>&1
		[ $? -le 4 ] && [ -f "$out/report/report.json" ] || { tail -n 5 "$dir/log" >&2; exit 3; }
		jq -r 'select(.block > 0 and .role != "recording") | [(.role | gsub(" "; "_")), .block,
			.summary.response.mean, .summary.execution_ns] | join(" ")' "$out"/runs/*.json | sed "s/^/$kind $seed /" >>"$samples"
		[ -n "${BENCH_KEEP:-}" ] || rm -rf "$out"
	done
	i=$((i + 1))
done

awk "$student"'
function estimate(what, role, kind, k) {
	k = what SUBSEP role SUBSEP kind
	if (n[k] < 3) return 0
	mean[kind] = sum[k] / n[k]
	half[kind] = student(n[k] - 1) * sqrt((square[k] - sum[k]^2 / n[k]) / (n[k] - 1) / n[k])
	return 1
}
function percent(x) { return 100 * (exp(x) - 1) }
function cell(kind) { return sprintf("%+.1f +- %.1f %%", percent(mean[kind]), 100 * half[kind]) }
function differs(kind) {
	d = mean[kind] - mean["runs"]
	return d^2 > half[kind]^2 + half["runs"]^2 ? " " kind " differs" : ""
}
{ m[$1, $2, $4, $3] = $5; t[$1, $2, $4, $3] = $6; if ($3 != "program") roles[$3] = 1 }
END {
	for (key in m) {
		split(key, part, SUBSEP)
		pair = part[1] SUBSEP part[2] SUBSEP part[3] SUBSEP "program"
		if (part[4] == "program" || !(pair in m)) continue
		for (w = 0; w < 2; w++) {
			k = (w ? "execution" : "bias") SUBSEP part[4] SUBSEP part[1]
			x = w ? log(t[key] / t[pair]) : log(m[key] / m[pair])
			n[k]++; sum[k] += x; square[k] += x^2
		}
	}
	printf "%-10s %-34s %21s %21s %21s\n", "", "replayer", "runs", "gate", "signal"
	for (w = 0; w < 2; w++)
		for (role in roles) {
			what = w ? "execution" : "bias"
			if (!estimate(what, role, "runs"))
				continue
			runs = cell("runs")
			gate = estimate(what, role, "gate") ? cell("gate") : "-"
			signal = estimate(what, role, "signal") ? cell("signal") : "-"
			printf "%-10s %-34s %21s %21s %21s %s%s\n", what, role, runs, gate, signal,
				gate == "-" ? "" : differs("gate"), signal == "-" ? "" : differs("signal")
		}
}' "$samples"
