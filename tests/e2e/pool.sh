# SPDX-License-Identifier: GPL-3.0-or-later
# validate pool: laboratories made from the baseline of one campaign, one of them different; its
# forms; laboratories that cannot be pooled.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"
command -v jq >/dev/null || skip "jq is not there to make laboratories"

tiny tiny.conf
status=0
"$VALIDATE" run tiny.conf -o results --quiet >run.out 2>err || status=$?
any_verdict
"$VALIDATE" baseline save results -o own.json

# x is 1.1, 1.2, 1.3 times r in the blocks, and slightly more in each further laboratory, so the
# result is known
laboratory() { # NUMBER FACTOR
	jq --arg i "$1" --argjson f "$2" 'del(.sha256) | .host = "lab" + $i | .campaign = "000000000000000" + $i
		| .cases |= map(.replicates |= map(.[1] = .[2] * (1 + 0.1 * .[0]) * $f))' own.json >"lab$1.json"
}
laboratory 1 1
laboratory 2 1.01
laboratory 3 0.99
laboratory 4 1.02
laboratory 5 0.98
expect_status 0 "$VALIDATE" pool lab1.json lab2.json lab3.json lab4.json lab5.json
expect_line out '5 laboratories, 4 cases: no outlier and no straggler'
[ "$(wc -L <out)" -le 100 ] || fail 'longer than a line of a terminal'
expect_status 0 "$VALIDATE" pool lab1.json lab2.json lab3.json lab4.json lab5.json --format json
jq -e '.format == "validate-pool" and (.cases | length) == 4 and
	(.cases | all((.bias - 0.2 | fabs) < 1e-6 and (.s_r - 0.1 | fabs) < 1e-3 and .repeatability_limit == 2.8 * .s_r))' out >/dev/null ||
	fail "not the values that were put in: $(jq -c '.cases[0]' out | head -c 400)"
follows_schema pool out

# stragglers are in the headline: Grubbs' statistic of 1.1 among 6 is 1.93, between 1.89 and 1.97
laboratory 7 1.1
expect_status 0 "$VALIDATE" pool lab1.json lab2.json lab3.json lab4.json lab5.json lab7.json
tr -s ' \n' ' ' <out >joined
expect_line joined '6 laboratories, 4 cases: no outlier; straggler lab7 (in 4 of 4)'

# the values of another laboratory under another name, and a laboratory a thousand times as fast
jq 'del(.sha256) | .host = "copy" | .campaign = "00000000000000ff"' lab2.json >copy.json
jq 'del(.sha256) | .host = "quick" | .campaign = "00000000000000fe" | .cases |= map(.replicates |= map(.[1] /= 1000 | .[2] /= 1000))' lab3.json >quick.json
expect_status 0 "$VALIDATE" pool lab1.json lab2.json lab4.json copy.json quick.json
tr -s ' \n' ' ' <out >joined
expect_line joined 'lab2 and copy have the same response times in 4 of 4 cases: one is a copy of the other'
expect_line joined 'times as fast in quick as in the other laboratories'
[ "$(grep -o 'Warning: ' joined | wc -l)" -eq 2 ] || fail "not two warnings: $(grep Warning out)"

# a laboratory that measures something else is named, in every form
laboratory 6 2
labs='lab1.json lab2.json lab3.json lab4.json lab5.json lab6.json'
expect_status 0 "$VALIDATE" pool $labs -o report
expect_line out 'outlier lab6 (in 4 of 4)'
cmp -s out report/summary.txt || fail 'the output differs from summary.txt'
for file in index.html pool.json tables/pool.csv tables/laboratories.tex tables/suspects.csv plots/mandel-h.gp plots/mandel-k.dat; do
	[ -s "report/$file" ] || fail "no report/$file"
done
grep -q 'lab6' report/index.html || fail 'the page does not name it'
for form in html csv latex json; do
	expect_status 0 "$VALIDATE" pool $labs --format $form
	grep -q lab6 out || fail "form $form does not name it"
done
expect_status 0 "$VALIDATE" pool $labs -o report # its own report may be replaced
mkdir other && echo mine >other/file
expect_status 3 "$VALIDATE" pool $labs -o other
expect_line err 'is not a report of "validate pool"'
[ "$(ls other)" = file ] || fail 'something was written beside it'

