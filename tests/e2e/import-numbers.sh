# SPDX-License-Identifier: GPL-3.0-or-later
# validate import of lines with a field that is not a number, negative, too large or unknown: the
# message names the right column, and --lenient skips the line.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/import-lib"

for f in $text_formats; do
	good $f >$f.good
done

# FORMAT ! change in line 2 (after the head) ! text at the column in the message, or "=" and that text
while IFS='!' read -r f change text; do
	line=$((2 + $(head_lines "$f")))
	sed "$line $change" "$f.good" >bad
	cmp -s bad "$f.good" && fail "$f: $change changes nothing"
	case $text in
	=*) place=${text#=} ;;
	*) place=$(TEXT=$text awk -v n=$line 'NR == n { print index($0, ENVIRON["TEXT"]) }' bad): ;;
	esac
	refused "$f" bad "bad: line $line, column $place"
	expect_status 0 "$VALIDATE" import --from "$f" --lenient 1 bad -o pass.trace
	expect_line out "pass.trace: $((n_good - 1)) requests"
done <<'T'
msr!s/^/-/!-128
msr!s/^[0-9]*/99999999999999999999/!9999
msr!s/,212,/,-212,/!-212
msr!s/,212,/,18446744073709551616,/!18446
msr!s/,512,/,9223372036854775808,/!9223
msr!s/Read/Raed/!Raed
msr!s/,41$/,4x/!4x
msr!s/,41$/,41,777/!777
alibaba!s/,R,/,X,/!X
alibaba!s/4096/1e3/!1e3
alibaba!s/,15778.*/,-5/!-5
alibaba!s/,15778/,99999999999999915778/!9999999
tencent!s/^1538323202/999999999999999999999/!9999
tencent!s/,1291095/,18446744073709551615/!18446
tencent!s/,0,/,2,/!2,1063
spc!s/,2.5/,-2.5/!-2.5
spc!s/8192/8 192/!8 192
spc!s/2.551706/99999999999.5/!99999
systor!s/0.000806000/0..8/!0..8
systor!s/,R,/,Q,/!Q
fiu!s/^/x/!x8
fiu!s/ 4892 / 4294967296 /!4294967296
snia!s/52.5/-1/!-1
snia!s/,6,0,0,/,6,9,0,/!9,0
twitter!s/,212,/,-212,/!-212
twitter!s/,get,/,got,/!got
twitter!s/,4,get/,4294967296,get/!4294967296
twitter!s/,17,/,x,/!x,
cachelib!s/,GET,1,/,GET,0,/!0,82
cachelib!s/,GET,1,/,GET,65537,/!65537
cachelib!s/,GET,/,get,/!get
cachelib!s/^6/-6/!-6
ibmcos!s/ 0 1042/ 0 -2/!-2
ibmcos!s/ 0 1042/ 1044 1042/!1042
ibmcos!s/GET/POST/!REST
ibmcos!s/ 1052 / 18446744073709551615 /!18446
dftracer!s/"count":1022/"count":-1/!=1
dftracer!s/"fhash":"9a"/"fhash":"9b"/!=1
dftracer!s/"offset":0/"offset":"x"/!=1
dftracer!s/"ts":2002/"ts":99999999999999999999/!=1
dftracer!s/"tid":1/"tid":4294967296/!=1
dftracer!s/"ph":"X"/"ph":null/!=1
dftracer!s/}}$/}/!=1
blkparse!s/8,0/8;0/!8;0
blkparse!s/0.000000002/0.0000x/!0.0000x
blkparse!s/0.000000002/-1.000002/!-1.0
blkparse!s/0.000000002/99999999999.0/!999
blkparse!s/223492/99999999999999999999/!99999
blkparse!s/+ 8/+ x/!x
blkparse!s/ 697 / 69a /!69a
strace!s/1.000002/x/!x
strace!s/1.000002/-1.000002/!-1.0
strace!s/1.000002/99999999999.5/!9999
strace!s/8192)/8192/!=
strace!s/4096, 8/99999999999999999999, 8/!9999
strace!s/= 4096/= x/!x
strace!s/3<.a>/x/!x,
iolog!s/142/-1/!-1
iolog!s/142/99999999999999999999/!9999
iolog!s/read/raed/!raed
iolog!s/4092/x/!x
dxt!s/write/rwite/!rwite
dxt!s/0.0012/-/!=
dxt!s/0.0012/99999999999.0/!9999
csv!s/2000/-9999999999999999999/!=3 (begin)
csv!s/2000/2e3/!=3 (begin)
csv!s/pread/praed/!=5 (function)
csv!s/fd=3/fd=99999999999/!=6 (args)
csv!s/offset=2/offset=-2/!=6 (args)
csv!s/,5$//!=7
csv!s/,5$/,5,6/!=8
T

# times before 0 if the format has them, and far apart
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,-5,-1,close,fd=3,0\n1,1,2000000000000000000,2000000000000000001,close,fd=3,0\n' >far.csv
expect_status 0 "$VALIDATE" import far.csv -o far.trace
requests far.trace | grep -q '^1,1,-5,-1,' || fail "a negative time is lost"

