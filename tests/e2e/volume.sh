# SPDX-License-Identifier: GPL-3.0-or-later
# long: 45 s
# waits: for devices with a service time
# validate volume: storage with a programmed service time, from creation to removal.
. "$SRCDIR/tests/e2e/lib.sh"

# what needs no privilege
expect_status 2 "$VALIDATE" volume
expect_status 2 "$VALIDATE" volume creat v
expect_line err 'did you mean "create"'
expect_status 2 "$VALIDATE" volume create
expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --size 5000
expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --service hd
expect_line err 'did you mean "hdd"'
expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --service constant:time=5
for service in exponential:mean=0 lognormal:mean=0 gamma:mean=0 gamma:shape=0 gamma:shape=-1 constant:time=2h uniform:to=100d hdd:rpm=0 hdd:rpm=-7200 \
	hdd:rate=0 hdd:seek=61min ssd:channels=0 ssd:channels=100000 ssd:unit=0 ssd:unit=2G constant:parallel=5000 throttled:read-iops=5000000000; do
	expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --service $service
	expect_line err 'is out of range: expected '
done
for service in constant:time=-1ms exponential:mean=-5us ssd:channels=-1 lognormal:sd=99999999999999999999s gamma:shape=nan; do
	expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --service $service
done
expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --service uniform:from=2ms,to=1ms
expect_line err 'the longest time (to) is shorter than the shortest (from)'
expect_status 2 "$VALIDATE" volume create --root "$PWD/root" ../v
expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --service throttled
expect_line err 'read-iops'
expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --service throttled:read-iops=100 --no-loop
expect_line err 'throttled needs a loop device'
expect_status 2 "$VALIDATE" volume create --root "$PWD/root" v --lead soon
# an option of another action
for line in 'create v --all' 'create v -o v.trace' 'list --reset' 'list --size 1M' 'remove v --json' 'trace v -o v --seed 3'; do
	# shellcheck disable=SC2086 # words
	expect_status 2 "$VALIDATE" volume $line --root "$PWD/root"
	expect_line err ' only with "'
done
[ ! -e root/v ] || fail 'a volume was created nevertheless'
expect_status 3 "$VALIDATE" volume create --root "$PWD/root" v --size 1000T
expect_line err 'of the available memory'
# an existing directory stays unchanged, and is refused if other users may write to it
mkdir -m 1777 shared
expect_status 3 "$VALIDATE" volume create --root "$PWD/shared" v --size 4M --no-loop
expect_line err 'other users can write there'
[ "$(stat -c %a shared)" = 1777 ] && [ -z "$(ls shared)" ] || fail "a directory of others was changed: $(ls -la shared)"
expect_status 0 "$VALIDATE" volume list --root "$PWD/root"
expect_line out 'no volumes'
# other directories are neither listed nor removed, wherever volumes are searched
mkdir -p keep/precious keep/empty keep/closed
mkdir -m 700 keep/logs
echo kept | tee keep/precious/file keep/closed/file keep/logs/log >/dev/null
chmod 700 keep/closed
ln -s precious keep/link
find keep | sort >kept
expect_status 0 "$VALIDATE" volume list --root keep
expect_line out 'no volumes'
for name in precious empty closed logs link; do
	expect_status 3 "$VALIDATE" volume remove --root keep $name
	expect_line err 'volume of this user'
	expect_status 3 "$VALIDATE" volume create --root keep $name --size 4M --no-loop
	expect_line err 'volume of this user'
	expect_status 3 "$VALIDATE" volume trace --root keep $name -o x.trace
done
expect_status 2 "$VALIDATE" volume remove --root keep --all precious
expect_status 0 "$VALIDATE" volume remove --root keep --all
find keep | sort | cmp - kept || fail "another object was removed"
expect_status 3 "$VALIDATE" volume list --root "$PWD/root" v
expect_status 3 "$VALIDATE" volume remove --root "$PWD/root" v
expect_status 2 "$VALIDATE" volume remove --root "$PWD/root"
expect_status 2 "$VALIDATE" volume trace --root "$PWD/root" v

