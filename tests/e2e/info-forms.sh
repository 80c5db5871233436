# SPDX-License-Identifier: GPL-3.0-or-later
# validate info: its numbers, plots, page, and JSON against the schema; hostile traces.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'
golden=$SRCDIR/tests/data/trace-v1.trace
head='pid,tid,begin,end,function,args,rvalue'

echo '{"schema": "x", "surplus": 1}' >other.json
(follows_schema info other.json) 2>/dev/null && fail "the check of the schema finds nothing"

# is JQ VALUE: of ./json
is() {
	got=$(jq -c "$1" json)
	[ "$got" = "$2" ] || fail "$1 is $got instead of $2"
}

# every form of one trace: no failure, no control character, no unescaped name
all_forms() {
	expect_status "$1" "$VALIDATE" info --json -n 3 "$2"
	cp out json
	follows_schema info json
	expect_status "$1" "$VALIDATE" info --plot -n 3 "$2"
	LC_ALL=C grep -q '[[:cntrl:]]' out && fail "control characters in the text of $2" || :
	expect_status "$1" "$VALIDATE" info --html page.html "$2"
	grep -q '<script\|<img' page.html && fail "a name of $2 is markup" || :
	grep -q '</html>' page.html || fail "half a page of $2"
	"$VALIDATE" info --json --threads 1 -n 3 "$2" >one-thread.json || :
	cmp json one-thread.json || fail "one thread and two differ about $2"
}

# --- known figures: reads of 4096 at 0, 4096, 8192, 100 MiB, 0; a write; two failures
cat >known.csv <<END
$head,error
7,7,0,1000,open,path=a;fd=3;mode=0;flags=0x0,3,
7,7,1000000000,1000001000,pread,fd=3;offset=0;length=4096,4096,
7,8,1000000500,1000003500,pread,fd=3;offset=4096;length=4096,4096,
7,7,2000000000,2000004000,pread,fd=3;offset=8192;length=4096,4096,
7,7,2000005000,2000010000,pread,fd=3;offset=104857600;length=4096,4096,
7,7,2000020000,2000026000,pread,fd=3;offset=0;length=4096,4096,
9,9,3000000000,3000007000,pwrite,fd=4;offset=0;length=100,-1,EIO
7,7,3000010000,3000018000,pwrite,fd=3;offset=0;length=512,512,
7,7,3000020000,3000021000,close,fd=3,0,
END
all_forms 0 known.csv
is '.n_requests' 9
is '.n_threads' 3
is '.n_processes' 2
is '.rates.busiest_second | [.n_requests, .begin_ns]' '[3,2000000000]'
is '.rates.timeline | [.reads, .writes, .others] | map(add)' '[5,2,2]'
is '.rates.timeline | [.bytes_read, .bytes_written] | map(add)' '[20480,512]'
is '.responses_ns.read | [.min, .max / 6000 < 1.0005]' '[1000,true]'
is '.families | map([.family, .n_requests, .busy_ns])' '[["name",2,2000],["read",5,19000],["write",2,15000]]'
is '.concurrency | [.max, .ns_at_level[1:]]' '[2,[35000,500]]'
is '.times.granularity_ns' 500
is '.sizes.read.most_common' '[{"bytes":4096,"n_requests":5}]'
is '.sizes.write | [.n_requests, .n_distinct]' '[2,2]'
is '.access.descriptor.read | [.first, .sequential, .repeated, .random]' '[1,2,0,2]'
is '.access.descriptor.write | [.first, .repeated]' '[0,1]'
is '.access | [.n_position_known, .n_aligned_512, .n_aligned_4096, .end_byte]' '[6,6,5,104861696]'
is '.errors' '[{"error":"EIO","number":5,"operation":"pwrite","n_requests":1}]'
is '.threads | map([.tid, .n_requests])' '[[7,7],[8,1],[9,1]]'
is '.issue' null
is '.block' null
is '.state_known' false

