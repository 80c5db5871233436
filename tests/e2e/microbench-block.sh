# SPDX-License-Identifier: GPL-3.0-or-later
# Workloads below the file system, on a regular file and on a loop device: options, traces and
# refusals.
. "$SRCDIR/tests/e2e/lib.sh"

truncate -s 8M file
expect_status 2 "$VALIDATE" microbench block-random -o t.trace
expect_line err '--device DEVICE is missing'
expect_status 2 "$VALIDATE" microbench block-random --dir . --device file -o t.trace
expect_status 2 "$VALIDATE" microbench random-read --device file --dir . -o t.trace
expect_status 2 "$VALIDATE" microbench random-read --dir . --queue-depth 4 -o t.trace
expect_line err 'queue-depth: workload random-read has no such option'
expect_status 2 "$VALIDATE" microbench block-random --device file --sizes 4K:50%,8K:20% -o t.trace
expect_status 2 "$VALIDATE" microbench block-random --device file --burst 3 -o t.trace
expect_status 2 "$VALIDATE" microbench block-random --device file --queue-depth 0 -o t.trace
expect_status 2 "$VALIDATE" microbench block-random --device file --rate 100 --pause 1ms -o t.trace
expect_status 3 "$VALIDATE" microbench block-random --device missing -o t.trace
expect_status 3 "$VALIDATE" microbench block-random --device /dev/null -o t.trace
expect_line err 'neither a block device nor a regular file'

# the device is not written without --destructive
cksum file >before
expect_status 6 "$VALIDATE" microbench block-random --device file --read-share 50% -o t.trace
expect_line err '--destructive'
[ "$(cksum file)" = "$(cat before)" ] || fail "it was written to"

dd if=file of=/dev/null bs=4k count=1 iflag=direct 2>dd.err || skip "no direct I/O on this file system"

# libaio and psync are available everywhere; every request is in the trace, at its drawn offset
for backend in libaio psync auto; do
	expect_status 0 "$VALIDATE" microbench block-random --device file --requests 300 --level 2 --queue-depth 8 --read-share 50% --sizes 4K:50%,16K:50% \
		--destructive --backend $backend -o $backend.trace
	expect_status 0 "$VALIDATE" info $backend.trace --csv $backend.csv
	[ "$(grep -c ',p\(read\|write\),' $backend.csv)" -eq 600 ] || fail "$backend: $(grep -c , $backend.csv) lines"
	sed -n 's/.*,\(p[a-z]*\),"device=file;offset=\([0-9]*\);length=\([0-9]*\)".*/\1 \2 \3/p' $backend.csv | sort >$backend.asked
	[ "$(wc -l <$backend.asked)" -eq 600 ] || fail "$backend: requests that cannot be read: $(sed -n 2p $backend.csv)"
done
cmp libaio.asked psync.asked || fail "another backend asks for something else"
cmp libaio.asked auto.asked || fail "another backend asks for something else"
[ "$(cksum file)" != "$(cat before)" ] || fail "nothing was written"
n=$("$VALIDATE" info --json libaio.trace | jq '.meta.extra.memory.instrument_bytes')
# each of the 600 requests has a record of 24 bytes and a drawn request of 24 bytes
[ "$n" -ge $((600 * (24 + 24))) ] || fail "instrument_bytes $n: the drawn requests are missing"

# a rate: due times in the trace, at equal intervals, and no request before its time
expect_status 0 "$VALIDATE" microbench bs --device file --requests 50 --rate 2000 -o rate.trace
expect_status 0 "$VALIDATE" info rate.trace --csv rate.csv
expect_status 0 "$VALIDATE" info rate.trace
expect_line out '50 requests were due at a set time'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 { if ($at["begin"] + 0 < (NR - 2) * 0.0005 - 0.000002) { print "line " NR ": begins at " $at["begin"]; exit 1 } }' rate.csv ||
	fail "a request was issued before its time"

