# SPDX-License-Identifier: GPL-3.0-or-later
# long: 12 s
# waits: for a replayer that hangs
# Engine btreplay on a loop device: bunches as btrecord makes them, and one request in each bunch.
# btreplay is killed if it hangs after its last request or never begins. Also tests refusals of
# engine hfplayer, which needs a device.
. "$SRCDIR/tests/e2e/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "loop devices and tracefs need root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
command -v losetup >/dev/null || skip "no losetup"
data=$SRCDIR/tests/data/replayers
head -c 67108864 /dev/zero >image
device=$(losetup -f --show image 2>losetup.err) || skip "no loop device: $(cat losetup.err)"
trap 'losetup -d "$device"' EXIT
replay() { # STATUS ENGINE OPTION...
	status=$1 engine=$2
	shift 2
	expect_status "$status" "$VALIDATE" replay --engine "$engine" "$@" --destructive --device "$device" -o out.trace "${trace:-$data/requests.trace}"
}

# A stand-in for btreplay prints its arguments and the numbers of bunches and requests. It fails, so
# that this text is shown.
mkdir bin
cat >bin/btreplay <<'S'
#!/bin/sh
[ "$1 $2" = '-W -d' ] || exit 9
od -An -v -tu8 -w32 -N32 "$3/$4.replay.0"
exit 1
S
chmod +x bin/btreplay
bunches() { # OPTION...: "VERSION GENESIS BUNCHES REQUESTS"
	VALIDATE_BTREPLAY=$PWD/bin/btreplay replay 3 btreplay "$@"
	tr -s ' ' <err | grep -o '65536 0 [0-9]* [0-9]*'
}
[ "$(bunches --btreplay-bunch 0)" = '65536 0 40 40' ] || fail 'one request each'
# by btrecord 1.0 of the same times: 8, 8, 2 and 22 requests at one instant in bunches of 8, 8, 6
[ "$(bunches)" = "65536 0 $("$VALIDATE" info "$data/requests.trace" --csv - | awk -F, 'NR > 1 {
	if (!n || n == 8 || $3 - first > 10000000) { bunches++; n = 0; first = $3 }
	n++ } END { print bunches }') 40" ] || fail 'bunches of 10 ms and 8'
[ "$(bunches --btreplay-bunch 1s --btreplay-bunch-max 512)" = '65536 0 1 40' ] || fail 'one bunch'

# btreplay hangs. It is killed after a time without CPU use, which is no error; but this stand-in
# made no request.
cat >bin/btreplay <<'S'
#!/bin/sh
exec sleep 600
S
VALIDATE_BTREPLAY=$PWD/bin/btreplay replay 3 btreplay
expect_line err 'none of the 40 requests of the trace was observed'

expect_status 2 "$VALIDATE" replay --engine btreplay --times self --device "$device" -o out.trace "$data/requests.trace"
replay 3 btreplay --btreplay-streams 1000
expect_line err 'one stream for each CPU'

# hfplayer: traces and machines on which it crashes
printf '#!/bin/sh\nexit 0\n' >bin/hfplayer
chmod +x bin/hfplayer
{
	for i in $(seq 1 100); do
		printf '  7,0 0 1 0.%09d 1 D R %d + 8 [x]\n  7,0 0 1 0.%09d 1 C R %d + 8 [0]\n' $((i * 1000)) $((i * 8)) $((i * 1000 + 500)) $((i * 8))
	done
} >in.blkparse
VALIDATE_HFPLAYER=$PWD/bin/hfplayer trace=in.blkparse replay 3 hfplayer
expect_line err 'hfplayer divides by zero on traces of 100 to 9999 requests'
VALIDATE_HFPLAYER=$PWD/bin/hfplayer replay 3 hfplayer --hfplayer-threads 64
expect_line err 'needs 67 CPUs'

if command -v btreplay >/dev/null; then
	for bunch in 0 10ms; do
		replay 0 btreplay --btreplay-bunch $bunch
		expect_line out '40 of 40; times: block'
		expect_line out 'mismatches      0'
	done
else
	echo "btreplay itself: not installed (package blktrace)"
fi
if [ -n "${VALIDATE_HFPLAYER:-}" ]; then
	for mode in hf dep; do
		replay 0 hfplayer --hfplayer-mode $mode
		expect_line out '40 of 40; times: block'
	done
else
	echo "hfplayer itself: VALIDATE_HFPLAYER does not name it"
fi
