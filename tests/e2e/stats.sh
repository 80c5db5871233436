# SPDX-License-Identifier: GPL-3.0-or-later
# validate stats: text and CSV as input; sentences, tables and JSON as output; verdicts; errors in a
# file, with line and column.
. "$SRCDIR/tests/e2e/lib.sh"
stats() { "$VALIDATE" stats "$@"; }

# one number of JSON: json FILE KEY...; NaN and Infinity are no JSON
json() {
	grep -Eq '(NaN|Infinity)' "$1" && fail "not JSON: $1"
	file=$1
	shift
	jq -er 'getpath($ARGS.positional | map(if test("^[0-9]+$") then tonumber else . end)) // "null"' "$file" --args "$@" ||
		fail "no JSON: $file $*"
}
same() { # to 12 digits
	awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; s = b < 0 ? -b : b; exit !((d < 0 ? -d : d) <= 1e-12 * s) }'
}
is() { # is WANTED FILE KEY...
	wanted=$1
	shift
	got=$(json "$@")
	[ "$got" = "$wanted" ] || fail "$* is $got instead of $wanted"
}
command -v jq >/dev/null || skip "jq is not there to read JSON"

printf '# us\n100\n102\n98\n101\n99\n100\n103\n97\n100\n100\n' >ref
printf '101\n103\n99\n102\n100\n101\n104\n98\n101\n101\n' >near
printf '151\n153\n149\n152\n150\n151\n154\n148\n151\n151\n' >far
printf '60\n140\n100\n90\n120\n80\n110\n70\n130\n100\n' >wild
{
	echo program,replay
	tail -n +2 ref | paste -d , - near
} >pairs.csv

# --- the screen: the answer first
expect_status 0 stats ref near
expect_line out 'reference   ref, column 1: 10 values'
expect_line out 'The mean of the replay is 1 % above'
expect_line out 'the bias is within the limits of 10 %'
expect_line out '  it is shown to be at most 2 times'
expect_line out 'unpaired'
grep -q '|.*\[.*\].*|' out || fail "no picture"
[ "$(wc -l <out)" -le 40 ] || fail "more than a screen"
awk 'length > 130' out | grep -q . && fail "lines that are too wide"
for columns in 80 96 106; do
	terminal_fits $columns "$VALIDATE" stats ref near wild --units microseconds
	terminal_fits $columns "$VALIDATE" stats pairs.csv -C program,replay --paired --time-ordered --all
done
expect_status 0 stats ref far
expect_line out 'the bias is beyond the limits of 10 %'
expect_status 0 stats ref --units us
expect_line out 'sample      ref, column 1: 10 values'
expect_status 0 stats ref near far
expect_line out 'replay 2    far'
expect_status 0 stats - near <ref
expect_line out 'standard input'
expect_status 0 stats ref near --all
expect_line out 'algA_x'
expect_line out 'mc_gum_accepted'

# --- columns
expect_status 0 stats pairs.csv -C program,replay --paired
expect_line out 'paired by line'
expect_status 0 stats pairs.csv near -C program,1
mv out comma
expect_status 0 stats pairs.csv near -C program -C 1
cmp comma out || fail "several options -C are not one list"
expect_status 0 stats pairs.csv pairs.csv -C replay
expect_line out 'a difference is not shown'

# values with units: the values of different units cannot be compared
printf '%s\n' '1.5 ms' '1.6 ms' '900 us' >mixed
expect_status 3 stats mixed
expect_line err 'mixed:3: the unit is "us", but an earlier line has another unit'
expect_status 0 stats mixed -C 1
printf '%s\n' '1.5 ms' '1.6 ms' '1.7 ms' >milli
printf '%s\n' '1500 us' '1600 us' '1700 us' >micro
expect_status 3 stats milli micro
expect_line err 'milli and micro have different units'
expect_status 0 stats milli milli
printf '%s\n' '1.5 first' '1.6 2nd' '1.7 s' >labels
expect_status 0 stats labels

# the limits that decide are wider than the interval for independent values, and the output states
# why a small upper limit does not decide
printf '%s\n' 92.7 97.5 95.1 104.6 110.4 100.7 99.3 101.4 91.5 98.4 89.6 96.3 >uneven
printf '%s\n' 107.4 97.9 104.5 103.5 110.7 102.3 95.1 101.9 100.1 99.0 102.6 102.5 >steady
expect_status 0 stats uneven steady
expect_line out '(90 % interval, widened for dependence between values: '
expect_line out 'upper, widened for dependence, '
"$VALIDATE" stats --json uneven steady | jq -e '.replays[0].comparison.precision | .inner_ci_hi <= 2 and .decision == "inconclusive"' >/dev/null ||
	fail "the upper limit alone decides: $("$VALIDATE" stats --json uneven steady | jq -c '.replays[0].comparison.precision')"
