# SPDX-License-Identifier: GPL-3.0-or-later
# long: 8 s
# waits: for the due times of requests
# validate replay --device on a loop device: the kernel's tracepoints show as many requests as were
# submitted; flushes, forced unit access, discards; I/O errors; limits; a device that is in use.
. "$SRCDIR/tests/e2e/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "loop devices and tracefs need root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
command -v losetup >/dev/null || skip "no losetup"
dd if=/dev/urandom of=image bs=1M count=16 2>/dev/null
device=$(losetup -f --show image 2>losetup.err) || skip "no loop device: $(cat losetup.err)"
trap 'umount mounted 2>/dev/null || :; swapoff "${device}p1" 2>/dev/null || :; losetup -d "$device"' EXIT
echo 2 >"/sys/block/${device##*/}/queue/nomerges" # a request stays one

# a block-level trace: reads, writes, a write with forced unit access, a write after a flush,
# flushes, a discard
{
	printf '  7,0 0 1 0.000000000 1 D R 0 + 8 [x]\n  7,0 0 2 0.000100000 1 C R 0 + 8 [0]\n'
	t=1000
	for i in $(seq 1 150); do
		op=$([ $((i % 3)) -eq 0 ] && echo W || echo R)
		printf '  7,0 0 1 0.%09d 1 D %s %d + 8 [x]\n  7,0 0 1 0.%09d 1 C %s %d + 8 [0]\n' $((t * 1000)) $op $((i * 8)) $((t * 1000 + 60000)) $op $((i * 8))
		t=$((t + 100))
	done
	printf '  7,0 0 1 0.%09d 1 D WFS 4000 + 8 [x]\n  7,0 0 1 0.%09d 1 C WFS 4000 + 8 [0]\n' 17000000 17050000
	printf '  7,0 0 1 0.%09d 1 D FWS 4008 + 8 [x]\n  7,0 0 1 0.%09d 1 C FWS 4008 + 8 [0]\n' 17100000 17150000
	printf '  7,0 0 1 0.%09d 1 D D 8000 + 64 [x]\n  7,0 0 1 0.%09d 1 C D 8000 + 64 [0]\n' 17200000 17250000
} >in.blkparse
expect_status 0 "$VALIDATE" import --from blkparse in.blkparse -o in.trace

# calls on files: their offsets are no offsets of a device; for calls on a device they are
calls() { # NAME OPERATION
	printf 'pid,tid,begin,end,function,args,rvalue\n1,1,0,10,%s,"path=%s;fd=3;offset=0;length=4096",4096\n' "$2" "$1" >calls.csv
}
cksum image >before
for name in data.db /srv/data.db /dev/shm/data.db; do
	calls $name pwrite
	expect_status 6 "$VALIDATE" replay --destructive --device "$device" calls.csv
	expect_line err "the trace has calls on the file $name"
	expect_status 6 "$VALIDATE" replay --dry-run --destructive --device "$device" calls.csv
	expect_status 6 "$VALIDATE" replay --engine exec --export csv --times none --command 'false' --destructive --device "$device" calls.csv
	expect_line err "the trace has calls on the file $name"
	expect_status 0 "$VALIDATE" replay --read-only --device "$device" calls.csv
	calls $name pread
	expect_status 0 "$VALIDATE" replay --device "$device" calls.csv
done
sync
cksum image | cmp - before || fail 'calls on a file were made on a device'
calls /dev/sdx pwrite
expect_status 0 "$VALIDATE" replay --destructive --device "$device" calls.csv

seen() { # PATTERN of the captured requests
	grep -c "$1" seen.csv || :
}
for backend in io_uring libaio psync; do
	for mode in hf dep load afap; do
		[ $backend = io_uring ] || [ $mode = hf ] || continue
		expect_status 0 "$VALIDATE" capture block -o seen.trace "$device" -- \
			"$VALIDATE" replay --backend $backend --mode $mode --destructive --device "$device" -o out.trace in.trace
		expect_line out '153 of 154'
		expect_line out 'skipped         1 request: discards'
		expect_line out 'mismatches      0'
		expect_status 0 "$VALIDATE" info seen.trace --csv seen.csv
		# and reads that check whether the device may be written
		[ "$(seen ',pread,')" -ge 101 ] || fail "$backend $mode: $(seen ',pread,') reads reached the device instead of 101"
		[ "$(seen ',pwrite,')" -eq 52 ] || fail "$backend $mode: $(seen ',pwrite,') writes reached the device instead of 52"
		[ "$(seen ',fdatasync,')" -ge 1 ] || fail "$backend $mode: no flush reached the device"
		[ "$(seen ',fallocate,')" -eq 0 ] || fail "$backend $mode: a discard reached the device"
		for k in 3 75 150; do
			grep -q ",pwrite,.*offset=$((k * 4096));" seen.csv || fail "$backend $mode: no write at block $k"
		done
	done
