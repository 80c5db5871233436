# SPDX-License-Identifier: GPL-3.0-or-later
# A parallel application on volumes: the file systems are made again before each run.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-parallel-lib"

[ "$(id -u)" -eq 0 ] || skip 'volumes and file systems on them need root'
[ -c /dev/fuse ] && [ -e /dev/loop-control ] || skip 'no /dev/fuse or no /dev/loop-control'
for program in mkfs.ext4 mount wipefs mountpoint; do
	command -v $program >/dev/null || skip "no $program"
done
"$VALIDATE" volume create "probe-$$" --size 8M --service constant:time=0 >out 2>err || skip "no volume can be made here: $(head -n 1 err)"
device=$("$VALIDATE" volume list --json "probe-$$" | jq -r '.volumes[0].path')
status=0
{ mkfs.ext4 -q -F "$device" && mkdir probe.mnt && mount "$device" probe.mnt && umount probe.mnt; } >out 2>&1 || status=1
"$VALIDATE" volume remove "probe-$$" >/dev/null
[ $status -eq 0 ] || skip "no file system can be made on a volume here: $(head -n 1 out)"
sed -e '/^\[workload found\]/,/^\[replayer/{/^\[replayer/!d}' -e 's/^dir = a/volume = constant:time=200us/' -e 's/^dir = b/volume = constant:time=100us/' \
	parallel.conf >volumes.conf
expect_verdict "$VALIDATE" run volumes.conf -o volumes -q
grep -q '"state":"failed"' volumes/journal && fail "a run failed: $(grep '"failed"' volumes/journal | head -n 1)"
grep -q "$PWD" /proc/mounts && fail 'a mount stayed' || :
clean volumes
