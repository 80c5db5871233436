# SPDX-License-Identifier: GPL-3.0-or-later
# long: 13 s
# Campaigns below the file system: refusals, a file as target, and a volume that the campaign makes
# and removes.
. "$SRCDIR/tests/e2e/lib.sh"

protocol() { # target lines on standard input
	echo '[protocol]'
	echo 'replicates = 2'
	echo 'allow-undecidable = yes'
	echo 'min-duration = 1ms'
	echo '[target disk]'
	cat
	cat <<'END'
[workload random]
type = block-random
target = disk
queue-depth = 4
read-share = 50%
requests = 100
[replayer block]
engine = block
mode = hf
[replayer again]
engine = program
END
}
bad() { # what the message must have
	expect_status 2 "$VALIDATE" run bad.conf --dry-run
	expect_line err "$1"
}

truncate -s 4M disk.img
printf 'device = %s\ndestructive = yes\n' "$PWD/disk.img" | protocol >file.conf
printf 'device = %s\n' "$PWD/disk.img" | protocol >bad.conf
bad 'does not have destructive = yes'
printf 'cache = cold\n' | protocol >bad.conf
bad 'needs a device or a volume'
printf 'destructive = yes\n' | protocol >bad.conf
bad 'it applies only with the key "device"'
printf 'volume = hd\n' | protocol >bad.conf
bad 'did you mean "hdd"'
printf 'volume = hdd\ndevice = x\n' | protocol >bad.conf
bad 'use either device or volume'
printf 'size = 1M\n' | protocol >bad.conf
bad 'it applies only with the key "volume"'
sed 's/^engine = block/engine = event/; s/^mode.*//' file.conf >bad.conf
bad 'and the protocol has no such workload'
sed 's/^type = .*/type = random-read/; s/^queue-depth.*//; s/^read-share.*//' file.conf >bad.conf
bad 'works on files'

# the target is only named in the protocol: it is not changed
expect_status 6 "$VALIDATE" run file.conf --dry-run
expect_line err 'to permit this'
expect_line out 'WOULD BE OVERWRITTEN'
expect_line out 'may overwrite any part of the device (4 MiB) and needs --device '
expect_line out '; the device is not in use, and no file system, partition table or other known content was found on it'
expect_line out 'No file or device was changed.'
! grep 'recording parallel applications' out || fail 'there are none'
expect_status 0 "$VALIDATE" run file.conf --dry-run --device disk.img
truncate -s 4M signed.img
printf 'SWAPSPACE2' | dd of=signed.img bs=1 seek=4086 conv=notrunc 2>/dev/null
printf '\001\000\000\000\377\000\000\000' | dd of=signed.img bs=1 seek=1024 conv=notrunc 2>/dev/null
ln -s signed.img signed
sed "s,disk.img,signed," file.conf >signed.conf
expect_status 6 "$VALIDATE" run signed.conf --dry-run --device signed.img
expect_line err 'signature (swap)'
expect_line out "the device is $(realpath signed.img)"
expect_line out 'the campaign would be refused: '
expect_line out 'signature (swap)'
cksum disk.img >before
expect_status 6 "$VALIDATE" run file.conf -o refused
expect_line err '--device'
expect_status 6 "$VALIDATE" run file.conf -o refused --device "$PWD/other.img"
[ ! -e refused ] || fail "a refused campaign made something"
[ "$(cksum disk.img)" = "$(cat before)" ] || fail "it was written to"

dd if=disk.img of=/dev/null bs=4k count=1 iflag=direct 2>dd.err || skip "no direct I/O on this file system"
expect_verdict "$VALIDATE" run file.conf -q -o on-file --device disk.img
[ "$(cksum disk.img)" != "$(cat before)" ] || fail "nothing was written"
jq -e '[.cells[] | select(.replayer != null)] | length == 2' on-file/report/report.json >/dev/null 2>&1 ||
	jq -e '.cells | length == 2' on-file/report/report.json >/dev/null || fail "not two cases: $(jq -c 'keys' on-file/report/report.json)"
jq -e '.targets[0].below.path | endswith("disk.img")' on-file/environment.json >/dev/null || fail "the device is not in the environment"
grep -q '"state": *"failed"' on-file/journal* && fail "a run failed: $(grep failed on-file/journal* | head -n 1)" || :

[ "$(id -u)" -eq 0 ] || skip "loop devices need root"
[ -c /dev/fuse ] && [ -e /dev/loop-control ] || skip "no /dev/fuse or no loop devices"
ours() { # names of volumes of campaigns in this directory, by the tokens in their journals
	for journal in on-volume/journal killed/journal; do
		[ ! -e $journal ] || sed -n 's/.*"token":"\([a-z0-9]*\)".*/\1/p' $journal
	done | sort -u | while read -r token; do "$VALIDATE" volume list | grep "^validate-$token" || :; done
}
printf 'volume = constant:time=300us,parallel=2\nsize = 8M\n' | protocol >volume.conf
"$VALIDATE" volume create probe --size 1M --service constant:time=0 >out 2>err || skip "no volumes here: $(cat err)"
"$VALIDATE" volume remove probe >/dev/null
expect_verdict "$VALIDATE" run volume.conf -q -o on-volume
jq -e '.targets[0].below.service | startswith("constant:read=300us")' on-volume/environment.json >/dev/null || fail "no volume in the environment"
[ -z "$(ours)" ] || fail "a volume stayed: $(ours)"

# killed: the volume stays until the campaign is resumed, and is removed then
"$VALIDATE" run volume.conf -q -o killed >out 2>err &
pid=$!
until [ -n "$(ours)" ]; do
	kill -0 $pid 2>/dev/null || fail "no volume was created: $(cat err)"
	sleep 0.02
done
kill -KILL $pid
wait $pid 2>/dev/null || :
expect_verdict "$VALIDATE" run -q -o killed --resume
[ -z "$(ours)" ] || fail "a volume stayed: $(ours)"
