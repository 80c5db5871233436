#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the width of the 95 % interval of the bias that different ways of running reach in equal
# time: separate runs, shorter runs, slices by gate and slices by signal. Each runs without other
# load, while a build runs, and while another program loads the disk. The replayer is event in order
# fs, whose bias is small.
#
# In each round every way makes a small campaign, in random order. The half-width is that of
# Student's interval of the mean of ln(replay / program) over all pairs, times the square root of
# the time of the pairs (runs, preparation and summaries, without calibration and recordings).
# Prints the ratio of this value to that of separate runs under the same load: geometric mean of the
# scenarios, smallest and largest. "typical" uses the mean of the fastest 90 % of the requests.
# "covariate" subtracts the regression of ln(replay / program) on the difference of the CPU time of
# other processes.
#
# usage: bench-pairing.sh [BUILD]; BENCH_ROUNDS=2; BENCH_PAIRS=6 in each campaign;
# BENCH_NEIGHBOURS="none build disk"; BENCH_WAYS.
#
# BENCH_QUICK=1: one round without other load. With BENCH_SAMPLES=FILE, the pairs of earlier calls
# also count; BENCH_ROUNDS=0 only prints them.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || { echo "jq is needed to read the results" >&2; exit 3; }
ways=${BENCH_WAYS:-runs short gate-2 gate-5 gate-20 signal-2 signal-5 signal-20}
neighbours=${BENCH_NEIGHBOURS:-none build disk} rounds=${BENCH_ROUNDS:-2}
[ -n "${BENCH_QUICK:-}" ] && neighbours=none rounds=1
samples=${BENCH_SAMPLES:-$dir/samples}
touch "$samples"

# WAY: the protocol of one campaign
protocol() {
	requests=1500 pairing=runs
	case $1 in
	short) requests=400 ;;
	gate-* | signal-*) pairing="slices
slice = ${1#*-}ms
pause = ${1%-*}" ;;
	esac
	cat <<-END
	[protocol]
	replicates = ${BENCH_PAIRS:-6}
	allow-undecidable = yes
	bank = 1
	min-duration = 0
	pairing = $pairing
	seed = $2
	[target here]
	cache = cold
	cache-budget = 4M
	[workload random-read]
	level = 1, 2
	requests = $requests
	pin = yes
	file-size = 64M
	[workload sequential-write]
	level = 1
	requests = $requests
	pin = yes
	file-size = 16M
	direct = yes
	[replayer event]
	order = fs
	timing = fullspeed
	pin = yes
	END
}

