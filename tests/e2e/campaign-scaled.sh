# SPDX-License-Identifier: GPL-3.0-or-later
# long: 17 s
# waits: for a volume with a service time
# A program on a device: captured on one target, replayed on another, and compared with its own runs
# there. Nothing is left over.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

HERE=$PWD
export HERE
mkdir workloads
cat >workloads/lib.sh <<'END'
:
END
# the program's use of its device: four writes, one after another, on a file system that it mounts,
# if it can
cat >workloads/four.sh <<'END'
verb=$1 dir=$2 device=$4
case $verb in
prepare)
	mkfs.ext4 -q -F -O ^has_journal -E nodiscard,lazy_itable_init=0 "$device" || exit 3
	mkdir -p "$dir/four"
	mount -t ext4 "$device" "$dir/four" || exit 3
	;;
run)
	for i in 1 2 3 4; do
		dd if=/dev/zero of="$dir/four/$i" bs=64k count=1 oflag=direct 2>/dev/null || exit 3
	done
	[ ! -e "$HERE/slow.now" ] || exec sleep 60
	;;
clean)
	! mountpoint -q "$dir/four" || umount "$dir/four"
	rmdir "$dir/four"
	until wipefs -q -a "$device" 2>/dev/null; do sleep 0.1; done
	echo "$device" >>"$HERE/cleaned"
	;;
esac
END
cat >scaled.conf <<'END'
[protocol]
replicates = 2
allow-undecidable = yes
bank = 1
min-duration = 0
[target slow]
volume = constant:time=300us
size = 16M
[target fast]
volume = constant:time=150us
size = 16M
[workload four]
type = program
script = workloads/four.sh
recorded-on = slow
target = fast
[replayer dep]
engine = block
mode = dep
follow = nearest
END
bad() { # sed expression, text that the message must contain
	sed "$1" scaled.conf >bad.conf
	expect_status 2 "$VALIDATE" run bad.conf --dry-run
	expect_line err "$2"
}
bad 's/^recorded-on = .*/recorded-on = slowly/' 'the protocol has no section [target slowly]'
bad '/^volume = constant:time=150us/d; /^size/d; s/^engine.*/engine = event/; /^mode/d; /^follow/d' 'whose target is a device or a volume'
bad 's/^engine.*/engine = event/; /^mode/d; /^follow/d' 'and the protocol has no such workload'
bad 's/^observe.*//; s/^follow = .*/follow = some/' 'follow'
expect_status 0 "$VALIDATE" run scaled.conf --dry-run

[ "$(id -u)" -eq 0 ] || skip "mounts and loop devices need root"
[ -c /dev/fuse ] && [ -e /dev/loop-control ] || skip "no /dev/fuse or no loop devices"
for program in mkfs.ext4 mount wipefs mountpoint; do
	command -v $program >/dev/null || skip "no $program"
done
ours() { # volumes of the campaign of this directory
	token=$(sed -n 's/.*"token":"\([a-z0-9]*\)".*/\1/p' "$1/journal" | head -n 1)
	"$VALIDATE" volume list | grep "^validate-$token" || :
}
"$VALIDATE" volume create "probe-$$" --size 8M --service constant:time=0 >out 2>err || skip "no volumes here: $(cat err)"
device=$("$VALIDATE" volume list --json "probe-$$" | jq -r '.volumes[0].path')
status=0
"$VALIDATE" capture block -o probe.trace "$device" -- true >out 2>capture.err || status=$?
[ $status -ne 0 ] || { mkfs.ext4 -q -F "$device" && mkdir probe.mnt && mount "$device" probe.mnt 2>mount.err && umount probe.mnt || status=1; }
"$VALIDATE" volume remove "probe-$$" >/dev/null
[ $status -eq 0 ] || skip "no captures or no mounts here: $(cat capture.err mount.err 2>/dev/null)"

expect_verdict "$VALIDATE" run scaled.conf -o results -q
grep -q '"state":"failed"' results/journal && fail "a run failed: $(grep '"failed"' results/journal | head -n 1)"
# a recording, two runs of the calibration, and in three blocks the program once each: each is
# cleaned up, the recording on the slow target
[ "$(wc -l <cleaned)" -eq 6 ] || fail "cleaned $(wc -l <cleaned) times"
[ "$(sort cleaned | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' ')" = '1 5 ' ] || fail "not one recording elsewhere: $(cat cleaned)"
[ -z "$(ours results)" ] || fail "volumes stayed: $(ours results)"
grep -q "$PWD" /proc/mounts && fail "a mount stayed" || :
# the device was observed in both: four writes of 64 KiB and the writes of ext4, in runs of the
# program and in replays; no event was lost
jq -e '[.cells[] | select(.replayer != null)] | length == 1' results/report/report.json >/dev/null || fail "not one case"
for run in results/runs/*.json; do
	jq -e '.summary.n_bytes >= 262144 and (.summary.n_lost // 0) == 0' "$run" >/dev/null ||
		fail "$run: $(jq -c '.summary | [.n_bytes, .n_lost]' "$run")"
done

# killed while the file system is mounted: the next session unmounts it, and continues
touch slow.now
"$VALIDATE" run scaled.conf -o killed -q >out 2>err &
pid=$!
mounted() { grep -q "$PWD/killed/.*/four " /proc/mounts; }
wait_for mounted || fail "nothing was mounted: $(cat err)"
kill -KILL $pid
wait $pid || :
mounted || fail "the mount went by itself: nothing is tried here"
rm slow.now
expect_verdict "$VALIDATE" run -o killed --resume -q
[ -z "$(ours killed)" ] || fail "volumes stayed after a kill: $(ours killed)"
grep -q "$PWD" /proc/mounts && fail "a mount stayed after a kill" || :
