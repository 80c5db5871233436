# SPDX-License-Identifier: GPL-3.0-or-later
# Workload copyfiles on a device: its journal has room for a new file of every thread at the same
# time. A full transaction would be committed at once, which adds requests to some runs and not to
# others. Commits at the usual interval of 5 s would add requests only to runs on slow devices.
. "$SRCDIR/tests/e2e/lib.sh"
[ "$(id -u)" -eq 0 ] || skip 'mounts need root'
for tool in losetup mkfs.ext4; do command -v $tool >/dev/null || skip "no $tool"; done
script=$SRCDIR/protocols/workloads/copyfiles.sh
device=
trap 'umount in/copyfiles mounted 2>/dev/null || :; [ -z "$device" ] || losetup -d "$device"' EXIT
mkdir in mounted
truncate -s 256M image
device=$(losetup -f --show image) || { device=; skip 'no loop device'; }
mkfs.ext4 -q -F "$device" && mount "$device" mounted || skip 'no ext4 file system can be mounted here'
umount mounted

"$script" prepare in 0 "$device" 2>err || fail "prepare: $(cat err)"
info=/proc/fs/jbd2/${device##*/}-8/info
[ -r "$info" ] || skip "no $info"
grep -q "^$device .*[ ,]commit=600[ ,]" /proc/mounts ||
	fail "the journal is committed at another interval: $(grep "^$device " /proc/mounts)"
"$script" run in 0 "$device" || fail 'the run failed'
most=$(sed -n 's/.*each up to \([0-9]*\) blocks.*/\1/p' "$info")
[ "$most" -ge $((256 * 47)) ] || fail "a transaction holds only $most blocks"
[ "$(find in/copyfiles -type f | wc -l)" -ge 512 ] || fail 'files are missing after the run'
"$script" clean in 0 "$device"
[ -z "$(ls in)" ] || fail "clean left $(ls in)"
