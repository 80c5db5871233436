# SPDX-License-Identifier: GPL-3.0-or-later
# long: 15 s
# waits: for a slow volume
# The volume is slower in half of the blocks. A correct replay slows down, too. A replayer that only
# prints the traced response times does not slow down, and is detected. It prints at most 3.5 ms,
# because times longer than its run are refused.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"
[ "$(id -u)" -eq 0 ] || skip "loop devices need root"
[ -c /dev/fuse ] && [ -e /dev/loop-control ] || skip "no /dev/fuse or no loop devices"
"$VALIDATE" volume create "probe-$$" --size 1M --service constant:time=0 >out 2>err || skip "no volumes here: $(cat err)"
"$VALIDATE" volume remove "probe-$$" >/dev/null

cat >follow.conf <<'END'
[protocol]
replicates = 8
min-duration = 0
settle = 0
[target slowed]
volume = constant:time=2ms
size = 4M
responsiveness = yes
[accept]
execution-time = 10%
[workload work]
type = block-random
target = slowed
queue-depth = 1
requests = 40
observe = own
[replayer follows]
engine = block
mode = load
[replayer dead]
engine = exec
export = csv
command = ["awk", "-F,", "NR > 1 { t = $4 - $3; print NR, NR + (t < 3500000 ? t : 3500000), $7 }", "OFS=,", "{trace}"]
times = self:csv(begin=1, end=2, result=3, unit=ns)
END
expect_verdict "$VALIDATE" run follow.conf -q -o results
! grep -q '"state":"failed"' results/journal || fail "a run failed: $(grep '"failed"' results/journal | head -n 1)"

# in each pair of blocks one is slow, with all of its runs; recordings and block 0 are not slow
jq -c '.runs | to_entries[] | [.key, .value[0]]' results/plan.json >blocks
sed -n 's/.*"run":\([0-9]*\),.*"service_factor":\([0-9.]*\).*/[\1,\2]/p' results/journal >factors
jq -s --slurpfile factors factors '[.[] as [$run, $block] | $factors[] | select(.[0] == $run) | {$block, factor: .[1]}] | group_by(.block) |
	map({block: .[0].block, factors: (map(.factor) | unique)})' blocks >by-block
jq -e 'length == 9 and all(.[]; .factors | length == 1) and .[0].factors == [1]' by-block >/dev/null || fail "not one factor a block: $(jq -c . by-block)"
jq -e '[.[1:][] | .factors[0]] | [_nwise(2) | add] | all(. == 2.5)' by-block >/dev/null || fail "not one slow block of two: $(jq -c . by-block)"

of() { # REPLAYER FILTER: of its component
	jq -r --arg r "$1" ".cells[] | select(.replayer == \$r) | .components[] | select(.component == \"responsiveness\") | $2" results/report/report.json
}
# The fastest request on the slow volume takes about 1 ms longer than on the normal volume. Both may
# be shorter than their service time, because the volume answers earlier by the time that an answer
# usually needs.
fastest() { # FACTOR, of the requests of program and replay
	sed -n 's/.*"run":\([0-9]*\),.*"service_factor":'"$1"'[.0]*[,}].*/\1/p' results/journal | while read -r run; do
		jq 'select(.role != "dead") | .summary.response.min' "results/runs/$(printf %06d "$run").json"
	done | sort -n | head -n 1
}
slow=$(fastest 1.5 | cut -d . -f 1) normal=$(fastest 1 | cut -d . -f 1)
[ $((slow - normal)) -ge 500000 ] || fail "the fastest request took $slow ns on the slow volume and $normal ns on the normal volume"
[ "$(of follows .decision)" != reject ] || fail "a replay is rejected: $(of follows .reason)"
[ "$(of dead .decision)" != accept ] || fail "a dead instrument is accepted: $(of dead .reason)"
jq -e '.cells[] | select(.replayer == "dead") | .verdict != "trusted"' results/report/report.json >/dev/null || fail 'a dead instrument is trusted'

# the same without a change of the storage
sed 's/^responsiveness = .*/responsiveness = no/' follow.conf >alone.conf
expect_verdict "$VALIDATE" run alone.conf -q -o alone
! grep -q service_factor alone/journal || fail 'the storage was changed nevertheless'
jq -e '.cells | all(.components[] | select(.component == "responsiveness") | .decision == "not applicable")' alone/report/report.json >/dev/null ||
	fail 'responsiveness is judged without a slower storage'
