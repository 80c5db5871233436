# SPDX-License-Identifier: GPL-3.0-or-later
# validate capture block: the requests of a loop device, with their number and places.
. "$SRCDIR/tests/e2e/lib.sh"

# what needs no privilege
expect_status 2 "$VALIDATE" capture block
expect_status 2 "$VALIDATE" capture block -o x.trace
expect_status 2 "$VALIDATE" capture block /dev/null
expect_status 3 "$VALIDATE" capture block -o x.trace /dev/null
expect_line err 'is not a block device'
expect_status 3 "$VALIDATE" capture block -o x.trace /dev/nothing-of-this-name
expect_status 0 "$VALIDATE" capture block --help
expect_line out 'unit'

[ "$(id -u)" -eq 0 ] || skip "loop devices and tracefs need root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
command -v losetup >/dev/null || skip "no losetup"
truncate -s 16M image
device=$(losetup -f --show image 2>losetup.err) || skip "no loop device: $(cat losetup.err)"
trap 'losetup -d "$device"' EXIT

# 64 direct writes of 8 KiB and 32 direct reads of 4 KiB, one after another
cat >job <<END
dd if=/dev/zero of=$device bs=8k count=64 seek=16 oflag=direct
dd if=$device of=/dev/null bs=4k count=32 skip=100 iflag=direct
END
for unit in request bio; do
	expect_status 0 "$VALIDATE" capture block --unit $unit -o $unit.trace "$device" -- sh job
	expect_line out 'ended with status 0'
	grep -q 'lost' out && fail "events were lost" || :
	expect_status 0 "$VALIDATE" info $unit.trace --csv $unit.csv
	[ "$(grep -c ',pwrite,.*length=8192' $unit.csv)" -eq 64 ] || fail "$unit: $(grep -c ,pwrite, $unit.csv) writes instead of 64"
	[ "$(grep -c ',pread,.*length=4096' $unit.csv)" -ge 32 ] || fail "$unit: $(grep -c ,pread, $unit.csv) reads instead of 32"
	for k in 0 31 63; do
		grep -q ",pwrite,.*offset=$(((16 + k) * 8192));" $unit.csv || fail "$unit: no write at block $k"
	done
	# begin <= dispatch <= end, begins in order
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 { b = $at["begin"] + 0; e = $at["end"] + 0; d = $NF + 0
			if (b > d || d > e || b < last) { print "line " NR ": " $0; exit 1 }
			last = b }' $unit.csv || fail "$unit: times out of order"
	expect_status 0 "$VALIDATE" info $unit.trace
	expect_line out 'Layer      requests on a device'
	expect_line out 'no sign of missing requests; the capture method always omits requests that bypass the block layer'
done

# fio's own counts: the same number of reads and writes, each once, whatever else runs (no other
# program uses 12 KiB)
if command -v fio >/dev/null && command -v jq >/dev/null; then
	expect_status 0 "$VALIDATE" capture block -o fio.trace "$device" -- fio --name=j --filename="$device" --direct=1 --ioengine=libaio \
		--iodepth=8 --rw=randrw --bs=12k --size=15M --output-format=json --output=told.json
	! grep -q 'lost' out || fail "events were lost"
	expect_status 0 "$VALIDATE" info fio.trace --csv fio.csv
	for kind in read write; do
		counted=$(jq ".jobs[0].$kind.total_ios" told.json)
		seen=$(grep -c ",p$kind,.*length=12288[;\"]" fio.csv || :)
		[ "$counted" -ge 500 ] && [ "$seen" -eq "$counted" ] || fail "$seen ${kind}s, and fio counts $counted"
		distinct=$(grep ",p$kind,.*length=12288[;\"]" fio.csv | sed 's/.*offset=\([0-9]*\);.*/\1/' | sort -u | wc -l)
		[ "$distinct" -eq "$counted" ] || fail "$distinct places of ${kind}s, and fio counts $counted"
	done
else
	echo 'fio or jq is not installed: its counts are not compared'
fi

# a failing command is reported and is not a failure of the capture; a missing command is one
expect_status 0 "$VALIDATE" capture block --linger 0 -o none.trace "$device" -- false
expect_line out 'ended with status 1'
expect_status 3 "$VALIDATE" capture block -o none.trace "$device" -- ./nothing-of-this-name

# a time limit, without a command and with a command that would continue
expect_status 0 "$VALIDATE" capture block --duration 50ms -o short.trace "$device"
expect_status 0 "$VALIDATE" capture block --duration 50ms -o short.trace "$device" -- sleep 100
expect_line out 'killed by signal 15'

# interrupted: the events so far become a trace, and no tracing instance is left over
instances=/sys/kernel/tracing/instances
begun() { # COMMAND...: waits until COMMAND succeeds during the capture of process $pid
	for i in $(seq 600); do
		"$@" 2>/dev/null && return
		kill -0 $pid 2>/dev/null || fail "the capture ended by itself"
		sleep 0.05
	done
	fail "the capture did not begin within 30 s"
}
is_on() { [ "$(cat "$instances/validate-$pid/tracing_on")" = 1 ]; }
"$VALIDATE" capture block -o interrupted.trace "$device" >interrupted.out &
pid=$!
# the new instance is on, then off, then has its events, and is on again when it is ready
begun grep -q 1 "$instances/validate-$pid/events/block/block_rq_issue/enable"
begun is_on
dd if=/dev/zero of="$device" bs=4k count=3 oflag=direct 2>/dev/null
kill -INT $pid
wait $pid || fail "status $? after SIGINT"
expect_status 0 "$VALIDATE" info interrupted.trace
expect_line out 'pwrite'
[ ! -d "$instances/validate-$pid" ] || fail "the tracing instance stayed behind"

# at every time of the signal, also before the command has started
for after in 0 0.01 0.02 0.03 0.04 0.05 0.06 0.08 0.1; do
	"$VALIDATE" capture block -o interrupted.trace "$device" >interrupted.out 2>&1 &
	pid=$!
	sleep $after
	kill -TERM $pid
	wait $pid || :
	[ ! -d "$instances/validate-$pid" ] || fail "the instance stayed behind after SIGTERM at $after s"
done

# the next capture removes the instance of a killed capture
"$VALIDATE" capture block -o killed.trace "$device" >killed.out &
pid=$!
begun test -d "$instances/validate-$pid"
kill -KILL $pid
wait $pid 2>/dev/null || :
[ -d "$instances/validate-$pid" ] || fail "nothing is left to remove"
expect_status 0 "$VALIDATE" capture block --duration 10ms -o after.trace "$device"
[ ! -d "$instances/validate-$pid" ] || fail "a killed capture's instance was not removed"
