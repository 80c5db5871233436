# SPDX-License-Identifier: GPL-3.0-or-later
# long: 10 s
# waits: for the due times of requests
# validate replay --device on a regular file, as an ordinary user: modes, kernel interfaces,
# refusals, deliberate faults, a dry run.
. "$SRCDIR/tests/e2e/lib.sh"

# 200 requests of 4 KiB every 50 us, each 60 us long, every third a write; in the format of MSR
# Cambridge
awk 'BEGIN { for (i = 0; i < 200; i++)
	printf "%.0f,hm,0,%s,%d,4096,600\n", 128166372003061629 + i * 500, i % 3 ? "Read" : "Write", (i * 37 % 256) * 4096 }' >in.csv
truncate -s 1M target
n_of() { # NAME: its value in the replay's metadata
	"$VALIDATE" info --json out.trace | jq -r ".. | .$1? // empty" | head -n 1
}

expect_status 2 "$VALIDATE" replay --destructive --device target --mode nothing in.csv
expect_status 2 "$VALIDATE" replay --destructive --device target --order none in.csv
expect_line err 'engine block has modes'
expect_status 2 "$VALIDATE" replay --destructive --device target --fs-rules -data in.csv
expect_line err 'omit --order, --timing and --fs-rules'
expect_status 2 "$VALIDATE" replay --destructive --device target --mode causal in.csv
expect_line err 'mode: causal belongs to engine parallel'
expect_status 2 "$VALIDATE" replay --destructive --device target --mode afap --speed 2 in.csv
expect_status 2 "$VALIDATE" replay --destructive --device target --mode hf --think-scale 2 in.csv
expect_status 2 "$VALIDATE" replay --destructive --device target --mode load --mutant drift in.csv
expect_status 2 "$VALIDATE" replay --destructive --device target --harvester --discards in.csv
for option in --no-pre-spin '--spin 1us' '--placement page' '--payload zero' '--memory 1MiB' --prepare-only \
	--compile-only '--keep-source source'; do
	# shellcheck disable=SC2086
	expect_status 2 "$VALIDATE" replay --destructive --device target $option in.csv
done
expect_line err 'keep-source: engine block has no such option'
expect_status 2 "$VALIDATE" replay --engine block in.csv
expect_line err '--device DEVICE is missing'
expect_status 2 "$VALIDATE" replay --mode dep --dir . in.csv
expect_line err 'mode: engine event has no such option (engines with it: parallel, block)'
expect_status 3 "$VALIDATE" replay --destructive --device no-such-file in.csv
expect_status 3 "$VALIDATE" replay --destructive --device /dev/null in.csv
expect_status 3 "$VALIDATE" replay --dir . in.csv
expect_line err 'engine block'

cksum target >before
expect_status 6 "$VALIDATE" replay --device target in.csv
expect_line err '--destructive'
[ "$(cksum target)" = "$(cat before)" ] || fail "it was written to without a word"
# nor is the device replaced by the replay trace
ln target again
for name in target again; do
	expect_status 3 "$VALIDATE" replay --read-only --device target -o $name in.csv
	expect_line err 'the output would overwrite the device'
	expect_status 3 "$VALIDATE" replay --engine exec --destructive --device target --times preload --command 'true {device}' -o $name in.csv
	expect_line err 'the output would overwrite the device'
done
rm again
[ "$(cksum target)" = "$(cat before)" ] || fail "a trace is in the device's place"
# a dry run shows the effects and has none: every third request i writes at block (37 i mod 256), and
# some of these touch
expect_status 6 "$VALIDATE" replay --dry-run --device target in.csv
expect_line out 'would read      133 requests'
expect_line out 'would write     67 requests'
expect_line out 'the replay would be refused: target: refused'
awk 'BEGIN { for (i = 0; i < 200; i += 3) hit[i * 37 % 256] = 1
	for (b = 0; b < 256; b++) if (hit[b]) { n++; if (!hit[b - 1]) ranges++ }
	printf "would be lost   %g KiB in %d ranges of bytes:\n", n * 4, ranges }' >wanted
