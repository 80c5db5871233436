# SPDX-License-Identifier: GPL-3.0-or-later
# Engine block chooses its backend by probing: libaio on a device for which io_uring would use kernel
# threads (zram has no RWF_NOWAIT), io_uring on a loop device; the same for the block workloads.
. "$SRCDIR/tests/e2e/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "devices need root"
[ -r /sys/class/zram-control/hot_add ] || skip "no zram"
number=$(cat /sys/class/zram-control/hot_add) || skip "no zram device can be added"
zram=/dev/zram$number loop=
trap '[ -z "$loop" ] || losetup -d "$loop"; echo "$number" >/sys/class/zram-control/hot_remove' EXIT
echo 16M >"/sys/block/zram$number/disksize"
[ -b "$zram" ] || mknod "$zram" b $(tr : ' ' <"/sys/block/zram$number/dev")

awk 'BEGIN { for (i = 0; i < 400; i++)
	printf "%.0f,hm,0,Read,%d,4096,600\n", 128166372003061629 + i * 500, (i * 37 % 256) * 4096 }' >in.csv
expect_status 0 "$VALIDATE" replay --device "$zram" -o out.trace in.csv
expect_line out 'backend         libaio: the target does not support RWF_NOWAIT, so io_uring would use kernel threads'
expect_line out '400 of 400'
expect_status 0 "$VALIDATE" replay --device "$zram" --backend io_uring in.csv
expect_line out 'backend         io_uring: --backend'
"$VALIDATE" microbench block-random --device "$zram" --read-share 100% --requests 500 -o bench.trace >out 2>err || fail "$(cat err)"
"$VALIDATE" info --json bench.trace >bench.json
[ "$(jq -r '.. | .backend? // empty | .name? // empty' bench.json | head -n 1)" = libaio ] || fail "the workload did not use libaio on $zram"

truncate -s 16M image
loop=$(losetup -f --show image 2>losetup.err) || skip "no loop device: $(cat losetup.err)"
expect_status 0 "$VALIDATE" replay --device "$loop" -o out.trace in.csv
if ! grep -q 'backend         io_uring: ' out; then # a kernel whose loop devices lack RWF_NOWAIT
	grep -q 'RWF_NOWAIT' out || fail "$(cat out)"
fi
