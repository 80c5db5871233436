# SPDX-License-Identifier: GPL-3.0-or-later
# validate capture vfs: fio's own counts, strace's record of the same runs, and the start and end of
# a capture.
. "$SRCDIR/tests/e2e/lib.sh"

# what needs no privilege
expect_status 2 "$VALIDATE" capture vfs
expect_status 2 "$VALIDATE" capture vfs -o x.trace
expect_status 2 "$VALIDATE" capture vfs -- true
expect_status 2 "$VALIDATE" capture vfs -o x.trace --pid 1 -- true
expect_line err 'not both'
expect_status 2 "$VALIDATE" capture vfs -o x.trace --pid 0
expect_status 0 "$VALIDATE" capture vfs --help
expect_line out '--faults'

[ "$(id -u)" -eq 0 ] || {
	expect_status 3 "$VALIDATE" capture vfs -o x.trace -- true
	grep -q 'PID namespace' err || expect_line err 'root'
	skip "tracefs needs root"
}
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ -e /sys/kernel/tracing/events/syscalls/sys_enter_read ] || skip "this kernel has no tracepoints of system calls"
[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "this is a PID namespace of its own"

work=$PWD
# count FILE OPERATION [FLAGS]: number of such records of the file in the last trace
count() {
	grep "path=$(echo "$work/$1" | cut -c2-);" trace.csv | grep ",$2," | grep -c "${3-.}" || :
}

# until_begun PID: waits until the capture of that process records (a new instance is on at first, but follows no process yet)
until_begun() {
	tries=0
	instance=/sys/kernel/tracing/instances/validate-$1
	until grep -q '[0-9]' "$instance/set_event_pid" 2>/dev/null && [ "$(cat "$instance/tracing_on")" = 1 ] || [ $tries -ge 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

capture() {
	expect_status 0 "$VALIDATE" capture vfs -o trace "$@"
	! grep -q 'lost' out || fail "events were lost: $*"
	cp out told
	"$VALIDATE" info trace --csv trace.csv >/dev/null
}

# the end of a command is reported and is not a failure; a missing command is one
capture -- false
expect_line told 'ended with status 1'
expect_status 3 "$VALIDATE" capture vfs -o none.trace -- ./nothing-of-this-name
capture --duration 50ms -- sleep 100
expect_line told 'killed by signal 15'
expect_status 3 "$VALIDATE" capture vfs -o none.trace --pid 4194304
expect_line err 'no process'

# shell, with its redirections and children: only requested operations, with full names
capture -- sh -c 'echo something >made; cat made >copy; cat <copy >/dev/null; rm made'
paths=yes
grep -q 'paths cannot be read' told && paths=no || :
if [ $paths = yes ]; then
	[ "$(count made open)" -eq 2 ] && [ "$(count made unlink)" -eq 1 ] || fail "open and unlink of a file"
	[ "$(count made write 'length=10')" -eq 1 ] || fail "one write of 10 bytes"
	[ "$(count copy read 'offset=0;')" -ge 1 ] && [ "$(count copy read 'offset=10;')" -ge 1 ] || fail "reads at their positions"
fi

# parents and waits: the shell, and its two children or three (the last command may replace the shell)
if command -v jq >/dev/null; then
	"$VALIDATE" info trace --json | jq -r '.meta.extra.processes // [] | .[] | [.pid, .parent, .begin_ns, .waited_by // 0, .waited_ns // 0] | join(" ")' >kin
	awk 'NR == 1 { shell = $1; if ($2 != 0 || $4 != 0) exit 1; next }
		$2 != shell || $4 != shell || $3 < 0 || $5 <= $3 { exit 1 }
		END { if (NR < 3 || NR > 4) exit 1 }' kin || fail "the processes of a shell: $(cat kin)"
fi

# without paths, and with faults by address
capture --paths none --faults none -- dd if="$VALIDATE" of=/dev/null bs=64k
expect_line told 'have an unknown path'
! grep -q page_ trace.csv || fail "faults in spite of --faults none"
capture --faults address -- cat /dev/null
grep -q ',page_fault,"path=.*libc' trace.csv || fail "no fault by address on the C library"

# a running process and its children, until it ends
sh -c 'while [ ! -e go ]; do sleep 0.05; done; cat copy; exec cat copy' >/dev/null &
pid=$!
"$VALIDATE" capture vfs -o running.trace --pid $pid >running.out &
capturing=$!
until_begun $capturing
touch go
wait $pid || fail "the watched process failed"
wait $capturing || fail "capture of a running process"
"$VALIDATE" info running.trace --csv trace.csv >/dev/null
[ $paths = no ] || [ "$(count copy read 'length=131072')" -ge 4 ] || fail "the reads of a running process and its child"

# interrupted: the events so far become a trace, and no tracing instance is left over; the next
# capture removes that of a killed capture
"$VALIDATE" capture vfs -o interrupted.trace -- sleep 100 >interrupted.out &
pid=$!
until_begun $pid
kill -INT $pid
wait $pid || fail "status $? after SIGINT"
expect_status 0 "$VALIDATE" info interrupted.trace
expect_line out 'no sign of missing requests; the capture method always omits '
[ ! -d "/sys/kernel/tracing/instances/validate-$pid" ] || fail "the tracing instance stayed behind"
"$VALIDATE" capture vfs -o killed.trace -- sh -c 'echo $$ >sleeper; exec sleep 100' >killed.out &
pid=$!
until_begun $pid
# the command starts only after the capture has begun
until [ -s sleeper ]; do
	kill -0 $pid || fail "the capture ended: $(cat killed.out)"
	sleep 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null || :
kill "$(cat sleeper)"
capture -- true
[ ! -d "/sys/kernel/tracing/instances/validate-$pid" ] || fail "a killed capture's instance was not removed"

# too small a buffer: the loss is counted, reported, and stored in the trace
expect_status 0 "$VALIDATE" capture vfs --buffer 64K -o lossy.trace -- dd if=/dev/zero of=/dev/null bs=1 count=200000
expect_line out 'incomplete'
expect_status 0 "$VALIDATE" info lossy.trace
expect_line out 'lost'

# system calls by number and of a statically linked program
compiler=${CC:-cc}
$compiler -w -O1 -o raw "$SRCDIR/tests/programs/cases.c" -static -pthread -ldl 2>/dev/null && static=./raw || static=
if [ -n "$static" ]; then
	capture -- $static data
	grep -q ',pread,' trace.csv || fail "nothing is seen of a statically linked program"
fi
