# SPDX-License-Identifier: GPL-3.0-or-later
# validate import of other output forms of tools, and of common variants of files: the requests are
# the same as in the plain form, or a message states what to do.
. "$SRCDIR/tests/e2e/lib.sh"
data=$SRCDIR/tests/data/formats

# calls TRACE: the calls, without times
calls() {
	"$VALIDATE" info --csv - "$1" | awk -F , -v OFS=, 'NR > 1 { $3 = $4 = ""; sub(/,[0-9]*,,$/, ""); print }'
}
# same FILE: imports as `want` says
same() {
	expect_status 0 "$VALIDATE" import "$1" -o got.trace
	calls got.trace >got
	diff want got >&2 || fail "$1 gives other requests"
}
told() { # FILE TEXT
	expect_status 3 "$VALIDATE" import "$1" -o none.trace
	expect_line err "$2"
}

# --- strace ------------------------------------------------------------------------------------------------------------
cat >plain.strace <<'E'
20 1795361299.000000 openat(AT_FDCWD, "/a", O_RDWR|O_CREAT, 0644) = 3 <0.000010>
20 1795361299.000100 write(3, "0123456789", 10) = 10 <0.000010>
20 1795361299.000200 vfork( <unfinished ...>
21 1795361299.000250 read(3, "", 10) = 0 <0.000010>
21 1795361299.000300 close(3) = 0 <0.000010>
21 1795361299.000350 exit_group(0) = ?
20 1795361299.000400 <... vfork resumed>) = 21 <0.000200>
21 1795361299.000450 +++ exited with 0 +++
20 1795361299.000500 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=21} ---
20 1795361299.000600 pread64(3, "01234", 5, 2) = 5 <0.000010>
20 1795361299.000700 close(3) = 0 <0.000010>
20 1795361299.000800 +++ exited with 0 +++
E
expect_status 0 "$VALIDATE" import plain.strace -o plain.trace
calls plain.trace >want
[ "$(wc -l <want)" -eq 6 ] || fail "$(cat want)"
stamps() {
	"$VALIDATE" info --csv - "$1" | cut -d , -f 3,4
}
stamps plain.trace >want.times

sed 's/^\([0-9]* [0-9.]*\) /\1 [00007f420e150ad7] /' plain.strace >address.strace
same address.strace
sed 's/^\([0-9]* [0-9.]*\) /\1 [  59] [????????????????] /' plain.strace >number.strace
same number.strace
sed 's/^\([0-9]* [0-9.]*\) /\1 (+     0.000285) /' plain.strace >both.strace
same both.strace
sed '/unfinished/!s/$/\n > \/lib\/libc.so.6(read+0x17) [0x10f0]\n > unexpected_backtracing_error [0x7ffd]/' plain.strace >stacks.strace
same stacks.strace
sed '2s/$/\n | 00000  30 31 32 33 34 35 36 37  38 39                    0123456789       |/; 4s/$/\n * 10 bytes in buffer 0\n | 00000  30 |/' \
	plain.strace >dumps.strace
same dumps.strace
{
	cat plain.strace
	printf '%% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n'
	printf ' 69.33    0.009662         743        13         6 wait4\n100.00    0.013936                1111       208 total\n'
} >summary.strace
same summary.strace

# -r: times from line to line
awk '{
	now = (substr($2, 1, 10) - 1795361299) * 1000000 + substr($2, 12)
	printf "%-5d %6d.%06d %s\n", $1, 0, now - last, substr($0, length($1 $2) + 3)
	last = now
}' plain.strace >relative.strace
same relative.strace
stamps got.trace | cmp - want.times || fail "times of -r: $(stamps got.trace)"
grep -v '^21\|resumed\|unfinished' relative.strace | cut -c 7- >alone.strace
expect_status 0 "$VALIDATE" import alone.strace -o got.trace
[ "$(stamps got.trace | tail -n +2 | tr '\n' ' ')" = '0,10000 100000,110000 250000,260000 350000,360000 ' ] ||
	fail "times of -r, one thread: $(stamps got.trace)"