# the league table: every verdict of every laboratory, with its interval and machine
jq '.cases |= map(.verdict = "trusted" | .reason = "" | .bias = [0.125, 0.0625, 0.1875])' lab1.json >trusted.json
jq 'del(.sha256) | .cases |= map(.verdict = "not trusted" | .reason = "too <slow>" | .bias = [-0.75, -0.875, -0.625])
	| .environment."processors.model" = "Example CPU"' lab2.json >slow.json
expect_status 0 "$VALIDATE" pool trusted.json slow.json -o league
# a half-way rank: all 2 replayers have 2 trusted cases and 2 that are not
expect_line league/summary.txt 'League table'
awk -F, 'NR > 1 && $4 == 2 && $6 == 2' league/tables/league.csv | wc -l | grep -qx 2 || fail "not the counts: $(cat league/tables/league.csv)"
jq -e '[.league[] | select(.laboratory == "lab1") | [.verdict, .bias_lo95, .bias, .bias_hi95]] == [range(4) | ["trusted", 0.0625, 0.125, 0.1875]]' \
	league/pool.json >/dev/null || fail "not the intervals: $(jq -c .league league/pool.json)"
jq -e '.league[0].verdict == "trusted" and .league[-1].verdict == "not trusted"' league/pool.json >/dev/null || fail 'not in order'
follows_schema pool league/pool.json
for text in 'Example CPU' '[−88,' 'chip not'; do
	grep -qF -- "$text" league/index.html || fail "the page lacks $text"
done
expect_line league/tables/classes.csv 'too <slow>'

# untrusted names and values
jq '.host = "<script>alert(1)</script>"' lab2.json >hostile.json
expect_status 0 "$VALIDATE" pool lab1.json hostile.json lab3.json --format html
! grep -q '<script>' out || fail 'a name became markup'

# a results directory among them; the same file twice; a single file; another protocol; an unknown
# replayer
expect_status 0 "$VALIDATE" pool results lab1.json --replayer event
expect_line out '2 laboratories, 2 cases'
expect_status 3 "$VALIDATE" pool lab1.json lab1.json
expect_line err 'are results of the same campaign'
expect_status 2 "$VALIDATE" pool lab1.json
expect_status 2 "$VALIDATE" pool lab1.json lab2.json --format htlm
expect_line err 'did you mean "html"'
expect_status 3 "$VALIDATE" pool lab1.json lab2.json --replayer nobody
expect_status 3 "$VALIDATE" pool lab1.json nothing.json
jq '.protocol_hash = "0000000000000000000000000000000000000000000000000000000000000000" | .conditions[0] = "seed = 99"' lab2.json >differs.json
expect_status 5 "$VALIDATE" pool lab1.json differs.json
expect_line err 'seed = 99'
expect_status 0 "$VALIDATE" pool lab1.json differs.json --allow
expect_line out 'Warning: the protocols'

# what the hash of the protocol does not cover: the settings of a replayer, the replayed requests,
# and the program
jq '.cases |= map(.settings = "engine=event order=fs")' lab2.json >differs.json
expect_status 5 "$VALIDATE" pool lab1.json differs.json
expect_line err 'order=fs'
jq '.scenarios |= map(.requests |= map("0123456789abcdef"))' lab2.json >differs.json
expect_status 0 "$VALIDATE" pool lab1.json differs.json -o other-requests
expect_line out 'with min-duration, each laboratory'
for file in index.html pool.json; do
	grep -q 'determines the number of requests itself' "other-requests/$file" || fail "$file does not warn of other requests"
done
follows_schema pool other-requests/pool.json

# without gnuplot: everything except the plots
path=$PATH
PATH=/proc/nonexistent
status=0
"$VALIDATE" pool $labs -o bare >out 2>err || status=$?
PATH=$path
[ $status -eq 0 ] || fail "status $status without gnuplot: $(cat err)"
[ -s bare/index.html ] || fail 'no page without gnuplot'
expect_line bare/index.html 'figures are missing here (gnuplot was not found'
