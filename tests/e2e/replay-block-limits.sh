# SPDX-License-Identifier: GPL-3.0-or-later
# validate replay --device with limited resources: io_uring forbidden, limits too low, a file that
# ends too soon; and the system calls of a replay while it runs.
. "$SRCDIR/tests/e2e/lib.sh"

# 200 requests of 4 KiB every 50 us, each 60 us long, every third a write; in the format of MSR
# Cambridge
awk 'BEGIN { for (i = 0; i < 200; i++)
	printf "%.0f,hm,0,%s,%d,4096,600\n", 128166372003061629 + i * 500, i % 3 ? "Read" : "Write", (i * 37 % 256) * 4096 }' >in.csv
truncate -s 1M target
"$VALIDATE" replay --destructive --device target in.csv >out 2>err || {
	grep -q 'O_DIRECT' err && skip "no direct I/O here: $(cat err)"
	fail "$(cat err)"
}

# io_uring forbidden: the next backend is used, with a note
if ${CC:-cc} -o without-uring "$SRCDIR/tests/programs/without-uring.c" 2>cc.err && ./without-uring true; then
	expect_status 0 ./without-uring "$VALIDATE" replay --backend io_uring --destructive --device target -o out.trace in.csv
	expect_line out '200 of 200; 1 worker'
	expect_line out 'backend         libaio: '
	expect_line out 'io_uring: Operation not permitted: libaio is used instead'
fi

# Linux AIO forbidden: the default choice does without it
if ${CC:-cc} -DCALL=SYS_io_setup -o without-aio "$SRCDIR/tests/programs/without-uring.c" 2>cc.err && ./without-aio true; then
	expect_status 0 ./without-aio "$VALIDATE" replay --destructive --device target -o out.trace in.csv
	expect_line out '200 of 200; 1 worker'
	expect_line out 'backend         io_uring: the target was not probed: cannot create a Linux AIO context'
	expect_status 3 ./without-aio "$VALIDATE" replay --backend libaio --destructive --device target in.csv
	expect_line err 'Operation not permitted'
fi

: >empty-target
expect_status 3 "$VALIDATE" replay --device empty-target in.csv
expect_line err 'empty-target is empty: a device with at least one block is needed'

# a file system without direct I/O
mkdir ram
if [ "$(id -u)" -eq 0 ] && mount -t ramfs none ram 2>/dev/null; then
	truncate -s 1M ram/target
	status=0
	"$VALIDATE" replay --device ram/target in.csv >out 2>err || status=$?
	umount ram
	[ "$status" -eq 3 ] || fail "status $status without direct I/O: $(cat out err)"
	expect_line err 'ram/target: cannot be opened for direct I/O (O_DIRECT)'
fi

# not enough lockable memory for the buffers or the ring of io_uring: not used, with a note
locks="setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock"
[ "$(id -u)" -eq 0 ] && $locks true 2>/dev/null || locks=
if "$VALIDATE" replay --destructive --device target in.csv | grep -q '^backend  *io_uring: ' && { [ -n "$locks" ] || [ "$(id -u)" -ne 0 ]; }; then
	(ulimit -l 64 && exec $locks "$VALIDATE" replay --destructive --device target in.csv) >out 2>err || fail "64 KiB may be locked: $(cat err)"
	expect_line out '200 of 200'
	# the limit is per user: memory that other processes have locked may leave no room for the
	# ring
	grep -q 'buffers are not registered: the limit of locked memory (ulimit -l) is 64 KiB' out ||
		grep -q 'the limit of locked memory (ulimit -l) may be too low: Cannot allocate memory: libaio is used instead' out ||
		fail "64 KiB may be locked: $(cat out)"
	(ulimit -l 1 && exec $locks "$VALIDATE" replay --destructive --device target in.csv) >out 2>err || fail "1 KiB may be locked: $(cat err)"
	expect_line out '200 of 200; 1 worker'
	expect_line out 'the limit of locked memory (ulimit -l)'
fi

# Between start and end: no allocation, no lock, no clock call. Besides the calls that submit requests and fetch completions, a
# replay waits by at most two calls for each request, at 10,000 requests/s, on any machine: it may yield the CPU, or arm a timer,
# whose signal it returns from. Calls of all other kinds are as many for 2000 requests as for 1000, but for those that read the trace.
calls() { # FILE: the calls of more requests that are too many
	for n in 1000 2000; do
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) printf "%.0f,hm,0,Read,%d,4096,600\n", 128166372003061629 + i * 1000, i * 37 % 256 * 4096 }' >more.csv
		strace -f -c -o calls.$n "$VALIDATE" replay --device target --backend $1 more.csv >out 2>err || return 1
		awk '$4 ~ /^[0-9]+$/ && $NF != "total" { print $NF, $4 }' calls.$n | sort >calls.$n.sorted
	done
	join -a 2 calls.1000.sorted calls.2000.sorted | awk '
		$1 ~ /^(io_uring_enter|io_submit|io_p?getevents|openat|read|close)$/ { next }
		$1 ~ /^(sched_yield|clock_nanosleep|timer_settime)$/ { waits += $NF }
		$1 == "timer_settime" { alarms = $NF }
		$1 == "rt_sigreturn" { signals = $NF }
		$1 ~ /^(sched_yield|clock_nanosleep|timer_settime|rt_sigreturn)$/ { next }
		(NF == 3 ? $3 - $2 : $2) > 50 { print $1 }
		END {
			if (waits > 2 * 2000 + 100) print waits " waits"
			if (signals > alarms + 100) print signals " signals of " alarms " timers"
		}'
}
if [ -z "${SANITIZE:-}" ] && command -v strace >/dev/null && strace -f -c -o probe true 2>/dev/null; then
	for backend in auto libaio; do
		more=$(calls $backend) || fail "under strace: $(cat err)"
		[ -z "$more" ] || fail "$backend: too many calls for 2000 requests: $more"
	done
fi

# yields are bounded, even if the replay never sleeps
expect_status 0 "$VALIDATE" replay --device target --read-only --wait spin --speed 0.02 -o out.trace in.csv
n=$("$VALIDATE" info --json out.trace | jq -r '.. | .n_yields? // empty' | head -n 1)
[ "$n" -le 4000 ] || fail "$n yields for 200 requests"

# more in flight than the system's asynchronous I/O permits: reported, with the limit to raise
for i in $(seq 1 40); do cat in.csv; done >many.csv
expect_status 3 "$VALIDATE" replay --destructive --device target --backend libaio --mode afap --depth 8000 --workers 9 many.csv
expect_line err '/proc/sys/fs/aio-max-nr'

# the file ends before some requests do: transfers of zero bytes, or of a part, counted and stored
# with their length
truncate -s 1M shrinking
"$VALIDATE" replay --device shrinking --read-only --speed 0.004 -o short.trace in.csv >short.out 2>short.err &
pid=$!
until ls -l /proc/$pid/fd 2>/dev/null | grep -q shrinking || ! kill -0 $pid 2>/dev/null; do
	sleep 0.02
done
truncate -s 2K shrinking
wait $pid || fail "a file that shrank: $(cat short.err)"
grep -q 'transfers moved less than requested' short.out || fail "no short transfers: $(cat short.out)"
[ "$("$VALIDATE" info --json short.trace | jq -r '.. | .n_short? // empty' | head -n 1)" -gt 0 ] || fail 'the trace has no short transfers'