# --- a trace at block level, and a trace of this program
all_forms 0 "$SRCDIR/tests/data/formats/sda.blktrace.0"
is '.meta.level' '"block"'
is '.access.n_position_known' 200 # without completions
is '.block.sectors_read * 512 == ([.operations[] | select(.operation == "pread") | .bytes] | add)' true
all_forms 0 "$golden"
is '.state_known' true
is '.issue.n_requests' 20
cmp json one-thread.json

# --- plots and page
if command -v gnuplot >/dev/null; then
	expect_status 0 "$VALIDATE" info --plot known.csv
	expect_line out 'Requests per second, over time [s]'
	expect_line out 'Share of requests that took at most this long'
	expect_line out 'for each number in flight'
	expect_status 0 "$VALIDATE" info --html page.html known.csv
	[ "$(grep -c '<svg viewBox' page.html)" -eq 6 ] || fail "not six plots in the page"
	grep -q 'src=\|href="http' page.html && fail "the page needs something from elsewhere" || :
fi
expect_status 0 "$VALIDATE" info known.csv
grep -q 'Requests per second' out && fail "plots without the option and without a terminal" || :
expect_status 0 "$VALIDATE" info --html - known.csv
expect_line out '</html>'
mkdir empty.path
expect_status 0 env PATH="$PWD/empty.path" "$VALIDATE" info --plot known.csv
expect_line err 'no plots: gnuplot was not found'
expect_status 0 env PATH="$PWD/empty.path" "$VALIDATE" info --html page.html known.csv
expect_line page.html 'Plots are missing: gnuplot was not found'
[ -z "$(find . -maxdepth 1 -name 'validate-info-*')" ] || fail "a directory of plots was left"
if [ -w /dev/full ]; then
	expect_status 3 "$VALIDATE" info --html /dev/full known.csv
fi
expect_status 3 "$VALIDATE" info --html no/such/directory/page.html known.csv

# --- names that terminals, browsers or gnuplot would execute
{
	echo "$head"
	printf '1,1,0,10,open,"path=<script>alert(1)</script><img src=x onerror=y>;fd=3;mode=0;flags=0x0",3\n'
	printf '1,1,20,30,open,"path=\033]0 owned\007\033[31m;fd=4;mode=0;flags=0x0",4\n'
	printf "1,1,40,50,open,\"path='.system(\"\"touch owned\"\").';fd=5;mode=0;flags=0x0\",5\n"
	printf '1,1,60,70,open,"path=\377\376\342\200\256;fd=6;mode=0;flags=0x0",6\n'
} >names.csv
cp names.csv '<script>x.csv'
all_forms 0 names.csv
[ ! -e owned ] || fail "a name was executed"
all_forms 0 '<script>x.csv'
rm '<script>x.csv'

# --- no requests; no ends; very short times; numbers at their limits; one request
echo "$head" >none.csv
all_forms 0 none.csv
is '[.n_requests, .concurrency, .rates.timeline]' '[0,null,null]'
printf '%s\n1,1,5,5,read,fd=3;length=0,0\n' "$head" >one.csv
all_forms 0 one.csv
is '.concurrency.mean' null
max=18446744073709551615
{
	echo "$head"
	printf '1,1,-2305843009213693952,2305843009213693952,pread,fd=3;offset=18446744073709551614;length=%s,9223372036854775807\n' $max
	printf '4294967295,4294967295,2305843009213693952,2305843009213693952,pwrite,fd=2147483647;offset=0;length=%s,9223372036854775807\n' $max
	printf '1,1,0,0,pread,fd=3;offset=9223372036854775808;length=1,9223372036854775807\n'
	printf '1,1,0,0,pwrite,fd=-1;offset=0;length=0,-9223372036854775808\n'
} >limits.csv
all_forms 0 limits.csv
is '.bytes' '"18446744073709551615"'

