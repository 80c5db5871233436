# SPDX-License-Identifier: GPL-3.0-or-later
# long: 17 s
# validate report on the results of a tiny campaign: every form, its exit status, without gnuplot,
# and refusals.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

tiny tiny.conf
sed -i 's/^level = .*/level = 1/' tiny.conf
status=0
"$VALIDATE" run tiny.conf -o results --quiet >run.out 2>err || status=$?
any_verdict
verdict=$status

# the status of the verdict, the same words as at the end of the campaign, and no colours in a file
expect_status "$verdict" "$VALIDATE" report results
cmp -s run.out out || fail "report and run print different texts: $(diff run.out out | head -n 5)"
! grep -q "$(printf '\033')" out || fail "escape sequences in a file"
expect_line out "results/report/index.html"

# the printed report equals the files
expect_status "$verdict" "$VALIDATE" report results --format html
cmp -s out results/report/index.html || fail "--format html is not index.html"
expect_status "$verdict" "$VALIDATE" report results --format=json
cmp -s out results/report/report.json || fail "--format json is not report.json"
expect_line out '"format": "validate-report"'
expect_status "$verdict" "$VALIDATE" report results -f csv
expect_line out "# replicates"
expect_status "$verdict" "$VALIDATE" report results --format latex
expect_line out '\toprule'
for table in bias precision uncertainty runs; do
	[ -s "results/report/tables/$table.csv" ] || fail "no tables/$table.csv"
done