done
expect_status 0 "$VALIDATE" capture block -o seen.trace "$device" -- "$VALIDATE" replay --discards --destructive --device "$device" -o out.trace in.trace
expect_line out '154 of 154'
expect_status 0 "$VALIDATE" info seen.trace --csv seen.csv
[ "$(seen ',fallocate,.*offset=4096000;length=32768;flags=0x3",0,')" -eq 1 ] || fail 'no discard reached the device'
expect_status 0 "$VALIDATE" export --to iolog seen.trace -o seen.iolog
expect_line seen.iolog ' trim 4096000 32768'

# read only: nothing is written
before=$(cksum <image)
expect_status 0 "$VALIDATE" capture block -o seen.trace "$device" -- "$VALIDATE" replay --read-only --device "$device" -o out.trace in.trace
expect_line out '52 writes replayed by reading'
expect_status 0 "$VALIDATE" info seen.trace --csv seen.csv
# and up to 2 bursts of 16 reads that choose the backend
[ "$(seen ',pread,')" -ge 153 ] && [ "$(seen ',pread,')" -le 185 ] || fail "$(seen ',pread,') reads reached the device instead of 153 and a probe"
[ "$(seen ',pwrite,')" -eq 0 ] || fail 'a read-only replay wrote'
[ "$before" = "$(cksum <image)" ] || fail 'a read-only replay wrote'

# the file under the device is lost: failures are outcomes, stored with their errno
truncate -s 64K image
expect_status 3 "$VALIDATE" replay --read-only --device "$device" -o out.trace in.trace
expect_line out 'Input/output error'
expect_line out 'note: every request from record 16 on failed'
expect_line err 'requests failed with errors that the trace does not have; the first: request 16, Input/output error'
expect_status 0 "$VALIDATE" info out.trace --csv out.csv
grep -q ',EIO,' out.csv || fail 'no EIO in the replay trace'
# a trace with the same errors
expect_status 0 "$VALIDATE" replay --read-only --device "$device" out.trace
expect_line out 'mismatches      0'
truncate -s 16M image

# the device itself is lost, as if unplugged: the kernel sets its size to zero
n_reads() {
	awk '{ print $1 }' "/sys/block/${device##*/}/stat"
}
n=$(n_reads)
"$VALIDATE" replay --mode dep --think-scale 0.001 --read-only --device "$device" -o gone.trace in.trace >gone.out 2>gone.err &
pid=$!
until [ "$(n_reads)" -ge $((n + 3)) ] || ! kill -0 $pid 2>/dev/null; do
	sleep 0.05
done
truncate -s 0 image
losetup -c "$device"
status=0
wait $pid || status=$?
[ $status -eq 3 ] || fail "a device that has gone: status $status, $(cat gone.out gone.err)"
expect_line gone.err 'disappeared during the replay'
truncate -s 16M image
losetup -c "$device"

# in use: refused, and nothing written
if mkfs.ext4 -q "$device" 2>/dev/null; then
	before=$(cksum <image)
	expect_status 6 "$VALIDATE" replay --destructive --device "$device" in.trace
	expect_line err 'refused'
	[ "$before" = "$(cksum <image)" ] || fail 'a refused replay wrote'
	expect_status 0 "$VALIDATE" replay --read-only --device "$device" in.trace

	# under any name: a link, another device node, a file mounted over another
	ln -s "$device" link
	mknod node b $(stat -c '0x%t 0x%T' "$device")
	for name in link node; do
		expect_status 6 "$VALIDATE" replay --destructive --device $name in.trace
	done
	: >bound
	if mount --bind "$device" bound 2>/dev/null; then
		expect_status 6 "$VALIDATE" replay --destructive --device bound in.trace
		umount bound
	fi

	# a partition without its own signature
	part=$(losetup -f --show -o 8M image)
	status=0
	"$VALIDATE" replay --destructive --device "$part" in.trace >out 2>err || status=$?
	losetup -d "$part"
	[ $status -eq 6 ] || fail "a part of a file with a file system: status $status, $(cat err)"
	expect_line err 'backs the loop device'

	# a loop device on it, without a signature either: the lower device would be written
	part=$(losetup -f --show -o 8M "$device")
	status=0
	"$VALIDATE" replay --destructive --device "$part" in.trace >out 2>err || status=$?
	losetup -d "$part"
	[ $status -eq 6 ] || fail "a loop device over a device: status $status, $(cat err)"
	expect_line err "is on the device $device"

	mkdir -p mounted
	if mount "$device" mounted 2>/dev/null; then
		for name in "$device" link image; do
			expect_status 6 "$VALIDATE" replay --destructive --device "$name" in.trace
			expect_line err 'refused'
		done
		umount mounted
	fi

	# the file below carries a file system, and its only loop device begins in the middle of it;
	# and partitions that no table describes
	losetup -d "$device"
	device=$(losetup -f --show -o 4M image)
	expect_status 6 "$VALIDATE" replay --destructive --device "$device" in.trace
	expect_line err 'its lower device'
	losetup -d "$device"
	dd if=/dev/zero of=image bs=1M count=16 conv=notrunc 2>/dev/null
	device=$(losetup -f -P --show image)
	if addpart "$device" 1 8192 16384 2>/dev/null && [ -b "${device}p1" ]; then
		mkfs.ext4 -q -F "${device}p1"
		expect_status 6 "$VALIDATE" replay --destructive --device "$device" in.trace
		expect_line err 'its partition'
		wipefs -q -a "${device}p1"
		mkswap "${device}p1" >/dev/null
		if swapon "${device}p1" 2>/dev/null; then
			expect_status 6 "$VALIDATE" replay --destructive --device "$device" in.trace
			expect_line err 'swap'
			swapoff "${device}p1"
		fi
		wipefs -q -a "${device}p1"
		delpart "$device" 1
	fi
	expect_status 0 "$VALIDATE" replay --destructive --device "$device" in.trace
fi