ln -s target by-link
expect_status 0 "$VALIDATE" replay --dry-run --destructive --device by-link in.csv
grep -qxF "$(cat wanted)" out || fail "not $(cat wanted): $(cat out)"
expect_line out "device          by-link: $(realpath target), 1 MiB"
expect_status 0 "$VALIDATE" replay --dry-run --read-only --device target in.csv
expect_line out 'nothing on the device would change'
expect_status 2 "$VALIDATE" replay --dry-run --dir . in.csv
[ "$(cksum target)" = "$(cat before)" ] || fail "a dry run wrote"
"$VALIDATE" replay --destructive --device target in.csv >out 2>err || {
	grep -q 'O_DIRECT' err && skip "no direct I/O here: $(cat err)"
	fail "$(cat err)"
}

# the backend: chosen by probing, or forced; the replay reports it with the reason
expect_status 0 "$VALIDATE" replay --destructive --device target -o out.trace in.csv
grep -E '^backend +(io_uring|libaio): the target ' out || fail "no choice of the backend: $(cat out)"
used=$("$VALIDATE" info --json out.trace | jq -r '.. | .block? // empty | select(.backend_reason) | .backend')
[ "$used: $(n_of backend_reason)" = "$(sed -n 's/^backend *//p' out)" ] || fail "another backend in the metadata than in the output"
for backend in io_uring libaio psync; do
	expect_status 0 "$VALIDATE" replay --destructive --device target --backend $backend -o out.trace in.csv
	expect_line out "backend         $backend: --backend"
done
expect_status 0 "$VALIDATE" replay --destructive --device target --sq-poll in.csv
! grep '^backend' out | grep -q 'the target' || fail "probed though --sq-poll needs io_uring"

# every mode, with every backend, with one worker and with two
for backend in auto libaio psync; do
	for mode in hf afap load dep; do
		expect_status 0 "$VALIDATE" replay --destructive --device target --backend $backend --mode $mode -o out.trace in.csv
		expect_line out '200 of 200; 1 worker'
		expect_line out 'mismatches      0'
		[ $backend = auto ] || break
		expect_status 0 "$VALIDATE" replay --destructive --device target --backend $backend --mode $mode --workers 2 --depth 8 -o out.trace in.csv
		expect_line out '200 of 200; 2 workers'
		[ "$(n_of most_in_flight)" -le 16 ] || fail "$backend $mode: $(n_of most_in_flight) in flight"
	done
done
for options in '--backend io_uring --no-registered' '--backend io_uring --harvester' '--backend libaio --harvester' \
	'--bundle 0' '--bundle 1ms --bundle-max 7' '--in-flight exact' '--in-flight none --speed 4' \
	'--mode dep --follow all' '--mode dep --follow nearest' '--mode dep --follow count --workers 2' '--sq-poll --bundle 1ms' '--pin' '--wait spin' '--mode dep --wait spin' '--mode load --wait spin' '--wait nanosleep' \
	"--workers $(($(nproc) + 7))" "--mode afap --depth 2 --workers $(($(nproc) + 7))" "--mode dep --workers $(($(nproc) + 7))" \
	"--wait spin --workers $(($(nproc) + 7))" "--mode dep --wait spin --workers $(($(nproc) + 7))"; do
	expect_status 0 "$VALIDATE" replay --destructive --device target $options -o out.trace in.csv
	expect_line out '200 of 200'
done

# records in the order of the trace, with the traced arguments, and ordered times: begin <= dispatch
# <= end
expect_status 0 "$VALIDATE" replay --destructive --device target -o out.trace in.csv
expect_status 0 "$VALIDATE" info out.trace --csv out.csv
expect_status 0 "$VALIDATE" info in.csv --csv again.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 { b = $at["begin"] + 0; e = $at["end"] + 0; d = $NF + 0
		if (b > d || d > e || b <= 0) { print "line " NR ": " $0; exit 1 } }' out.csv || fail 'times out of order'
for f in out again; do
	grep -o 'p[a-z]*,"[^"]*offset=[0-9]*;' $f.csv | sed 's/,.*offset/ offset/' >$f.what
	[ -s $f.what ] || fail "no requests in $f.csv"
