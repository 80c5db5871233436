# SPDX-License-Identifier: GPL-3.0-or-later
# A parallel application: recorded on one target with what its nodes wait for, replayed on another, compared with its own runs there; one that does
# otherwise from run to run fails with the reason, and the campaign goes on; a period that is found; and nothing is left.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"
preload_before_sanitizer
. "$SRCDIR/tests/e2e/parallel-lib"
if [ "$(id -u)" -eq 0 ]; then root=--allow-run-as-root; else root=; fi
mpirun $root --oversubscribe -n 2 true >out 2>&1 || skip "mpirun starts nothing here: $(head -n 3 out)"

${CC:-cc} -w -O1 -o parallel "$SRCDIR/tests/programs/parallel.c" -pthread || fail 'parallel.c does not compile'
HERE=$PWD
export HERE
mkdir workloads a b
# a parent writes, and its child reads what it wrote; $RANKS writes where the protocol says so. With a device, on a file system there
cat >workloads/piped.sh <<'END'
verb=$1 dir=$2/piped device=${4:-}
case $verb in
prepare)
	! mountpoint -q "$dir" 2>/dev/null || umount "$dir"
	rm -rf "$dir"
	mkdir "$dir" || exit 3
	[ -z "$device" ] || mkfs.ext4 -q -F -O ^has_journal -E nodiscard,lazy_itable_init=0 "$device" || exit 3
	[ -z "$device" ] || mount -t ext4 "$device" "$dir" || exit 3
	;;
run)
	cd "$dir" && exec "$HERE/parallel" pipe "${RANKS:-5}"
	;;
clean)
	! mountpoint -q "$dir" || umount "$dir"
	rmdir "$dir"
	until wipefs -q -a "$device" 2>/dev/null; do sleep 0.1; done
	;;
esac
END
# the same, but one write more each time
sed -e 's/piped/moody/' -e 's/exec .*/echo >>"$HERE\/moods"; exec "$HERE\/parallel" pipe "$(wc -l <"$HERE\/moods")"/' workloads/piped.sh >workloads/moody.sh
cat >parallel.conf <<'END'
[protocol]
replicates = 2
min-duration = 0
[target a]
dir = a
[target b]
dir = b
[workload piped]
type = parallel
script = workloads/piped.sh
ranks = 4
recorded-on = a
target = b
[workload found]
type = parallel
script = workloads/piped.sh
ranks = 4
period = auto
error = 1000%
recorded-on = a
target = b
[workload moody]
type = parallel
script = workloads/moody.sh
recorded-on = a
target = b
[replayer replay]
engine = parallel
END

expect_status 0 "$VALIDATE" run parallel.conf --dry-run
expect_line out 'recording parallel applications may take'
# without a launcher nothing is begun
expect_status 3 env PATH=/nowhere "$VALIDATE" run parallel.conf -o nothing
expect_line err '[workload piped] is a parallel application'
[ ! -e nothing ] || fail 'a results directory was made'

status=0
"$VALIDATE" run parallel.conf -o results -q >out 2>err || status=$?
case $status in 1 | 4) ;; *) fail "status $status: $(cat err)" ;; esac
reasons=$(sed -n 's/.*"state":"failed","reason":"\([^"]*\).*/\1/p' results/journal)
[ "$(echo "$reasons" | wc -l)" -eq 4 ] || fail "other runs failed: $reasons"
[ "$(echo "$reasons" | grep -c 'does not make the same requests')" -eq 4 ] || fail "the recording of what differs: $reasons"
[ "$(echo "$reasons" | grep -c 'could not be recorded')" -eq 3 ] || fail "replays without a recording: $reasons"
grep -q '"event":"period".*"period":1000' results/journal || fail 'no period was tried'

# two nodes, delayed one after the other at each request; the same requests on the other target
jq -e '.parallel.cases | length == 3' results/report/report.json >/dev/null || fail 'not three cases'
jq -e '[.parallel.cases[] | select(.scenario == "piped")][0] | .recorded_on == "a" and .target == "b" and .recording.n_nodes == 2 and
	.recording.n_delayed == 2 and .recording.n_runs == 3 and .recording.period == 1 and .recording.n_waits == 4 and
	.recording.tracing_ns > .recording.application_ns' results/report/report.json >/dev/null ||
	fail "the recording: $(jq -c .parallel.cases results/report/report.json)"
jq -e '[.parallel.cases[] | select(.scenario == "found")][0].recording | .period == 1000 and .n_waits == 0' results/report/report.json >/dev/null || fail 'another period'
jq -e '[.parallel.nodes[] | select(.scenario == "piped")] | length == 2 and .[0].n_requests > 0' results/report/report.json >/dev/null || fail 'not two nodes'
for run in results/runs/*.json; do
	jq -e '.scenario == "found" or .role == "recording" or .role == "program" or (.summary.n_lost == 0 and .summary.n_mismatched == 0 and (.summary.nodes | length == 2))' "$run" >/dev/null ||
		fail "$run: $(jq -c '.summary | [.n_lost, .n_mismatched]' "$run")"
done
expect_line results/report/summary.txt 'Parallel applications'
expect_line results/report/tables/parallel-replayers.csv 'piped ranks=4,b,1,all,'
[ ! -e results/recordings ] || fail 'recordings stayed'
[ -z "$(ls a b | grep validate)" ] || fail "something stayed: $(ls a b)"
clean results

# on volumes, whose file systems are made anew before each run
[ "$(id -u)" -eq 0 ] || exit 0
[ -c /dev/fuse ] && [ -e /dev/loop-control ] || exit 0
for program in mkfs.ext4 mount wipefs mountpoint; do
	command -v $program >/dev/null || exit 0
done
"$VALIDATE" volume create "probe-$$" --size 8M --service constant:time=0 >out 2>err || exit 0
device=$("$VALIDATE" volume list --json "probe-$$" | jq -r '.volumes[0].path')
status=0
{ mkfs.ext4 -q -F "$device" && mkdir probe.mnt && mount "$device" probe.mnt && umount probe.mnt; } >out 2>&1 || status=1
"$VALIDATE" volume remove "probe-$$" >/dev/null
[ $status -eq 0 ] || exit 0
sed -e '/^\[workload found\]/,/^\[replayer/{/^\[replayer/!d}' -e 's/^dir = a/volume = constant:time=200us/' -e 's/^dir = b/volume = constant:time=100us/' \
	parallel.conf >volumes.conf
status=0
"$VALIDATE" run volumes.conf -o volumes -q >out 2>err || status=$?
case $status in 0 | 1 | 4) ;; *) fail "volumes, status $status: $(cat err)" ;; esac
grep -q '"state":"failed"' volumes/journal && fail "a run failed: $(grep '"failed"' volumes/journal | head -n 1)"
grep -q "$PWD" /proc/mounts && fail 'a mount stayed' || :
clean volumes