[ -c /dev/fuse ] || skip "no /dev/fuse"
root=$PWD/root
trap '"$VALIDATE" volume remove --root "$root" --all >/dev/null 2>&1 || :' EXIT

# the server alone, without a loop device: any user who may mount FUSE file systems
status=0
"$VALIDATE" volume create --root "$root" plain --size 4M --no-loop --service constant:read=1ms,write=3ms --lead 0 >out 2>err || status=$?
if [ "$status" -ne 0 ]; then
	grep -q 'cannot mount' err || fail "$(cat err)"
	skip "no FUSE mounts for this user"
fi
expect_line out 'constant:read=1ms,write=3ms,parallel=0,flush=0s'
file=$root/plain/mount/volume
[ "$(stat -c %s "$file")" -eq 4194304 ] || fail "its size is $(stat -c %s "$file")"
expect_status 3 "$VALIDATE" volume create --root "$root" plain --size 4M --no-loop
expect_line err 'already'
"$VALIDATE" volume trace --root "$root" plain -o /dev/null --reset >/dev/null || fail "no trace"
dd if=/dev/urandom of=data bs=4k count=64 2>/dev/null
dd if=data of="$file" bs=4k oflag=direct conv=notrunc seek=16 2>/dev/null
dd if="$file" of=back bs=4k iflag=direct skip=16 count=64 2>/dev/null
cmp data back || fail "the data read differ from the data written"
dd if="$file" of=/dev/null bs=4k skip=1024 2>dd.err || fail "reading at its end: $(cat dd.err)"
dd if=data of="$file" bs=4k oflag=direct conv=notrunc seek=1023 count=2 2>dd.err && fail "written beyond its end" || :
expect_status 0 "$VALIDATE" volume trace --root "$root" plain -o plain.trace
expect_status 0 "$VALIDATE" info plain.trace --csv plain.csv
# begin, dispatch and end of each request: no answer before its time, to the microsecond; and the
# counts
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 { b = $at["begin"] + 0; e = $at["end"] + 0; f = $at["function"]
		if (f == "pwrite" && e - b < 0.002999 || f == "pread" && e - b < 0.000999) { print "line " NR ": " $0; exit 1 }
		if (b < last) { print "line " NR ": out of order"; exit 1 }
		n[f]++; last = b }
	END { if (n["pwrite"] != 65 || n["pread"] != 64) { print n["pwrite"] " writes, " n["pread"] " reads"; exit 1 } }' plain.csv ||
	fail "the log of the plain volume"
expect_status 0 "$VALIDATE" volume list --root "$root" --json
jq -e '.volumes[0] | .alive and .reads.n == 64 and .reads.programmed_median_ns > 999000 and .writes.median_ns > 2999000' out >/dev/null ||
	fail "$(cat out)"
jq -e '.volumes[0].reads | .n_shorter_than_lead == 0 and .delivered.p05_ns >= .programmed.p05_ns * 0.999 and .delivered.p99_ns >= .delivered.p50_ns and
	.programmed.mean_ns == 1000000 and .delivered.mean_ns >= 1000000' out >/dev/null || fail "$(cat out)"
expect_status 0 "$VALIDATE" volume list --root "$root"
expect_line out 'delivered'
expect_status 0 "$VALIDATE" volume remove --root "$root" plain
[ ! -e "$root/plain" ] || fail "its directory stayed"
grep -q "$root" /proc/mounts && fail "its mount stayed" || :

# a directory that does not exist yet, named with a trailing slash: closed to other users, with any umask
(umask 002 && expect_status 0 "$VALIDATE" volume create --root yet/ made --size 1M --no-loop --lead 0) || exit 1
mode=$(stat -c %a yet)
expect_status 0 "$VALIDATE" volume remove --root yet/ made
[ "$mode" = 700 ] || fail "the volumes' directory has the mode $mode"

# kept in a file: the content stays after the server; a killed server is reported, and can be removed
expect_status 0 "$VALIDATE" volume create --root "$root" kept --size 1M --no-loop --file kept.image --service ssd --lead 0
dd if=data of="$root/kept/mount/volume" bs=4k count=3 oflag=direct conv=notrunc 2>/dev/null
server=$(cat "$root/kept/lock")
kill -KILL "$server"
while kill -0 "$server" 2>/dev/null; do
	sleep 0.05
