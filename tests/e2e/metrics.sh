# SPDX-License-Identifier: GPL-3.0-or-later
# validate metrics: a replay compared with its trace, matched by number and by key; foreign text;
# bad input.
. "$SRCDIR/tests/e2e/lib.sh"

# value KEY...: a member of the JSON in ./out, at one level by keys that are unique in it
value() {
	sed -n "s/^ *\"$1\": \([^,]*\),\{0,1\}$/\1/p" out | head -n 1
}
expect_value() {
	[ "$(value "$1")" = "$2" ] ||
		awk -v x="$(value "$1")" -v y="$2" 'BEGIN { d = x - y; exit !(x ~ /^[-0-9]/ && d * d < 1e-24) }' ||
		fail "$1 is $(value "$1"), not $2"
}

mkdir files
expect_status 0 "$VALIDATE" microbench rr --level 2 --requests 300 --file-size 256K --dir files -o run.trace
expect_status 0 "$VALIDATE" replay --dir files -o replay.trace run.trace
expect_status 0 "$VALIDATE" metrics run.trace replay.trace
expect_line out 'Matched    by number: '
expect_line out ' 0 lost, 0 extra, 0 with a different result'
expect_line out "the replay's metadata states the same number of requests as the reference has"
expect_line out 'check: of '
expect_line out 'execution time '
expect_line out 'reordered, at issue '
expect_line out 'Order at completion'
"$VALIDATE" slice --skip 20 -o part.trace run.trace
for columns in 80 100 127; do
	terminal_fits $columns "$VALIDATE" metrics run.trace replay.trace
	terminal_fits $columns "$VALIDATE" metrics --match key --warmup 10 part.trace run.trace
done
expect_status 0 "$VALIDATE" metrics run.trace run.trace
expect_status 0 "$VALIDATE" metrics --json run.trace replay.trace
expect_value by '"number"'
expect_value n_lost 0
n=$(value n_matched)
[ "$n" -ge 300 ] || fail "$n requests matched"

expect_value n_same_request "$n"
expect_value n_compared "$n"

# skipped requests are not lost, and the reference is compared without them
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	for i in 0 1 2 3 4 5 6 7 8 9; do
		[ $((i % 2)) -eq 0 ] && call=pread || call=pwrite
		echo "1,1,${i}0000,${i}5000,$call,\"path=mixed;fd=3;offset=$((i * 4096));length=100\",100"
	done
} >mixed.csv
expect_status 0 "$VALIDATE" replay --prepare --reads none --dir files -o mixed.trace mixed.csv
expect_status 0 "$VALIDATE" metrics mixed.csv mixed.trace
expect_line out 'Reference  mixed.csv: 5 requests in 85 us'
expect_line out '5 requests, 0 lost, 0 extra, 5 skipped, 0 with a different result'
expect_status 0 "$VALIDATE" metrics --json mixed.csv mixed.trace
expect_value n_lost 0
expect_value n_skipped 5
expect_value n_issued 5
expect_status 0 "$VALIDATE" metrics --json --match key mixed.csv mixed.trace
expect_value n_lost 0
expect_value n_skipped 5
expect_value n_issued 5

# warm-up: left out of both, by the order of the reference
expect_status 0 "$VALIDATE" metrics --json --warmup 100 run.trace replay.trace
expect_value n_warmup 100
expect_value n_matched $((n - 100))
expect_value requests 100
expect_status 0 "$VALIDATE" metrics --json --warmup 100 --match key run.trace replay.trace
expect_value n_matched $((n - 100))
expect_status 0 "$VALIDATE" slice --skip 100 -o behind.trace run.trace
"$VALIDATE" metrics --json --warmup 100 run.trace run.trace | grep '"conc_\|"execution_ns\|"mean"' >by_warmup
"$VALIDATE" metrics --json behind.trace behind.trace | grep '"conc_\|"execution_ns\|"mean"' >by_slice
diff by_warmup by_slice >&2 || fail "a warm-up of 100 requests is not the trace without them"
expect_status 0 "$VALIDATE" metrics --warmup 1us run.trace replay.trace
expect_line out 'Warm-up    left out: '
expect_line out ' of the reference within 1 us, '
expect_status 3 "$VALIDATE" metrics --warmup "$n" run.trace replay.trace
expect_line err 'leaves none of'
expect_status 3 "$VALIDATE" metrics --warmup 1h run.trace replay.trace
expect_line err 'after the warm-up'
for bad in -1 1.5 3x '' 99999999999999999999; do
	expect_status 2 "$VALIDATE" metrics --warmup "$bad" run.trace replay.trace
done

