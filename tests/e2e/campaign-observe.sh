# SPDX-License-Identifier: GPL-3.0-or-later
# long: 37 s
# Campaigns that observe at the device and by the preloaded library: the program and every replayer
# in the same way.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
command -v jq >/dev/null || skip "jq is not there to read JSON"

protocol() { # target lines on standard input; workload lines as arguments
	cat <<-'END'
		[protocol]
		replicates = 2
		allow-undecidable = yes
		min-duration = 1ms
		settle = 1ms
		[target disk]
	END
	cat
	echo '[workload work]'
	for line; do
		echo "$line"
	done
}
run() { # DIR PROTOCOL: any verdict
	expect_verdict "$VALIDATE" run "$2" -q -o "$1"
	grep '"state":"failed"' "$1/journal" && fail "a run failed" || :
}
summaries() { # DIR FILTER: over the runs' files
	jq -s "$2" "$1"/runs/*.json
}

# --- errors when the protocol is read
protocol 'type = random-read' 'observe = blok' </dev/null >bad.conf
printf '[replayer event]\nengine = event\n' >>bad.conf
expect_status 2 "$VALIDATE" run bad.conf --dry-run
expect_line err 'did you mean "block"'
echo 'volume = constant:time=0' | protocol 'type = block-random' 'observe = preload' >bad.conf
printf '[replayer block]\nengine = block\n' >>bad.conf
expect_status 2 "$VALIDATE" run bad.conf --dry-run
expect_line err 'observe = block'

# --- by the library: the program and the engine both run under it
protocol 'type = random-read' 'requests = 200' 'file-size = 1M' 'observe = preload' </dev/null >preload.conf
printf '[replayer event]\nengine = event\norder = fs\n' >>preload.conf
run by-library preload.conf
summaries by-library 'map(select(.own.observed_share != 1)) | length == 0' | grep -qx true || fail "not all runs were observed by the library"
summaries by-library 'map(select(.role == "program")) | length > 0' | grep -qx true || fail "the program did not run"
grep -q 'the preloaded library' by-library/report/tables/observation.csv || fail "the report does not state it"

# --- at the device
[ "$(id -u)" -eq 0 ] || skip "loop devices and tracefs need root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ -c /dev/fuse ] && [ -e /dev/loop-control ] || skip "no /dev/fuse or no loop devices"
"$VALIDATE" volume create "probe-$$" --size 1M --service constant:time=0 >out 2>err || skip "no volumes here: $(cat err)"
"$VALIDATE" volume remove "probe-$$" >/dev/null

printf 'volume = constant:time=300us,parallel=2\nsize = 8M\n' |
	protocol 'type = block-random' 'queue-depth = 4' 'read-share = 50%' 'requests = 100' 'observe = own, block' >block.conf
cat >>block.conf <<'END'
[replayer hf]
engine = block
mode = hf
[replayer lossy]
engine = block
mode = hf
mutant = lost
[replayer again]
engine = program
END
run at-device block.conf
of='map(select(.scenario == "work observe=block"))'
summaries at-device "$of | map(select(.device == null)) | length == 0" | grep -qx true || fail "a run was not observed at the device"
summaries at-device "$of | map(select(.role != \"lossy\" and (.device.seen != .device.requests or .device.extra != 0))) | length == 0" | grep -qx true ||
	fail "the requests at the device are wrong: $(summaries at-device "$of | map([.role, .device])")"
summaries at-device "$of | map(select(.role == \"lossy\" and (.summary.n_lost == 0 or .device.seen + .summary.n_lost != .device.requests))) | length == 0" |
	grep -qx true || fail "requests that were never made are not lost at the device"
# the response time at the device is shorter than at the caller
summaries at-device "$of | map(select(.summary.response.mean > .own.mean_ns)) | length == 0" | grep -qx true ||
	fail "times at the device: $(summaries at-device "$of | map([.role, .summary.response.mean, .own.mean_ns])")"
# at most the requested number is in flight at the device; mode hf may exceed it by one, when its
# worker had no CPU
summaries at-device "$of | map(select(.role == \"program\" or .role == \"again\") | .summary.ns_at_level | length) | (length > 0 and max <= 5)" |
	grep -qx true || fail "more than 4 in flight"
summaries at-device 'map(select(.scenario == "work observe=own" and .device != null)) | length == 0' | grep -qx true || fail "own stamps were not left alone"
jq -e '(.at_device | length) == 3 and (.league | length) == 3' at-device/report/report.json >/dev/null || fail "the report has no device, or no league table"
jq -e '.league[] | select(.replayer == "lossy") | .verdict == "not trusted"' at-device/report/report.json >/dev/null || fail "$(jq -c .league at-device/report/report.json)"
expect_status 0 grep -c . at-device/report/tables/device.csv
[ "$(cat out)" -eq 4 ] || fail "table device has $(cat out) lines"
jq -r --slurpfile schema "$SRCDIR/doc/report-schema.json" -f "$SRCDIR/tests/e2e/json-schema.jq" at-device/report/report.json | grep -E '\.(league|at_device|courses|costs)' >faults || :
grep -v '_status is not' faults && fail "report.json does not fit its schema" || :
[ "$("$VALIDATE" volume list | grep -c "^validate-$(sed -n 's/.*"token":"\([a-z0-9]*\)".*/\1/p' at-device/journal | head -n 1)")" -eq 0 ] || fail "a volume stayed"

# --- a replayer of another project is not traced twice; its times begin with its first request,
# however long its start took
if command -v fio >/dev/null; then
	printf 'volume = constant:time=300us,parallel=4\nsize = 8M\n' |
		protocol 'type = block-random' 'arrivals = fixed' 'rate = 1000' 'queue-depth = 4' 'requests = 60' >others.conf
	cat >>others.conf <<-'END'
		[replayer untimed]
		engine = fio
		fio-ioengine = psync
		[replayer own-figures]
		engine = fio
		fio-ioengine = psync
		times = self
	END
	cat >dd-replayer <<-'END'
		i=0
		while IFS=' ;' read -r due sector n op rest; do
			dd if="$2" of=/dev/null bs=$((n * 512)) skip=$((sector / n)) count=1 iflag=direct 2>/dev/null
			echo "$i,$((i += 1))"
		done <"$1"
	END
	cat >>others.conf <<-END
		[replayer tells-no-results]
		engine = exec
		export = blkreplay
		command = ["sh", "$PWD/dd-replayer", "{trace}", "{device}"]
		times = self:csv(begin=1, end=2, unit=ms)
	END
	run others others.conf
	# the device shows whether a request succeeded, independently of the replayer's output
	jq -e '[.cells[] | select(.replayer == "tells-no-results") | .n_results_unknown, .n_lost] == [0, 0]' others/report/report.json >/dev/null ||
		fail "results: $(jq -c '[.cells[] | [.replayer, .n_results_unknown, .n_lost]]' others/report/report.json)"
	summaries others 'map(select(.device.seen != .device.requests)) | length == 0' | grep -qx true || fail "requests were lost: $(summaries others 'map([.role, .device])')"
	summaries others 'map(select(.role == "untimed" and .own != null or .role == "own-figures" and .own == null)) | length == 0' | grep -qx true ||
		fail "own figures: $(summaries others 'map([.role, .own])')"
	# the first request is in time, because its intended times count from it
	summaries others 'map(select((.role == "untimed" or .role == "own-figures") and (.summary.issue_error.n != 60 or .summary.issue_error.min > 1e8))) | length == 0' |
		grep -qx true || fail "the start counts: $(summaries others 'map([.role, .summary.issue_error])')"
fi

# --- files: the requests that the calls caused at the device
command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"
truncate -s 24M image
device=$(losetup -f --show image 2>losetup.err) || skip "no loop device: $(cat losetup.err)"
mkdir mnt
trap 'umount mnt 2>/dev/null || :; losetup -d "$device"' EXIT
mkfs.ext4 -q "$device" 2>mkfs.err || fail "$(cat mkfs.err)"
mount "$device" mnt 2>mount.err || skip "no mounts here: $(cat mount.err)"
printf 'dir = %s\n' "$PWD/mnt" | protocol 'type = random-read' 'requests = 100' 'file-size = 4M' 'direct = yes' 'observe = block' >files.conf
printf '[replayer event]\nengine = event\norder = fs\n' >>files.conf
run on-files files.conf
summaries on-files 'map(select(.device.seen < 90 or .device == null)) | length == 0' | grep -qx true ||
	fail "reads at the device: $(summaries on-files 'map([.role, .device])')"
summaries on-files 'map(select(.role == "event" and .summary.n_lost > 5)) | length == 0' | grep -qx true || fail "reads are lost on files"
# memory has no device
printf 'dir = /dev/shm\n' | protocol 'type = random-read' 'requests = 100' 'file-size = 1M' 'observe = block' >shm.conf
printf '[replayer event]\nengine = event\norder = fs\n' >>shm.conf
expect_status 3 "$VALIDATE" run shm.conf -q -o nowhere
expect_line err 'its file system has no block device'
