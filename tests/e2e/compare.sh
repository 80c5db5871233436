# SPDX-License-Identifier: GPL-3.0-or-later
# validate compare on stored baselines: texts, numbers, exit statuses, every form, and baselines
# that cannot be compared.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

cp "$SRCDIR"/tests/data/compare/*.json .
fits() { # a comparison in ./out
	follows_schema compare out
}
word() { # SCENARIO COMPONENT
	jq -r --arg s "$1" --arg c "$2" '.cases[] | select(.scenario == $s) | .components[] | select(.component == $c) | .outcome' out
}
on_screen() { # TEXT: ./out, of at most 80 columns, has it on one or more lines
	[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 ] || fail "wider than 80 columns: $(cat out)"
	expect_words out "$1"
}

# words and statuses
expect_status 0 "$VALIDATE" compare old.json same.json
expect_line out "same: 0 of 3 cases worse, 0 inconclusive, 0 better, 3 the same"
expect_line out "kernel.release: 6.1.0-18-amd64 before, 6.1.0-20-amd64 now"
expect_status 1 "$VALIDATE" compare old.json worse.json
on_screen "worse: response time of reads level=2, replayer event: +21.2 % [18.9, 23.5], limit ±5 %"
expect_line out '  reads level=1  same     '
expect_status 0 "$VALIDATE" compare worse.json old.json
expect_line out "better: 0 of 3 cases worse, 0 inconclusive, 1 better, 2 the same"
expect_status 1 "$VALIDATE" compare old.json worse.json --format json
fits
[ "$(word 'reads level=2' 'execution time')" = worse ] || fail "execution time is not worse"
[ "$(word 'reads level=1' 'response time')" = same ] || fail "level 1 is not the same"

# the numbers: Welch's t on logarithms of x/r, computed by another program from the same file
near() { # FILTER WANTED
	jq -e "($1) / $2 - 1 | . < 1e-9 and . > -1e-9" out >/dev/null || fail "$1 is $(jq "$1" out), not $2"
}
near '.cases[1].components[0].change' 0.2118388531000845
near '.cases[1].components[0].lo95' 0.18863768648976
near '.cases[1].components[0].hi95' 0.235492886162649
near '.cases[1].components[1].change' 1.0491960831652885
# widened for dependence: not smaller than 7.685e-18, which is one-sided and for independent runs
jq -e '.cases[1].components[0].p | . > 7.68e-18 and . < 1e-9' out >/dev/null || fail "p is $(jq '.cases[1].components[0].p' out)"

# a campaign compared with itself: every judged component is the same
for form in text json markdown junit openmetrics html github; do
	expect_status 0 "$VALIDATE" compare old.json old.json -f "$form"
done
expect_status 0 "$VALIDATE" compare old.json old.json -f json
[ "$(jq -r '[.cases[] | .outcome, (.components[].outcome | select(. != "not judged"))] | unique | join(" ")' out)" = same ] ||
	fail "a campaign is not the same as itself: $(jq -c '[.cases[].components[] | select(.outcome != "same")][0]' out)"

# also if the numbers scatter too much, or are too few, to show anything; but equal numbers of
# another campaign do not count as the same
jq '.columns as $c | .cases |= map(.u_c_df = 2
	| .replicates |= (to_entries | map(.key as $i | .value | .[$c | index("n_mismatched")] = $i)))' old.json >unknown.json
jq '.cases |= map(.replicates |= .[0:1])' unknown.json >single.json
for side in unknown single; do
	expect_status 0 "$VALIDATE" compare $side.json $side.json -f json
	fits
	jq -e '(.cases | all(.same_runs)) and (.summary | endswith("; the old and the new results are the same runs"))' out >/dev/null || fail "$(jq .summary out)"
	jq '.campaign = "0123456789abcdef"' $side.json >another.json
	expect_status 4 "$VALIDATE" compare $side.json another.json -f json
	jq -e '(.cases | any(.same_runs)) or (.summary | test("same runs"))' out >/dev/null && fail "another campaign has the same runs"
done
jq '.columns as $c | .cases[1].replicates[3][$c | index("x_p99_ns")] += 1' unknown.json >nearly.json
expect_status 4 "$VALIDATE" compare unknown.json nearly.json -f json
jq -e '.cases | map(.same_runs) == [true, false, true]' out >/dev/null ||
	fail "not the one case that differs: $(jq -c '.cases | map(.same_runs)' out)"
# two replayers of one campaign whose runs all failed: nothing is known
jq '.cases |= map(.replicates |= [])' old.json >nothing.json
jq '.cases |= map(.replayer = "another")' nothing.json >nothing-another.json
expect_status 4 "$VALIDATE" compare nothing.json nothing-another.json -f json
jq -e '(.cases | length > 0 and all(.outcome == "inconclusive" and (.same_runs | not)))' out >/dev/null ||
	fail "of no runs something is known: $(jq -c '.cases | map([.outcome, .same_runs])' out)"
# and every form reports that runs failed, the JSON form how many in which case
jq '.cases |= map(.n_failed = 14)' nothing.json >failed.json
jq '.cases[0] |= (.replicates = [] | .n_failed = 14)
	| .cases |= map(.replayer = "another" | .settings = "engine=other")' old.json >failed-another.json
for form in text markdown junit github html openmetrics json; do
	expect_status 4 "$VALIDATE" compare failed.json failed-another.json -f $form
	case $form in
	text) on_screen '42 runs of the old results failed, in 3 of 3 cases. The first is in scenario reads level=1' ;;
	markdown | html) expect_line out '42 runs of the old results failed, in 3 of 3 cases. The first is in scenario reads level=1' ;;
	esac
	case $form in
	openmetrics) ;;
	json)
		fits
		jq -e '[.cases[] | .n_failed_old, .n_failed_new] == [14, 14, 14, 0, 14, 0]' out >/dev/null || fail "$(jq -c '.cases[] | del(.components)' out)"
		# other settings of a replayer are reported once, for any number of its scenarios
		[ "$(jq -c '[.differences[] | select(.kind == "settings") | .what]' out)" = '["another"]' ] || fail "$(jq -c .differences out)"
		;;
	*) expect_line out 'runs failed' ;;
	esac
done
expect_status 4 "$VALIDATE" compare failed.json failed-another.json
expect_line out '14 runs of the new results failed, in 1 of 3 cases'
on_screen 'too few values: 14 runs failed before'

# of many inconclusive cases the case nearest to a decision is the example
jq '.cases |= map(.replicates |= .[0:2])' worse.json >two.json
expect_status 4 "$VALIDATE" compare old.json two.json
grep -A 4 '^  response time in [23] of 3 cases' out | grep -q 'for example reads level=2' || fail "not the likeliest: $(grep -A 9 ^Inconclusive out)"

# a fifth of the replicates: the comparison is inconclusive, not "the same"
jq '.cases |= map(.replicates |= .[0:4])' same.json >few.json
expect_status 4 "$VALIDATE" compare old.json few.json
expect_line out "inconclusive: 0 of 3 cases"

# from one side of the program to the other, at the same distance: the replay changed, and is
# neither better nor worse
scale() { # FACTOR FILE: scales all times of the replay
	jq --argjson f "$1" '.columns as $c | .cases |= map(.replicates |= map([., $c] | transpose
		| map(if .[1] | test("^x_.*_ns$") then .[0] * $f else .[0] end)))' "$2"
}
scale 0.9 old.json >faster.json
scale 1.11 same.json >slower.json
expect_status 4 "$VALIDATE" compare faster.json slower.json
tr -s '\n ' ' ' <out | grep -q "differ from the old replays, but it is unknown whether they are nearer to the program" || fail "$(cat out)"

# a mismatch in every new run is worse; a mismatch in one run is inconclusive
at=$(jq '.columns | index("n_mismatched")' same.json)
jq ".cases[0].replicates |= map(.[$at] = 3)" same.json >mismatched.json
expect_status 1 "$VALIDATE" compare old.json mismatched.json
expect_line out "worse: mismatches of reads level=1"
expect_status 1 "$VALIDATE" compare old.json mismatched.json -f json
jq -e '.cases[0].components[] | select(.component == "mismatches") | (.change - 3 | fabs) < 1e-9 and .lo95 == 3 and .hi95 == 3' out >/dev/null ||
	fail "mismatches: $(jq -c '.cases[0].components[] | select(.component == "mismatches")' out)"
# one mismatch in every second run: 0.5 on the average, by Welch with 0.5129891760425771/sqrt(20)
# and 19 degrees of freedom
jq ".cases[0].replicates |= [to_entries[] | .key as \$i | .value | .[$at] = \$i % 2]" same.json >half.json
expect_status 4 "$VALIDATE" compare old.json half.json -f json
jq -e '.cases[0].components[] | select(.component == "mismatches") | (.lo95 - 0.259913675 | fabs) < 1e-8 and (.hi95 + .lo95 - 1 | fabs) < 1e-12' out \
	>/dev/null || fail "mismatches: $(jq -c '.cases[0].components[] | select(.component == "mismatches")' out)"
jq ".cases[0].replicates[7][$at] = 1" same.json >one.json
expect_status 4 "$VALIDATE" compare old.json one.json

# a version whose runs fail is not the same, however good its other runs; equal failures on both
# sides are due to the program, or are no change
failing() { # RUNS FILE: number of failed runs of the first case
	jq ".cases[0].n_failed = $1 | .cases[0].replicates |= .[$1:]" "$2"
}
failing 3 same.json >some.json
expect_status 4 "$VALIDATE" compare old.json some.json -f json
[ "$(word 'reads level=1' mismatches)" = inconclusive ] || fail "three runs failed, and the word is $(word 'reads level=1' mismatches)"
[ "$(word 'reads level=1' 'response time')" = same ] || fail "the others are no longer the same"
failing 12 same.json >most.json
failing 20 same.json >all.json
for side in most all; do
	expect_status 1 "$VALIDATE" compare old.json $side.json
	tr -s '\n ' ' ' <out | grep -q 'worse: mismatches of reads level=1.*more runs failed now than before' || fail "$side: $(cat out)"
	expect_status 4 "$VALIDATE" compare $side.json old.json -f json
	[ "$(word 'reads level=1' mismatches)" = better ] || fail "fewer runs fail, and the word is $(word 'reads level=1' mismatches)"
done
failing 3 old.json >some-old.json
expect_status 0 "$VALIDATE" compare some-old.json some.json

# the reference is the recording itself: different single recordings on both sides decide nothing,
# however well the replays agree; a common recording cancels; of several, each counts once
single() { # R (of the index $i of the run) FILE: replays whose times differ from 100 us by 1 %, by the run
	jq ".columns as \$c | .cases |= map(.single_reference = true | .replicates |= [to_entries[] | .key as \$i | .value
		| .[\$c | index(\"r_mean_ns\")] = ($1) | .[\$c | index(\"x_mean_ns\")] = 100000 * (1 + ((\$i * 7) % 20 - 9.5) / 1000)])" "$2"
}
single 100000 old.json >one.json
single 110000 same.json >other.json
expect_status 4 "$VALIDATE" compare one.json other.json -f json
[ "$(word 'reads level=1' 'response time')" = inconclusive ] || fail "of two recordings: $(word 'reads level=1' 'response time')"
jq -e '.cases[0].components[0].reason | contains("the difference between recordings is unknown")' out >/dev/null || fail "$(jq -c '.cases[0].components[0]' out)"
single 100000 same.json | jq '.columns as $c | .cases[0].replicates |= map(.[$c | index("x_mean_ns")] *= 1.2)' >slower.json
expect_status 1 "$VALIDATE" compare one.json slower.json -f json
[ "$(word 'reads level=1' 'response time')" = worse ] || fail "of the same recording: $(word 'reads level=1' 'response time')"
single '100000 + 4000 * ($i % 4)' old.json >four.json
single '108000 + 4000 * ($i % 4)' same.json >other.json
expect_status 4 "$VALIDATE" compare four.json other.json -f json
[ "$(word 'reads level=1' 'response time')" = inconclusive ] || fail "of four recordings: $(word 'reads level=1' 'response time')"
jq -e '.cases[0].components[0] | .hi95 - .lo95 > 0.1' out >/dev/null || fail "each replay counts: $(jq -c '.cases[0].components[0]' out)"

# limits of the new side: no limit switches a component off
jq '.limits["response-time"] = 0.5 | .limits.median = 0.5 | .limits.p90 = null | .limits["execution-time"] = 0.5' worse.json >lax.json
expect_status 0 "$VALIDATE" compare old.json lax.json -f json
[ "$(word 'reads level=2' p90)" = "not judged" ] || fail "p90 is judged without a limit"

# forms
expect_status 1 "$VALIDATE" compare old.json worse.json -f markdown
expect_line out '### ❌'
expect_line out '| ❌ worse | reads level=2 | event | response time |'
[ "$(wc -c <out)" -lt 1048576 ] || fail "markdown of 1 MiB and more"
expect_status 1 "$VALIDATE" compare old.json worse.json -f junit
expect_line out '<testsuites name="validate compare" tests="45" failures="4" errors="0">'
[ "$(grep -c '<testcase ' out)" -eq 45 ] || fail "not a test case for each case and component"
expect_status 1 "$VALIDATE" compare old.json worse.json -f openmetrics
[ "$(tail -n 1 out)" = '# EOF' ] || fail "openmetrics does not end in # EOF"
expect_line out 'validate_compare{validate_compare="fail"} 1'
grep -q '^validate_compare_value{scenario="reads level=2",replayer="event",component="response time"} 0.2' out || fail "no value"
expect_status 1 "$VALIDATE" compare old.json worse.json -f html
! grep -q '<th>\|<th class\|<div class="scroll">' out || fail "a table of the page without headers of its cells"
grep -q '[ >[]−[0-9]' out || fail "no minus"
grep -q '[ >[]-[0-9]' out && fail "a hyphen for a minus: $(grep -o '.\{20\}[ >[]-[0-9].\{9\}' out | head -n 1)" || :
expect_line out '<div class="banner not"><p class="big">Worse</p><p>1 of 3 cases worse, 0 inconclusive, 0 better, 2 the same; response time +'
expect_status 1 "$VALIDATE" compare old.json worse.json -f github
expect_line out '::error title=response time%3A worse::reads level=2, event: '
expect_status 4 "$VALIDATE" compare old.json few.json -f github
expect_line out '::warning title=response time%3A inconclusive::in 3 of 3 cases; for example reads level=1, event: '
[ "$(grep -c '^::' out)" -le 10 ] || fail "more than ten annotations: $(grep -c '^::' out)"
# each component once, in folded rows
expect_status 4 "$VALIDATE" compare old.json few.json -f markdown
expect_line out '| ❔ inconclusive | response time | 3 of 3 | ±5 % | reads level=1: '
[ "$(sed '/<details>/q' out | grep -c 'inconclusive | response time')" -eq 1 ] || fail "a component more than once: $(cat out)"
[ "$(sed '1,/<details>/d' out | grep -c 'inconclusive | reads level=')" -ge 12 ] || fail "rows are missing"
expect_status 4 "$VALIDATE" compare old.json few.json
on_screen 'response time in 3 of 3 cases, limit ±5 %: intervals of ±'

# the Prometheus text format has no type "stateset"; every sample belongs to a gauge and has a number
expect_status 1 "$VALIDATE" compare old.json worse.json -f prometheus
! grep -q 'stateset\|# EOF' out || fail 'not the text format of Prometheus'
[ "$(grep -c '^# TYPE validate_compare[a-z_]* gauge$' out)" -eq 4 ] || fail "types: $(grep TYPE out)"
! grep -v '^#' out | grep -qv '^validate_compare[a-z_]*{.*} [-+0-9.e]*$' || fail "samples: $(grep -v '^#' out | head -n 3)"
grep -q '^validate_compare{outcome="fail"} 1$' out || fail "no word: $(head -n 4 out)"
consumer_accepts prometheus out
expect_status 1 "$VALIDATE" compare old.json worse.json -f openmetrics
consumer_accepts openmetrics out
# JUnit as the schema of Jenkins has it: only a test suite counts skipped tests
expect_status 1 "$VALIDATE" compare old.json worse.json -f junit
! grep -q '<testsuites[^>]* skipped=' out || fail 'skipped on testsuites'
grep -q '<testsuite [^>]* skipped="[0-9]*"' out || fail 'no skipped on testsuite'
for choice in error pass fail skip; do
	status=0
	"$VALIDATE" compare old.json few.json -f junit --inconclusive=$choice >out 2>err || status=$?
	consumer_accepts junit out
done

# hostile names are escaped in every form
jq '(.. | strings | select(. == "reads level=2")) |= "a|b<i>\"&\u001b[31m\n::error::x %0A,@all"' worse.json >odd.json
jq '(.. | strings | select(. == "reads level=2")) |= "a|b<i>\"&\u001b[31m\n::error::x %0A,@all"' old.json >odd-old.json
for form in text markdown json html junit github openmetrics prometheus; do
	expect_status 1 "$VALIDATE" compare odd-old.json odd.json -f "$form"
	! grep -q "$(printf '\033')" out || fail "an escape sequence in $form"
	! grep -q '^::error::x' out || fail "a command of its own in $form"
	consumer_accepts "$form" out
	case $form in html | junit | markdown) ! grep -q '<i>' out || fail "markup in $form" ;; esac
done
expect_status 0 "$VALIDATE" compare --list
[ "$(cut -d' ' -f1 out | tr '\n' ' ')" = "text markdown json html junit github openmetrics prometheus " ] || fail "--list: $(cat out)"

# sides that cannot be compared: status 5 with the difference, unless it is permitted
refused() { # FILTER MESSAGE ALLOW [STATUS]
	jq "$1" same.json >other.json
	expect_status 5 "$VALIDATE" compare old.json other.json
	expect_line out "$2"
	expect_line err "not comparable"
	expect_status 5 "$VALIDATE" compare old.json other.json -f json
	fits
	expect_status "${4-0}" "$VALIDATE" compare old.json other.json --allow "$3"
}
refused '.conditions |= map(sub("cache = warm"; "cache = cold"))' 'not comparable: protocol: cache: warm before, cold now' protocol
refused '.scenarios[0].conditions[2] = "level = 8"' 'reads level=1: level: 1 before, 8 now' protocol
refused '.scenarios[1].requests[0] = "0123456789abcdef"' 'requests: requests of reads level=2: different operations' requests
refused '.scenarios[1].requests = [null, null]' 'requests of reads level=2: unknown: an earlier' requests,environment
refused '.limits.environment = "kernel, machine.cpu_model"' 'not comparable: environment: kernel.release: 6.1.0-18' environment
# the message names a difference that is not permitted, and all kinds that must be permitted
jq '.conditions |= map(sub("cache = warm"; "cache = cold")) | .limits.environment = "kernel, machine.cpu_model"' same.json >other.json
expect_status 5 "$VALIDATE" compare old.json other.json
expect_line err '(--allow protocol,environment compares anyway)'
expect_status 5 "$VALIDATE" compare old.json other.json --allow protocol
expect_line err 'in kernel.release (--allow protocol,environment compares anyway)'
expect_status 0 "$VALIDATE" compare old.json other.json --allow protocol,environment
expect_status 2 "$VALIDATE" compare old.json same.json --allow envronment
expect_line err 'did you mean "environment"?'

# missing on one side: listed, and the result is inconclusive
jq 'del(.cases[2]) | del(.scenarios[2])' same.json >two.json
expect_status 4 "$VALIDATE" compare old.json two.json
expect_line out "scenario reads level=4"
on_screen "0 of 2 cases worse, 0 inconclusive, 0 better, 2 the same, 1 missing in the old or the new results"

# a name that is wider than its column has a line of its own
long='reads level=1 block-size=16K file-size=1048576M pause=1000us queue-depth=32'
for side in old worse; do
	jq --arg n "$long" '(.scenarios[0].name, .cases[0].scenario) = $n' $side.json >long-$side.json
done
expect_status 1 "$VALIDATE" compare long-old.json long-worse.json
on_screen 'w/i/b/s: components worse, inconclusive, better, same'
grep -A 1 "^  $long\$" out | grep -q '^   *same  ' || fail "not on a line of its own: $(cat out)"
expect_status 4 "$VALIDATE" compare old.json two.json
[ "$(grep -c missing: out)" -eq 1 ] || fail "missing cases are reported more than once: $(grep missing: out)"
expect_status 4 "$VALIDATE" compare two.json same.json
# readers that count test cases or lines find the missing case, too
expect_status 4 "$VALIDATE" compare old.json two.json -f junit
expect_line out 'tests="31" failures="0" errors="1" skipped="8"'
expect_line out 'classname="comparison, missing" name="scenario reads level=4"'
expect_status 4 "$VALIDATE" compare old.json two.json -f openmetrics
expect_line out '{scenario="comparison",replayer="missing",component="scenario reads level=4",validate_compare_outcome="inconclusive"} 1'
for form in markdown github; do
	expect_status 4 "$VALIDATE" compare old.json two.json -f $form
	[ "$(grep -c 'scenario reads level=4' out)" -eq 1 ] || fail "not reported, or twice: $(cat out)"
done
expect_status 0 "$VALIDATE" compare old.json two.json -f junit --allow missing
expect_line out 'tests="30" failures="0" errors="0"'
jq '.conditions |= map(sub("cache = warm"; "cache = cold"))' same.json >other.json
expect_status 5 "$VALIDATE" compare old.json other.json -f junit
expect_line out 'tests="1" failures="0" errors="1" skipped="0"'
expect_line out 'type="not comparable"'
expect_status 0 "$VALIDATE" compare old.json two.json --allow missing
jq '.cases = []' same.json >none.json
expect_status 5 "$VALIDATE" compare old.json none.json
expect_line err "no case in common"

# single unknown values leave their component inconclusive; a replicate without a time does not
# count; an unknown error is not 0
at=$(jq '.columns | index("share_reordered")' same.json)
jq ".cases[0].replicates[4][$at] = null" same.json >hole.json
expect_status 4 "$VALIDATE" compare old.json hole.json -f json
[ "$(word 'reads level=1' reordering)" = inconclusive ] || fail "a value is not known and the word is $(word 'reads level=1' reordering)"
jq ".cases[0].replicates[][$at] = null" same.json >unrecorded.json
expect_status 0 "$VALIDATE" compare old.json unrecorded.json -f json
[ "$(word 'reads level=1' reordering)" = "not judged" ] || fail "nothing was recorded and the word is $(word 'reads level=1' reordering)"
# a replay whose requests all took no time does not count as being as fast as before
for zeroed in 1 3; do
	jq ".cases[0].replicates[][$zeroed] = 0" same.json >instant.json
	expect_status 4 "$VALIDATE" compare old.json instant.json -f json
	jq -e '.cases[0].outcome == "inconclusive" and (.cases[0].components | any(.status == "not_finite" and .outcome == "inconclusive"))' out >/dev/null ||
		fail "times of 0: $(jq -c '.cases[0].components | map([.component, .outcome, .status])' out)"
done
jq '.cases[0].replicates[4][1] = null' same.json >hole.json
expect_status 3 "$VALIDATE" compare old.json hole.json
expect_line err 'replicate 4: "x_mean_ns" is not a number'
jq '.level_reject = 0' same.json >never.json
expect_status 3 "$VALIDATE" compare old.json never.json
expect_line err '"level_reject"'

# dates and their time zone do not matter
jq '.date = "1970-01-01T00:00:00Z"' same.json >past.json
expect_status 0 "$VALIDATE" compare old.json past.json

# one replayer of several; two replayers of one campaign by pairs, as for [compare]
jq '.cases |= (map(.replayer = "old") + map(.replayer = "new")) | .limits.old = "old" | .limits.new = "new"' same.json >both.json
expect_status 0 "$VALIDATE" compare old.json both.json:new
expect_status 0 "$VALIDATE" compare both.json -f json
jq -e '.cases | all(.paired)' out >/dev/null || fail "not paired"
expect_status 0 "$VALIDATE" compare both.json:old both.json:new
expect_status 3 "$VALIDATE" compare both.json:old both.json:nwe
expect_line err 'unknown replayer "nwe": the campaign has "old", "new"'
expect_status 3 "$VALIDATE" compare old.json
expect_line err 'has no section [compare] with the keys "old" and "new"'
expect_status 2 "$VALIDATE" compare
expect_status 2 "$VALIDATE" compare old.json same.json -f tex
expect_status 3 "$VALIDATE" compare old.json nowhere
expect_line err nowhere
if [ -w /dev/full ]; then
	status=0
	"$VALIDATE" compare old.json worse.json >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ] || fail "status $status with a full standard output"
fi