expect_line out 'not confirmed by the permutation test'
awk '{ print 1.16 * $1 }' uneven >slower
expect_status 4 stats uneven slower --judge
expect_line out 'the bias is beyond the limits of 10 %'
expect_line out 'The verdict "not trusted" needs P <= 0.01 with this correction'

# --- verdicts
seq 1 40 | awk '{ printf "%.3f\n", 100 + ($1 * 7 % 40 - 19.5) / 10 }' >r40
seq 1 40 | awk '{ printf "%.3f\n", 101 + ($1 * 11 % 40 - 19.5) / 10 }' >x40
expect_status 0 stats r40 x40 --judge
expect_line out 'Verdict on bias and precision: trusted.'
expect_status 1 stats r40 far --judge
expect_line out 'not trusted'
head -n 3 near >few
expect_status 4 stats ref few --judge
expect_line out 'it is inconclusive at the limit of 2 times'
expect_line out 'inconclusive'
expect_status 1 stats r40 x40 far --judge
expect_status 4 stats r40 x40 --judge --limit-bias 1%
expect_status 1 stats r40 wild --judge
expect_status 0 stats r40 far --judge --limit-bias 60% --limit-precision 20
expect_status 2 stats r40 --judge
# a zero variance, a zero reference, too few: never a pass
printf '5\n5\n5\n' >equal
printf '0\n0\n0\n' >zero
printf '5\n' >one
for a in equal zero one; do
	for b in equal zero one r40; do
		for option in --seed=1 --paired --time-ordered; do
			status=0
			stats $a $b --judge $option >out 2>err || status=$?
			[ "$status" -eq 4 ] || [ "$status" -eq 1 ] || fail "status $status: $a $b --judge $option"
			grep -iqw 'nan' out && fail "NaN of $a $b"
			[ "$status" -eq 4 ] || grep -q 'the bias is beyond the limits' out || fail "rejected for nothing: $a $b"
		done
		expect_status 0 stats $a $b --json --time-ordered
		grep -Eiq 'nan|inf[^o]' out && fail "NaN of $a $b"
		json out verdict >/dev/null
	done
done
expect_status 0 stats zero r40 --json
is zero_reference out replays 0 comparison status relative_bias_of_means_pct
is null out replays 0 comparison statistics relative_bias_of_means_pct
expect_status 0 stats equal ref --json
is zero_variance out replays 0 comparison statistics F_status
is null out replays 0 comparison statistics F_r
expect_status 0 stats ref r40 --json --paired
is not_paired out replays 0 comparison status paired_t

# --- JSON: equal to the oracle's values for its sample, to the last digits
awk -F , '$1 == "L1_ref" { print $4 }' "$SRCDIR/tests/data/oracle/data_stats.csv" >L1_ref
awk -F , '$1 == "L1_rep" { print $4 }' "$SRCDIR/tests/data/oracle/data_stats.csv" >L1_rep
[ -s L1_rep ] || awk -F , '$1 != "L1_ref" && $1 ~ /^L1/ { print $4 }' "$SRCDIR/tests/data/oracle/data_stats.csv" | head -n 10 >L1_rep
expect_status 0 stats L1_ref L1_rep --json
cp out json
is 10 json reference statistics n
is 1 json schema
for name in F_r welch_t hodges_lehmann brown_forsythe_p wasserstein1 ks_D RMS_bias_pct; do
	a=$(json json replays 0 comparison statistics $name)
	b=$("$VALIDATE" stats --compute $name ref=L1_ref rep=L1_rep)
	same "$a" "$b" || fail "$name: $a and $b"
done
a=$(json json replays 0 comparison statistics welch_ci_lo conf=0.95)
b=$("$VALIDATE" stats --compute welch_ci_lo ref=L1_ref rep=L1_rep conf=0.95)
same "$a" "$b" || fail "welch_ci_lo: $a and $b"
# the same numbers again; other numbers with another seed
expect_status 0 stats L1_ref L1_rep --json
cmp out json || fail "another run, other numbers"
expect_status 0 stats L1_ref L1_rep --json --seed 2
cmp -s out json && fail "the seed does nothing"
expect_status 0 stats L1_ref --json
is 10 out sample statistics n

# --- sessions
{
	echo day,us
	for day in 1 2 3 4 5 6; do
		for k in 1 2 3; do echo "d$day,$((100 + day % 2 + k + (day == 4) * 30))"; done
	done
} >days.csv
expect_status 0 stats days.csv -C us --sessions day
expect_line out 'sessions of the sample: 6'
expect_line out 'grubbs_max: outlier, session d4'
expect_status 0 stats days.csv -C us --sessions day --json
is 6 out sample sessions statistics anova_groups
is outlier out sample sessions statistics grubbs_max_class