done
expect_status 0 "$VALIDATE" volume list --root "$root"
expect_line out 'its server has ended'
expect_status 0 "$VALIDATE" volume trace --root "$root" kept -o kept.trace
expect_line out '3 requests'
expect_status 0 "$VALIDATE" volume remove --root "$root" kept
[ ! -e "$root/kept" ] || fail "the directory of a killed server stayed"
[ "$(head -c 12288 kept.image | cksum)" = "$(head -c 12288 data | cksum)" ] ||
	fail "its file does not have the written data"

# measuring the lead uses the random numbers of the model, and then it restarts: the drawn times are
# those of the seed
for name in drawn again; do
	expect_status 0 "$VALIDATE" volume create --root "$root" "$name" --size 1M --no-loop --service exponential:mean=2ms --seed 5
	dd if="$root/$name/mount/volume" of=/dev/null bs=4k count=20 iflag=direct 2>/dev/null
	expect_status 0 "$VALIDATE" volume list --root "$root" --json "$name"
	jq -c '.volumes[0] | .lead_ns >= 0, .way_low_ns > 0, .way_high_ns >= .way_low_ns, .reads.n, .reads.programmed' out >"$name.facts"
	expect_status 0 "$VALIDATE" volume remove --root "$root" "$name"
done
cmp drawn.facts again.facts || fail "$(cat drawn.facts again.facts)"
[ "$(head -n 4 drawn.facts | tr '\n' ' ')" = "true true true 20 " ] || fail "$(cat drawn.facts)"

# an impossible model leaves nothing
expect_status 2 "$VALIDATE" volume create --root "$root" bad --size 1M --no-loop --file /dev/null
[ ! -e "$root/bad" ] || fail "a failed volume stayed"

[ "$(id -u)" -eq 0 ] || skip "loop devices need root"
[ -e /dev/loop-control ] || skip "no loop devices"

# with a loop device: a volume with a mounted file system is not removed, and requests overlap as in
# the model
status=0
"$VALIDATE" volume create --root "$root" fast --size 32M --service constant:time=500ms >out 2>err || status=$?
if [ "$status" -ne 0 ]; then
	grep -q 'loop' err || fail "$(cat err)"
	skip "no loop device: $(cat err)"
fi
expect_status 0 "$VALIDATE" volume list --root "$root" --json fast
device=$(jq -r '.volumes[0].path' out)
[ -b "$device" ] || fail "$device is not a block device"
for i in 1 2 3 4 5 6 7 8; do
	dd if="$device" of=/dev/null bs=4k count=1 skip=$((i * 100)) iflag=direct 2>/dev/null &
done
wait
expect_status 0 "$VALIDATE" volume trace --root "$root" fast -o fast.trace --reset
expect_status 0 "$VALIDATE" info fast.trace --json
jq -e ".concurrency.max >= 2" out >/dev/null || fail "no two reads at a time"
expect_status 0 "$VALIDATE" volume remove --root "$root" fast
[ ! -b "$device" ] || ! grep -q "$root" "/sys/block/${device#/dev/}/loop/backing_file" 2>/dev/null || fail "the loop device stayed"

# without /sys the device is found, but not its users: the volume stays, with a message, also if its
# server was killed
without_sys() {
	unshare -m sh -c 'umount -l /sys && exec "$@"' sh "$@"
}
if unshare -m umount -l /sys 2>/dev/null; then
	for how in alive killed; do
		expect_status 0 "$VALIDATE" volume create --root "$root" blind --size 4M --lead 0
		device=$("$VALIDATE" volume list --root "$root" --json blind | jq -r '.volumes[0].path')
		expect_status 0 without_sys "$VALIDATE" volume list --root "$root" --json blind
		[ "$(jq -r '.volumes[0].path' out)" = "$device" ] || fail "without /sys not found: $(cat out)"
		[ $how = alive ] || kill -KILL "$(cat "$root/blind/lock")"
		expect_status 3 without_sys "$VALIDATE" volume remove --root "$root" blind
		expect_line err 'annot'
		[ -d "$root/blind" ] && [ -e "/sys/block/${device#/dev/}/loop/backing_file" ] || fail "half removed without /sys ($how)"
		expect_status 0 "$VALIDATE" volume remove --root "$root" blind
		! grep -qs "$PWD" "/sys/block/${device#/dev/}/loop/backing_file" || fail "the loop device stayed: $device ($how)"
	done
