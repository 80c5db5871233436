# SPDX-License-Identifier: GPL-3.0-or-later
# validate claim: a claim sets the limits of a protocol, and is shown, refuted or left open; the
# campaign ends at the first look that decides; refusals.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

cat >protocol.conf <<END
[protocol]
replicates = 20
bank = 5
min-duration = 5ms
settle = 1ms
[target here]
cache = warm
[workload reads]
type = sequential-read
file-size = 2M
requests = 600
[replayer loses]
engine = event
mutant = lost:5%
[replayer event]
engine = event
[accept]
precision-ratio = 1.5
[compare]
old = event
new = loses
END
ended() { sed -n 's/.*"event":"budget","why":"\([a-z]*\)".*/\1/p' "$1/journal"; }
wide='Mean response time within 95 %, p99 within 99 % and IOPS within 95 %'

expect_status 2 "$VALIDATE" claim "$wide"
expect_status 2 "$VALIDATE" claim 'p99 within 5' protocol.conf
expect_line err '"5": the limit of a claim is a percentage, such as 5 %'
expect_status 2 "$VALIDATE" claim 'p98 within 5 %' protocol.conf
expect_line err '"p98" is not a quantity of a claim'
expect_status 2 "$VALIDATE" claim 'p99 below 5 %' protocol.conf
expect_line err 'QUANTITY within PERCENT'
expect_status 2 "$VALIDATE" claim 'p99 within 5 %
seed = 3' protocol.conf
expect_line err 'a claim is one line'
expect_status 2 "$VALIDATE" claim "$wide" --with evnt protocol.conf
expect_line err 'did you mean "event"'
expect_status 2 "$VALIDATE" claim "$wide" --rerun protocol.conf
expect_status 2 "$VALIDATE" claim "$wide" nowhere.conf
sed 's/^seed/sed/; s/^bank = 5/bnak = 5/' protocol.conf >wrong.conf
expect_status 2 "$VALIDATE" claim "$wide" wrong.conf
expect_line err 'wrong.conf:3: '

# a dry run counts the pairs and changes nothing
expect_status 0 "$VALIDATE" claim "$wide" --with event --dry-run protocol.conf
expect_line out 'IOPS'
expect_line out 'at most 10 min 0 s (budget)'
[ "$(ls)" = "$(printf '%s\n' err out protocol.conf wrong.conf)" ] || fail "a dry run made $(ls)"

# lost requests refute any claim, at the first look
expect_status 1 "$VALIDATE" claim "$wide" --with loses -o lost -q protocol.conf
expect_line out 'refuted'
expect_line out '; no case has more than 8 pairs'
[ "$(ended lost)" = decided ] || fail "it ended by: $(ended lost)"
expect_line lost/protocol.conf "claim = $wide"
expect_line lost/protocol.conf 'replicates = 8..60'
! grep -q '^\[accept\]\|^\[compare\]\|^\[replayer event\]' lost/protocol.conf || fail "left in: $(cat lost/protocol.conf)"
"$VALIDATE" report lost --format json >lost.json || :
jq -e '[.cells[0].components[] | select(.limit != null) | .component] == ["bias", "fidelity", "p99", "IOPS"]' lost.json >/dev/null ||
	fail "judged: $(jq -c '[.cells[0].components[] | [.component, .limit]]' lost.json)"
jq -e --arg claim "$wide" '.claim == $claim' lost.json >/dev/null || fail "the JSON does not name the claim"
# the page of a claim says shown, refuted and inconclusive, in its title and in every cell
grep -q '^<title>.* (refuted)</title>' lost/report/index.html || fail "the title: $(grep '<title>' lost/report/index.html)"
grep -q '</b> refuted</span>' lost/report/index.html || fail "no cell says refuted"
! grep -qE '</b> (not trusted|trusted)</span>' lost/report/index.html || fail "a cell of a claim's page says trusted"
tr -s '\n ' '  ' <lost/report/certificate.txt >certificate
expect_line certificate "The verdict is about this claim alone: $wide."
jq -e '.cells[0].components[] | select(.component == "IOPS") | .estimate.value | type == "number"' lost.json >/dev/null || fail "IOPS has no estimate"

# a replayer outside the protocol, together with a replayer of the protocol; the outcome depends on
# the machine
expect_verdict "$VALIDATE" claim "$wide" --with event --with event:order=none,timing=fullspeed --budget 20s -o wide -q protocol.conf
tr -s '\n ' '  ' <out >joined # lines wrap anywhere
expect_line joined "Claim \"$wide\": "
[ "$(jq -r '[.cells[].replayer] | sort | join(" ")' wide/report/report.json)" = 'event event-1' ] || fail "$(jq -c '[.cells[].replayer]' wide/report/report.json)"
if [ "$status" -eq 0 ]; then
	expect_line joined 'shown in both cases'
	! grep -qE ' (not trusted|trusted)$' out || fail "the table of a claim says trusted"
	[ "$(ended wide)" = decided ] || fail "shown, but it ended by: $(ended wide)"
fi
# the stored protocol gives the same verdict without the command
again=0
"$VALIDATE" report wide >again.txt || again=$?
[ "$again" -eq "$status" ] || fail "the report has status $again instead of $status"

# a part that cannot be judged is not shown, and more pairs would not help
sed 's/^min-duration = .*/min-duration = 0/' protocol.conf >few.conf
expect_status 4 "$VALIDATE" claim 'p99.9 within 99 %' --with event -o few -q few.conf
tr -s '\n ' '  ' <out >joined
expect_line joined 'the claim names p99.9, which was not judged'
expect_line joined 'it names p99.9, which was not judged. Remove p99.9 from the key "claim" of the protocol, or let each run make more requests.'
[ "$(ended few)" = decided ] || fail "it ended by: $(ended few)"

# a trace: the protocol of validate judge, with the claim and without a control
mkdir files
expect_status 0 "$VALIDATE" microbench rr --requests 300 --file-size 1M --dir files -o reference.trace
rm -rf files
expect_status 0 "$VALIDATE" claim 'latency within 5 %' --with event:order=none --budget 5s --dry-run reference.trace
expect_line out 'claim = latency within 5 %'
expect_line out 'budget = 5s'
expect_line out 'replicates = 8..60'
! grep -q '^\[accept\]\|control' out || fail "$(cat out)"
expect_verdict "$VALIDATE" claim 'latency within 95 %' --with event --budget 10s -o trace -q reference.trace
expect_line out 'Claim "latency within 95 %": '
[ "$status" -ne 1 ] || fail "a recording refuted a claim"
# replays that are far faster than the recording: more pairs would not help
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	echo '1,1,1000,2000,open,"path=f;flags=0",3'
	for i in $(seq 20); do echo "1,1,${i}0000000,${i}5000000,pread,\"fd=3;offset=0;length=100\",100"; done
} >slow.csv
expect_status 4 "$VALIDATE" claim 'latency within 5 %' --with event:timing=fullspeed --budget 60s -o differs -q slow.csv
expect_line out 'differs from the recording'
n=$(sed -n 's/.*; no case has more than \([0-9]*\) pairs.*/\1/p' out)
[ "$n" -lt 60 ] || fail "it went on to $n pairs"
[ "$(ended differs)" = decided ] || fail "it ended by: $(ended differs)"