# a single figure, made again, is the same
if command -v gnuplot >/dev/null; then
	for script in results/report/plots/*.gp; do
		name=$(basename "$script" .gp)
		cp "results/report/plots/$name.svg" kept.svg
		(cd results/report/plots && gnuplot "$name.gp") 2>/dev/null || fail "$name.gp fails alone"
		cmp -s kept.svg "results/report/plots/$name.svg" || fail "$name.gp makes another figure alone"
	done
fi

# without gnuplot: everything except the plots, with a message; with gnuplot again: the same bytes
# as before
cp -r results/report before
old_path=$PATH
status=0
PATH=/proc/nonexistent
"$VALIDATE" report results >out 2>err || status=$?
PATH=$old_path
[ "$status" -eq "$verdict" ] || fail "status $status without gnuplot: $(cat err)"
expect_line out "gnuplot was not found"
expect_line results/report/index.html "gnuplot was not found"
[ ! -e results/report/plots/runs-1.svg ] || fail "a plot without gnuplot"
[ -s results/report/plots/runs-1.gp ] || fail "no script to make the plot later"
expect_status "$verdict" "$VALIDATE" report results
diff -r before results/report >diffs || fail "the report differs after a while without gnuplot: $(head -n 3 diffs)"

# the certificate: a page for each replayer, with the digests for verification, and the statements
# of the report
expect_status "$verdict" "$VALIDATE" report results --certificate
cmp -s out results/report/certificate.txt || fail '--certificate is not certificate.txt'
replayers=$(jq '.replayers | length' results/plan.json)
[ "$(grep -c '^Validation statement: ' out)" -eq "$replayers" ] || fail 'not a page for each replayer'
[ "$(grep -c '<section>' results/report/certificate.html)" -eq "$replayers" ] || fail 'not a sheet for each replayer'
for hash in "$(sha256sum <results/protocol.conf | cut -c1-64)" "$(sha256sum <results/journal | cut -c1-64)" "$(sha256sum <"$VALIDATE" | cut -c1-64)"; do
	expect_line out "$hash"
	expect_line results/report/certificate.html "$hash"
done
[ "$(wc -L <out)" -le 100 ] || fail 'longer than a line of the certificate'

# for publication: neither the host (here a word that occurs nowhere else) nor a path of this machine appears
cp -r results others
unseal others
jq '.host = "laika-1957" | .kernel.command_line = "nfsroot=laika-1957:/export ip=dhcp"' results/environment.json >others/environment.json
cp others/environment.json told.json
expect_status "$verdict" "$VALIDATE" report others --redact --format json
jq -e '.environment.host == "redacted" and .environment.program.sha256 != null and .environment.kernel.mitigations != {}' out >/dev/null ||
	fail "the environment: $(jq -c .environment out | head -c 500)"
! grep -rqF "$(pwd -P)" others/report || fail "a path is not hidden: $(grep -rnF "$(pwd -P)" others/report | head -n 3 | cut -c1-300)"
! grep -rqF laika-1957 others/report || fail "the host is not hidden: $(grep -rnF laika-1957 others/report | head -n 3 | cut -c1-300)"
cmp -s told.json others/environment.json || fail 'the results were changed'
# and no setting that is a path
"$VALIDATE" microbench random-read --requests 20 --file-size 64K --dir . -o recorded.trace >out
cp recorded.trace again.trace
mkdir 'my files'
cp recorded.trace 'my files/once again.trace'
cat >recorded.conf <<END
[protocol]
replicates = 3
allow-undecidable = yes
reference = trace
min-duration = 0
published = values.csv
title = of $PWD/recorded.trace
[target here]
dir = .
[workload recorded]
type = trace
trace = "$PWD/recorded.trace",
  "$PWD/again.trace",
  "$PWD/my files/once again.trace"
[replayer event]
[claim one]
text = one of two traces, that of $PWD/again.trace
source = $PWD/notes
published = see $PWD/notes
reproduce = validate info $PWD/again.trace
measure = execution-time
scenario = trace=$PWD/again.trace
replayer = engine=event
than = 0.1%
direction = larger
END
cat >values.csv <<END
source,measure,operation,scenario,replayer,value,uncertainty
$PWD/notes,response-time,,trace=$PWD/again.trace,engine=event,10 us,
END
"$VALIDATE" run recorded.conf -o recorded -q >out 2>err || status=$?
[ -s recorded/report/report.json ] || fail "no report: $(cat err)"
claimed() {
	jq -c '[.findings[] | [.outcome, .comparisons[].value]], [.published[].measured]' recorded/report/report.json
}
before=$(claimed)
"$VALIDATE" report recorded --redact >out 2>err || [ $? -ne 3 ] || fail "$(cat err)"
[ "$(claimed)" = "$before" ] && [ "$(jq -c '[.findings[0].comparisons, .published | length]' recorded/report/report.json)" = '[1,1]' ] ||
	fail "a claim and a published value on one trace: $(claimed) instead of $before"
grep -qF 'recorded trace=redacted (2)' recorded/report/tables/scenarios.csv || fail "not the workload's: $(cat recorded/report/tables/scenarios.csv)"
! grep -rqE 'my files|once again|again.trace' recorded/report out || fail "of a path with blanks a part is not hidden: $(grep -rnE 'my files|once again|again.trace' recorded/report out | head -n 3 | cut -c1-300)"
! grep -rqF "$(pwd -P)" recorded/report out || fail "a path is not hidden: $(grep -rnF "$(pwd -P)" recorded/report out | head -n 3 | cut -c1-300)"
expect_status "$verdict" "$VALIDATE" report others
grep -qF laika-1957 others/report/report.json || fail 'the host is hidden without the option'

# for programs that track benchmarks: a benchmark for each case, with the mean of the report
expect_status "$verdict" "$VALIDATE" report results --format bmf
jq -e 'length == 2 and all(.[]; .latency.value > 1000 and .latency.lower_value < .latency.value)' out >/dev/null ||
	fail "bmf: $(head -c 300 out)"
# the rules of the schema that Bencher publishes (bmf.json)
jq -e 'all(.[][]; (.value | type) == "number" and all(.lower_value, .upper_value | values; type == "number"))' out >/dev/null ||
	fail "bmf, schema: $(head -c 300 out)"
expect_status "$verdict" "$VALIDATE" report results --format github-benchmark
jq -e 'length == 2 and all(.[]; .unit == "ns" and .value > 1000 and (.name | length > 5))' out >/dev/null ||
	fail "github-benchmark: $(head -c 300 out)"
# the rules with which github-action-benchmark reads it: BenchmarkResult of its src/extract.ts
jq -e 'all(.[]; (keys - ["extra", "name", "range", "unit", "value"] == []) and (.value | type) == "number"
	and ([.name, .unit, .range, .extra | values | type] | unique) == ["string"])' out >/dev/null ||
	fail "github-benchmark, schema: $(head -c 300 out)"
first=$(jq '.[0].value' out)
expect_status "$verdict" "$VALIDATE" report results --format pytest-benchmark
jq -e --argjson ns "$first" '(.benchmarks | length) == 2 and all(.benchmarks[].stats; .rounds == (.data | length)
	and .min <= .q1 and .q1 <= .median and .median <= .q3 and .q3 <= .max and (.total - (.data | add) | fabs) < 1e-12)
	and (.benchmarks[0].stats.mean * 1e9 - $ns | fabs) < 1e-3' out >/dev/null || fail "pytest-benchmark: $(head -c 300 out)"
# what its own reader (storage/file.py, table.py, csv.py) and github-action-benchmark (extract.ts) use
jq -e '([.datetime, .version | type] | unique) == ["string"] and (.machine_info, .commit_info | type) == "object"
	and all(.benchmarks[]; ([.name, .fullname, .group, .stats.outliers | type] | unique) == ["string"]
	and (.params, .param) == null and ([.extra_info, .options | type] | unique) == ["object"]
	and ([.stats | .min, .max, .mean, .stddev, .median, .iqr, .q1, .q3, .ops, .total, .ld15iqr, .hd15iqr,
		.rounds, .iterations, .iqr_outliers, .stddev_outliers | type] | unique) == ["number"])' out >/dev/null ||
	fail "pytest-benchmark, schema: $(head -c 300 out)"
cp out pytest.json
if /usr/bin/python3 -c 'import pytest_benchmark' 2>/dev/null; then
	/usr/bin/python3 -m pytest_benchmark compare "$PWD/pytest.json" >read 2>&1 || fail "pytest-benchmark: $(cat read)"
	expect_line read "$(jq -r '.benchmarks[0].name' pytest.json)"
fi
expect_status 0 "$VALIDATE" stats pytest.json --column "$(jq -r '.benchmarks[0].name' pytest.json)"

# forms
for form in junit openmetrics prometheus dcc; do
	expect_status "$verdict" "$VALIDATE" report results --format "$form"
	consumer_accepts "$form" out
done
expect_status 0 "$VALIDATE" report --list
[ "$(cut -d' ' -f1 out | tr '\n' ' ')" = "terminal html csv latex sqlite json certificate dcc markdown junit github openmetrics prometheus bmf github-benchmark pytest-benchmark " ] || fail "--list: $(cat out)"
expect_status 2 "$VALIDATE" report results --format htlm
expect_line err 'did you mean "html"?'
expect_status 2 "$VALIDATE" report
expect_status 2 "$VALIDATE" report results results
expect_status 3 "$VALIDATE" report nowhere
expect_line err nowhere
mkdir empty
expect_status 3 "$VALIDATE" report empty
expect_line err "protocol.conf"

# a protocol without a limit: nothing was assessed, and programs that count test cases must see
# this, too
cp -r results unlimited
unseal unlimited
{
	echo '[accept]'
	for key in bias typical shape tail operation half precision-ratio execution-time reordered mismatches uncertainty concurrency linearity issue-error share-late in-flight in-flight-max; do
		echo "$key = none"
	done
} >>unlimited/protocol.conf
expect_status 4 "$VALIDATE" report unlimited --format junit
grep -q ' tests="[0-9]*" failures="0" errors="2"' out || fail "not an error for each case: $(head -n 2 out)"
expect_line out 'name="verdict"'
consumer_accepts junit out
expect_status 4 "$VALIDATE" report unlimited
! grep -q '1844674407' out || fail "no limit, shown as one: $(grep -m 1 1844674407 out)"

# an output that cannot be written is a failure, but the report exists
if [ -w /dev/full ]; then
	status=0
	"$VALIDATE" report results --format json >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ] || fail "status $status with a full standard output"
	expect_line err "No space left"
fi

# a damaged summary in results without digests is a failed run with its reason; the report continues
unseal results
summary=$(ls results/runs/*.json | tail -n 1)
echo '{' >"$summary"
status=0
"$VALIDATE" report results >out 2>err || status=$?
case $status in 1 | 4) ;; *) fail "status $status with a damaged summary: $(cat err)" ;; esac # 1: another case is rejected
expect_line out "runs failed"
[ "$(ls results | grep -c '^report')" -eq 1 ] || fail "left behind: $(ls results)"

# a directory with a protocol that was not run is not a results directory, and no message
# suggests to remove it
mkdir fresh
"$VALIDATE" init fresh/protocol.conf >/dev/null 2>&1
for command in 'report fresh' 'run -o fresh --resume -q'; do
	expect_status 3 "$VALIDATE" $command
	expect_line err 'fresh is not a results directory: it has no plan.json and no journal'
done
