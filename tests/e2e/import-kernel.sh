# SPDX-License-Identifier: GPL-3.0-or-later
# Kernel tracepoints as text, from real output: perf script, perf trace and ftrace, of a dd that copies 13 bytes 4 at a time.
. "$SRCDIR/tests/e2e/lib.sh"
data=$SRCDIR/tests/data/formats

# to_csv FILE FORMAT
to_csv() {
	expect_status 0 "$VALIDATE" import "$1" -o x.trace
	expect_line out "Format     $2"
	expect_status 0 "$VALIDATE" info x.trace --csv x.csv
}
# the thread that made the writes: its reads and writes, as "function offset length result"
copying() {
	tid=$(awk -F, '$5 == "write" { print $2; exit }' x.csv)
	grep "^[0-9]*,$tid," x.csv | grep -E ',(read|write),.*length=4"' |
		sed -E 's/^[^,]*,[^,]*,[^,]*,[^,]*,([a-z]+),"[^"]*(offset=[0-9]+);(length=[0-9]+)",([-0-9]+).*/\1 \2 \4/'
}
cat >want <<'END'
read offset=0 4
write offset=0 4
read offset=4 4
write offset=4 4
read offset=8 4
write offset=8 4
read offset=12 1
read offset=13 0
END
for sample in perf-script:tracepoints trace:perf-trace; do
	case $sample in
	perf-script:*) file=$data/tracepoints-perf-script.txt ;;
	*) file=$data/perf-trace.txt ;;
	esac
	to_csv "$file" "${sample#*:}"
	copying >got
	cmp want got || { diff want got >&2; fail "$file"; }
	grep -q ',open,.*ENOENT' x.csv || fail "$file: no failed open"
	grep -q ',dup2,' x.csv || fail "$file: no dup2"
done

# ftrace: calls as functions, pages
to_csv "$data/tracepoints-ftrace.txt" tracepoints
[ "$(grep -c ',read,.*length=4"' x.csv)" -eq 5 ] || fail "ftrace: reads"
grep -q ',page_cache_add,"descriptor=device 254:0 inode [0-9]*;offset=0;length=4096;' x.csv || fail "ftrace: the page"

# ftrace: block events, issue to completion and, on demand, from the queue
to_csv "$data/tracepoints-block.txt" tracepoints
[ "$(grep -c ',pwrite,"device=254,0;offset=[0-9]*;length=8192;flags=0x1",8192,' x.csv)" -eq 4 ] || fail "block events"
expect_status 0 "$VALIDATE" import --queue "$data/tracepoints-block.txt" -o x.trace
expect_status 0 "$VALIDATE" info x.trace --csv queued.csv
[ "$(grep -c ',pwrite,' queued.csv)" -eq 4 ] || fail "block events from the queue"
! cmp -s x.csv queued.csv || fail "--queue makes no difference"

# what is no such text, with line and column; leniently
{
	head -n 20 "$data/tracepoints-perf-script.txt"
	echo 'cat 12 [000] nonsense'
	tail -n +21 "$data/tracepoints-perf-script.txt"
} >odd.txt
expect_status 3 "$VALIDATE" import --from tracepoints odd.txt -o x.trace
expect_line err 'line 21'
expect_status 0 "$VALIDATE" import --from tracepoints --lenient 1 odd.txt -o x.trace
sed '30s/^/x/' "$data/perf-trace.txt" >odd.txt
expect_status 3 "$VALIDATE" import odd.txt -o x.trace
expect_line err 'line 30'
expect_status 3 "$VALIDATE" import --from perf-trace "$data/tracepoints-block.txt" -o x.trace
# a file that ends in the middle of a call
head -c 9000 "$data/tracepoints-perf-script.txt" >cut.txt
expect_status 0 "$VALIDATE" import --lenient 1 cut.txt -o x.trace