# requests that the device cannot take
truncate -s 4100K odd
expect_status 3 "$VALIDATE" microbench bs --device odd --block-size 100 -o t.trace
expect_line err "expected a multiple of 512 bytes"

# neither the own output nor the device is overwritten by the trace
expect_status 3 "$VALIDATE" microbench bs --device file -o file
expect_line err 'overwrite the device'

[ "$(id -u)" -eq 0 ] || skip "loop devices need root"
device=$(losetup -f --show file 2>losetup.err) || skip "no loop device: $(cat losetup.err)"
trap 'umount mnt 2>/dev/null || :; losetup -d "$device"' EXIT
expect_status 0 "$VALIDATE" microbench br --device "$device" --requests 200 --read-share 0% --destructive -o dev.trace

# While requests are in flight, a wait for the next arrival yields the CPU to the device's driver.
# Under strace only sched_yield stops. On a busy machine each request may be late, and then no wait
# occurs: lower rates follow. A waiter that competes for its CPU does not yield, so it gets real-time
# priority if the machine allows it.
if command -v strace >/dev/null && strace -f --seccomp-bpf -o probe true 2>/dev/null; then
	leaks_unchecked
	first=
	! chrt -f 1 true 2>/dev/null || first='chrt -f 1'
	for rate in 5000 2000 800 300; do
		# shellcheck disable=SC2086 # an empty $first is no argument
		expect_status 0 $first strace -f --seccomp-bpf -qq -e trace=sched_yield -o yields "$VALIDATE" microbench br \
			--device "$device" --requests 2000 --rate $rate --arrivals poisson --queue-depth 16 -o yields.trace
		! grep -q sched_yield yields || break
	done
	grep -q sched_yield yields || fail 'no wait yields the CPU'
fi

# the file under a loop device, a device with a known signature, a mounted device
expect_status 6 "$VALIDATE" microbench br --device file --read-share 0% --destructive -o t.trace
expect_line err 'backs the loop device'
command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"
dd if=/dev/zero of="$device" bs=1M 2>/dev/null || :
mkfs.ext4 -q "$device"
expect_status 6 "$VALIDATE" microbench br --device "$device" --read-share 0% --destructive -o t.trace
expect_line err 'a file system (ext4)'
expect_status 0 "$VALIDATE" microbench br --device "$device" --requests 20 -o t.trace
# --own-device is accepted only for a volume of this program
before=$(cksum <file)
expect_status 6 "$VALIDATE" microbench br --device "$device" --requests 20 --read-share 0% --destructive --own-device --span 64K -o t.trace
expect_line err 'a file system (ext4)'
expect_status 6 "$VALIDATE" replay --destructive --own-device --device "$device" dev.trace
expect_line err 'a file system (ext4)'
[ "$before" = "$(cksum <file)" ] || fail 'it was written to'
if [ -c /dev/fuse ] && "$VALIDATE" volume create --root "$PWD/root" ours --size 8M --service constant:time=0 >out 2>err; then
	trap 'umount mnt 2>/dev/null || :; losetup -d "$device"; "$VALIDATE" volume remove --root "$PWD/root" ours >/dev/null' EXIT
	ours=$("$VALIDATE" volume list --root "$PWD/root" --json ours | jq -r '.volumes[0].path')
	mkfs.ext4 -q "$ours"
	expect_status 6 "$VALIDATE" microbench br --device "$ours" --requests 20 --read-share 0% --destructive -o t.trace
	expect_line err 'a file system (ext4)'
	expect_status 0 "$VALIDATE" microbench br --device "$ours" --requests 20 --read-share 0% --destructive --own-device --span 64K -o t.trace
else
	echo "a volume with a file system on it: no volumes here"
fi
mkdir mnt
mount "$device" mnt 2>mount.err || skip "no mounts here: $(cat mount.err)"
expect_status 6 "$VALIDATE" microbench br --device "$device" --read-share 0% --destructive --own-device -o t.trace
expect_line err 'is mounted on'
