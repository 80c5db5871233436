#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures for how long response times are increased after a switch: their median, by the time since
# the first request of the slice, divided by the median after 1 ms. ROUND_SETTLE_NS
# (validate/campaign/rounds.h) is derived from it. That constant counts from the instant at which
# the process may run, some 10 us before its first request. A slice begins if a process has begun no
# request for 4 ms, because the other two processes run for 10 ms.
#
# usage: bench-settle.sh [BUILD]; BENCH_PAIRS=6; BENCH_RESULTS="DIR..." uses slices of three
# processes from there (results kept with traces).
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || { echo "jq is needed to read the results" >&2; exit 3; }

# PAUSE: a campaign in the directory dir/PAUSE
campaign() {
	cat >"$dir/settle.conf" <<-END
	[protocol]
	replicates = ${BENCH_PAIRS:-6}
	allow-undecidable = yes
	bank = 1
	min-duration = 0
	pairing = slices
	pause = $1
	keep = all
	[target here]
	cache = cold
	cache-budget = 4M
	[workload random-read]
	level = 1, 2
	requests = 1500
	pin = yes
	file-size = 64M
	[workload sequential-write]
	level = 1
	requests = 1500
	pin = yes
	file-size = 16M
	direct = yes
	[replayer event]
	order = temporal, fs
	timing = fullspeed
	pin = yes
	END
	"$BUILD/validate" run "$dir/settle.conf" -o "$dir/$1" -q >"$dir/log" 2>&1
	[ $? -le 4 ] && [ -d "$dir/$1/runs" ] || { tail -n 5 "$dir/log" >&2; exit 3; }
}

# DIR: lines "scenario role bin nanoseconds" of its runs
responses() {
	jq -r 'select(.block > 0 and .role != "recording") | [input_filename, (.scenario | gsub(" "; "_")),
		(if .role == "program" then "program" else "replay" end)] | join(" ")' "$1"/runs/*.json |
	while read -r file scenario role; do
		number=${file##*/}
		"$BUILD/validate" info --csv - "$1/traces/${number%.json}.trace" | tail -n +2 |
		cut -d , -f 3,4 | sort -n | awk -F , -v head="$scenario $role" '
			BEGIN { n = split("0 25 50 100 150 200 300 400 600 800 1000 3000", edge, " ") }
			{
				if (last == "" || $1 - last > 4e6) { start = $1; n_slices++ }
				last = $1
				for (i = n; $1 - start < edge[i] * 1000; i--) ;
				if (n_slices > 1 && i < n) print head, edge[i], $2 - $1
			}'
	done
}

for results in ${BENCH_RESULTS:-gate signal}; do
	[ -n "${BENCH_RESULTS:-}" ] || { campaign "$results"; results=$dir/$results; }
	echo "${results##*/}: median by us since the first request of the slice, over that from 1000 us on"
	responses "$results" | sort -k 1,2 -k 3,3n -k 4,4n | awk '
		function close_bin() { if (n) { median[bin] = x[int((n + 1) / 2)]; size[bin] = n }; n = 0 }
		function close_role(   i, b) {
			close_bin()
			if (role != "" && median[1000]) {
				printf "%-30s", role
				for (i = 1; i <= n_edges; i++) {
					b = edge[i]
					printf (size[b] > 19 ? " %6.2f" : "      -"), median[b] / median[1000]
				}
				print ""
			}
			for (i = 1; i <= n_edges; i++) size[edge[i]] = 0
		}
		BEGIN { n_edges = split("0 25 50 100 150 200 300 400 600 800", edge, " ")
			printf "%-30s", ""; for (i = 1; i <= n_edges; i++) printf " %6d", edge[i]; print "" }
		{
			if ($1 " " $2 != role) { close_role(); role = $1 " " $2; bin = $3 }
			if ($3 != bin) { close_bin(); bin = $3 }
			x[++n] = $4
		}
		END { close_role() }'
done