neighbour_start() {
	case $1 in
	none) neighbour= ;;
	build)
		(trap 'exit 0' TERM
		while :; do
			for file in "$SRCDIR"/common/*.c; do
				cc -O2 -std=gnu11 -I"$SRCDIR" -c "$file" -o "$dir/built.o" 2>/dev/null
			done
		done) &
		neighbour=$! ;;
	disk) stress-ng --hdd 1 --temp-path "$dir" --quiet >/dev/null 2>&1 & neighbour=$! ;;
	*) echo "unknown neighbour: $1" >&2; exit 3 ;;
	esac
}
neighbour_stop() { [ -z "$neighbour" ] || { kill "$neighbour"; wait "$neighbour"; } 2>/dev/null; }
trap 'neighbour_stop; rm -rf "$dir"' EXIT
neighbour=

# NEIGHBOUR WAY SEED: one campaign, named after its seed. Rows: neighbour way campaign scenario
# block role seconds-of-pairs mean typical others
campaign() {
	out=$dir/results
	protocol "$2" "$3" >"$dir/pairing.conf"
	"$BUILD/validate" run "$dir/pairing.conf" -o "$out" -q >"$dir/log" 2>&1
	[ $? -le 4 ] && [ -f "$out/report/report.json" ] || { tail -n 5 "$dir/log" >&2; exit 3; }
	time=$(jq '.environment.time | .program_s + .replay_s + .blank_s + .start_s + .restore_s
		+ .sync_s + .evict_s + .settle_s + .summary_s + .journal_s' \
		"$out/report/report.json") || exit 3
	jq -r 'select(.event == "run" and .state == "ok") | "\(.run) \(.processors.others)"' \
		"$out/journal" >"$dir/others"
	jq -r 'select(.block > 0 and .role != "recording") | [.run, (.scenario | gsub(" "; "_")), .block,
		(if .role == "program" then "program" else "replay" end),
		.summary.response.mean, .summary.response_typical] | join(" ")' \
		"$out"/runs/*.json | awk -v head="$1 $2 $3" -v time="$time" 'NR == FNR { others[$1] = $2; next }
		{ print head, $2, $3, $4, time, $5, $6, others[$1] }' "$dir/others" - >>"$samples"
	rm -rf "$out"
}

i=0
while [ $i -lt "$rounds" ]; do
	for beside in $neighbours; do
		neighbour_start "$beside"
		for way in $(printf '%s\n' $ways | shuf); do
			campaign "$beside" "$way" "$(($(date +%s) % 100000))"
		done
		neighbour_stop
	done
	i=$((i + 1))
done

awk "$student"'
function half_width(way, s, what, n, i, v, sx, sy, sxx, sxy, syy, ss) {
	n = sx = sy = sxx = sxy = syy = 0
	for (i = 0; i < n_pairs; i++)
		if (of_way[i] == way && of_scenario[i] == s) {
			v = what == "typical" ? typical[i] : mean[i]
			n++; sx += x[i]; sy += v; sxx += x[i]^2; sxy += x[i] * v; syy += v^2
		}
	if (n < 4) return 0
	ss = syy - sy^2 / n
	bias[way, s, what] = sy / n
	if (what != "covariate" || sxx - sx^2 / n <= 0)
		return student(n - 1) * sqrt(ss / (n - 1) / n)
	# the interval of the regression at difference 0
	ss -= (sxy - sx * sy / n)^2 / (sxx - sx^2 / n)
	return student(n - 2) * sqrt(ss / (n - 2) * (1 / n + (sx / n)^2 / (sxx - sx^2 / n)))
}
function row(name, way, what, s, h, r, sum, n, low, high, b) {
	n = sum = low = high = 0
	for (s in scenarios) {
		h = half_width(way, s, what)
		r = base[s] * h ? h * sqrt(spent[way]) / base[s] : 0
		if (!r) continue
		sum += log(r); n++
		if (n == 1 || r < low) low = r
		if (n == 1 || r > high) high = r
	}
	if (n)
		printf "%-8s %-22s %5.2f (%.2f .. %.2f)  %6.1f s\n",
			beside, name, exp(sum / n), low, high, spent[way]
}
function table(   w, s, i, names) {
	for (s in scenarios) base[s] = half_width("runs", s, "mean") * sqrt(spent["runs"])
	i = split("runs short gate-2 gate-5 gate-20 signal-2 signal-5 signal-20", names, " ")
	for (w = 1; w <= i; w++) row(names[w], names[w], "mean")
	row("runs, typical", "runs", "typical"); row("runs, covariate", "runs", "covariate")
	row("gate-5, typical", "gate-5", "typical"); row("gate-5, covariate", "gate-5", "covariate")
	for (s in scenarios)
		printf "%-8s %s: runs %+.1f ± %.1f %%, gate-5 %+.1f ± %.1f %%, signal-5 %+.1f ± %.1f %%\n",
			beside, s, 100 * (exp(bias["runs", s, "mean"]) - 1), 100 * half_width("runs", s, "mean"),
			100 * (exp(bias["gate-5", s, "mean"]) - 1), 100 * half_width("gate-5", s, "mean"),
			100 * (exp(bias["signal-5", s, "mean"]) - 1), 100 * half_width("signal-5", s, "mean")
}
{
	key = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4 SUBSEP $5
	if (!(key in seen)) { order[++n_keys] = key; seen[key] = 1 }
	m[key, $6] = $8; t[key, $6] = $9; o[key, $6] = $10; c[$1, $2, $3] = $7
	neighbours[$1] = 1
}
END {
	printf "%-8s %-22s %s\n", "beside", "way",
		"half-width at equal time, ratio to runs; time of the pairs"
	n_besides = split("none build disk", list, " ")
	for (j = 1; j <= n_besides; j++) {
		beside = list[j]
		if (!(beside in neighbours)) continue
		n_pairs = 0
		delete spent; delete scenarios
		for (key in c) { split(key, part, SUBSEP); if (part[1] == beside) spent[part[2]] += c[key] }
		for (i = 1; i <= n_keys; i++) {
			key = order[i]; split(key, part, SUBSEP)
			if (part[1] != beside || !((key, "program") in m) || !((key, "replay") in m)) continue
			of_way[n_pairs] = part[2]; of_scenario[n_pairs] = part[4]; scenarios[part[4]] = 1
			mean[n_pairs] = log(m[key, "replay"] / m[key, "program"])
			typical[n_pairs] = log(t[key, "replay"] / t[key, "program"])
			x[n_pairs++] = o[key, "replay"] - o[key, "program"]
		}
		table()
	}
}' "$samples"
