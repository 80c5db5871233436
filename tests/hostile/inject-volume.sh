# SPDX-License-Identifier: GPL-3.0-or-later
# Makes, uses, lists and removes a volume. Usage: PROGRAM volume. The status is that of the first
# command that failed. After any failure a second removal leaves nothing.
program=$1 status=0
volume() {
	"$program" volume "$@" --root root || { code=$?; [ $status -ne 0 ] || status=$code; }
}
volume create v --size 1M --no-loop --lead 0s --service constant:time=0s
if [ $status -eq 0 ]; then
	dd if=/dev/zero of=root/v/mount/volume bs=4096 count=4 conv=notrunc,fsync 2>/dev/null || echo 'a write failed: Input/output error'
	volume list v
	volume trace v -o v.trace
	volume remove v
fi
"$program" volume remove --all --root root >/dev/null 2>tmp/again
left=$(grep -c "$PWD/root" /proc/self/mountinfo)
[ "$left" -eq 0 ] || { echo "left mounted: $left; $(cat tmp/again)" >&2; status=99; }
exit $status
