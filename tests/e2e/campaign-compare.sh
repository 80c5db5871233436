# SPDX-License-Identifier: GPL-3.0-or-later
# Planned looks of a campaign whose [compare] names two replayers: it ends at the first look that
# decides their comparison in every scenario, even if verdicts are inconclusive. It continues if one
# scenario is inconclusive.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"
command -v jq >/dev/null || skip "jq is not there to read JSON"

# A replayer that prints the given time for every request, so that the test does not depend on a
# clock; with `uneven` every second time is doubled.
cat >replayer <<'END'
#!/bin/sh
n=0
[ ! -f "$2" ] || read -r n <"$2"
echo $((n + 1)) >"$2"
[ "$1" = uneven ] || n=0
awk -F, -v ns=$((100 + n % 2 * 100)) 'NR > 1 { printf "%d,%.0f,%.0f\n", NR - 2, 1000 * NR, 1000 * NR + ns }' "$3"
END
chmod +x replayer
campaign() { # NAME KIND WORKLOADS...
	name=$1 kind=$2
	shift 2
	{
		printf '[protocol]\nreplicates = 10..14\nbank = 1\nmin-duration = 0\nsettle = 0\n[target here]\ncache = as-is\n'
		for workload; do
			printf '[workload %s]\ntype = random-read\nrequests = 20\nfile-size = 64K\nobserve = own\n' "$workload"
		done
		for version in "old even" "new $kind"; do
			printf '[replayer %s]\nengine = exec\nexport = csv\n' "${version% *}"
			printf 'command = ["%s/replayer", "%s",\n  ' "$PWD" "${version#* }"
			printf '"%s/%s.count", "{trace}"]\n' "$PWD" "$name-${version% *}"
			printf 'times = "self:csv(seq=1, begin=2, end=3, unit=ns)"\n'
		done
		printf '[compare]\nold = old\nnew = new\nresponse-time = 50%%\n'
		for key in precision-ratio uncertainty-ratio median p90 p99 p999 execution-time in-flight concurrency; do
			echo "$key = none"
		done
		printf '[accept]\n'
		for key in bias typical shape tail operation half uncertainty execution-time concurrency in-flight in-flight-max; do
			echo "$key = none"
		done
	} >"$name.conf"
	expect_verdict "$VALIDATE" run "$name.conf" -o "$name" -q
	grep '"event":"look"' "$name/journal" >looks || fail "$name: no look"
}

campaign decided even reads more
[ "$(wc -l <looks)" -eq 1 ] || fail "more than one look: $(cat looks)"
grep -q '"replicates":10,"cells":2,"inconclusive":0,"stop":true' looks || fail "it did not stop for its two comparisons: $(cat looks)"
complete decided 68 # 2 recordings, and 11 blocks of 3 runs of 2 scenarios
# the versions themselves are not decided: the campaign ended because of the comparison alone
jq -e '.n_inconclusive > 0' decided/report/report.json >/dev/null || fail "each version is decided, too: the test shows nothing"
expect_status 0 "$VALIDATE" compare decided
expect_line out "same: 0 of 2 cases worse, 0 inconclusive, 0 better, 2 the same"
cp decided/journal before
"$VALIDATE" run -o decided --resume -q >out 2>err || :
cmp -s before decided/journal || fail "resuming a decided campaign went on"
clean decided

campaign open uneven reads
grep -q '"replicates":10,"cells":1,"inconclusive":1,"stop":false' looks || fail "it stopped, or counts otherwise: $(cat looks)"
complete open 46
expect_status 4 "$VALIDATE" compare open
expect_line out "inconclusive: 0 of 1 case "
clean open

# a version with a fault in one of two scenarios: it is worse there, and the other scenario is not
# affected
cat >part.conf <<'CONF'
[protocol]
replicates = 12
bank = 1
min-duration = 0
settle = 0
pairing = runs
[target here]
cache = as-is
[workload reads]
type = random-read
level = 1, 2
requests = 50
file-size = 64K
[replayer old]
order = fs
[replayer new]
order = fs
mutant = lost:10%
mutant-workloads = reads level=2
[compare]
old = old
new = new
CONF
expect_verdict "$VALIDATE" run part.conf -o part -q
jq -s '[.[] | select(.summary.n_lost > 0) | "\(.scenario) \(.role)"] | unique == ["reads level=2 new"]' part/runs/*.json | grep -q true ||
	fail "lost requests: $(jq -r 'select(.summary.n_lost > 0) | "\(.scenario) \(.role)"' part/runs/*.json | sort | uniq -c)"
status=0
"$VALIDATE" compare part -f json >out || status=$?
[ "$status" -eq 1 ] || fail "compare: status $status: $(head -c 500 out)"
words=$(jq -r '.cases[] | "\(.scenario): \(.components[] | select(.component == "mismatches") | .outcome)"' out)
[ "$words" = "reads level=1: same
reads level=2: worse" ] || fail "mismatches: $words: $(grep '"state":"failed"' part/journal | head -n 2)"
# the settings of a case have the fault only in the scenario in which it acts
jq -e '[.differences[] | select(.kind == "settings")] | length == 1 and (.[0].new | test("mutant=lost"))' out >/dev/null ||
	fail "settings: $(jq -c .differences out)"
clean part