# on the terminal: threads are named if there are two, and notices interrupt calls
cat >terminal.strace <<'E'
1795361299.000000 openat(AT_FDCWD, "/a", O_RDWR|O_CREAT, 0644) = 3 <0.000010>
1795361299.000100 write(3, "0123456789", 10) = 10 <0.000010>
1795361299.000200 vfork(strace: Process 21 attached
 <unfinished ...>
[pid    21] 1795361299.000250 read(3, "", 10) = 0 <0.000010>
[pid    21] 1795361299.000300 close(3) = 0 <0.000010>
[pid    21] 1795361299.000350 exit_group(0) = ?
[pid    20] 1795361299.000400 <... vfork resumed>) = 21 <0.000200>
[pid    21] 1795361299.000450 +++ exited with 0 +++
1795361299.000500 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=21} ---
1795361299.000600 pread64(3, "01234", 5, 2) = 5 <0.000010>
1795361299.000700 close(3) = 0 <0.000010>
1795361299.000800 +++ exited with 0 +++
E
same terminal.strace
# the parent ends first: its children have no name either
head -n 8 terminal.strace >orphan.strace
cat >>orphan.strace <<'E'
[pid    20] 1795361299.000450 +++ exited with 0 +++
1795361299.000600 openat(AT_FDCWD, "/b", O_RDONLY) = 3 <0.000010>
E
expect_status 0 "$VALIDATE" import orphan.strace -o got.trace
calls got.trace | grep -q '^21,21,.*path=b' || fail "remaining threads: $(calls got.trace)"
# strace was stopped during calls: the file has "read(0, <detached ...>", also for calls that were
# interrupted before
{
	head -n 9 plain.strace
	echo '20 1795361299.000550 pread64(3, <unfinished ...>'
	echo '22 1795361299.000560 read(4,  <detached ...>'
	echo '20 1795361299.000570 <... pread64 resumed> <detached ...>'
} >detached.strace
expect_status 0 "$VALIDATE" import detached.strace -o got.trace
expect_line out 'begin and never end: 2'
"$VALIDATE" info --csv - got.trace >got
[ "$(grep -c ',,p*read,.*,-1,ECANCELED,' got)" -eq 2 ] || fail "calls that were detached from: $(cat got)"
# a number may be assigned again before the close() that released it is seen to return: with the
# annotations of strace, and without
cat >anew.strace <<'E'
20 1795361299.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 5 <0.000010>
20 1795361299.000100 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 21 <0.000010>
20 1795361299.000200 close(5 <unfinished ...>
21 1795361299.000210 openat(AT_FDCWD, "/b", O_RDONLY) = 5 <0.000010>
20 1795361299.000300 <... close resumed>) = 0 <0.000100>
21 1795361299.000400 read(5, "0123", 4) = 4 <0.000010>
21 1795361299.000500 read(5, "4567", 4) = 4 <0.000010>
E
sed 's,"\(/[ab]\)".*= 5,&<\1>,; s,close(5,&</a>,; s,read(5,&</b>,' anew.strace >anew-shown.strace
grep -q 'close(5</a> <' anew-shown.strace && grep -q '= 5</b> <' anew-shown.strace || fail "$(cat anew-shown.strace)"
for file in anew anew-shown; do
	expect_status 0 "$VALIDATE" import $file.strace -o got.trace
	calls got.trace >got
	for wanted in '^20,20,.*close,"path=a;fd=5"' '^20,21,.*read,"path=b;fd=5;offset=0;' '^20,21,.*read,"path=b;fd=5;offset=4;'; do
		grep -q "$wanted" got || fail "$file, $wanted: $(cat got)"
	done
