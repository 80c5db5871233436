# SPDX-License-Identifier: GPL-3.0-or-later
# Kernel tracepoints as text, from real output of perf script, trace-cmd report, perf trace and
# ftrace: a dd that copies 13 bytes, 4 at a time.
. "$SRCDIR/tests/e2e/lib.sh"
data=$SRCDIR/tests/data/formats

# to_csv FILE FORMAT
to_csv() {
	expect_status 0 "$VALIDATE" import "$1" -o x.trace
	expect_line out "Format     $2"
	expect_status 0 "$VALIDATE" info x.trace --csv x.csv
}
# the thread that writes: its reads and writes, as "function offset length result"
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
for sample in perf-script:tracepoints trace-cmd:tracepoints trace:perf-trace; do
	case $sample in
	perf-script:* | trace-cmd:*) file=$data/tracepoints-${sample%:*}.txt ;;
	*) file=$data/perf-trace.txt ;;
	esac
	to_csv "$file" "${sample#*:}"
	copying >got
	cmp want got || { diff want got >&2; fail "$file"; }
	grep -q ',open,.*ENOENT' x.csv || fail "$file: no failed open"
	grep -q ',dup2,' x.csv || fail "$file: no dup2"
done

# forms of trace-cmd report other than -t: rounded times, -l, --ts-diff, the instance of events
# (record -B), -R (raw fields)
to_csv "$data/tracepoints-trace-cmd.txt" tracepoints
expect_line x.csv '"' # as it is imported
expect_status 0 "$VALIDATE" info x.trace
grep -q '^Clock .*1 ns' out || fail "$(cat out)"
calls() { # without times
	awk -F , -v OFS=, '{ $3 = $4 = ""; print }' "$1"
}
calls x.csv >want
form() { # NAME: a file made from the sample
	to_csv "$1.txt" tracepoints
	calls x.csv | diff want - >&2 || fail "trace-cmd report, $1"
}
sed -E 's/([0-9]\.[0-9]{6})[0-9]{3}:/\1:/' "$data/tracepoints-trace-cmd.txt" >rounded.txt
form rounded
sed -E 's/ \[00([0-9])\] /   \1d..2. /' rounded.txt >latency.txt
! grep -q '\[00' latency.txt || fail 'processors are left in the sample'
form latency
sed -E 's/([0-9]\.[0-9]{6}:) /\1 (+1803)  /' rounded.txt >difference.txt
form difference
sed -E '/^cpus/!s/^/traced: /' rounded.txt >instance.txt
form instance
awk 'match($0, /NR [0-9]+ [(].*[)]/) { # "NR 0 (3, 7ff0, 4, 0, 0, 0)": bytes of six numbers, the lowest first
		split(substr($0, RSTART + 3, RLENGTH - 4), part, /[ (]+/)
		n = split(substr($0, index($0, "(") + 1), arg, /, |[)]/)
		printf "%sid=%s args=ARRAY[", substr($0, 1, RSTART - 1), part[1]
		for (i = 1; i <= 6; i++) {
			v = substr("0000000000000000" arg[i], length(arg[i]) + 1)
			for (k = 15; k > 0; k -= 2) printf "%s%s", (i > 1 || k < 15 ? ", " : ""), substr(v, k, 2)
		}
		print "]"
		next
	}
	{ sub(/NR /, "id="); sub(/ = /, " ret="); print }' rounded.txt >fields.txt
grep -q 'id=1 args=ARRAY\[01, 00, 00, 00, 00, 00, 00, 00, ' fields.txt || fail "$(grep 'id=1 ' fields.txt | head -n 2)"
form fields
cat >named.txt <<'E'
cpus=2
              dd-24200 [000] 25264.478957: sys_enter_dup2:        __syscall_nr=33 oldfd=0x0000000b newfd=0x00000001
              dd-24200 [000] 25264.478958: sys_exit_dup2:         __syscall_nr=33 ret=0x1
              dd-24200 [000] 25264.479391: sys_enter_openat:      __syscall_nr=257 dfd=0xffffff9c filename=0x7fff7750cc30 flags=0x00080000 mode=0x00000000
              dd-24200 [000] 25264.479393: sys_exit_openat:       __syscall_nr=257 ret=0xfffffffffffffffe
              dd-24200 [000] 25264.479400: sys_enter_openat:      __syscall_nr=257 dfd=0xffffff9c filename=0x7fff7750cc30 flags=0x00000000 mode=0x00000000
              dd-24200 [000] 25264.479402: sys_exit_openat:       __syscall_nr=257 ret=0x3
              dd-24200 [000] 25264.479410: sys_enter_pread64:     __syscall_nr=17 fd=0x00000003 buf=0x7fff7750cd00 count=0x00000310 pos=0x00000040
              dd-24200 [000] 25264.479411: sys_exit_pread64:      __syscall_nr=17 ret=0x310
E
to_csv named.txt tracepoints
cut -d , -f 5-8 x.csv | sed 1d | tr -d '"' >got
cat >want <<'E'
dup2,fd=11;flags=0x0;heap=01000000ffffffffffffffffffffffff,1,
open,flags=0x80000,-1,ENOENT
open,flags=0x0,3,
pread,descriptor=unnamed 1;fd=3;offset=64;length=784,784,
E
cmp want got ||
	fail "syscalls by trace-cmd report -R: $(cat x.csv)"

# ftrace: calls as functions, pages
to_csv "$data/tracepoints-ftrace.txt" tracepoints
[ "$(grep -c ',read,.*length=4"' x.csv)" -eq 5 ] || fail "ftrace: reads"
grep -q ',page_cache_add,"descriptor=device 254:0 inode [0-9]*;offset=0;length=4096;' x.csv || fail "ftrace: the page"

# ftrace: block events, from issue to completion or, on request, from the queue
to_csv "$data/tracepoints-block.txt" tracepoints
[ "$(grep -c ',pwrite,"device=254,0;offset=[0-9]*;length=8192;flags=0x1",8192,' x.csv)" -eq 4 ] || fail "block events"
expect_status 0 "$VALIDATE" import --queue "$data/tracepoints-block.txt" -o x.trace
expect_status 0 "$VALIDATE" info x.trace --csv queued.csv
[ "$(grep -c ',pwrite,' queued.csv)" -eq 4 ] || fail "block events from the queue"
! cmp -s x.csv queued.csv || fail "--queue makes no difference"

# text of another kind, with line and column; with --lenient
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