fi

# The server is stopped or killed during a replay: the replay ends, and the volume can be removed.
awk 'BEGIN { for (i = 0; i < 800; i++)
	printf "%.0f,v,0,Read,%d,4096,600\n", 128166372003061629 + i * 50000, i % 256 * 4096 }' >long.csv
for signal in STOP KILL; do
	expect_status 0 "$VALIDATE" volume create --root "$root" broken --size 4M --service constant:time=1ms --lead 0
	device=$("$VALIDATE" volume list --root "$root" --json broken | jq -r '.volumes[0].path')
	# the memory that a request in the kernel still uses is not freed
	(leaks_unchecked && exec timeout -k 5 60 "$VALIDATE" replay --device "$device" --watchdog 1s long.csv >replay.out 2>&1) &
	replay=$!
	until [ "$("$VALIDATE" volume list --root "$root" --json broken | jq '.volumes[0].reads.n')" -gt 2 ]; do
		kill -0 $replay 2>/dev/null || fail "the replay ended: $(cat replay.out)"
		sleep 0.05
	done
	kill -$signal "$(cat "$root/broken/lock")"
	status=0
	wait $replay || status=$?
	case $signal in
	STOP) ended="3 does not return" ;;
	KILL) ended="3 the device or the storage below it has probably failed" ;;
	esac
	[ $status -eq "${ended%% *}" ] || fail "SIG$signal for the server: the replay ended with status $status: $(cat replay.out)"
	expect_line replay.out "${ended#* }"
	expect_status 0 timeout -k 5 60 "$VALIDATE" volume remove --root "$root" broken
	[ ! -e "$root/broken" ] || fail "SIG$signal for the server: its directory stayed"
done

# a replay that writes holds its device: its second request is due in a minute
expect_status 0 "$VALIDATE" volume create --root "$root" held --size 4M --service constant:time=0
device=$("$VALIDATE" volume list --root "$root" --json held | jq -r '.volumes[0].path')
printf '128166372003061629,v,0,Write,0,4096,600\n128166372603061629,v,0,Write,4096,4096,600\n' >two.csv
"$VALIDATE" replay --destructive --device "$device" two.csv >replay.out 2>&1 &
replay=$!
trap 'kill -KILL $replay 2>/dev/null || :; "$VALIDATE" volume remove --root "$root" --all >/dev/null 2>&1 || :' EXIT
until [ "$("$VALIDATE" volume list --root "$root" --json held | jq '.volumes[0].writes.n')" -gt 0 ]; do
	kill -0 $replay 2>/dev/null || fail "the replay ended: $(cat replay.out)"
	sleep 0.05
done
expect_status 6 "$VALIDATE" volume remove --root "$root" held
expect_line err 'is in use'
kill -KILL $replay
wait $replay 2>/dev/null || :
expect_status 0 "$VALIDATE" volume remove --root "$root" held

# the kernel sends the server no other requests between reads and writes, which would add to their times
expect_status 0 "$VALIDATE" volume create --root "$root" mixed --size 8M --service constant:time=0
device=$("$VALIDATE" volume list --root "$root" --json mixed | jq -r '.volumes[0].path')
replies() {
	awk '/syscw/ { print $2 }' "/proc/$(cat "$root/mixed/lock")/io"
}
"$VALIDATE" volume trace --root "$root" mixed -o mixed.trace --reset >/dev/null
before=$(replies)
expect_status 0 "$VALIDATE" microbench br --destructive --device "$device" --read-share 50% --requests 400 -o load.trace
after=$(replies)
requests=$("$VALIDATE" volume list --root "$root" --json mixed | jq '.volumes[0] | .reads.n + .writes.n')
[ "$requests" -ge 400 ] && [ $((after - before)) -le $((requests + 40)) ] || fail "$((after - before)) replies to $requests requests"
expect_status 0 "$VALIDATE" volume remove --root "$root" mixed