# the same from a file for each day, and of two columns at once; each column with its own values
for day in 1 2 3 4 5 6; do
	{
		echo us,half
		awk -F , -v d="d$day" '$1 == d { print $2 "," $2 / 2 }' days.csv
	} >d$day
done
stats days.csv -C us --sessions day --json | jq '.sample.sessions | del(.labels)' >by_column
stats d1 d2 d3 d4 d5 d6 -C us --files-are-sessions --json | jq '.sample.sessions | del(.labels)' >by_file
cmp by_column by_file || fail "sessions in files are not those of a column"
expect_status 0 stats d1 d2 d3 d4 d5 d6 -C us --files-are-sessions
expect_line out 'grubbs_max: outlier, session d4'
expect_line out 'd1 and 5 more, us: 18 values'
expect_status 0 stats d1 d2 d3 d4 d5 d6 -C us,half --files-are-sessions --paired --json
is d6 out reference sessions labels 5
is 6 out replays 0 sessions statistics anova_groups
same "$(json out replays 0 comparison statistics relative_bias_of_means_pct)" -50 || fail "not half"
expect_status 2 stats d1 -C us --files-are-sessions
expect_status 2 stats d1 d2 d1 -C us --files-are-sessions
expect_line err 'd1 is given twice'
expect_status 2 stats d1 d2 -C us --sessions us --files-are-sessions
expect_status 2 stats - d2 -C us,half --files-are-sessions
printf 'us,half\n1,\n2,1\n' >cut
expect_status 3 stats d1 cut -C us,half --files-are-sessions --where 'us!=9'
printf 'us,half\n1,2\n' >short
expect_status 0 stats d1 short -C us,half --files-are-sessions --paired

# --- lines chosen by the values of other columns, which may be any text
{
	echo role,block,us
	echo 'event,0,999'
	for k in 1 2 3; do echo "program,$k,$((100 + k))"; echo "event,$k,$((110 + k))"; done
	echo 'event,4,undefined'
} >runs.csv
expect_status 0 stats runs.csv -C us --where 'role=event,block!=0,block!=4' --json
is 112 out sample statistics mean
is 3 out sample statistics n
expect_status 0 stats runs.csv -C us --where 'role=program' --sessions block --json
is 3 out sample sessions statistics anova_groups
expect_status 3 stats runs.csv -C us --where role=event
expect_line err 'undefined'
expect_status 3 stats runs.csv -C us --where role=nobody
expect_line err 'no line matches --where'
expect_status 3 stats runs.csv -C us --where rolle=event
expect_status 2 stats runs.csv -C us --where role
expect_status 2 stats runs.csv -C us --where =event
[ "$("$VALIDATE" stats --compute n x='runs.csv:us:role=event,block!=4')" = 4 ] || fail "conditions of --compute"

# --- a series of one run
awk 'BEGIN { srand(1); x = 0; for (i = 0; i < 2000; i++) { x = 0.9 * x + rand() - 0.5; printf "%.6f\n", 100 + x } }' >series
awk 'BEGIN { srand(2); x = 0; for (i = 0; i < 2000; i++) { x = 0.9 * x + rand() - 0.5; printf "%.6f\n", 100 + x } }' >series2
expect_status 0 stats series series2
expect_line out 'depend on each other'
expect_status 0 stats series series2 --time-ordered --json
[ "$(json out reference statistics bootstrap_block)" -gt 5 ] || fail "no blocks"
awk -v n="$(json out reference statistics ess_capped)" 'BEGIN { exit !(n < 500) }' || fail "no effective number"

# --- one statistic
expect_status 2 "$VALIDATE" stats --compute median x=
expect_line err '"x=": expected INPUT=VALUES or PARAMETER=VALUE'
[ "$("$VALIDATE" stats --compute median x=3,1,2)" = 2 ] || fail "median"
[ "$("$VALIDATE" stats --compute anova_F groups=1,2,3/2,3,4)" = 1.5 ] || fail "groups of a list"
[ "$("$VALIDATE" stats --compute anova_groups groups=days.csv:us:day)" = 6 ] || fail "groups of a file"
[ "$("$VALIDATE" stats --compute n x=days.csv:us:day=d4)" = 3 ] || fail "lines of a file"
[ "$("$VALIDATE" stats --compute verdict_guard y=1 u=1 upper=10 w_mult=2)" = accept ] || fail "a word"
expect_status 0 stats --list
[ "$(wc -l <out)" -gt 280 ] || fail "a short list"
expect_line out 'mann_kendall_S'
# every name of the list is explained in the documentation, and no other name
sed -n 's/^| \([A-Za-z0-9_]*\) | .*/\1/p' "$SRCDIR/doc/statistic-names.md" | grep -v '^statistic$' | sort >told
sed 1d out | cut -d ' ' -f 1 | sort >listed
diff listed told >&2 || fail "doc/statistic-names.md and --list differ"
expect_status 2 stats --compute no_such
expect_status 2 stats --compute medain x=1,2
expect_line err 'did you mean "median"'
expect_status 2 stats --compute quantile x=1,2 p=0.5
expect_status 2 stats --compute median y=1,2
expect_status 2 stats --compute median 1,2
expect_status 2 stats --compute mean x=1,2 x=3,4
expect_line err 'x is given twice'
expect_status 3 stats /dev/zero
expect_line err 'is not text'
expect_status 3 stats --compute sd x=1
expect_line err 'too_few'
expect_status 3 stats --compute F_r ref=1,1 rep=1,2
expect_line err 'zero_variance'
expect_status 3 stats --compute mean x=nowhere:1
expect_status 3 stats --compute mean x=days.csv:us:day=d9

