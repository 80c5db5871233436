# SPDX-License-Identifier: GPL-3.0-or-later
# validate import: every format, by detection and by name; bad input; several files; mapping files.
. "$SRCDIR/tests/e2e/lib.sh"
data=$SRCDIR/tests/data/formats

expect_status 0 "$VALIDATE" import --from list
for name in trace csv msr snia alibaba tencent spc systor fiu blktrace blkparse strace tracepoints perf-trace iolog dxt dftracer parallel twitter cachelib ibmcos \
	oraclegeneral mapping; do
	grep -Eq "^  $name +yes" out || fail "$name is not listed as one that is read"
done
[ "$(grep -Ec '^  [a-z-]+ +yes' out)" -eq 23 ] || fail "another number of formats is read than this test knows"

csv() { # TRACE: its requests, from standard output
	"$VALIDATE" export -q --to csv "$1" -o - || fail "exporting $1"
}
nth() { # TRACE N FIELDS
	csv "$1" | sed -n "$(($2 + 1))s/\"//gp" | cut -d, -f"$3"
}

# delimited text: values computed by hand from the definitions
printf '128166372003061629,hm,0,Read,383496192,32768,413\r\n128166372016382155,hm,1,Write,2822144,4096,100\n' >msr.csv
expect_status 0 "$VALIDATE" import msr.csv -o msr.trace
expect_line out 'msr.trace: 2 requests'
expect_line out 'Format     msr'
expect_line out 'Resolution 100 ns'
[ "$(nth msr.trace 1 3-)" = '0,41300,pread,device=hm.0;offset=383496192;length=32768,32768,,0,,' ] || fail "msr 1: $(nth msr.trace 1 3-)"
[ "$(nth msr.trace 2 3-)" = '1332052600,1332062600,pwrite,device=hm.1;offset=2822144;length=4096,4096,,1,,' ] || fail "msr 2: $(nth msr.trace 2 3-)"
expect_status 0 "$VALIDATE" info msr.trace
expect_line out '2007-02-22 17:00:00 UTC' # 128166372003061629 - 116444736000000000 in 100 ns

printf '0,R,126703644672,4096,1577808000000626\n5,W,0,512,1577808000001000\n' >ali.csv
expect_status 0 "$VALIDATE" import ali.csv -o ali.trace
expect_line out 'Format     alibaba'
[ "$(nth ali.trace 2 3-)" = '374000,,pwrite,device=5;offset=0;length=512,512,,1,,' ] || fail "alibaba: $(nth ali.trace 2 3-)"

printf '1538323200,12910952,128,0,1063\n1538323201,8,8,1,1063\n' >ten.csv
expect_status 0 "$VALIDATE" import ten.csv -o ten.trace
expect_line out 'Format     tencent'
expect_line out 'Resolution 1 s'
[ "$(nth ten.trace 1 6)" = 'device=1063;offset=6610407424;length=65536' ] || fail "tencent: $(nth ten.trace 1 6)"

printf '0,20941264,8192,W,0.551706\n1,8,512,r,1.5,further,columns\n' >f.spc
expect_status 0 "$VALIDATE" import f.spc -o spc.trace
expect_line out 'Format     spc'
[ "$(nth spc.trace 1 3-)" = '551706000,,pwrite,device=0;offset=10721927168;length=8192,8192,,0,,' ] || fail "spc: $(nth spc.trace 1 3-)"

printf 'Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,899056122368,131072\n1456095145.2,,,0,0,0\n' >sys.csv
expect_status 0 "$VALIDATE" import sys.csv -o sys.trace
expect_line out 'sys.trace: 1 request'
expect_line out 'skipped: 1'
[ "$(nth sys.trace 1 3-)" = '0,806000,pread,device=0;offset=899056122368;length=131072,131072,,0,,' ] || fail "systor: $(nth sys.trace 1 3-)"

printf '89966730949 4892 syslogd 904265560 8 W 6 0 531e779d7b7d3c0f\n' >f.fiu
expect_status 0 "$VALIDATE" import f.fiu -o fiu.trace
[ "$(nth fiu.trace 1 1-)" = '4892,0,89966730949,,pwrite,device=6.0;offset=462983966720;length=4096,4096,,0,,' ] || fail "fiu: $(nth fiu.trace 1 1-)"