# The thread that answers has a CPU of its own, the last of more than two, and the others leave it.
if [ -z "${SANITIZE:-}" ] && ${CC:-cc} -shared -fPIC -o cpus.so "$SRCDIR/tests/programs/cpus.c" 2>cc.err; then
	for cpus in '0 2 3 9' '1 2 5' '0 1' 4; do
		rm -f bindings
		expect_status 0 env CPUS="$cpus" BINDINGS="$PWD/bindings" LD_PRELOAD="$PWD/cpus.so" \
			"$VALIDATE" volume create --root "$root" placed --size 4M --service constant:time=0 --lead 0 --no-loop
		expect_status 0 "$VALIDATE" volume remove --root "$root" placed
		case $cpus in
		'0 2 3 9') printf '0 2 3 \n9 \n' ;;
		'1 2 5') printf '1 2 \n5 \n' ;;
		esac >expected
		sort bindings 2>/dev/null | cmp -s - expected || fail "of CPUs $cpus: $(cat bindings)"
	done
fi

# limited by a control group: the limit belongs to the device while it exists, and not to a later
# device of the same number. The device is known for any name of the root, and is removed with it.
newline='
'
mkdir below
ln -s below link
for name in below/root link/root "below/a${newline}b"; do
	expect_status 0 "$VALIDATE" volume create --root "$name" here --size 4M --lead 0
	expect_status 0 "$VALIDATE" volume list --root "$name" --json here
	device=$(jq -r '.volumes[0].path' out)
	case $device in /dev/loop*) ;; *) fail "the device of a volume in \"$name\" is not found: $(cat out)" ;; esac
	expect_status 0 "$VALIDATE" volume remove --root "$name" here
	! grep -qs "$PWD" "/sys/block/${device#/dev/}/loop/backing_file" || fail "a loop device stayed: $device"
	[ -z "$(ls "$name")" ] || fail "left behind in \"$name\": $(ls "$name")"
done

group=/sys/fs/cgroup/blkio$(sed -n 's/^[0-9]*:[a-z,]*blkio[a-z,]*://p' /proc/self/cgroup | sed 's,^/$,,')
if [ -w "$group/blkio.throttle.read_iops_device" ]; then
	expect_status 0 "$VALIDATE" volume create --root "$root" slow --size 4M --service throttled:read-iops=20,write-rate=1M
	expect_line out 'stalls of up to 100 ms'
	expect_status 0 "$VALIDATE" volume list --root "$root" --json slow
	device=$(jq -r '.volumes[0].path' out)
	[ "$(jq -r '.volumes[0].group' out)" = "$group" ] || fail "$(cat out)"
	number=$(cat "/sys/block/${device#/dev/}/dev")
	grep -qx "$number 20" "$group/blkio.throttle.read_iops_device" || fail "no limit of requests: $(cat "$group"/blkio.throttle.*)"
	grep -qx "$number 1048576" "$group/blkio.throttle.write_bps_device" || fail "no limit of bytes: $(cat "$group"/blkio.throttle.*)"
	begun=$(awk '{ print $1 }' /proc/uptime)
	dd if="$device" of=/dev/null bs=4k count=20 iflag=direct 2>/dev/null
	# 20 requests at 20 per second, except for the slice that is granted in advance: never
	# sooner, on any machine
	awk -v from="$begun" '{ exit $1 - from < 0.7 }' /proc/uptime || fail "20 reads at 20 a second ended too soon"
	expect_status 0 "$VALIDATE" volume remove --root "$root" slow
	grep -q "^$number " "$group"/blkio.throttle.*_device && fail "the limits stayed" || :
fi

command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"
expect_status 0 "$VALIDATE" volume create --root "$root" fs --size 32M --service constant:time=0
expect_status 0 "$VALIDATE" volume list --root "$root" --json fs
device=$(jq -r '.volumes[0].path' out)
mkfs.ext4 -q "$device"
mkdir mnt
mount "$device" mnt 2>mount.err || skip "no mounts here: $(cat mount.err)"
cp data mnt/
expect_status 6 "$VALIDATE" volume remove --root "$root" fs
expect_line err 'is mounted on'
umount mnt
expect_status 0 "$VALIDATE" volume remove --root "$root" fs
