# SPDX-License-Identifier: GPL-3.0-or-later
# Compares block replay with its peers. The reference is a program (fio, random reads of 4 KiB,
# queue depth 32) on a loop device, at shares of the rate that it reaches there (Poisson arrivals;
# at 100 % as fast as it can), or at rates. It is captured, and replayed by this program with 1 and
# 2 workers, by fio --read_iolog and by btreplay. The program also runs once more. `capture block`
# observes all of them. For each replayer, prints the errors of execution time and mean response
# time and the share of reordered requests, in per cent, and the median and 99th percentile of the
# issue error, in us (median, smallest and largest of the repeats). The issue error of a request is
# its lateness minus that of the least late request. Also prints the highest share of the rate that
# keeps execution time within 1 %, response time within 5 % and reordering below 1 %, the CPU time
# of a request in us (for btreplay that of the whole process), and the lateness that the replay
# itself recorded. Needs root, tracefs and fio.
#
# Environment: ENGINES; SHARES (per cent; above 100: requests per second), REPEATS, REQUESTS and
# DURATION (s) limit a run; REPLAYS, this program's replays (a number of workers, or a limit of
# requests in flight; default "1 2"); DIR, the directory of the loop device's file; DEVICE, another
# device of at least 256 MiB, whose content is lost; BESIDE, a command that is repeated beside all
# runs, such as a build.
set -eu
[ "$(id -u)" -eq 0 ] || { echo 'skipped: loop devices and tracefs need root'; exit 0; }
for tool in fio losetup jq; do command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 0; }; done
[ -w /sys/kernel/tracing/instances ] || { echo 'skipped: no tracefs'; exit 0; }
engines=${ENGINES:-libaio io_uring} replays=${REPLAYS:-1 2} shares=${SHARES:-10 50 90 95 100} repeats=${REPEATS:-3} most_requests=${REQUESTS:-60000} n=${REQUESTS:-60000}
dir=${DIR:-$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")}
work=$(mktemp -d "$dir/bench-block.XXXXXX")
loop= beside=
trap '[ -z "$beside" ] || kill -- "-$beside"; [ -z "$loop" ] || losetup -d "$loop"; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work"
if [ -z "${DEVICE:-}" ]; then
	dd if=/dev/urandom of=image bs=1M count=256 2>/dev/null
	loop=$(losetup -f --show --direct-io=on image) || { echo 'skipped: no loop device'; exit 0; }
fi
device=${DEVICE:-$loop}
echo 2 >"/sys/block/${device##*/}/queue/nomerges" # a request stays one

if [ -n "${BESIDE:-}" ]; then
	setsid sh -c "while :; do $BESIDE; done" >/dev/null 2>&1 </dev/null &
	beside=$!
fi

captured() { # TRACE COMMAND...
	trace=$1
	shift
	"$VALIDATE" capture block --linger 30ms -o "$trace" "$device" -- "$@" >told 2>&1 || { cat told; return 1; }
	! grep -q 'events are lost' told || cat told
}
program() { # ENGINE RATE, 0 as fast as it can: the command line of the reference program
	echo "fio --name=x --filename=$device --ioengine=$1 --iodepth=32 --direct=1 --rw=randread --bs=4k --size=256M --number_ios=$n" \
		"--randseed=$seed --output-format=json --output=fio.json $([ "$2" -eq 0 ] || echo "--rate_iops=$2 --rate_process=poisson")"
}
fio_cpu() { # JSON: CPU time of a request, us
	jq '.jobs[0] | (.usr_cpu + .sys_cpu) / 100 * .job_runtime * 1000 / .read.total_ios' "$1"
}
note() { # CASE TRACE: appends its errors to a file
	"$VALIDATE" metrics --json --match key ref.trace "$2" >m.json 2>m.err || { cat m.err; return 0; }
	jq -r '"\(.execution_time_error_pct) \(.response[0].mean_error_pct) \(100 * .order.issue.all.ro_ratio)",
		" \(.schedule_error_ns | "\((.p50 - .min) / 1000) \((.p99 - .min) / 1000)")"' m.json | paste -s -d ' ' >>"$1"
}
spread() { # FILE COLUMN [FORMAT]: median [least, largest]
	sort -g -k "$2,$2" "$1" | awk -v c="$2" -v f="${3:-%+.2f}" '{ v[NR] = $c } END { printf f " [" f ", " f "]", v[int((NR + 1) / 2)], v[1], v[NR] }'
}
label() { [ "$1" -le 100 ] && echo "$1 %" || echo "$1/s"; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
good() { # FILE: whether the medians are within the limits
	for c in 1 2 3; do
		sort -g -k $c,$c "$1" | awk -v c=$c '{ v[NR] = $c < 0 ? -$c : $c } END { print v[int((NR + 1) / 2)] }'
	done | awk 'NR == 1 && $1 >= 1 || NR == 2 && $1 >= 5 || NR == 3 && $1 >= 1 { bad = 1 } END { exit bad }'
}
replays() { # ENGINE SHARE: one repeat of all replays of ref.trace
	for w in $replays; do
		case $w in [0-9]*) how=--workers ;; *) how=--in-flight ;; esac
		captured x.trace "$VALIDATE" replay --backend "$1" $how "$w" --destructive --device "$device" -o own.trace ref.trace && note "$1-hf-$w-$2" x.trace
		[ "$w" = "${replays%% *}" ] || continue
		"$VALIDATE" info --json own.trace | jq "[.. | objects | select(has(\"cpu_user_ns\"))][0] | (.cpu_user_ns + .cpu_system_ns) / $n / 1000" >>"$1-cpu-hf-$2"
		sed -n 's/^issue error *//p' told >>"$1-late-$2"
	done
	captured x.trace $(program "$1" "$rate") && note "$1-again-$2" x.trace
	fio_cpu fio.json >>"$1-cpu-again-$2"
	"$VALIDATE" export -q --to iolog ref.trace -o ref.iolog
	captured x.trace fio --name=x --ioengine="$1" --iodepth=64 --direct=1 --read_iolog=ref.iolog --replay_redirect="$device" --output-format=json --output=fio.json &&
		note "$1-fio-$2" x.trace && fio_cpu fio.json >>"$1-cpu-fio-$2"
	if command -v btreplay >/dev/null; then
		"$VALIDATE" export -q --to btrecord ref.trace -o t.replay.0
		echo "t ${device##*/}" >map
		captured x.trace bash -c 'TIMEFORMAT="%3U %3S"; { time timeout -s KILL 5 btreplay -W -d . -M map t; } 2>times' &&
			note "$1-btreplay-$2" x.trace
		tail -n 1 times | awk -v n="$n" '{ print ($1 + $2) * 1e6 / n }' >>"$1-cpu-btreplay-$2"
	fi
}

