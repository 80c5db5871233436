# SPDX-License-Identifier: GPL-3.0-or-later
# long: 13 s
# A campaign with a budget: decided cases end, the other cases continue until the budget or the plan
# is used up, and a resumed campaign continues with the rest.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

protocol() { # BUDGET REPLICATES
	cat <<-END
		[protocol]
		budget = $1
		replicates = $2
		allow-undecidable = yes
		bank = 2
		min-duration = 5ms
		settle = 1ms
		[target here]
		cache = warm
		[workload reads]
		type = sequential-read
		file-size = 2M
		requests = 100
		[workload more]
		type = sequential-read
		file-size = 2M
		requests = 100
		[replayer loses]
		engine = event
		mutant = lost:5%
		[replayer undecidable]
		engine = event
		workloads = more
		[accept]
		bias = 0.0001%
	END
}
ended() { sed -n 's/.*"event":"budget","why":"\([a-z]*\)".*/\1/p' "$1/journal"; }
choices() { sed -n 's/.*"event":"choice","block":\([0-9]*\),"scenario":\([0-9]*\),"why":"\([a-z]*\)".*/\1 \2 \3/p' "$1/journal"; }

# every case has the minimum number of pairs; then the case with lost requests is decided, and the
# other case gets all further pairs of the plan
protocol 10min 2..5 >all.conf
expect_status 1 "$VALIDATE" run all.conf -o all -q
[ "$(ended all)" = replicates ] || fail "it ended by: $(ended all)"
choices all >made
[ "$(grep -c ' first$' made)" -eq 6 ] || fail "blocks 0 to 2 of two scenarios: $(cat made)"
[ "$(grep -c '^[345] 1 prospect$' made)" -eq 3 ] && [ "$(wc -l <made)" -eq 9 ] || fail "blocks 3 to 5 of the inconclusive one: $(cat made)"
grep '"why":"prospect"' all/journal | grep -q '"left_out":\[[0-9]*\]' || fail "the decided replayer was not left out: $(grep choice all/journal)"
# recordings: two of each scenario; blocks of 2 and 3 runs
[ "$(journal_runs all | wc -l)" -eq $((4 + 3 * 2 + 3 * 3 + 3 * 2)) ] || fail "$(journal_runs all | wc -l) runs"
clean all
cp all/journal before
"$VALIDATE" run -o all --resume -q >out 2>err || :
cmp -s before all/journal || fail "a campaign that ended went on"

# decided before the plan ends: a replayer for comparison gets no further pairs
protocol 10min 2..5 | sed 's/^workloads = more/&\ncomparison = yes/' >decided.conf
expect_status 1 "$VALIDATE" run decided.conf -o decided -q
[ "$(ended decided)" = decided ] || fail "it ended by: $(ended decided)"
! choices decided | grep -v ' first$' || fail "it went on: $(choices decided)"

# a budget that ends at once leaves every case inconclusive; a larger budget continues the campaign
protocol 1ms 2..5 >short.conf
expect_status 3 "$VALIDATE" run short.conf -o short -q
[ "$(ended short)" = budget ] || fail "it ended by: $(ended short)"
"$VALIDATE" run -o short --resume -q >out 2>err || :
[ "$(choices short | wc -l)" -eq 0 ] || fail "it went on without time"
expect_status 1 "$VALIDATE" run -o short --resume --budget 10min -q
[ "$(ended short | tail -n 1)" = replicates ] || fail "it ended by: $(ended short)"
[ "$(journal_runs short | wc -l)" -eq "$(journal_runs all | wc -l)" ] || fail "not all runs: $(journal_runs short | wc -l)"
[ -z "$(journal_runs short | cut -d' ' -f1 | sort | uniq -d)" ] || fail "a run was made twice"

# killed: choices stay valid, decided replays stay left out, nothing runs twice
rm -rf killed
"$VALIDATE" run all.conf -o killed -q >out 2>err &
pid=$!
wait_for grep -q '"why":"prospect"' killed/journal || fail "no choice: $(cat err)"
kill -9 $pid
wait $pid 2>/dev/null || :
expect_status 1 "$VALIDATE" run -o killed --resume -q
[ -z "$(journal_runs killed | cut -d' ' -f1 | sort | uniq -d)" ] || fail "a run was made twice"
[ "$(journal_runs killed | wc -l)" -eq "$(journal_runs all | wc -l)" ] || fail "not all runs: $(journal_runs killed | wc -l)"
clean killed

# the progress line shows time and cases, and no verdict
protocol 10min 2..5 >shown.conf
"$VALIDATE" run shown.conf -o shown >out 2>err || :
expect_line err 'of 10 min 0 s used; block 0 of at least 2; '
! grep -q 'trusted' err || fail "a verdict before the end: $(cat err)"

protocol 10min 2..5 | sed '/^budget/d' >none.conf
expect_status 2 "$VALIDATE" run none.conf -o none --budget 1min
expect_line err 'budget needs a protocol with the key "budget"'
