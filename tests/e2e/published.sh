# SPDX-License-Identifier: GPL-3.0-or-later
# Published values and findings of a protocol: every form of the report shows them beside the
# measured values, with one outcome. The results directory needs no other files. Errors in them are
# reported with their line before the start.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

tiny tiny.conf
mkdir given
{
	sed 's/^\[protocol\]/[protocol]\npublished = values.csv/' tiny.conf
	cat <<-'END'

	[claim slower]
	text = Replays are slower than the program
	source = Somewhere, Table 1
	published = 12 %
	measure = bias
	replayer = engine=event
	than = 0
	direction = larger

	[claim nobody]
	text = A replayer that is not here is slower
	source = Elsewhere
	measure = response-time
	replayer = engine=coordinator
	than = engine=event
	direction = larger
	END
} >given/p.conf
cat >given/values.csv <<'END'
# without an author
source,measure,operation,scenario,replayer,value,uncertainty
Table 1,response-time,,,engine=event,"12.5 us",3 %
Table 1,bias,,,engine=event,-4 %,
Table 2,cv,,type=no-such,,1 %,
END
status=0
"$VALIDATE" run given/p.conf -o results --quiet >run.out 2>err || status=$?
any_verdict
cmp -s given/values.csv results/values.csv || fail 'the published values are not in the results directory'
rm -r given
expect_verdict "$VALIDATE" report results

# --- one outcome in every form
outcome=$(sed -n 's/^  *\(confirmed\|not confirmed\|inconclusive\): Replays are slower.*/\1/p' out)
[ -n "$outcome" ] || fail "no outcome on the terminal: $(cat out)"
expect_line out 'not assessed: A replayer that is not here is slower'
tr -s '\n ' '  ' <out >joined # lines wrap anywhere
expect_line joined 'published: 12 %'
tables=results/report/tables
tr -d '\r' <"$tables/findings.csv" >findings.csv
expect_line findings.csv 'slower,Replays are slower than the program,"Somewhere, Table 1",12 %'
grep '^slower,' findings.csv | grep -q ",$outcome,[^,]*\$" || fail "findings.csv: $(cat findings.csv)"
grep -q '^nobody,.*,not assessed,[^,]*$' findings.csv || fail "findings.csv: $(cat findings.csv)"
expect_line "$tables/findings.tex" "$outcome"
expect_line results/report/index.html "</b> $outcome</span> <b>Replays are slower than the program</b>"
expect_line results/report/index.html 'Published and measured values'
expect_line "$tables/published.csv" '12.50 µs ± 3.000 %'
expect_line "$tables/published-values.csv" ',response-time,,ns,12500,'
! grep -q no-such "$tables/published.csv" || fail 'a published value without a case is shown'
if command -v jq >/dev/null; then
	jq -r '.findings[] | "\(.name) \(.outcome) \(.comparisons | length)"' results/report/report.json >findings
	grep -q "^slower $outcome [1-9]" findings || fail "report.json: $(cat findings)"
	grep -q '^nobody not assessed 0$' findings || fail "report.json: $(cat findings)"
	[ "$(jq '.published[0].published' results/report/report.json)" = 12500 ] || fail 'published value in report.json'
	# decided by the interval, which is shown
	jq -e '.findings[0].comparisons[0] | if .outcome == "confirmed" then .difference.lo95 > 0
		elif .outcome == "not confirmed" then .difference.hi95 < 0
		else .difference.status != "ok" or (.difference.lo95 <= 0 and .difference.hi95 >= 0) end' \
		results/report/report.json >/dev/null || fail 'the outcome is not that of the interval'
	# every run has its course and its cost
	jq -e '(.courses | length) == (.cells | length) and (.costs | length) == (.cells | length)' results/report/report.json \
		>/dev/null || fail 'courses and costs'
	jq -e '.courses | all(([.replay_per_s[]] | add) > 0)' results/report/report.json >/dev/null || fail 'no requests over time'
fi
for table in operations pace issue-distribution issue-rate costs finding-comparisons finding-values; do
	[ -s "$tables/$table.csv" ] || fail "no $table.csv"
done

# --- measured again from the directory alone
expect_status 0 "$VALIDATE" run results/protocol.conf --dry-run

# --- errors
refused() { # SED-SCRIPT FILE WANTED
	rm -rf bad && mkdir bad && cp results/protocol.conf results/values.csv bad/
	sed -i "$1" "bad/$2"
	expect_status 2 "$VALIDATE" run bad/protocol.conf --dry-run
	expect_line err "$3"
}
refused 's/^published = values.csv/published = ..\/values.csv/' protocol.conf "the name of a .csv file in the protocol's directory"
refused 's/^published = values.csv/published = none.csv/' protocol.conf none.csv
refused 's/^measure = bias/measure = biass/' protocol.conf 'did you mean "bias"?'
refused 's/^than = 0/than = quick/' protocol.conf 'than'
refused '/^than = 0/d' protocol.conf 'has neither the key "than" nor the key "than-scenario"'
refused '/^text = A replayer/d' protocol.conf 'the key "text" is missing'
refused 's/^replayer = engine=event/replayer = engine=/' protocol.conf 'expected KEY=VALUE'
refused 's/^direction = larger/direction = greater/' protocol.conf greater
refused 's/12.5 us/12.5/' values.csv 'row 1, value'
refused 's/response-time/respons-time/' values.csv 'did you mean "response-time"?'
refused 's/,uncertainty$//' values.csv 'header line'
refused 's/,3 %$/,3 %,4/' values.csv 'row 1 has 8 fields'
refused 's/"12.5 us"/"12.5 us/' values.csv 'values.csv'
