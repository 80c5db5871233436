# SPDX-License-Identifier: GPL-3.0-or-later
# A campaign on a certified standard: the certificate is checked, and the report shows the added time.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"
[ "$(id -u)" -eq 0 ] || skip "loop devices need root"
[ -c /dev/fuse ] && [ -e /dev/loop-control ] || skip "no /dev/fuse or no loop devices"
"$VALIDATE" volume create "probe-$$" --size 1M --service constant:time=0 >out 2>err || skip "no volumes here: $(cat err)"
"$VALIDATE" volume remove "probe-$$" >/dev/null

# a certificate that this machine could have: exponential service times from 1 ms, 1 and 4 requests in
# flight
version=$("$VALIDATE" --version | sed 's/validate //')
cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
jq -n --arg host "$(uname -n)" --arg cpu "$cpu" --argjson n "$(getconf _NPROCESSORS_ONLN)" --arg kernel "$(uname -r)" --arg version "$version" '
	{format: "certificate of a reference volume", version: 1, made: "2026-01-31T00:00:00Z", duration_s: 100,
	loop_device: true, machine: {machine: $host, "CPU model": (if $cpu == "" then null else $cpu end), "number of CPUs": $n, kernel: $kernel, "version of validate": $version},
	points: [{service_ns: 1000000, depth: 1}, {service_ns: 5000000, depth: 1}, {service_ns: 1000000, depth: 4}, {service_ns: 5000000, depth: 4}]
		| map(. + {model: "exponential", visits: 6, programmed_ns: .service_ns, bias: 0.004, bias_at_server: 0.001,
			expanded_uncertainty: 0.01, coverage_factor: 2.5, scatter: 0.004, drift_per_hour: 0, excess_p50_ns: 1000,
			excess_p99_ns: 40000, writes_less_reads_ns: 0, lead_ns: 30000, drifts: false, valid: true, reason: null})
	}' >c.json 2>jq.err || fail "$(cat jq.err)"
cat >on.conf <<'END'
[protocol]
standard = c.json
replicates = 3
allow-undecidable = yes
bank = 1
min-duration = 0
settle = 0
pairing = runs
[target volume]
volume = exponential:mean=2ms
size = 4M
[workload work]
type = block-random
target = volume
queue-depth = 4
read-share = 50%
requests = 60
[replayer load]
engine = block
mode = load
[replayer program]
engine = program
END

# refused before anything starts
for fact in kernel 'version of validate'; do
	jq --arg f "$fact" '.machine[$f] = "another"' c.json >other.json
	sed 's/c.json/other.json/' on.conf >other.conf
	expect_status 5 "$VALIDATE" run other.conf -q -o refused
	expect_line err "its $fact is \"another\""
done
for change in 's/exponential:mean=2ms/exponential:mean=900us/' 's/exponential:mean=2ms/exponential:mean=6ms/' \
	's/exponential:mean=2ms/constant:time=2ms/' 's/queue-depth = 4/queue-depth = 5/' 's/queue-depth = 4/queue-depth = 4\nlevel = 2/'; do
	sed "$change" on.conf >outside.conf
	expect_status 3 "$VALIDATE" run outside.conf -q -o refused
	expect_line err 'does not cover the volume'
done
sed 's/^size = 4M/&\nvolume-file = yes/' on.conf >file.conf
expect_status 3 "$VALIDATE" run file.conf -q -o refused
expect_line err 'the volume of [target volume] is on a file, but the certificate c.json was made on a loop device'
sed 's/c.json/none.json/' on.conf >none.conf
expect_status 3 "$VALIDATE" run none.conf -q -o refused
expect_line err 'validate standard certify -o none.json'
[ ! -e refused ] || fail 'a refused campaign left results'

# on the volume's file, without a loop device
jq '.loop_device = false' c.json >of-file.json
sed 's/c.json/of-file.json/' file.conf >on-file.conf
expect_verdict "$VALIDATE" run on-file.conf -q -o on-file
! grep -q '"state":"failed"' on-file/journal || fail "a run on a file failed: $(grep '"failed"' on-file/journal | head -n 1)"
! grep -q '/dev/loop' on-file/journal || fail "a loop device was used: $(grep -m 1 /dev/loop on-file/journal)"

expect_verdict "$VALIDATE" run on.conf -q -o results
! grep -q '"state":"failed"' results/journal || fail "a run failed: $(grep '"failed"' results/journal | head -n 1)"
jq -e --arg sum "$(sha256sum <c.json | cut -d' ' -f1)" '.standard | .file == "c.json" and .sha256 == $sum and .bias == 0.004 and .expanded_uncertainty == 0.01' \
	results/environment.json >/dev/null || fail "$(jq .standard results/environment.json)"
grep -q 'c.json of 2026-01-31' results/report/certificate.txt || fail "$(cat results/report/certificate.txt)"

# the deviation of the standard is a row of each budget: it scales the bias by at most |bias| + U = 1.4 %
expect_verdict "$VALIDATE" report results --format json
cp out report.json
jq -e '[.. | objects | select(.source? == "deviation of the standard")] | length == 2 and all(.[]; .type == "B")' report.json >/dev/null ||
	fail "$(jq -c '[.. | objects | select(.source?)]' report.json)"
jq -c '[.. | objects | select(.budget? and .bias?) | [.program.mean_ns.mean, .replay.mean_ns.mean, (.budget.rows[] | select(.source == "deviation of the standard") | .value)]]' report.json >rows.json
jq -e 'length == 2 and all(.[]; (.[2] - 0.014 * (.[1] / .[0] - 1 | fabs) | fabs) < 1e-9)' rows.json >/dev/null || fail "$(cat rows.json)"

# each run meets the same service times, as no requests queue in the model; the server saw each request
jq -s -c 'map(.served) | {n: (map(.n) | unique), programmed: (map(.programmed_ns) | unique | length), late: all(.[]; .delivered_ns > 0)}' results/runs/*.json >served
[ "$(cat served)" = '{"n":[60],"programmed":1,"late":true}' ] || fail "$(cat served)"
# response = delivered service + added time, in the table too
awk -F, '{ sub(/\r$/, "") } NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	!at["width_ratio"] || !at["replay_delivered_ns"] { print "columns are missing"; exit 1 }
	{ n++; if (!($at["replay_delivered_ns"] + 0 > 1e6 && $at["width_ratio"] + 0 > 0)) { print "row " NR ": " $0; exit 1 } }
	END { if (n != 2) { print n " rows"; exit 1 } }' results/report/tables/added-time.csv >awk.out ||
	fail "$(cat awk.out; cat results/report/tables/added-time.csv)"
