# SPDX-License-Identifier: GPL-3.0-or-later
# Two builds of one replayer in a protocol, run in turn; and an optional replayer that is not found.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

# A replayer that reads a CSV of offsets and lengths and prints its times; the new version skips
# every tenth request.
cat >replayer <<'END'
#!/bin/sh
awk -F, -v skip="$1" 'NR > 1 && !(skip && NR % skip == 0) { printf "%d,%.0f,%.0f\n", NR - 2, 1000 * NR, 1000 * NR + 100 }' "$2"
END
chmod +x replayer
cat >versions.conf <<END
[protocol]
replicates = 2
allow-undecidable = yes
min-duration = 0
settle = 1ms
[target here]
cache = as-is
[workload reads]
type = random-read
requests = 50
file-size = 64K
observe = own
[replayer old]
engine = exec
export = csv
command = ["$PWD/replayer", "0", "{trace}"]
times = "self:csv(seq=1, begin=2, end=3, unit=ns)"
[replayer new]
engine = exec
export = csv
command = ["$PWD/replayer", "10", "{trace}"]
times = "self:csv(seq=1, begin=2, end=3, unit=ns)"
[replayer elsewhere]
engine = artc
optional = yes
END
VALIDATE_ARTC=/proc/nonexistent/artc expect_status 0 "$VALIDATE" run versions.conf --dry-run
expect_line out 'replayer elsewhere: engine artc; left out: '
status=0
VALIDATE_ARTC=/proc/nonexistent/artc "$VALIDATE" run versions.conf -q -o results >out 2>err || status=$?
any_verdict
grep '"state":"failed"' results/journal && fail "a run failed" || :
jq -e '.league[-1] | .replayer == "elsewhere" and .absent != null' results/report/report.json >/dev/null || fail "$(jq -c .league results/report/report.json)"
expect_line out 'not found'
jq -s -e 'map(select(.role == "new" and .summary.n_lost == 0)) | length == 0' results/runs/*.json >/dev/null || fail "requests that the new version skips are not counted"
jq -s -e 'map(select(.role == "old" and .summary.n_lost != 0)) | length == 0' results/runs/*.json >/dev/null || fail "losses are reported for the old version"
# in turn: both versions in every block, in random order
jq -e '[.runs[] | select(.[3] >= 0 and .[0] > 0) | .[0]] | group_by(.) | map(length) | unique == [2]' results/plan.json >/dev/null || fail "not both in every block"
# later, on another machine, the report is the same, because the plan has the environment
expect_status "$status" "$VALIDATE" report results
jq -e '.league[-1].absent != null' results/report/report.json >/dev/null || fail "the report does not name the missing replayer"
# a missing replayer that is not optional ends the campaign before the start
sed '/^optional/d' versions.conf >needed.conf
status=0
VALIDATE_ARTC=/proc/nonexistent/artc "$VALIDATE" run needed.conf -q -o nothing >out 2>err || status=$?
[ "$status" -eq 3 ] && [ ! -e nothing ] || fail "status $status with a replayer that is not there"
expect_line err 'optional = yes'
