# SPDX-License-Identifier: GPL-3.0-or-later
# long: 14 s
# No command trusts results whose traces lack requests: reports in every form, certificates,
# leagues, baselines, comparisons and pools of stored results that are trusted without that sign. If
# a recording method cannot record all requests, each form for readers states which requests may be
# missing.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

gzip -dc "$SRCDIR/tests/data/frauds/fast-then-slow.tar.gz" | tar xf -
mv fast-then-slow whole
sed -i '/^\[accept\]/a typical = none\nshape = none\ntail = none\noperation = none\nhalf = none
	s/^title = .*/title = made up/' whole/protocol.conf
recording=$(grep -l '"role":"recording"' whole/runs/*.json | head -n 1)
program=$(grep -l '"role":"program"' whole/runs/*.json | xargs grep -L '"block":0,' | head -n 1)
replay=$(grep -l '"role":"faultless"' whole/runs/*.json | xargs grep -L '"block":0,' | head -n 1)
[ -n "$recording" ] && [ -n "$program" ] && [ -n "$replay" ] || fail 'the stored results have no such runs'

with() { # FIELDS FILE...: results `other` whose summaries FILE have the fields
	rm -rf other
	cp -r whole other
	fields=$1
	shift
	for file; do
		sed -i "s/\"n_events_lost\":0/$fields/" "other/${file#whole/}"
		grep -qF "$fields" "other/${file#whole/}" || fail "no place for $fields in $file"
	done
}
forms=$("$VALIDATE" report --list | awk '{ print $1 }')

# trusted without such a sign, by every form that states a verdict
expect_status 0 "$VALIDATE" report whole --format json
jq -r '.cells[].verdict' out | sort | uniq -c | grep -q '^ *2 trusted$' || fail "not trusted: $(cat out)"

lost='"n_events_lost":2'
cut='"n_events_lost":0,"n_cut":1'
programs='"n_events_lost":0,"n_programs_unseen":1'
requests='"n_events_lost":0,"n_requests_unseen":3'
for fields in "$lost" "$cut" "$programs" "$requests"; do
	files=$recording
	[ "$fields" != "$lost" ] || files="$recording $program" # a recording and a run of the program alike
	for file in $files; do
		with "$fields" "$file"
		expect_status 4 "$VALIDATE" report other --format json
		[ "$(jq -r '.cells[].verdict' out | sort -u)" = inconclusive ] || fail "$fields in $file: $(jq -r '.cells[].verdict' out)"
		jq -r '.cells[].reason' out | grep -q 'not trusted: .*are incomplete' || fail "$fields: the reason is $(jq -r '.cells[].reason' out)"
	done
done
with "$requests" "$replay" # only the replayer that this run is of
expect_status 4 "$VALIDATE" report other --format json
[ "$(jq -r '.cells[] | select(.replayer == "faultless") | .verdict' out)" = inconclusive ] || fail "a replay: $(jq -r '.cells[].verdict' out)"

# every form
with "$requests" "$recording"
for form in $forms; do
	expect_status 4 "$VALIDATE" report other --format "$form"
	case $form in
	terminal) expect_line out 'Trusted in 0 of 2 cases; 2 inconclusive' ;;
	certificate) expect_line out '0 of 1 scenarios trusted, 0 not trusted, 1 inconclusive' ;;
	dcc) ! grep -q '<dcc:conformity>' out || fail 'a conformity in the DCC' ;;
	junit) [ "$(grep -c '<error .*not trusted: traces of 1 run are incomplete' out)" -eq 2 ] || fail "junit: $(cat out)" ;;
	github | markdown) expect_line out 'inconclusive: 0 of 2 cases trusted, 0 not trusted, 2 inconclusive' ;;
	openmetrics | prometheus) ! grep -q "^validate_report{.*\"pass\"} 1" out || fail "$form: $(grep "^validate_report{" out)" ;;
	esac
done
[ "$(jq -r '.league[] | .verdict' other/report/report.json | sort -u)" = inconclusive ] || fail "league: $(jq -c .league other/report/report.json)"

# baselines and what uses them
expect_status 0 "$VALIDATE" baseline save other -o other.base
[ "$(jq -r '.cases[] | "\(.verdict) \(.incomplete)"' other.base | sort -u)" = 'inconclusive true' ] || fail "baseline: $(jq -c '.cases[] | [.verdict, .incomplete]' other.base)"
expect_status 0 "$VALIDATE" compare whole whole
for old_new in 'whole other new' 'other whole old' 'whole other.base new'; do
	# shellcheck disable=SC2086 # words
	set -- $old_new
	expect_status 4 "$VALIDATE" compare "$1" "$2"
	expect_line out "traces of the $3 results are incomplete"
done
expect_status 0 "$VALIDATE" compare other other # the same requests are missing on both sides
jq 'del(.sha256) | .campaign = "0123456789abcdef" | .host = "elsewhere"' other.base >elsewhere.base
expect_status 0 "$VALIDATE" pool whole elsewhere.base --allow --format json
[ "$(jq -r '.league[].verdict' out | sort | uniq -c | tr -s ' \n' ' ')" = ' 2 inconclusive 2 trusted ' ] || fail "pool: $(jq -c .league out)"

# no sign, but the method cannot show everything: each form for readers states the scope
scope='requests that the recording program left out without counting them'
with "\"n_events_lost\":0,\"not_visible\":\"$scope\"" "$recording"
for form in terminal html csv latex sqlite json certificate dcc; do
	expect_status 0 "$VALIDATE" report other --format "$form"
	tr -s '\n ' ' ' <out | grep -qaF "$scope" || grep -rqaF "$scope" other/report/tables || fail "$form does not state the scope"
done
