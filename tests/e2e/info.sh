# SPDX-License-Identifier: GPL-3.0-or-later
# validate info: text, JSON, requests, CSV; damaged and truncated traces; hostile names.
. "$SRCDIR/tests/e2e/lib.sh"
golden=$SRCDIR/tests/data/trace-v1.trace

expect_status 0 "$VALIDATE" info "$golden"
expect_line out 'format "trace"'
expect_line out 'Health     the file is complete; the trace is incomplete: 3 events were lost during the capture'
expect_line out 'Requests   60 over '
expect_line out '4 threads in 1 process, on 5 objects'
expect_line out 'tsc, resolution '
expect_line out 'Root       /tmp/\xff'
expect_line out 'odd \xff\x01 name'
expect_line out 'events lost during the capture: 3'
grep -q '^pread .* 7 ' out || fail "no line of pread"
LC_ALL=C grep -q '[[:cntrl:]]' out && fail "control characters" || :

expect_status 0 "$VALIDATE" info --records 3 "$golden"
expect_line out 'open(path=f0;fd=3;mode=10000;flags=0x0) = 4096'
[ "$(grep -c '(.*) = ' out)" -eq 3 ] || fail "not 3 requests"

# JSON, compared completely except for members that depend on the directory
expect_status 0 "$VALIDATE" info --json -n 1 "$golden"
sed "s|$SRCDIR/||" out >json
if [ "${UPDATE:-}" ]; then
	cp json "$SRCDIR/tests/data/info-v1.json"
fi
cmp json "$SRCDIR/tests/data/info-v1.json" || {
	diff json "$SRCDIR/tests/data/info-v1.json" >&2 || :
	fail "the JSON changed"
}

# CSV is a trace too: the same requests, in either way
expect_status 0 "$VALIDATE" info "$golden" --csv all.csv
[ ! -s out ] || fail "--csv printed something"
expect_status 0 "$VALIDATE" info "$golden" --csv -
cmp out all.csv || fail "CSV to a file and to standard output differ"
expect_status 0 "$VALIDATE" info all.csv
expect_line out 'format "csv"'
expect_line out 'Requests   60 over '
expect_status 0 "$VALIDATE" info all.csv --csv again.csv
cmp all.csv again.csv || fail "CSV of CSV differs"
expect_status 0 "$VALIDATE" info "$SRCDIR/tests/data/trace-v1-zstd.trace" --csv zstd.csv
cmp all.csv zstd.csv || fail "the compressed trace differs"

# cut: a warning
size=$(wc -c <"$golden")
head -c $((size / 2)) "$golden" >cut.trace
expect_status 0 "$VALIDATE" info cut.trace
expect_line out 'incomplete: its end is missing'
expect_line out 'the trace has no end'
expect_status 0 "$VALIDATE" info --json cut.trace
expect_line out '"complete": false'

# damaged: named, skipped, status 3
cp "$golden" damaged.trace
printf 'XXXX' | dd of=damaged.trace bs=1 seek=2000 conv=notrunc 2>/dev/null
expect_status 3 "$VALIDATE" info damaged.trace
expect_line out '1 damaged block'
expect_line out 'damaged.trace: damaged record block (records 3 to 3) at byte 1920'
expect_line err 'at byte '
grep -q '^Requests   [1-5]' out || fail "the rest was not read"
expect_status 3 "$VALIDATE" info --json damaged.trace
expect_line out '"n_blocks_damaged": 1'
expect_status 3 "$VALIDATE" info damaged.trace --csv rest.csv
[ "$(wc -l <rest.csv)" -gt 1 ] || fail "the rest was not exported"

# implausible times, in CSV
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,5,6,close,fd=3,0\n1,1,4,3,close,fd=3,0\n1,1,7,8,close,fd=3,0\n' >odd.csv
expect_status 0 "$VALIDATE" info odd.csv
expect_line out 'requests that end before they begin: 1'
expect_line out 'begin before the previous request of their thread: 1'
expect_line out 'a request every 1.5 ns is implausible'
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,0,1,close,fd=3,0\n1,1,36000000000000,36000000000001,close,fd=3,0\n' >slow.csv
expect_status 0 "$VALIDATE" info slow.csv
expect_line out 'a request every 10 h is implausible'