expect_status 0 "$VALIDATE" import "$data/snia.csv" -o snia.trace
expect_line out '40 requests'
[ "$(nth snia.trace 2 3-)" = '145714,165610,pread,device=5;offset=599147929600;length=4096,4096,,1,,' ] || fail "snia: $(nth snia.trace 2 3-)"

# stores of objects: no offset but in ranges, operations without data, a line for several requests
printf '0,q:1:8WTf,17,213,4,get,0\n0,q:1:8WTf,17,0,5,gets,0\n2,u:x,9,50,4,set,3600\n3,u:x,9,0,4,delete,0\n' >cluster.csv
expect_status 0 "$VALIDATE" import cluster.csv -o twitter.trace
expect_line out 'Format     twitter'
expect_line out 'Resolution 1 s'
[ "$(nth twitter.trace 1 1-)" = '4,0,0,,pread,path=q:1:8WTf;offset=0;length=213,213,,0,,' ] || fail "twitter 1: $(nth twitter.trace 1 1-)"
[ "$(nth twitter.trace 3 1-)" = '4,0,2000000000,,pwrite,path=u:x;offset=0;length=50,50,,2,,' ] || fail "twitter 3: $(nth twitter.trace 3 1-)"
[ "$(nth twitter.trace 4 1-7)" = '4,0,3000000000,,unlink,path=u:x;flags=0x0,0' ] || fail "twitter 4: $(nth twitter.trace 4 1-)"

expect_status 0 "$VALIDATE" import "$data/kvcache.csv" -o cachelib.trace
expect_line out 'cachelib.trace: 17 requests' # 1 + 3 + 1 + 7 + 1 of 202401, and 4
[ "$(nth cachelib.trace 1 3-7)" = '604038471000000000,,pread,path=82131353f9ddc8c6;offset=0;length=87,87' ] || fail "cachelib 1: $(nth cachelib.trace 1 3-)"
[ "$(csv cachelib.trace | grep -c 'path=749ab7237b8d0372;')" -eq 7 ] || fail "op_count: $(csv cachelib.trace)"
printf 'op_time,key,key_size,op,op_count,size,cache_hits,ttl\n1,k,2,SET,1,9,0,\n' >kv.csv # the columns of 202210
expect_status 0 "$VALIDATE" import kv.csv -o kv.trace
expect_line out 'Format     cachelib'
# the releases without times are refused
printf 'key,op,size,op_count,key_size\n1668757755,SET,82,1,40\n' >kv.csv
expect_status 3 "$VALIDATE" import --from cachelib kv.csv -o x.trace
expect_line err 'the header has no column "op_time"'

expect_status 0 "$VALIDATE" import "$data/object-store.txt" -o ibm.trace
expect_line out 'Format     ibmcos'
expect_line out 'skipped: 1' # a copy
[ "$(nth ibm.trace 1 3-)" = '1219008000000,,pwrite,path=8d4fcda3d675bac9;offset=0;length=1056,1056,,0,,' ] || fail "ibmcos 1: $(nth ibm.trace 1 3-)"
[ "$(nth ibm.trace 2 3-7)" = '1221974000000,,stat,path=39d177fb735ac5df;flags=0x0,0' ] || fail "ibmcos 2: $(nth ibm.trace 2 3-)"
[ "$(nth ibm.trace 3 6-7)" = 'path=95d363d3fbdc0b03;offset=100;length=1068,1068' ] || fail "ibmcos 3: $(nth ibm.trace 3 3-)"
[ "$(nth ibm.trace 4 6-7)" = 'path=8688e0d2d279c9bb;offset=0;length=0,0' ] || fail "ibmcos 4: $(nth ibm.trace 4 3-)"
[ "$(nth ibm.trace 5 5-7)" = 'unlink,path=8688e0d2d279c9bb;flags=0x0,0' ] || fail "ibmcos 5: $(nth ibm.trace 5 3-)"