# --- what a replay would skip: by hand, and as a replay reports it
cat >passed.csv <<END
$head
7,7,0,1,open,path=/a;fd=3;mode=0;flags=0x0,3,
7,7,10,11,read,fd=3;length=1,1,
7,7,20,21,open,path=/dev/null;fd=4;mode=0;flags=0x1,4,
7,7,30,31,write,fd=4;length=1,1,
7,7,40,41,write,descriptor=pipe:[1];fd=5;length=1,1,
7,7,50,51,read,fd=9;length=1,1,
7,7,60,61,ioctl,fd=3;offset=0;flags=0x1234,0,
7,7,70,71,chroot,path=/a,0,
7,7,,,read,fd=3;length=1,-1,
7,7,80,81,page_fault,path=/a;offset=0;length=4096;flags=0x0,0,
7,7,90,91,read,fd=9;length=1,1,
END
sed -i '2,$s/,$//; s/,\(path\|fd\|descriptor\)\(=[^,]*\),/,"\1\2",/' passed.csv
expect_status 0 "$VALIDATE" info --json passed.csv
cp out json
follows_schema info json
is .replay.state '"known"'
is '[.replay | .n_records, .n_replayed, .n_never_issued]' '[11,4,1]'
is '[.replay.unknown_descriptors[] | .operation, .n_requests, .first_record]' '["read",2,5]'
is '[.replay.skipped[] | .operation, .n_requests, .first_record] | sort_by(type)' \
	'[1,4,1,2,1,3,1,7,1,6,1,9,"write","open","write","chroot","ioctl","page_fault"]'
expect_status 0 "$VALIDATE" info passed.csv
expect_line out 'Replay     a replay would issue 4 of 11 requests, and skip 6; without a start time, so not issued: 1; 2 of the issued requests would fail'
grep -q '^/proc, /sys and /dev  *2  *2  open 1, write 1$' out &&
	grep -q '^fails: its descriptor has no known file  *2  *5  read 2$' out || fail "the table of skipped requests"
expect_status 0 "$VALIDATE" info --html page.html passed.csv
grep -q 'and skip 6' page.html && grep -q 'fails: its descriptor' page.html || fail "the page does not list skipped requests"
mkdir target
echo x >target/a
expect_status 0 "$VALIDATE" replay --dir target -o replayed.trace passed.csv
expect_status 0 "$VALIDATE" info --json replayed.trace
cp out json
is .meta.extra.replay.n_skipped 6
expect_status 0 "$VALIDATE" info --json --replay-max 10 passed.csv
cp out json
follows_schema info json
is .replay.state '"too many requests"'
expect_status 0 "$VALIDATE" info --json --replay-max 0 passed.csv
cp out json
is .replay null
printf '%s\n7,7,5,1,close,fd=3,0\n' "$head" >backwards.csv
expect_status 0 "$VALIDATE" info --json backwards.csv
cp out json
follows_schema info json
is .replay.state '"refused"'
is .replay.refused '"record 0 ends 4 ns before it begins, so no order can be derived"'
expect_status 0 "$VALIDATE" info backwards.csv
expect_line out 'Replay     refused: record 0'
expect_status 0 "$VALIDATE" info "$SRCDIR/tests/data/formats/sda.merged"
expect_line out 'Replay     requests to a device'

# --- a parallel application; each member of the schema is in some document
{
	echo "$head"
	echo '1,1,0,10,compute,"length=10;offset=0;flags=0x0",0'
	echo '1,1,10,10,signal,"length=2",0'
	echo '2,2,10,20,wait,"length=1",0'
	echo '1,1,20,30,read,"fd=3;length=1",1'
} >parallel.csv
expect_status 0 "$VALIDATE" info --json parallel.csv
cp out json
follows_schema info json
is .between_requests '{"n_computes":1,"n_signals":1,"n_waits":1,"compute_ns":10}'
is .replay.n_records 1
is .replay.skipped '[]'
expect_status 0 "$VALIDATE" info parallel.csv
expect_line out 'Replay     a replay would issue 1 of 1 request'
all_members info