# what is no trace
expect_status 3 "$VALIDATE" info "$SRCDIR/Makefile"
expect_line err 'not a trace'
expect_status 3 "$VALIDATE" info nowhere.trace
expect_line err 'nowhere.trace'
expect_status 3 "$VALIDATE" info .
: >empty
expect_status 3 "$VALIDATE" info empty
expect_line err 'empty'
mkfifo fifo
for from in '' '--from csv' '--from trace' '--from strace'; do
	expect_status 3 "$VALIDATE" info $from fifo # no process writes to it, and none is waited for
done
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,x,2,close,fd=3,0\n' >bad.csv
expect_status 3 "$VALIDATE" info bad.csv
expect_line err 'bad.csv: line 2, column 3 (begin)'
expect_status 2 "$VALIDATE" info
expect_status 2 "$VALIDATE" info --no-such-option "$golden"
if [ -w /dev/full ]; then
	expect_status 3 "$VALIDATE" info "$golden" --csv /dev/full
	expect_line err 'No space left'
fi

# a trace without an end stays incomplete in its conversions, and all commands report it
mkdir place
told() { # FILE COMMAND...: warns of FILE
	file=$1
	shift
	expect_status 0 "$VALIDATE" "$@"
	expect_line err "$file: the trace is incomplete: this trace, or the trace from which it was\
 made, has no end"
}
made() { # FILE: made of a cut trace
	told "$1" info "$1"
	expect_line out 'Health     the file is complete; the trace is incomplete: it was made from an earlier trace that was truncated'
	expect_line out 'made from an earlier trace that was truncated: requests may be missing'
	told "$1" info --json "$1"
	expect_line out '"complete": false'
	expect_line out '"has_end": true'
	expect_line out '"cut": true'
}
told cut.trace info cut.trace --csv cut.csv
told cut.trace deps --order thread cut.trace
told cut.trace slice -n 5 cut.trace -o part.trace
made part.trace
expect_status 0 "$VALIDATE" metrics part.trace part.trace
expect_line out '1 trace made from an earlier trace that was truncated: requests may be missing (reference)'
expect_line out '1 trace made from an earlier trace that was truncated: requests may be missing (replay)'
expect_status 0 "$VALIDATE" metrics --json part.trace part.trace
expect_line out '"cut": true'
expect_status 0 "$VALIDATE" metrics "$golden" "$golden"
! grep -q 'trace that was truncated' out || fail "$(cat out)"
told cut.trace slice --anonymise "$golden" cut.trace -o both.trace
made both.trace
told part.trace export -q --to trace part.trace -o exported.trace
made exported.trace
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,0,1,close,fd=3,0\n' >one.csv
expect_status 0 "$VALIDATE" import -q one.csv -o one.trace
head -c -64 one.trace >open.trace
told open.trace replay --dir place open.trace -o replayed.trace
made replayed.trace
expect_status 0 "$VALIDATE" slice -n 5 "$golden" -o part.trace
[ ! -s err ] || fail "a whole trace is called incomplete"
expect_status 0 "$VALIDATE" info --json part.trace
expect_line out '"cut": false'

# on a terminal no line is wider than the terminal, and no word of the facts is lost; the width of
# other output is not limited
if command -v script >/dev/null; then
	long="a very long directory name that goes on/and another quite long name/file $(seq -s- 40)"
	{
		echo 'pid,tid,begin,end,function,args,rvalue'
		for op in read write pread pwrite; do
			echo "1,1,0,10000,$op,path=$long;fd=3;offset=0;length=4096,4096"
		done
	} >wide.csv
	"$VALIDATE" info wide.csv >wide.out
	[ "$(awk '{ print length }' wide.out | sort -n | tail -n 1)" -gt 200 ] || fail 'the test has no wide line'
	for columns in 80 60 132; do
		script -qc "stty cols $columns rows 40; '$VALIDATE' info wide.csv" /dev/null |
			tr -d '\r' | sed 's/…/./g' >narrow.out
		awk -v most=$columns 'length > most { print; bad = 1 } END { exit bad }' narrow.out ||
			fail "lines of more than $columns columns"
		for word in $(sed '/^$/,$d' wide.out) Operation p99.9 max; do
			expect_words narrow.out "$word"
		done
	done
fi