done
cmp out.what again.what || fail 'the arguments differ from the trace'

# written data are not zeros, and are equal for equal seeds
[ "$(tr -d '\0' <target | wc -c)" -gt 100000 ] || fail 'zeros were written'
gzip -c target >target.gz
[ "$(wc -c <target.gz)" -gt 200000 ] || fail 'the written data can be compressed'

# writes become reads
truncate -s 0 target
truncate -s 1M target
expect_status 0 "$VALIDATE" replay --device target --read-only -o out.trace in.csv
expect_line out '67 writes replayed by reading'
[ "$(tr -d '\0' <target | wc -c)" -eq 0 ] || fail 'a read-only replay wrote'
chmod 444 target
expect_status 0 "$VALIDATE" replay --device target --read-only in.csv
chmod 644 target

# beyond the end, unaligned
truncate -s 512K small
expect_status 3 "$VALIDATE" replay --destructive --device small in.csv
expect_line err 'beyond the device'
for how in modulo scale; do
	expect_status 0 "$VALIDATE" replay --destructive --device small --beyond $how -o out.trace in.csv
	expect_line out 'mismatches      0'
	expect_line out '200 of 200'
	[ "$(n_of n_remapped)" -gt 90 ] || fail "$how: $(n_of n_remapped) requests were moved"
done
[ "$(wc -c <small)" -eq 524288 ] || fail 'the file grew'
sed 's/,4096,600$/,4000,600/' in.csv >odd.csv
expect_status 3 "$VALIDATE" replay --destructive --device target odd.csv
expect_line err 'record 0'
expect_line err 'blocks of'
expect_status 0 "$VALIDATE" replay --destructive --device target --unaligned round -o out.trace odd.csv
expect_line out '200 requests, to whole blocks of the device'
expect_line out 'mismatches      0'

# deliberate faults: their number is as requested
expect_status 0 "$VALIDATE" replay --destructive --device target --mutant lost:5% -o out.trace in.csv
expect_line out '190 of 200'
expect_status 0 "$VALIDATE" replay --destructive --device target --mutant repeat:5% -o out.trace in.csv
expect_line out '10 repeated'
n=0
for m in delay:1ms proportional swap:10% offset:5% size:5% serialise double drift:1% coarse:1ms stall:1ms/3ms; do
	n=$((n + 1))
	expect_status 0 "$VALIDATE" replay --destructive --device target --mode $([ $((n % 2)) -eq 0 ] && echo hf || echo dep) --mutant $m -o out.trace in.csv
	expect_line out '200 of 200'
done
expect_status 0 "$VALIDATE" replay --destructive --device target --mutant delay:5ms -o out.trace in.csv
expect_status 0 "$VALIDATE" info out.trace --csv out.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["end"] - $at["begin"] < 5000000 { exit 1 }' out.csv ||
	fail 'a delay of 5 ms is not in every response time'

# no requests on a device, several devices, a damaged trace
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,0,10,close,"fd=3",0\n' >none.csv
expect_status 3 "$VALIDATE" replay --destructive --device target none.csv
expect_line err 'no request for a device'
{ cat in.csv; sed 's/hm,0/hm,1/' in.csv; } >two.csv
expect_status 3 "$VALIDATE" replay --destructive --device target two.csv
expect_line err 'validate slice --object'

# system calls at known offsets serve as well
"$VALIDATE" microbench rr --min-duration 0 --dir . -o calls.trace >out 2>err || fail "$(cat err)"
truncate -s 64M whole
expect_status 0 "$VALIDATE" replay --destructive --device whole --beyond modulo --unaligned round --mode afap -o out.trace calls.trace
expect_line out '; 1 worker'

# killed while it runs: nothing is left over, and the next replay runs
"$VALIDATE" replay --destructive --device target --speed 0.001 -o killed.trace in.csv >out 2>err &
pid=$!
sleep 0.5
kill -KILL $pid 2>/dev/null || :
wait $pid 2>/dev/null || :
[ ! -e killed.trace ] || fail 'a killed replay left its output'
expect_status 0 "$VALIDATE" replay --destructive --device target -o out.trace in.csv