# the trace itself, and through CSV: by key, no difference
expect_status 0 "$VALIDATE" info run.trace --csv run.csv
expect_status 0 "$VALIDATE" metrics --json run.trace run.csv
expect_value by '"key"'
expect_value n_matched "$n"
expect_value n_mismatched 0
expect_value execution_time_error_pct 0.0
expect_value ro_reordered 0
expect_value conc_ks_time 0.0
[ "$(value n_ambiguous_keys)" -gt 0 ] || fail "no key is ambiguous"

# worked examples: RFC 4737 section 7.1 (1 2 3 5 6 7 8 4 9 10), and one request lost
head='pid,tid,begin,end,function,args,rvalue'
row() { # number, begin, end
	echo "1,1,$2,$3,pread,\"path=f;fd=3;offset=$(($1 * 4096));length=100\",100"
}
{
	echo $head
	for i in 1 2 3 4 5 6 7 8 9 10; do row $i $((i * 10)) $((i * 10 + 5)); done
} >r.csv
{
	echo $head
	t=0
	for i in 1 2 3 5 6 7 8 4 9 10; do
		t=$((t + 10))
		row $i $t $((t + 5))
	done
} >x.csv
expect_status 0 "$VALIDATE" metrics --json --observe issue --scope all r.csv x.csv
expect_value ro_reordered 1
expect_value ro_ratio 0.1
expect_value ro_max_extent 4
expect_value ro_runs_q 49
expect_value ro_hfplayer_script_count 1
expect_value rbd_mean_occupancy 1.0
expect_value ro_lis_length 9
grep -v 'offset=28672' x.csv >lost.csv
expect_status 0 "$VALIDATE" metrics --json --observe issue --scope all --bt 3 r.csv lost.csv
expect_value n_lost 1
expect_value ro_missing 1
expect_value rbd_threshold 3
expect_status 0 "$VALIDATE" metrics --json --observe issue --scope all r.csv lost.csv
expect_value rbd_threshold 4
expect_status 0 "$VALIDATE" metrics --json --observe issue --scope all --dt 2 r.csv x.csv
expect_value rd_beyond_threshold 1

# n-reordering beyond n = 20, where the lists end
{
	echo $head
	for i in $(seq 30); do row $i $((i * 10)) $((i * 10 + 5)); done
} >r30.csv
{
	echo $head
	for i in $(seq 2 30); do row $i $((i * 10)) $((i * 10 + 5)); done
	row 1 310 315
} >x30.csv
expect_status 0 "$VALIDATE" metrics --json --observe issue --scope all r30.csv x30.csv
expect_value ro_reordered 1
expect_value ro_n_reordered_max 29
expect_status 0 "$VALIDATE" metrics --observe issue --scope all r30.csv x30.csv
expect_line out 'n-reordered, largest n'

# only the requested components are printed
expect_status 0 "$VALIDATE" metrics --json --only response,concurrency r.csv x.csv
grep -q '"order"' out && fail "--only did not keep order out" || :
expect_line out '"conc_mean_time"'
expect_status 0 "$VALIDATE" metrics --list
expect_line out 'concurrency '

# bad input: a place, never a crash
{
	cat r.csv
	echo '1,1,300,290,pread,"path=f;fd=3;offset=0;length=100",100'
} >negative.csv
expect_status 3 "$VALIDATE" metrics r.csv negative.csv
expect_line err 'negative.csv: record 10 (pread from 300 ns to 290 ns) ends before it begins'
expect_status 0 "$VALIDATE" metrics --lenient --json r.csv negative.csv
grep -q '"n_negative": 1' out || fail "the request that ends before it begins is not counted"
for bad in nan 1e400 99999999999999999999 ''; do
	sed "3s/^1,1,20/1,1,$bad/" r.csv >bad.csv
	status=0
	"$VALIDATE" metrics r.csv bad.csv >out 2>err || status=$?
	[ "$bad" = '' ] || [ "$status" -eq 3 ] || fail "status $status for a begin of \"$bad\""
	[ "$bad" = '' ] || expect_line err 'bad.csv: line 3'
done
echo $head >empty.csv
expect_status 3 "$VALIDATE" metrics r.csv empty.csv
expect_line err 'empty.csv: none of'
head -c 3000 replay.trace >cut.trace
expect_status 3 "$VALIDATE" metrics run.trace cut.trace
expect_line err 'cut.trace'
expect_status 3 "$VALIDATE" metrics run.trace nowhere.trace
expect_line err 'nowhere.trace'
expect_status 2 "$VALIDATE" metrics run.trace
expect_status 2 "$VALIDATE" metrics --observe ishue run.trace replay.trace
expect_line err 'did you mean "issue"'
expect_status 2 "$VALIDATE" metrics --dt 70000 run.trace replay.trace
expect_status 2 "$VALIDATE" metrics --threads 3 run.trace replay.trace
grep -iq 'nan\|inf"' out && fail "a number that is none" || :