own=$(printf 'hf-%s ' $replays)
for engine in $engines; do
	for i in 1 2 3; do
		seed=$i
		captured ref.trace $(program "$engine" 0)
		"$VALIDATE" metrics --json ref.trace ref.trace 2>/dev/null | jq .reference.requests_per_s >>"$engine-most"
	done
	most=$(median "$engine-most" | cut -d . -f 1)
	echo "$engine: the program reaches $most requests/s"
	for share in $shares; do
		case $share in
		100) rate=0 ;;
		[1-9]|[1-9][0-9]) rate=$((most * share / 100)) ;;
		*) rate=$share ;;
		esac
		n=$most_requests
		[ $rate -eq 0 ] || [ $((rate * ${DURATION:-30})) -ge "$n" ] || n=$((rate * ${DURATION:-30}))
		for seed in $(seq "$repeats"); do
			captured ref.trace $(program "$engine" "$rate")
			replays "$engine" "$share"
		done
	done
	printf '%-8s %-10s %-24s %-24s %-22s %-28s %s\n' share replayer 'execution time, % error' 'response time, % error' 'reordered, %' 'issue error, p50, us' 'p99, us'
	for share in $shares; do
		for who in again $own fio btreplay; do
			[ -s "$engine-$who-$share" ] || continue
			printf '%-8s %-10s %-24s %-24s %-22s %-28s %s\n' "$(label $share)" $who "$(spread "$engine-$who-$share" 1)" \
				"$(spread "$engine-$who-$share" 2)" "$(spread "$engine-$who-$share" 3)" \
				"$(spread "$engine-$who-$share" 4 %.1f)" "$(spread "$engine-$who-$share" 5 %.1f)"
			[ "$share" -gt 100 ] || ! good "$engine-$who-$share" || echo "$share" >"$engine-best-$who"
		done
	done
	[ "$(printf '%s\n' $shares | sort -n | head -n 1)" -gt 100 ] || for who in again $own fio btreplay; do
		echo "  $who keeps the limits up to $(cat "$engine-best-$who" 2>/dev/null || echo none of the) % of the program's rate"
	done
	for share in $shares; do
		echo "  at $(label $share): CPU time of a request, us: $(for who in again hf fio btreplay; do
			[ ! -s "$engine-cpu-$who-$share" ] || printf '%s %s; ' $who "$(spread "$engine-cpu-$who-$share" 1 %.1f)"
		done)recorded issue error: $(head -n 1 "$engine-late-$share")"
	done
done