done
# calls on memory are calls on the file that is mapped there; anonymous memory may replace it
cat >maps.strace <<'E'
20 1795361299.000000 openat(AT_FDCWD, "/a", O_RDWR) = 3 <0.000010>
20 1795361299.000100 mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 0x7f0000001000 <0.000010>
20 1795361299.000150 mmap(0x7f0000002000, 4096, PROT_READ, MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS, -1, 0) = 0x7f0000002000 <0.000010>
20 1795361299.000200 msync(0x7f0000001000, 4096, MS_SYNC) = 0 <0.000010>
20 1795361299.000250 madvise(0x7f0000002000, 4096, MADV_DONTNEED) = 0 <0.000010>
20 1795361299.000300 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 21 <0.000010>
20 1795361299.000350 mremap(0x7f0000001000, 4096, 16384, MREMAP_MAYMOVE) = 0x7f0000010000 <0.000010>
20 1795361299.000400 msync(0x7f0000001000, 4096, MS_SYNC) = -1 ENOMEM (Cannot allocate memory) <0.000010>
21 1795361299.000450 msync(0x7f0000001000, 4096, MS_ASYNC) = 0 <0.000010>
20 1795361299.000500 munmap(0x7f0000012000, 4096 <unfinished ...>
21 1795361299.000550 munmap(0x7f0000002000, 4096) = 0 <0.000010>
20 1795361299.000600 <... munmap resumed>) = 0 <0.000100>
20 1795361299.000650 madvise(0x7f0000013000, 4096, MADV_WILLNEED) = 0 <0.000010>
20 1795361299.000700 madvise(0x7f0000012000, 4096, MADV_WILLNEED) = 0 <0.000010>
21 1795361299.000750 execve("/b", ["b"], 0x7ffc /* 1 var */) = 0 <0.000010>
21 1795361299.000800 munmap(0x7f0000001000, 4096) = 0 <0.000010>
E
cat >want <<'E'
20,open,path=a
20,mmap,path=a
20,msync,path=a,0x7f0000001000,0x4
20,mremap,path=a,0x7f0000001000,0x1
21,msync,path=a,0x7f0000001000,0x1
20,munmap,path=a,0x7f0000012000,
20,madvise,path=a,0x7f0000013000,0x3
E
mapped() { # TRACE: calls and their files, and for calls on memory the range and the flags
	calls "$1" | sed 's/"//g' | awk -F , '{
		n = split($6, arg, ";"); at = how = ""
		for (i = 2; i <= n; i++) { if (arg[i] ~ /^offset=/) at = substr(arg[i], 8); if (arg[i] ~ /^flags=/) how = substr(arg[i], 7) }
		print $2, $5, arg[1], $5 ~ /^m(remap|sync|unmap)|madvise/ ? at : "-", how
	}' | while read -r tid call file at how; do
		[ "$at" = - ] && echo "$tid,$call,$file" || printf '%s,%s,%s,0x%x,%s\n' "$tid" "$call" "$file" "$at" "$how"
	done
}
expect_status 0 "$VALIDATE" import maps.strace -o got.trace
expect_line out 'events and calls that are not requests, skipped: 8'
mapped got.trace | diff want - >&2 || fail "calls on memory: $(calls got.trace)"
expect_status 0 "$VALIDATE" export -q --to strace got.trace -o again.strace
expect_status 0 "$VALIDATE" import again.strace -o again.trace
grep -v ^21 want >first
mapped again.trace | grep -v ^21 | diff first - >&2 || fail "calls on memory, written and read again: $(cat again.strace)"