# DFTracer: names by hash and in full, phases as letters and numbers, what is no request
for form in letters numbers; do
	sed "$([ $form = letters ] && echo p || echo 's/"ph":"X"/"ph":1/; s/"ph":"M"/"ph":4/; s/"ph":"C"/"ph":2/; s/"ph":"A"/"ph":3/; p')" -n \
		"$data/dlio.pfw" >$form.pfw
	expect_status 0 "$VALIDATE" import $form.pfw -o $form.trace
	expect_line out 'Format     dftracer'
	expect_line out "$form.trace: 7 requests"
	expect_line out 'skipped: 2' # fopen and readv
	csv $form.trace >$form.csv
done
cmp letters.csv numbers.csv || fail 'numbers of phases give other requests than letters'
cut -d, -f1-7 letters.csv >got
diff - got <<'C' || fail 'DFTracer'
pid,tid,begin,end,function,args,rvalue
11,12,0,100000,open,"path=data/train/img_00.npz;flags=0x80000",5
11,12,200000,260000,read,"path=data/train/img_00.npz;length=4096",4096
11,12,300000,310000,lseek,"path=data/train/img_00.npz;offset=-22;whence=2",4074
11,12,400000,900000,pread,"path=data/train/img_00.npz;offset=1024;length=1048576",1048576
11,13,450000,470000,pwrite,"path=ckpt/0.pt;offset=0;length=65536",65536
11,13,500000,700000,fsync,"path=ckpt/0.pt",0
11,12,1000000,1001000,close,"path=data/train/img_00.npz",0
C
# with aggregation, calls are missing
sed '$a{"name":"read","cat":"POSIX","pid":11,"tid":12,"ts":1727286231147000,"ph":"A","args":{"dft_cnt":3}}' "$data/dlio.pfw" >lost.pfw
expect_status 0 "$VALIDATE" import lost.pfw -o lost.trace
expect_line out 'lost'

# the CSV of a block-level trace is one again; a call among its requests is an error
expect_status 0 "$VALIDATE" export -q --to csv msr.trace -o below.csv
expect_status 0 "$VALIDATE" info below.csv
expect_line out 'Layer      requests on a device'
awk 'BEGIN { print "pid,tid,begin,end,function,args,rvalue"
	for (i = 0; i < 40000; i++) printf "0,0,%d,%d,pread,device=hm.0;offset=%d;length=512,512\n", i, i + 1, i * 512
	print "0,0,50000,50001,pread,path=a;fd=3;offset=0;length=512,512" }' >mixed.csv
expect_status 3 "$VALIDATE" import mixed.csv -o x.trace
expect_line err 'mixed.csv: line 40002, column 6 (args): this row is a call on a file, but the first rows are requests to devices'
expect_status 0 "$VALIDATE" import --lenient 1 mixed.csv -o x.trace
expect_line out '40000 requests'

# a short file with a bad line: the message names the line
{ cat msr.csv; printf '128166372026382155,hm,1,Write,-4096,4096,100\n'; } >short.csv
expect_status 3 "$VALIDATE" import short.csv -o x.trace
expect_line err 'short.csv: line 3, column 31: "-4096" is not a whole number'

# a mapping of the user's own
cat >own.map <<'M'
[format]
delimiter = tab
header = yes
object = path
level = syscall
[column t]
field = begin
unit = ms
[column o]
field = operation
values = get:pread, put:pwrite
[column off]
field = offset
unit = 4K
[column len]
field = length
[column name]
field = object
M
printf 'name\tt\to\toff\tlen\nx y\t1.5\tget\t2\t100\n' >own.txt
expect_status 0 "$VALIDATE" import --mapping own.map own.txt -o own.trace
[ "$(nth own.trace 1 3-)" = '1500000,,pread,path=x y;offset=8192;length=100,100,,0,,' ] || fail "own mapping: $(nth own.trace 1 3-)"
printf '[format]\ndelimiter = long\n' >bad.map
expect_status 3 "$VALIDATE" import --mapping bad.map own.txt -o x.trace
expect_line err 'bad.map: line 2: delimiter = long'
printf '[format]\nheader = yes\n[column a]\nfield = beginn\n' >bad.map
expect_status 3 "$VALIDATE" import --mapping bad.map own.txt -o x.trace
expect_line err 'did you mean "begin"?'

