# SPDX-License-Identifier: GPL-3.0-or-later
# validate slice --calibration: corrected response times, messages, and the correction in metadata
# and summaries.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

# a calibration for a constructed trace: 100 ns too long, and a request shorter than that
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
expect_line err 'has no values for capture by vfs'
[ ! -e no.trace ] || fail "a trace was written nevertheless"
expect_status 0 "$VALIDATE" slice --calibration made.json --capture-method app made.csv -o corrected.trace
expect_line out '5 requests'
expect_line out '1 response times would have been below 0'
expect_line out '1 requests were not corrected: the calibration lacks their operations'
"$VALIDATE" export -q --to csv corrected.trace -o - | awk -F, 'NR > 1 { print $4 - $3 }' | tr '\n' ' ' >have
[ "$(cat have)" = "900 900 900 900 0 1000 " ] || fail "corrected to $(cat have)"
"$VALIDATE" info --json corrected.trace >info.json
# mean (4 x 100 + 40) / 6, u 5 x 12 / 6
jq -e '[.. | objects | select(has("n_clipped"))][0] | .n_corrected == 5 and .n_clipped == 1 and .n_without == 1 and
	(.mean_ns - 440 / 6 | fabs) < 1e-9 and (.u_ns - 10 | fabs) < 1e-9 and .method == "app"' info.json >have ||
	fail "the correction is not in the metadata: $(cat info.json)"
expect_status 3 "$VALIDATE" slice --calibration made.json --capture-method app corrected.trace -o no.trace
expect_line err 'have already been corrected'

# an anonymised slice does not name the calibration's source; an invalid calibration is named
expect_status 0 "$VALIDATE" slice --calibration made.json --capture-method app --anonymise made.csv -o hidden.trace
"$VALIDATE" info --json hidden.trace >info.json
jq -e '[.. | objects | select(has("n_clipped"))][0] | .n_corrected == 5 and (has("host") | not)' info.json >have ||
	fail "anonymised: $(cat info.json)"
printf '{"schema": 1,\n "methods": ' >broken.json
expect_status 3 "$VALIDATE" slice --calibration broken.json --capture-method app made.csv -o no.trace
expect_line err 'it is not JSON (line 2'
expect_status 3 "$VALIDATE" slice --calibration /proc/nonexistent --capture-method app made.csv -o no.trace
[ ! -e no.trace ] || fail "a trace was written nevertheless"
