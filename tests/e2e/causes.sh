# SPDX-License-Identifier: GPL-3.0-or-later
# alone: faults of some microseconds must be explained
# Why a replayer is not trusted: each deliberate fault is named as the main cause, in every form of
# the report. Parts add up, and the limit of quantification is shown. On a busy machine a fault can
# stay inconclusive; decided faults must have the right cause.
. "$SRCDIR/tests/e2e/lib.sh"
priority_raise

replayer() {
	printf '[replayer %s]\nengine = event\norder = thread\nmutant = %s\n' "$1" "$2"
}
{
	cat <<-END
		[protocol]
		replicates = 8
		bank = 2
		min-duration = 5ms
		settle = 1ms
		[target here]
		cache = warm
		[workload random-read]
		level = 2
		requests = 150
		block-size = 64K
		file-size = 4M
		[accept]
		issue-error = 100us
	END
	replayer service delay:300us
	replayer requests lost:5%
	replayer reordering swap:20%
	replayer concurrency serialise
	# a replay that takes seven times as long: its idle time has a larger effect than lost
	# concurrency can have
	replayer late-issue drift:600%
	echo 'timing = timestamp'
} >causes.conf
expect_status 1 "$VALIDATE" run causes.conf -o r -q
expect_line out 'Why'
expect_line out 'the main cause of the verdict is lost requests'

cat >check.jq <<'END'
(.cells[] | select(.verdict == "not trusted") | select((.why.main_cause | sub(" "; "-")) != .replayer)
 | "\(.replayer) comes from \(.why.main_cause): \(.why.sentence)"),
(.cells[] | select(.replayer == "requests" or .replayer == "reordering")
 | select(.verdict != "not trusted") | "\(.replayer) is \(.verdict): \(.reason)"),
(.cells[] | select(.replayer == "service") | select(.verdict == "trusted" or (.verdict == "inconclusive" and
 (.components[] | select(.component == "bias") | .estimate.value < 0.2))) | "\(.replayer) is \(.verdict): \(.reason)"),
(.cells[] | select(.why) | .replayer as $name | .why.splits[] | select(.whole.status == "ok")
 | (.whole.value - ([.parts[] | select(.in_the_sum and .part.status == "ok") | .part.value] | add)) as $rest
 | select($rest > 1e-6 or $rest < -1e-6) | "\($name): the parts leave \($rest)"),
(.cells[] | select(.blank.n != 5 or .blank.status != "ok") | "\(.replayer): \(.blank.n) blanks, \(.blank.status)"),
(.cells[] | .issue_error.held_up as $h | if .replayer == "late-issue" then select($h.status != "ok" or $h.value < 0 or $h.value > 1 or
 .issue_error.others_p99_ns.status != "ok") else select($h.status == "ok") end | "\(.replayer): held up \($h | tojson)"),
(.rated_ranges | select(length != 5) | "\(length) rated ranges")
END
if command -v jq >/dev/null; then
	jq -r -f check.jq r/report/report.json >wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
else
	echo 'jq is not here: the causes were not compared'
fi
grep -q '^random-read[^,]*,requests,not trusted,execution time,fewer requests,' r/report/tables/why.csv ||
	fail "why.csv has no fewer requests: $(grep ,requests, r/report/tables/why.csv)"
[ "$(grep -c . r/report/tables/blank.csv)" -eq 6 ] || fail "blank.csv: $(cat r/report/tables/blank.csv)"
expect_line r/report/index.html 'Why the replays differ'
expect_line r/report/index.html 'the main cause of the verdict is lost requests'
# the same numbers from the summaries alone
cp r/report/report.json before.json
expect_status 1 "$VALIDATE" report r
cmp before.json r/report/report.json || fail "a rebuilt report differs"
# a damaged blank is a damaged summary, not a crash
unseal r
victim=$(grep -l '"blank"' r/runs/*.json | head -n 1)
sed 's/"blank":{"mean_ns":[^}]*}/"blank":{"mean_ns":-1}/' "$victim" >v && cp v "$victim"
expect_status 1 "$VALIDATE" report r