{ sed '/^header/d' own.map; printf '[format]\nheader = yes\n'; } | sed 's/^\[column t\]/[column 1]/; s/^\[column o\]/[column 2]/; s/^\[column off\]/[column 3]/; s/^\[column len\]/[column 4]/; s/^\[column name\]/[column 5]/' >bad.map
expect_status 3 "$VALIDATE" import --mapping bad.map own.txt -o x.trace
expect_line err 'must come before the first section'
# a unit that is no unit of time: it is not a whole number of parts of a second
for unit in 4K 1GiB; do
	sed "s/^unit = ms/unit = $unit/" own.map >bad.map
	expect_status 3 "$VALIDATE" import --mapping bad.map own.txt -o x.trace
	expect_line err 'the column with field = begin needs a unit of time'
done
# times without a unit, units of another kind, units of numbers, and columns that occur twice
refused_map() { # SCRIPT MESSAGE
	sed "$1" own.map >bad.map
	expect_status 3 "$VALIDATE" import --mapping bad.map own.txt -o x.trace
	expect_line err "$2"
}
refused_map '/^unit = ms/d' 'the column with field = begin needs a unit of time'
refused_map 's/^unit = ms/unit = sectors/' 'the column with field = begin needs a unit of time'
refused_map 's/^unit = 4K/unit = us/' 'the column with field = offset cannot have a unit of time'
refused_map 's/^field = object/&\nunit = ms/' 'the column with field = object cannot have a unit'
refused_map '$a[column more]\nfield = length' 'two columns have field = length'
refused_map '$a[column LEN]\nfield = none' '[column LEN] occurs twice'
refused_map 's/^field = length//' 'no column has field = length'
printf 'name\tt\to\toff\tlen\tlen\nx y\t1.5\tget\t2\t100\t5\n' >twice.txt
expect_status 3 "$VALIDATE" import --mapping own.map twice.txt -o x.trace
expect_line err 'the header has the column "len" twice'
# the number of the last unit replaces the length
sed '/^\[column len\]/,/^field/s/length/last\nunit = 4K/' own.map >last.map
printf 'name\tt\to\toff\tlen\nx y\t1.5\tget\t2\t4\n' >last.txt
expect_status 0 "$VALIDATE" import --mapping last.map last.txt -o own.trace
[ "$(nth own.trace 1 3-)" = '1500000,,pread,path=x y;offset=8192;length=12288,12288,,0,,' ] || fail "last unit: $(nth own.trace 1 3-)"
expect_status 3 "$VALIDATE" import --mapping own.map --from msr own.txt -o x.trace
expect_line err '--mapping and --from msr cannot be used together'
# a failed request moved nothing, nor did a request that is no transfer; fallocate on a device
# discards
cat >results.map <<'M'
[format]
delimiter = comma
[column 1]
field = begin
unit = us
[column 2]
field = operation
values = R:pread, T:fallocate
[column 3]
field = offset
unit = sectors
[column 4]
field = length
[column 5]
field = error
M
printf '1,R,8,4096,0\n2,R,8,4096,5\n3,T,8,4096,0\n' >results.txt
expect_status 0 "$VALIDATE" import --mapping results.map results.txt -o results.trace
csv results.trace | cut -d, -f5- >got
cat >want <<'C'
function,args,rvalue,error,seq,intended,dispatch
pread,"offset=4096;length=4096",4096,,0,,
pread,"offset=4096;length=4096",-1,EIO,1,,
fallocate,"offset=4096;length=4096;flags=0x3",0,,2,,
C
sed 's/fd=-1;//' got | diff want - || fail 'results of a mapping'
# the key may be used again, unless too many requests have it
sed 's/^values = .*/&\nvalues = a:pread, b:pread, c:pread, d:pread, e:pread, f:pread, g:pread, h:pread\nvalues = i:pread, j:pread, k:pread, l:pread, m:pread, n:pread, o:pread/' \
	own.map >bad.map
expect_status 3 "$VALIDATE" import --mapping bad.map own.txt -o x.trace
expect_line err 'at most 16'

# strace: real output; both forms agree except for their times
for form in ns us; do
	expect_status 0 "$VALIDATE" import "$data/strace-$form.strace" -o "$form.trace"
	expect_line out '83 requests'
	csv "$form.trace" | cut -d, -f5- | sed 's/,[0-9]*,\([0-9]*\),,$/,\1/; s/=0x[0-9a-f]*//g' | grep -v '^m[un]*map' |
		sed '/^read,/s/;offset=[0-9]*//; s/,[0-9]*$//' | sort >"$form.calls" # two threads share a position