# a call on memory that never ends is a request if a file is mapped there
cat >never.strace <<'E'
20 1795361299.000000 openat(AT_FDCWD, "/a", O_RDWR) = 3 <0.000010>
20 1795361299.000100 mmap(NULL, 8192, PROT_READ, MAP_SHARED, 3, 0) = 0x7f0000001000 <0.000010>
21 1795361299.000200 munmap(0x7f00000a0000, 4096 <unfinished ...>
22 1795361299.000210 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0 <unfinished ...>
23 1795361299.000220 madvise(NULL, 4096, MADV_DONTNEED <unfinished ...>
20 1795361299.000230 msync(0x7f0000001000, 8192, MS_SYNC <unfinished ...>
21 1795361299.000300 +++ killed by SIGKILL +++
22 1795361299.000300 +++ killed by SIGKILL +++
23 1795361299.000300 +++ killed by SIGKILL +++
20 1795361299.000300 +++ killed by SIGKILL +++
E
expect_status 0 "$VALIDATE" import never.strace -o got.trace
expect_line out 'events and calls that are not requests, skipped: 3'
[ "$("$VALIDATE" info got.trace --csv - | cut -d , -f 5- | sed '1d; s/,"path=a;[^"]*",/ /; s/,[0-9]*,,$//' | tr '\n' ';')" = 'open 3,;mmap 139637976731648,;msync -1,ECANCELED;' ] ||
	fail "calls on memory that never end: $("$VALIDATE" info got.trace --csv -)"

# requests of libaio end when their results are fetched: identified by the program's number, by
# their bytes, by their age. Some are never fetched, some were submitted before, some are not shown
cat >aio.strace <<'E'
20 1795361299.000000 openat(AT_FDCWD, "/a", O_RDWR|O_DIRECT) = 3 <0.000010>
20 1795361299.000100 io_submit(0x7f2d00000000, 2, [{aio_data=0x5, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, aio_buf=0x7f2c, aio_nbytes=4096, aio_offset=0}, {aio_data=0x6, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, aio_buf=0x7f2c, aio_nbytes=4096, aio_offset=4096}]) = 2 <0.000010>
20 1795361299.000200 io_getevents(0x7f2d00000000, 1, 16, [{data=0x5, obj=0x55d1, res=4096, res2=0}, {data=0x6, obj=0x55d2, res=4096, res2=0}], NULL) = 2 <0.000010>
20 1795361299.000250 io_submit(0x7f2d00000000, 3, [{aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3, aio_buf="}, {\"aio_nbytes=7, "..., aio_nbytes=100, aio_offset=8192}, {aio_lio_opcode=IOCB_CMD_PWRITEV, aio_fildes=3</a>, aio_buf=[{iov_base="[{", iov_len=30}, {iov_base="x"..., iov_len=40}], aio_offset=-1}, {aio_lio_opcode=IOCB_CMD_FDSYNC, aio_fildes=3}]) = 2 <0.000010>
20 1795361299.000260 io_submit(0x7f2d00000001, 3, [{aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=3}, ...]) = 3 <0.000010>
20 1795361299.000270 io_getevents(0x7f2d00000000, 1, 16, [{data=0, obj=0x55d1, res=70, res2=0}], NULL) = 1 <0.000010>
20 1795361299.000280 io_getevents(0x7f2d00000000, 1, 16, [{data=0, obj=0x55d1, res=-28, res2=0}, {data=0x9, obj=0x55d3, res=1, res2=0}], NULL) = 2 <0.000010>
E
expect_status 0 "$VALIDATE" import aio.strace -o got.trace
expect_line out 'asynchronous requests missing from the trace: 2; without -v, strace prints only the first request of each call'
expect_line out 'requests that begin and never end: 1'
expect_line out 'ends of requests whose beginning is not in the trace: 1'
"$VALIDATE" info got.trace --csv got.csv >out
cat >want <<'E'
100000,210000,aio_read,"path=a;fd=3;offset=0;length=4096",4096,
100000,210000,aio_read,"path=a;fd=3;offset=4096;length=4096",4096,
250000,290000,aio_write,"path=a;fd=3;offset=8192;length=100",-1,ENOSPC
250000,280000,aio_writev,"path=a;fd=3;offset=none;length=70",70,
260000,,aio_fsync,"path=a;fd=3",-1,ECANCELED
E
grep ",aio_" got.csv | sed "s/,[0-9]*,,$//" | cut -d , -f 3- | diff want - >&2 || fail "requests of libaio: $(cat got.csv)"
grep -q ',io_submit,"fd=-1;length=2",2,,' got.csv && grep -q ',io_getevents,"fd=-1;length=16",2,,' got.csv || fail "$(cat got.csv)"
# requests of fio, all with the same number, as strace 6.1 printed them
expect_status 0 "$VALIDATE" import "$data/strace-aio.strace" -o got.trace
! grep -E 'are shown|never end|whose beginning' out >&2 || fail 'requests of fio are missing'
"$VALIDATE" info got.trace --csv got.csv >out
for kind in READ WRITE; do
	n=$(grep -c "IOCB_CMD_P$kind" "$data/strace-aio.strace") name=$(echo "aio_$kind" | tr 'A-Z' 'a-z')
	[ "$(grep -c ",$name,\"path=data/file;fd=7;offset=[0-9]*;length=4096\",4096,," got.csv)" -eq "$n" ] || fail "$n of $kind: $(cat got.csv)"
done
# requests of io_uring are not in the arguments of calls
cat >uring.strace <<'E'
20 1795361299.000300 io_uring_setup(8, {flags=0, sq_thread_cpu=0, sq_thread_idle=0, sq_entries=8, cq_entries=16}) = 4 <0.000010>
20 1795361299.000400 io_uring_enter(4, 3, 1, IORING_ENTER_GETEVENTS, NULL, 8) = 3 <0.000010>
E
expect_status 0 "$VALIDATE" import uring.strace -o got.trace
expect_line out 'calls that submit asynchronous requests: 1; the requests are not in the trace'
calls got.trace >got
grep -q 'io_uring_setup:.*;length=3",3,$' got || fail "$(cat got)"
# an exec closes rings, and descriptors that pipe2 and similar calls have marked: afterwards the
# number refers to another file
cat >marked.strace <<'E'
20 1795361299.000000 pipe2([3, 4], O_CLOEXEC) = 0 <0.000010>
20 1795361299.000100 pipe2([5, 6], 0) = 0 <0.000010>
20 1795361299.000200 write(4, "x", 1) = 1 <0.000010>
20 1795361299.000250 io_uring_setup(8, {flags=0, sq_thread_cpu=0, sq_thread_idle=0, sq_entries=8, cq_entries=16}) = 7 <0.000010>
20 1795361299.000300 execve("/b", ["b"], 0x7ffc /* 1 var */) = 0 <0.000010>
20 1795361299.000400 write(4, "x", 1) = 1 <0.000010>
20 1795361299.000500 write(6, "x", 1) = 1 <0.000010>
20 1795361299.000600 read(7, "x", 1) = 1 <0.000010>
E
expect_status 0 "$VALIDATE" import marked.strace -o got.trace
[ "$(calls got.trace | cut -d , -f 6 | tr -d '"' | sed 's/;length.*//; s/\[[0-9]*\]/[N]/' | tr '\n' ' ')" = 'descriptor=pipe2:[N];fd=4 fd=4 descriptor=pipe2:[N];fd=6 fd=7 ' ] ||
	fail "what an exec closes: $(calls got.trace)"
# a clock beyond the range of a trace costs the trace its date, and no other data
sed 's/ 1795361299\./ 5000000000./' anew.strace >late.strace
expect_status 0 "$VALIDATE" import late.strace -o got.trace
expect_status 0 "$VALIDATE" info got.trace
grep -q '^Captured  *strace' out && grep -q '^Epoch .*monotonic clock$' out || fail "a clock of the year 2128: $(head -n 14 out)"
# without times the import fails: an error reports it
sed 's/^\([0-9]*\) [0-9.]* /\1 /' plain.strace >timeless.strace
told timeless.strace 'line 1, column 4: the time is missing (strace needs -ttt'

# as strace prints it here
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	echo 0123456789 >in
	script='cat in >out; head -c 4 in >few; rm out few'
	live() { # without the parts that differ from run to run
		calls "$1" | grep -v ',m[un]*map,' | cut -d , -f 5- | sed 's/heap=[0-9a-f]*//' | sort
	}
	strace -f -ttt -T -o live.strace sh -c "$script"
	expect_status 0 "$VALIDATE" import live.strace -o live.trace
	live live.trace >want
	for options in '-ttt -T -i' '-ttt -T -n' '-ttt -T -k' '-r -T' '-r -ttt -T' '-ttt -T -C' '-ttt -T -e read=3 -e write=1' '-ttt -T -X raw' \
		'-ttt -T -X verbose' '-ttt -T -v -s 4096' '-tt -T -a 90'; do
		strace -f $options -o live.strace sh -c "$script" 2>/dev/null || continue # an older strace
		expect_status 0 "$VALIDATE" import live.strace -o live.trace
		live live.trace | diff want - || fail "strace $options"
	done
	strace -f -ttt -T sh -c "$script" 2>live.strace
	expect_status 0 "$VALIDATE" import live.strace -o live.trace
	live live.trace | diff want - || fail 'strace on the terminal'
	n=$("$VALIDATE" info --csv - live.trace | awk -F , 'NR > 1 { print $1 }' | sort -u | wc -l)
	[ "$n" -eq 4 ] || fail "$n processes of strace on the terminal"
fi

# --- perf trace, perf script ------------------------------------------------------------------------------------------
expect_status 0 "$VALIDATE" import "$data/perf-trace.txt" -o plain.trace
calls plain.trace >want
sed 's/$/\n                                       __libc_start_main@GLIBC_2.34 (\/usr\/lib\/libc.so.6)/' "$data/perf-trace.txt" >graph.txt
same graph.txt
{
	cat "$data/perf-trace.txt"
	printf '\n Summary of events:\n\n sh (13613), 20 events, 50.0%%\n\n   openat  31  13  0.576\n'
} >summed.txt
same summed.txt
sed 's/): [^ ]*\/\([0-9]*\) /): \1 /' "$data/perf-trace.txt" >nameless.txt # --no-comm
same nameless.txt
grep 'sh/13613' "$data/perf-trace.txt" >one.txt
grep -q continued one.txt || fail 'no call is continued: the test shows less'
echo '  9999.000 ( 0.000 ms): sh/13613 minfault [main+0x3f] => /usr/bin/sh@0x4000 (d.)' >>one.txt
expect_status 0 "$VALIDATE" import one.txt -o plain.trace
calls plain.trace | sed 's/^[0-9]*,[0-9]*,/0,0,/' >want
sed 's/sh\/13613 //' one.txt >unnamed.txt
same unnamed.txt
expect_status 0 "$VALIDATE" import "$data/tracepoints-perf-script.txt" -o plain.trace
calls plain.trace >want
{
	echo 'version = 6'
	sed '/^$/d; s/$/\n\t    7f420e150ad7 __read+0x17 (\/usr\/lib\/libc.so.6)\n/' "$data/tracepoints-perf-script.txt"
} >stacks.txt
same stacks.txt

# times since the first event, and times since the previous event, which are added up; the text does
# not mark the latter
since() { # MODE [DIGITS]: output of perf script
	awk -v mode="$1" -v tail="${2-}" 'match($0, /[0-9]+[.][0-9]+:/) {
		split(substr($0, RSTART, RLENGTH - 1), part, ".")
		us = (part[1] - 16517) * 1000000 + part[2]
		if (!n++) first = last = us
		t = mode == "reltime" ? us - first : us - last
		last = us
		printf "%s%5d.%06d%s:%s\n", substr($0, 1, RSTART - 1), t / 1000000, t % 1000000, tail, substr($0, RSTART + RLENGTH)
	}' "$data/tracepoints-perf-script.txt"
}
stamps plain.trace >want.times
for mode in reltime deltatime; do
	since $mode >$mode.txt
	same $mode.txt
	stamps got.trace | cmp - want.times || fail "times of perf script --$mode"
	[ "$(grep -c 'times are sums of rounded differences' out)" -eq $([ $mode = deltatime ] && echo 1 || echo 0) ] || fail "$mode: $(cat out)"
done
since deltatime 000 >exact.txt # --ns
same exact.txt
! grep -q differences out || fail "perf script --deltatime --ns: $(cat out)"
stamps got.trace | cmp - want.times || fail 'times of perf script --deltatime --ns'
tail -n +40 deltatime.txt >part.txt # the middle part: the first time is not 0
expect_status 0 "$VALIDATE" import part.txt -o got.trace
expect_line out 'times are sums of rounded differences'
grep 'raw_syscalls' deltatime.txt | head -n 5 | awk '{ sub(/ [0-9]+[.][0-9]+:/, sprintf(" %d.%06d:", 0, NR == 1 ? 0 : 20 - 2 * NR)) } 1' >few.txt # none by half
expect_status 0 "$VALIDATE" import few.txt -o got.trace
expect_line out 'times are sums of rounded differences'
sed 's/ 0[.]0000/ 16517.0000/' few.txt >back.txt # times of a clock that goes back slightly
expect_status 0 "$VALIDATE" import back.txt -o got.trace
! grep -q differences out || fail "few times of a clock: $(cat out)"
grep 'raw_syscalls' deltatime.txt | head -n 2 >two.txt # too few times to decide: used as they are
expect_status 0 "$VALIDATE" import two.txt -o got.trace

# --- blkparse ---------------------------------------------------------------------------------------------------------
expect_status 0 "$VALIDATE" import "$data/loop.blkparse" -o plain.trace
calls plain.trace >want
input='Input file loop.blktrace.0 added\nInput file loop.blktrace.1 added\n'
{ printf "$input" && cat "$data/loop.blkparse"; } >before.blkparse
same before.blkparse
grep '^ *7,0 ' "$data/loop.blkparse" >events
{ cat events && printf "$input"; } >behind.blkparse
same behind.blkparse
for name in 'fio (1234)' 'php-cgi worker (77, ...)'; do
	{ cat events && printf '%s\n Reads Queued:           0,        0KiB\n' "$name"; } >stats.blkparse
	same stats.blkparse
done
{ head -n 3 events && echo 'garbage (12x)' && tail -n +4 events; } >garbage.blkparse
told garbage.blkparse 'line 4, column 1: a device such as 8,0 is missing'
cat >tracked.blkparse <<'E'
  8,0    0        1     0.000000400  4162  D  WS 1234 + 8 (     200) [dd]
  8,0    0        2     0.000100600     0  C  WS 1234 + 8 (  100000) [-5]
E
expect_status 0 "$VALIDATE" import tracked.blkparse -o got.trace
calls got.trace | grep -q ',-1,EIO' || fail "the error of blkparse -t: $(calls got.trace)"

# --- delimited text ---------------------------------------------------------------------------------------------------
cat >plain.msr <<'E'
128166372003061629,hm,0,Read,383496192,32768,413
128166372003161629,hm,1,Write,383496192,32768,413
E
expect_status 0 "$VALIDATE" import plain.msr -o plain.trace
calls plain.trace >want
{ echo '"Timestamp","Hostname","DiskNumber","Type","Offset","Size","ResponseTime"' && cat plain.msr; } >quoted.csv
same quoted.csv
{ echo '# from a server' && cat plain.msr; } >comment.csv
same comment.csv
printf '419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n' >plain.alibaba
expect_status 0 "$VALIDATE" import plain.alibaba -o plain.trace
calls plain.trace >want
tr WR wr <plain.alibaba >lower.alibaba
same lower.alibaba
expect_status 0 "$VALIDATE" import "$data/snia.csv" -o plain.trace
calls plain.trace >want
sed '1s/.*/\L&/' "$data/snia.csv" >lower.csv
same lower.csv
# some editors put a mark before text in UTF-8
for sample in plain.msr plain.alibaba plain.strace "$data/loop.blkparse"; do
	expect_status 0 "$VALIDATE" import "$sample" -o plain.trace
	calls plain.trace >want
	{ printf '\357\273\277' && cat "$sample"; } >marked.txt
	same marked.txt
done
# a foreign .csv is not taken for the program's own format with a wrong header
sed 's/,413$/,-1/' plain.msr >odd.csv
told odd.csv 'its first bytes fit no known format'
told odd.csv '; --from FORMAT reads it as FORMAT'
echo 'pid,tid,begin,end,funktion,args,rvalue' >header.csv
told header.csv 'unknown column "funktion"'

# --- compressed files ----------------------------------------------------------------------------------
gzip -c plain.msr >msr.gz
told msr.gz 'compressed by gzip: unpack it first (zcat'
{ printf '\050\265\057\375' && head -c 44 /dev/zero; } >t.oracleGeneral.zst
told t.oracleGeneral.zst 'compressed by zstd'
printf '\377\3761\0,\0' >wide.csv
told wide.csv 'iconv -f UTF-16'
printf 'PERFILE2\0\0\0\0\0\0\0' >perf.data
told perf.data 'perf script -i'
