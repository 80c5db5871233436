# SPDX-License-Identifier: GPL-3.0-or-later
# validate import of traces that report missing events: by a line, a heading, a figure at the end,
# or skipped numbers. The trace is then incomplete, and every command states it. Complete traces
# cause no such message.
. "$SRCDIR/tests/e2e/lib.sh"
data=$SRCDIR/tests/data/formats

# lost N FILE...: import and info report N, also for the foreign file
lost() {
	n=$1
	shift
	expect_status 0 "$VALIDATE" import "$@" -o got.trace
	if [ "$n" -eq 0 ]; then
		! grep -q 'events lost' out || fail "$*: $(grep 'events lost' out)"
		expect_status 0 "$VALIDATE" info got.trace
		expect_line out 'Lost       no events'
		return
	fi
	expect_line out "events lost during the capture: $n"
	expect_status 0 "$VALIDATE" info got.trace
	sed 's/,//g' out | grep -q "^Lost       $n event" || fail "info on the import of $*: $(grep '^Lost' out)"
	[ $# -eq 1 ] || return 0
	expect_status 0 "$VALIDATE" info "$1"
	sed 's/,//g' out | grep -q "^Lost       $n event" || fail "info of $1: $(grep '^Lost' out)"
}

# ftrace and trace-cmd: events lost by full buffers, at their places; and overwritten events
lost 0 "$data/tracepoints-ftrace.txt"
sed '20s/^/CPU:1 [LOST 17 EVENTS]\n/; 30s/^/CPU:0 [LOST EVENTS]\n/' "$data/tracepoints-ftrace.txt" >told.txt
lost 18 told.txt
sed '20s/^/CPU:1 [590982 EVENTS DROPPED]\n/; 30s/^/CPU:0 [EVENTS DROPPED]\n/' "$data/tracepoints-ftrace.txt" >told.txt
lost 590983 told.txt
sed 's/131\/131/131\/1131/' "$data/tracepoints-ftrace.txt" >told.txt
lost 1000 told.txt

# a thread whose name begins like such a line causes no message
sed 's/^ *sh-13634 /CPU 0\/KVM-13634 /' "$data/tracepoints-ftrace.txt" >named.txt
grep -q '^CPU 0/KVM' named.txt || fail 'the sample has no such thread any more'
expect_status 0 "$VALIDATE" import "$data/tracepoints-ftrace.txt" -o want.trace
expect_status 0 "$VALIDATE" import named.txt -o got.trace
"$VALIDATE" info --csv want.csv want.trace
"$VALIDATE" info --csv got.csv got.trace
cmp want.csv got.csv || fail 'calls of a thread called "CPU 0/KVM" are left out'

# perf
lost 0 "$data/perf-trace.txt"
sed '10s/^/LOST 23 events!\n/; 20s/^/LOST 1 events!\n/' "$data/perf-trace.txt" >told.txt
lost 24 told.txt
lost 0 "$data/tracepoints-perf-script.txt"
sed '10s/^/              sh 13370 [000] 16517.089852: PERF_RECORD_LOST lost 33\n/' "$data/tracepoints-perf-script.txt" >told.txt
lost 33 told.txt

# perf script of threads, whose events have no CPU
expect_status 0 "$VALIDATE" import "$data/tracepoints-perf-script.txt" -o want.trace
sed 's/ \[00[0-9]\] / /' "$data/tracepoints-perf-script.txt" >threads.txt
! grep -q '\[00' threads.txt || fail 'processors are left in the sample'
expect_status 0 "$VALIDATE" import threads.txt -o got.trace
"$VALIDATE" info --csv want.csv want.trace
"$VALIDATE" info --csv got.csv got.trace
cmp want.csv got.csv || fail 'without a processor the calls are others'
sed 's/ \([0-9]*\) \[00[0-9]\] / \1\/\1 /' "$data/tracepoints-perf-script.txt" >threads.txt # -F comm,pid,tid,time,event,trace
expect_status 0 "$VALIDATE" import threads.txt -o got.trace
"$VALIDATE" info --csv got.csv got.trace
cmp want.csv got.csv || fail 'with process and thread, and without a processor, the calls are others'

# blkparse counts missing events, with a separator of thousands from the locale
lost 0 "$data/loop.blkparse"
sed 's/^Skips: .*/Skips: 2 forward (1,234 -   6.6%)/' "$data/loop.blkparse" >told.blkparse
lost 1234 told.blkparse

# blktrace numbers its events for each CPU; the older sample has numbers over all CPUs
without() { # FILE BYTE: without the record of 48 bytes that begins there
	head -c "$2" "$1"
	tail -c +$(($2 + 49)) "$1"
}
lost 0 "$data/loop.blktrace.0" "$data/loop.blktrace.1"
without "$data/loop.blktrace.1" 48 >loop.blktrace.1
lost 1 "$data/loop.blktrace.0" loop.blktrace.1
lost 0 "$data/sda.blktrace.0" "$data/sda.blktrace.1"
lost 0 "$data/sda.merged"
without "$data/sda.blktrace.0" $((56 + 48 * 400)) >sda.blktrace.0
lost 1 sda.blktrace.0 "$data/sda.blktrace.1"

# commands that use such a trace report the loss, too
truncate -s 16M device
expect_status 0 "$VALIDATE" replay --read-only --device device -o replayed.trace told.blkparse
expect_line out 'the input is incomplete: 1234 events were lost'
expect_status 0 "$VALIDATE" metrics told.blkparse replayed.trace
expect_line out '1,234 events were lost during the capture: the trace is incomplete (reference)'
expect_line out '1,234 events were lost during the capture: the trace is incomplete (replay)'
expect_status 0 "$VALIDATE" metrics --json told.blkparse replayed.trace
expect_line out '"n_events_lost": 1234'
expect_status 0 "$VALIDATE" metrics told.blkparse told.blkparse --match key
expect_line out '(reference)'
sed '20s/^/CPU:1 [LOST 17 EVENTS]\n/' "$data/tracepoints-ftrace.txt" >told.txt
expect_status 0 "$VALIDATE" info told.txt
expect_line out 'Health     the file is complete; the trace is incomplete: 17 events were lost during the capture'

# Darshan reports only that something is missing
cat >some.dxt <<'D'
# darshan log version: 3.41
# *WARNING*: DXT_POSIX module contains incomplete data!
# DXT, file_id: 1, file_name: /a
 X_POSIX       0  write        0               0        4096      0.0012      0.0014
D
lost 1 some.dxt
expect_status 0 "$VALIDATE" deps some.dxt
expect_line out 'the trace is incomplete: 1 event was lost during the capture'
expect_status 0 "$VALIDATE" export -q --to csv some.dxt -o some.csv
expect_line err 'some.dxt: the trace is incomplete: 1 event was lost during the capture'

# a call never returns, because its process is killed: its record has the printed arguments, a
# replay skips it, and it leaves an unknown size
cat >killed.log <<'END'
7 1700000000.000001 openat(AT_FDCWD, "/w/a", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3</w/a> <0.000001>
7 1700000000.000002 openat(AT_FDCWD, "/w/b", O_RDWR|O_CREAT|O_TRUNC, 0644) = 4</w/b> <0.000001>
7 1700000000.000003 write(3</w/a>, "abcd", 4) = 4 <0.000001>
7 1700000000.000004 clone(child_stack=0x7e00, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 8 <0.000001>
7 1700000000.000005 read(3</w/a>,  <unfinished ...>
8 1700000000.000006 write(4</w/b>, "abcd", 4 <unfinished ...>
9 1700000000.000007 openat(AT_FDCWD, "/w/c", O_RDWR|O_CREAT, 0644 <unfinished ...>
10 1700000000.000008 openat(AT_FDCWD,  <unfinished ...>
7 1700000000.000009 <... read resumed> <unfinished ...>) = ?
8 1700000000.000010 <... write resumed>) = ?
7 1700000000.000011 +++ killed by SIGKILL +++
8 1700000000.000012 +++ killed by SIGKILL +++
9 1700000000.000013 +++ killed by SIGKILL +++
10 1700000000.000014 +++ killed by SIGKILL +++
END
expect_status 0 "$VALIDATE" import killed.log -o killed.trace
expect_line out 'requests that begin and never end: 4'
expect_line out 'changed files whose size no call shows: 1 '
"$VALIDATE" export -q --to csv killed.log -o - | grep ECANCELED | cut -d, -f1-9 >got
diff - got <<'END' >&2 || fail 'calls that never returned'
7,7,4000,,read,"path=w/a;fd=3;offset=4;length=0",-1,ECANCELED,3
7,8,5000,,write,"path=w/b;fd=4;offset=0;length=4",-1,ECANCELED,4
9,9,6000,,open,"path=w/c;mode=0644;flags=0x42",-1,ECANCELED,5
10,10,7000,,open,"flags=0x0",-1,ECANCELED,6
END
rm -rf there
mkdir there
expect_status 0 "$VALIDATE" replay --prepare --dir there killed.trace
expect_line out 'mismatches      0'
expect_line out 'calls that never returned 3'