done
cmp ns.calls us.calls || { diff ns.calls us.calls >&2; fail "the two straces differ"; }
csv ns.trace >ns.csv
expect_line ns.csv 'read,"path=tmp/formats/run/d ""q\x%0A%E4/f;fd=4;offset=300;length=10",10' # behind readv, by dup
expect_line ns.csv ';fd=3;offset=305;length=1",1'  # after lseek on the copy
expect_line ns.csv 'path=tmp/formats/run/a;fd=4;offset=10;length=20' # O_APPEND
expect_line ns.csv 'path=tmp/formats/run/d ""q\x%0A%E4/f;fd=3;offset=1306;length=7",7' # in the child

# a program traced now, if strace is available and permitted
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	printf 'hello world\n' >in
	strace -f -ttt -T -y -o live.strace dd if=in of=copy bs=4 status=none
	expect_status 0 "$VALIDATE" import live.strace -o live.trace
	csv live.trace >live.csv
	expect_line live.csv "/copy;fd=1;offset=8;length=4"

	# with all options: the same calls, of several processes whose lines interrupt each other
	script='for i in 1 2 3 4; do dd if=in of=copy.$i bs=1 status=none & done; wait'
	for options in '-ttt' '-tt -T' '-ttt -T -yy -s 100 -x' '-ttt -T -y -v -xx' \
		'--absolute-timestamps=format:unix,precision:ns --syscall-times=ns -yy' '-ttt -T --decode-fds=all -Y'; do
		# shellcheck disable=SC2086
		strace -f $options -o live.strace sh -c "$script" 2>/dev/null || continue # an older strace
		expect_status 0 "$VALIDATE" import live.strace -o live.trace
		csv live.trace >live.csv
		[ "$(grep -c ',write,.*fd=1;.*length=1"' live.csv)" -eq 48 ] || fail "strace $options: not all the writes"
		grep -q ',write,.*fd=1;offset=11;length=1"' live.csv || fail "strace $options: positions"
	done
	rm -f live.strace*
	strace -ff -ttt -T -y -o live.strace sh -c "$script"
	expect_status 0 "$VALIDATE" import live.strace.* -o live.trace
	csv live.trace >live.csv
	[ "$(grep -c ',write,.*length=1"' live.csv)" -eq 48 ] || fail "strace -ff: not all the writes"
	[ "$(awk -F, '/,write,/ { print $2 }' live.csv | sort -u | wc -l)" -eq 4 ] || fail "strace -ff: not 4 threads"
fi

# blktrace: the files of the CPUs, merged, and as text, give the same trace
expect_status 0 "$VALIDATE" import "$data/sda.blktrace.0" "$data/sda.blktrace.1" -o cpus.trace
expect_line out '200 requests'
expect_status 0 "$VALIDATE" import "$data/sda.merged" -o merged.trace
expect_status 0 "$VALIDATE" import "$data/sda.blkparse" -o text.trace
csv cpus.trace >cpus.csv
csv merged.trace >merged.csv
cmp cpus.csv merged.csv || fail "the processors' files and the merged one differ"
csv text.trace | awk -F, -v OFS=, 'NR > 1 { $3 = ""; $4 = ""; $12 = "" } 1' >text.part
awk -F, -v OFS=, 'NR > 1 { $3 = ""; $4 = ""; $12 = "" } 1' cpus.csv >cpus.part
# the device 8,0 has a comma
cmp text.part cpus.part || { diff text.part cpus.part | head >&2; fail "blkparse's text and the binary differ"; }
# the same for output of the kernel's blk tracer while fio ran on a loop device, and of blkparse for
# it
expect_status 0 "$VALIDATE" import "$data/loop.blktrace.0" "$data/loop.blktrace.1" -o loop.trace
expect_status 0 "$VALIDATE" import "$data/loop.blkparse" -o looptext.trace
[ "$(csv loop.trace | wc -l)" -gt 30 ] || fail "few requests of the loop device"
for t in loop looptext; do # the text begins at 0
	csv $t.trace | awk -F, -v OFS=, 'NR > 1 { if (!z) z = $3; $3 -= z; if ($4 != "") $4 -= z; if ($13 != "") $13 -= z } 1' >$t.part
done
cmp loop.part looptext.part || { diff loop.part looptext.part | head >&2; fail "the loop device's text and binary differ"; }
expect_status 0 "$VALIDATE" info "$data/sda.blktrace.0"
expect_line out "this is the file of one CPU"
expect_status 0 "$VALIDATE" import --queue "$data/sda.merged" -o queue.trace
csv queue.trace | awk -F, 'NR > 1 && ($12 == "" || $12 <= $3) { exit 1 }' || fail "with --queue the issue does not follow the begin"

# completions in parts: the request ends with the last part; an error of any part is the request's
# error
cat >parts.blkparse <<'B'
  8,0    0        1     0.000001000   100  D   R 1000 + 64 [x]
  8,0    0        2     0.000005000     0  C   R 1000 + 16 [0]
  8,0    0        3     0.000006000     0  C   R 1016 + 16 [0]
  8,0    0        4     0.000007000   100  D   W 2000 + 8 [x]
  8,0    0        5     0.000008000     0  C   R 1032 + 32 [0]
  8,0    0        6     0.000009000     0  C   W 2000 + 8 [0]
  8,0    0        7     0.000010000   100  D   W 3000 + 16 [x]
  8,0    0        8     0.000011000     0  C   W 3000 + 8 [-5]
  8,0    0        9     0.000012000     0  R   W 3008 + 8 [0]
  8,0    0       10     0.000013000   100  D   W 3008 + 8 [x]
  8,0    0       11     0.000014000     0  C   W 3008 + 8 [0]
  8,0    0       12     0.000015000   100  D   W 4000 + 16 [x]
  8,0    0       13     0.000016000     0  C   W 4000 + 8 [0]
B
expect_status 0 "$VALIDATE" import parts.blkparse -o parts.trace
csv parts.trace | tail -n +2 | cut -d, -f3- >have
cat >want <<'W'
1000,8000,pread,"device=8,0;offset=512000;length=32768",32768,,0,,1000
7000,9000,pwrite,"device=8,0;offset=1024000;length=4096",4096,,1,,7000
10000,14000,pwrite,"device=8,0;offset=1536000;length=8192",-1,EIO,2,,10000
15000,,pwrite,"device=8,0;offset=2048000;length=8192",-1,ECANCELED,3,,
W
cmp want have || { diff want have >&2; fail "completions of parts"; }

# iolog
printf 'fio version 3 iolog\n0 f1 add\n0 f1 open\n149 f1 read 0 4096\n150 f1 sync 0 0\n' >v3.log
expect_status 0 "$VALIDATE" import v3.log -o v3.trace
[ "$(nth v3.trace 2 3-)" = '149000,,pread,path=f1;fd=3;offset=0;length=4096,4096,,1,,' ] || fail "iolog: $(nth v3.trace 2 3-)"
# as fio writes it, with the actions that fio does not read itself
if command -v fio >/dev/null; then
	fio --name=x --filename=made --rw=write --size=64k --bs=4k --ioengine=psync --sync_file_range=wait_before,write:4 --fdatasync=5 \
		--write_iolog=made.log >/dev/null
	for action in write datasync sync_file_range; do
		grep -q " $action " made.log || fail "fio wrote no $action: $(cat made.log)"
	done
	expect_status 0 "$VALIDATE" import made.log -o made.trace
	csv made.trace >made.csv
	[ "$(grep -c ',pwrite,' made.csv)" -eq 16 ] && [ "$(grep -c ',fdatasync,' made.csv)" -eq "$(grep -c ' datasync ' made.log)" ] &&
		[ "$(grep -c ',sync_file_range,' made.csv)" -eq "$(grep -c ' sync_file_range ' made.log)" ] || fail "fio's own: $(cat made.csv)"
fi
printf 'fio version 2 iolog\nf1 add\nf1 open\nf1 write 0 4096\nf1 wait 20\nf1 write 4096 4096\n' >v2.log
expect_status 3 "$VALIDATE" import v2.log -o v2.trace
expect_line err 'v2.log: line 5, column 4: some programs write the waits'
expect_status 0 "$VALIDATE" import --wait-unit us v2.log -o v2.trace
[ "$(nth v2.trace 3 3)" = 20000 ] || fail "wait"

# Darshan DXT comes file by file and is sorted
printf '# darshan log version: 3.4\n# start_time: 1510000000\n# DXT, file_id: 1, file_name: /s/a\n X_POSIX 1 write 0 0 4096 0.0020 0.0030\n# DXT, file_id: 2, file_name: /s/b\n X_POSIX 0 read 0 10 20 0.0010 0.0015 [ 3]\n X_MPIIO 0 read 0 10 20 0.0010 0.0015\n' >f.dxt
expect_status 0 "$VALIDATE" import f.dxt -o dxt.trace
expect_line out 'sorted by start time'
[ "$(nth dxt.trace 1 2-6)" = '0,1000000,1500000,pread,path=s/b;offset=10;length=20' ] || fail "dxt: $(nth dxt.trace 1 2-6)"

# oracleGeneral is refused without an operation for its requests
printf '\001\0\0\0\005\0\0\0\0\0\0\0\0\020\0\0\377\377\377\377\377\377\377\377' >t.oracleGeneral
expect_status 3 "$VALIDATE" import t.oracleGeneral -o o.trace
expect_line err 'add --as read or --as write'
expect_status 0 "$VALIDATE" import --as read t.oracleGeneral -o o.trace
[ "$(nth o.trace 1 5-6)" = 'pread,path=5;offset=0;length=4096' ] || fail "oracleGeneral"

# bad lines: their place, and how many are tolerated
printf '0,1,512,R,0.1\n0,1,512,X,0.2\n0,1,99999999999999999999,R,0.3\n0,-1,512,R,0.4\n0,1,512,R,0.5\n' >bad.spc
expect_status 3 "$VALIDATE" import --from spc bad.spc -o bad.trace
expect_line err 'bad.spc: line 2, column 9: "X" is not an operation'
[ ! -e bad.trace ] || fail "a failed import left its file"
expect_status 3 "$VALIDATE" import --from spc --lenient 2 bad.spc -o bad.trace
expect_line err 'bad.spc: line 4, column 3'
expect_status 0 "$VALIDATE" import --from spc --lenient 3 bad.spc -o bad.trace
expect_line out 'left out: 3; the first: line 2, column 9'
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,x,2,close,fd=3,0\n1,1,1,2,close,fd=3,0\n' >bad.csv
expect_status 0 "$VALIDATE" import --lenient 1 bad.csv -o bad.trace
expect_line out 'bad.trace: 1 request'
# a line that cannot be split into fields, and a line that is cut by the end of the file
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,1,2,close,fd=3,0\n1,1,3,4,close,"fd="3,0\n1,1,5,6,close,fd=3,0\n1,1,7,8,close,"fd' >quotes.csv
expect_status 3 "$VALIDATE" import quotes.csv -o quotes.trace
expect_line err 'quotes.csv: line 3, column 6'
expect_status 3 "$VALIDATE" import --lenient 1 quotes.csv -o quotes.trace
expect_line err 'quotes.csv: line 5, column 6 (args): the file ends inside a quoted field'
expect_status 0 "$VALIDATE" import --lenient 2 quotes.csv -o quotes.trace
expect_line out 'quotes.trace: 2 requests'
expect_line out 'left out: 2; the first: quotes.csv: line 3, column 6'
# a file keeps its format in spite of a bad line near its beginning; the line is reported
for i in 11 12 13 14 15 16 17 18 19 20; do
	echo "12816637200306${i}29,hm,0,$([ $i = 13 ] && echo Rxad || echo Read),383496192,32768,413"
done >mostly
expect_status 3 "$VALIDATE" import mostly -o mostly.trace
expect_line err 'mostly: line 3, column 2'
expect_status 0 "$VALIDATE" import --lenient 1 mostly -o mostly.trace
expect_line out 'mostly.trace: 9 requests'

# unfinished and resumed lines that do not match; descriptors that were never opened
cat >odd.strace <<'S'
10 1.000001 read(7, "", 10) = 10 <0.000001>
10 1.000002 <... write resumed>) = 3 <0.000001>
11 1.000003 pread64(9, "", 4096, 0 <unfinished ...>
11 1.000004 +++ killed by SIGKILL +++
12 1.000005 pread64(9, <unfinished ...>
S
expect_status 0 "$VALIDATE" import odd.strace -o odd.trace
expect_line out 'begin and never end: 2'
expect_line out 'whose beginning is not in the trace: 1'
expect_line out 'calls on descriptors that the trace neither opens nor names: 1'

# a line of many megabytes, with little memory; garbage; an empty file; a FIFO; a wrong format
{ printf '0,1,512,R,'; head -c 300000000 /dev/zero | tr '\0' 7; } >long.spc
(memory_limit 400000; expect_status 3 "$VALIDATE" import --from spc long.spc -o long.trace) || exit 1
expect_line err 'longer than 1048576 bytes'
rm long.spc
head -c 100000 /dev/urandom >noise
expect_status 3 "$VALIDATE" import noise -o noise.trace
for format in trace csv msr snia alibaba tencent spc systor fiu blktrace blkparse strace tracepoints perf-trace iolog dxt; do
	expect_status 3 "$VALIDATE" import --from $format noise -o noise.trace
	[ "$(wc -l <err)" -eq 1 ] || fail "$format: noise took more than one line"
done
: >empty
expect_status 3 "$VALIDATE" import empty -o x.trace
expect_status 3 "$VALIDATE" import --from mspr empty -o x.trace
expect_line err 'did you mean "msr"?'
expect_status 2 "$VALIDATE" import msr.csv
expect_status 2 "$VALIDATE" import -o x.trace
expect_status 3 "$VALIDATE" import msr.csv -o /dev/null
expect_line err '/dev/null: a trace is written to a regular file only'
[ -c /dev/null ] || fail "/dev/null is a device no more"
expect_status 3 "$VALIDATE" import --from perfetto msr.csv -o x.trace
if [ -w /dev/full ]; then
	expect_status 3 "$VALIDATE" export -q --to spc msr.trace -o /dev/full
	expect_line err 'No space left'
fi

# an iolog of devices is a block-level trace; an iolog of files, or of both, is not
printf 'fio version 3 iolog\n1 /dev/sdq add\n1 /dev/sdq open\n2 /dev/sdq read 0 4096\n3 /dev/sdq sync 0 0\n4 /dev/sdq close\n' >dev.iolog
expect_status 0 "$VALIDATE" info --json dev.iolog
grep -q '"level": "block"' out || fail "an iolog of a device: $(head -c 300 out)"
"$VALIDATE" export -q --to csv dev.iolog -o dev.csv
[ "$(tail -n +2 dev.csv | cut -d, -f5,6)" = 'pread,"device=/dev/sdq;offset=0;length=4096"
fsync,"device=/dev/sdq"' ] || fail "$(cat dev.csv)"
sed 's|/dev/sdq|/dev/shm/f|' dev.iolog >shm.iolog
"$VALIDATE" export -q --to csv shm.iolog -o shm.csv
expect_line shm.csv 'open,"path=/dev/shm/f'
{ cat dev.iolog; echo '5 f add'; echo '5 f open'; echo '6 f read 0 4096'; } >both.iolog
"$VALIDATE" export -q --to csv both.iolog -o both.csv
expect_line both.csv 'path=/dev/sdq'

# without -o the output is named after the input, and an existing file is not overwritten
mkdir named
printf 'pid,tid,begin,end,function,args,rvalue\n' >named/a.csv
"$VALIDATE" microbench sr --requests 5 --file-size 64K --prepare --dir named -o named/w.trace >/dev/null
expect_status 0 "$VALIDATE" export --to csv named/w.trace
[ -s named/w.csv ] || fail 'export without -o'
mv named/w.csv named/v.csv
expect_status 0 "$VALIDATE" import named/v.csv
[ -s named/v.trace ] || fail 'import without -o'
cp named/v.trace first
expect_status 2 "$VALIDATE" import named/v.csv
expect_line err 'named/v.trace exists: name the output with -o'
cmp -s first named/v.trace || fail 'import overwrote a file that was not named'
expect_status 0 "$VALIDATE" slice -n 2 named/v.trace
[ -s named/v.slice.trace ] || fail 'slice without -o'
expect_status 0 "$VALIDATE" export --to fio named/v.trace -o v.iolog
head -1 v.iolog | grep -q '^fio version 3 iolog' || fail 'export --to fio'
