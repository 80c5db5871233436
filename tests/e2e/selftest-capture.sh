# SPDX-License-Identifier: GPL-3.0-or-later
# long: 15 s
# The self-test of capture: a tiny run, its unavailable parts with the reason, and its calibration
# applied to a captured trace.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
leaks_unchecked # one of the methods is strace
command -v jq >/dev/null || skip "jq is not there to read JSON"

# a method that is available to an ordinary user; the JSON and the file are equal and match the
# schema
expect_status 0 "$VALIDATE" selftest capture --quick --methods app -q --json -o cal.json
follows_schema selftest-capture cal.json
all_members selftest-capture
jq . out >printed
jq . cal.json | cmp -s - printed || fail "the file differs from the output"
app='.methods[] | select(.method == "app")'
for call in read write pwrite open close fsync stat rename unlink; do
	for threads in 1 2; do
		row=$(jq -c "$app | .table[] | select(.op == \"$call\" and .threads == $threads)" cal.json)
		[ -n "$row" ] || fail "no row of $call with $threads threads"
		[ "$(echo "$row" | jq '.n_matched == .n_own and .n_missed == 0 and .n_extra == 0 and .n_own > 0')" = true ] ||
			fail "not all captured: $row"
		[ "$(echo "$row" | jq '.bias_half95_ns > 0 and .scatter_p99_ns >= .scatter_median_ns and .cost_low95 > 0')" = true ] ||
			fail "not estimated: $row"
		# the library takes its time stamps inside the program's own; long requests depend on
		# both calibrations of the counter
		case $call in
		read | write | close | stat)
			[ "$(echo "$row" | jq '.bias_ns < 0')" = true ] || fail "captured times that cannot be: $row"
			;;
		esac
	done
done
[ "$(jq '[.methods[] | select(.left_out != null) | .method] == ["vfs", "strace"]' cal.json)" = true ] || fail "omitted methods are not reported"
[ "$(ls)" = "$(printf 'cal.json\nerr\nfaults\nout\nprinted')" ] || fail "left behind: $(ls)"

# the table; strace's time stamps are also outside of the call, and from another clock
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	expect_status 0 "$VALIDATE" selftest capture --quick --methods strace -q
	expect_line out 'vfs: the kernel'
	expect_line out 'left out: not requested'
	expect_line out 'strace -f -ttt -T; resolution 1000 ns'
	grep -qE '^  rename +2 +[0-9]+ +0 +0 ' out || fail "no row of rename: $(cat out)"
else
	expect_status 3 "$VALIDATE" selftest capture --quick --methods strace -q
	expect_line err 'no capture method'
fi

# wrong use
expect_status 2 "$VALIDATE" selftest stats --methods app
expect_status 3 "$VALIDATE" selftest capture --methods app,truss -q
expect_line err 'truss'
expect_status 3 "$VALIDATE" selftest capture --replicates 3 --target /proc/nonexistent -q

# captured times are corrected by the bias measured here, toward the program's own times
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