# --- bad input
printf '1\n2\nthree\n' >bad
expect_status 3 stats ref bad
expect_line err 'bad:3:1: "three" is not a number'
printf '1\nnan\n' >bad
expect_status 3 stats bad ref
expect_line err 'bad:2:1'
printf 'a,b\n1,2\n3,\n' >bad.csv
expect_status 3 stats bad.csv -C b
expect_line err 'bad.csv:3:2: the cell is empty'
expect_status 3 stats bad.csv -C c
expect_line err 'there are a, b'
expect_status 3 stats bad.csv
expect_line err 'the line has 2 columns'
printf '1\n-2\n3\n' >negative
expect_status 3 stats negative ref
expect_line err 'but a response time cannot be negative'
expect_status 3 stats ref nowhere
expect_line err 'nowhere'
: >empty
expect_status 3 stats ref empty
expect_line err 'no values'
expect_status 3 stats ref .
expect_status 2 stats
expect_status 2 stats - -
expect_status 2 stats ref near --bootstrap 5
expect_status 2 stats ref near --alpha 2
expect_status 2 stats ref near far -C 1,1
expect_status 2 stats ref near --no-such
if [ -w /dev/full ]; then
	status=0
	stats ref near --json >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ] || fail "a full disk gives status $status"
fi

# JSON of other programs: the same values as in a text file give the same output
printf '1.5\n1.25\n1.75\n' >times.txt
"$VALIDATE" stats --json times.txt | sed 's/times\.txt/FILE/' >expected
echo '{"results":[{"command":"sleep 1","mean":1.5,"times":[1.5,1.25,1.75]}]}' >hyperfine.json
echo '{"benchmarks":[{"name":"a","stats":{"data":[1.5,1.25,1.75]}},{"name":"b","stats":{"data":[3,4]}}]}' >pytest.json
echo '{"jobs":[{"read":{"total_ios":5,"iops":1.5,"clat_ns":{"mean":7.0}}},{"read":{"total_ios":5,"iops":1.25,"clat_ns":{"mean":8.0}}},
	{"read":{"total_ios":5,"iops":1.75,"clat_ns":{"mean":8.5}},"write":{"total_ios":0,"iops":0}}]}' >fio.json
for how in hyperfine.json 'pytest.json -C a' 'fio.json -C read.iops'; do
	expect_status 0 "$VALIDATE" stats --json $how
	for key in mean sd median; do
		[ "$(jq ".sample.statistics.$key" out)" = "$(jq ".sample.statistics.$key" expected)" ] || fail "$how: another $key"
	done
	[ "$(jq .sample.statistics.mean out)" = 1.5 ] || fail "$how: the mean is $(jq .sample.statistics.mean out)"
done
# a value that is not a number is an error, and is not omitted
for bad in '"x"' null '[1]' true; do
	printf '{"results":[{"command":"sleep 1","times":[1.5,%s,1.75]}]}' "$bad" >bad.json
	expect_status 3 "$VALIDATE" stats bad.json
	expect_line err 'bad.json: value 2 of series "sleep 1" is not a number'
done
printf '1\nnan\n' >bad
expect_status 3 "$VALIDATE" stats bad
expect_line err 'bad:2:1: "nan" is not a number (column 1)'
expect_status 3 "$VALIDATE" stats pytest.json
expect_line err 'choose one with --column: "a", "b"'
expect_status 3 "$VALIDATE" stats -C c pytest.json
expect_line err 'no series "c"'
expect_status 0 "$VALIDATE" stats -C 2 pytest.json
expect_line out 'pytest.json, b: 2 values'
echo '{"benchmarks":[{"name":"a","stats":{"mean":1}}]}' >saved.json
expect_status 3 "$VALIDATE" stats saved.json
expect_line err 'has only statistics'
echo '{"results":[]}' >empty.json
expect_status 3 "$VALIDATE" stats empty.json
echo '{"results":' >cut.json
expect_status 3 "$VALIDATE" stats cut.json
expect_line err 'cut.json is not JSON'
