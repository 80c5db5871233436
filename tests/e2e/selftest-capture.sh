# SPDX-License-Identifier: GPL-3.0-or-later
# The self-test of capture: a tiny run of it, what is left out and said, and a calibration applied to a trace.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

# one method that an ordinary user has too; the JSON and the file are the same and fit the schema
expect_status 0 "$VALIDATE" selftest capture --quick --methods app -q --json -o cal.json
jq -r --slurpfile schema "$SRCDIR/doc/selftest-capture-schema.json" -f "$SRCDIR/tests/e2e/json-schema.jq" cal.json >faults ||
	fail "no JSON"
[ ! -s faults ] || fail "not as its schema says: $(head -n 3 faults)"
jq . out >printed
jq . cal.json | cmp -s - printed || fail "the file is not what was printed"
app='.methods[] | select(.method == "app")'
for call in read write pwrite open close fsync stat rename unlink; do
	for threads in 1 2; do
		row=$(jq -c "$app | .table[] | select(.op == \"$call\" and .threads == $threads)" cal.json)
		[ -n "$row" ] || fail "no row of $call with $threads threads"
		[ "$(echo "$row" | jq '.n_matched == .n_own and .n_missed == 0 and .n_extra == 0 and .n_own > 0')" = true ] ||
			fail "not all captured: $row"
		# the library stamps inside the program's own stamps
		[ "$(echo "$row" | jq '.begin_bias_ns > 0 and .bias_ns < 0 and .bias_half95_ns > 0 and .cost_low95 > 0')" = true ] ||
			fail "captured times that cannot be: $row"
	done
done
[ "$(jq '[.methods[] | select(.left_out != null) | .method] == ["vfs", "strace"]' cal.json)" = true ] || fail "what was left out is not said"
[ "$(ls)" = "$(printf 'cal.json\nerr\nfaults\nout\nprinted')" ] || fail "left behind: $(ls)"

# the table; strace sees what is made before and after, too, and by another clock
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	expect_status 0 "$VALIDATE" selftest capture --quick --methods strace -q
	expect_line out 'vfs: the kernel'
	expect_line out 'left out: not asked for'
	expect_line out 'strace -f -ttt -T; resolution 1000 ns'
	grep -qE '^  rename +2 +[0-9]+ +0 +0 ' out || fail "no row of rename: $(cat out)"
else
	expect_status 3 "$VALIDATE" selftest capture --quick --methods strace -q
	expect_line err 'no method of capture'
fi

# wrong use
expect_status 2 "$VALIDATE" selftest stats --methods app
expect_status 3 "$VALIDATE" selftest capture --methods app,truss -q
expect_line err 'truss'
expect_status 3 "$VALIDATE" selftest capture --replicates 3 --target /nonexistent -q

# a calibration on a made-up trace: 100 ns too long, and one request shorter than that
printf 'pid,tid,begin,end,function,args,rvalue\n' >made.csv
for i in 0 1 2 3; do
	printf '1,1,%d,%d,read,"path=f;fd=3;offset=%d;length=10",10\n' $((i * 5000)) $((i * 5000 + 1000)) $((i * 10)) >>made.csv
done
printf '1,1,30000,30040,read,"path=f;fd=3;offset=90;length=10",10\n1,1,40000,41000,fsync,"path=f;fd=3",0\n' >>made.csv
cat >made.json <<'EOF'
{"schema": 1, "environment": {"host": "elsewhere", "kernel": {"release": "6.1"}, "date": "2026-01-01T00:00:00Z"},
 "methods": [{"method": "app", "calibration": [{"op": "read", "bias_ns": 100, "u_ns": 12}]}]}
EOF
expect_status 3 "$VALIDATE" slice --calibration made.json made.csv -o no.trace
expect_line err '--capture-method'
expect_status 2 "$VALIDATE" slice --capture-method app made.csv -o no.trace
expect_status 3 "$VALIDATE" slice --calibration made.json --capture-method vfs made.csv -o no.trace
expect_line err 'vfs was not measured'
[ ! -e no.trace ] || fail "a trace was written all the same"
expect_status 0 "$VALIDATE" slice --calibration made.json --capture-method app made.csv -o corrected.trace
expect_line out '5 requests'
expect_line out '1 response times would have been below 0'
expect_line out '1 requests of operations that were not calibrated'
"$VALIDATE" export -q --to csv corrected.trace -o - | awk -F, 'NR > 1 { print $4 - $3 }' | tr '\n' ' ' >have
[ "$(cat have)" = "900 900 900 900 0 1000 " ] || fail "corrected to $(cat have)"
"$VALIDATE" info --json corrected.trace >info.json
# mean (4 x 100 + 40) / 6, u 5 x 12 / 6
jq -e '[.. | objects | select(has("n_clipped"))][0] | .n_corrected == 5 and .n_clipped == 1 and .n_without == 1 and
	(.mean_ns - 440 / 6 | fabs) < 1e-9 and (.u_ns - 10 | fabs) < 1e-9 and .method == "app"' info.json >have ||
	fail "the correction is not in the metadata: $(cat info.json)"
expect_status 3 "$VALIDATE" slice --calibration made.json --capture-method app corrected.trace -o no.trace
expect_line err 'corrected already'

# what was captured is corrected by what was measured of it here, in the direction of the program's own times
mkdir files
expect_status 0 "$VALIDATE" capture app -o cap.trace -- "$VALIDATE" microbench rw --requests 300 --file-size 256K -d files -o own.trace
expect_status 0 "$VALIDATE" slice --calibration cal.json --operation pwrite cap.trace -o corrected.trace
expect_line out 'capture by app'
bias=$(jq "$app | .calibration[] | select(.op == \"pwrite\") | .bias_ns" cal.json)
"$VALIDATE" slice --operation pwrite cap.trace -o part.trace >/dev/null
"$VALIDATE" export -q --to csv part.trace -o part.csv
"$VALIDATE" export -q --to csv corrected.trace -o corrected.csv
n=$(($(wc -l <part.csv) - 1))
[ "$n" -ge 300 ] || fail "only $n requests"
sum() { awk -F, 'NR > 1 { s += $4 - $3 } END { printf "%.0f", s }' "$1"; }
before=$(sum part.csv) after=$(sum corrected.csv)
awk -v n="$n" -v b="$bias" -v d="$((after - before))" 'BEGIN { x = d / n + b; exit !(x > -1 && x < 1) }' ||
	fail "$n requests with bias $bias changed by $((after - before)) ns in all"
