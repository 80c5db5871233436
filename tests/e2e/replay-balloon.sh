# SPDX-License-Identifier: GPL-3.0-or-later
# alone: files of other tests evict the pages whose reads are compared
# The balloon: its size, refusals, and its effect. With the same memory limit, a replay with the
# balloon misses the page cache as often as the program, and a replay without it less often. The
# test counts bytes read from the device, not time.
. "$SRCDIR/tests/e2e/lib.sh"
[ -z "${SANITIZE:-}" ] || skip 'a sanitizer has memory of its own'

locked=$(ulimit -l)
[ "$(id -u)" -eq 0 ] || [ "$locked" = unlimited ] || [ "$locked" -ge 131072 ] || skip "only $locked KiB may be locked (RLIMIT_MEMLOCK)"
mkdir target
replay() { # status, then arguments
	want=$1
	shift
	expect_status "$want" "$VALIDATE" replay --dir target "$@"
}
extra() { # TRACE FILTER: of the metadata
	"$VALIDATE" info --json "$1" | jq -r ".meta.extra$2"
}
"$VALIDATE" microbench rr --anon-memory 48M --requests 200 --file-size 256K --dir target -o rr.trace >/dev/null

# microbench reports its memory as capture does; balloon and own memory together equal the program's
# memory, to a page
[ "$(extra rr.trace '.anonymous_memory | length')" = 2 ] || fail "microbench records no memory over time"
had=$(extra rr.trace .memory.anonymous_bytes)
[ "$had" -gt $((48 * 1048576)) ] || fail "only $had bytes"
replay 0 --balloon traced -o out.trace rr.trace
expect_line out "balloon "
sum=$(extra out.trace '.replay.balloon | .own_bytes + .most_bytes')
[ $((sum - had)) -ge -262144 ] && [ $((sum - had)) -le 262144 ] || fail "$sum bytes instead of $had"
replay 0 --balloon 64M -o out.trace rr.trace
[ "$(extra out.trace '.replay.balloon | .own_bytes + .most_bytes - 67108864 | . > -262144 and . < 262144')" = true ] ||
	fail "64M: $(extra out.trace .replay.balloon)"
# with processes: the memory of all of them together, except for shared memory
replay 0 --processes --balloon 64M -o out.trace rr.trace
[ "$(extra out.trace '.replay.balloon | .own_bytes + .most_bytes - 67108864 | . > -262144 and . < 262144')" = true ] ||
	fail "64M with processes: $(extra out.trace .replay.balloon)"
# of the compiled program, and of the process that started it
for more in --no-processes --processes; do
	replay 0 --engine compiled --program-cache cache $more --balloon 64M -o out.trace rr.trace
	[ "$(extra out.trace '.replay.balloon | .own_bytes + .most_bytes - 67108864 | . > -262144 and . < 262144')" = true ] ||
		fail "64M, compiled $more: $(extra out.trace .replay.balloon)"
done
# a process that already uses this memory needs no balloon
replay 0 --balloon 1K -o out.trace rr.trace
[ "$(extra out.trace .replay.balloon.most_bytes)" = 0 ] || fail "1K: $(extra out.trace .replay.balloon)"
replay 0 -o out.trace rr.trace
[ "$(extra out.trace .replay.balloon)" = null ] || fail "a balloon without the option"

# invalid or unavailable sizes, before any request is issued
replay 2 --balloon traces rr.trace
expect_line err 'expected off, traced or a size'
rm -f out.trace
replay 3 --balloon 1000T -o out.trace rr.trace
expect_line err 'the balloon needs'
replay 3 --engine compiled --program-cache cache --balloon 1000T -o out.trace rr.trace
expect_line err 'the balloon needs'
[ ! -e out.trace ] || fail "a trace of nothing"
"$VALIDATE" export --to csv rr.trace -o rr.csv
replay 3 --prepare --balloon traced rr.csv
expect_line err 'memory use of the program ("validate capture app --memory" records it)'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && cp "$VALIDATE" validate-copy && chmod 755 . validate-copy &&
	chmod -R a+rX . && setpriv --reuid 12345 --regid 12345 --clear-groups ./validate-copy version >/dev/null 2>&1; then
	(ulimit -l 64 && expect_status 3 setpriv --reuid 12345 --regid 12345 --clear-groups --bounding-set -ipc_lock \
		./validate-copy replay --dir target --balloon 48M rr.trace)
	expect_line err 'RLIMIT_MEMLOCK'
	[ "$(wc -l <err)" -eq 1 ] || fail "more than a sentence: $(cat err)"
fi

# a killed replay leaves nothing: the memory belongs to its process
for signal in TERM KILL HUP; do
	"$VALIDATE" replay --dir target --balloon traced --timing timestamp --speed 0.00001 rr.trace >/dev/null 2>&1 &
	pid=$!
	i=0
	while kill -0 $pid 2>/dev/null && [ "$(awk '/^VmLck/ { print $2 }' /proc/$pid/status 2>/dev/null || echo 0)" -lt 40000 ]; do
		i=$((i + 1))
		[ $i -lt 3000 ] || fail "no balloon is held"
		sleep 0.02
	done
	kill -$signal $pid 2>/dev/null || fail "the replay had ended before SIG$signal"
	wait $pid && fail "SIG$signal did not end it"
	[ ! -e /proc/$pid/status ] || fail "SIG$signal: the process is still there"
done

# --- in a campaign with the same memory limit for all --------------------------------------------------
[ "$(id -u)" -eq 0 ] || skip "a memory cgroup needs root: the page cache was not tried"
"$VALIDATE" doctor . | grep -q '^OK .*memory cgroup' || skip "no memory cgroup can be had here: the page cache was not tried"
cat >balloon.conf <<'END'
[protocol]
replicates = 5
allow-undecidable = yes
bank = 1
reference = trace
min-duration = 0
settle = 1ms
keep = all
[target here]
cache = cold
memory-limit = 61M
[workload fileserver]
level = 2
files = 60
file-size = 256K
requests = 30
anon-memory = 48M
[replayer event]
order = fs
balloon = off, traced
END
expect_status 0 "$VALIDATE" run balloon.conf --dry-run
status=0
"$VALIDATE" run balloon.conf -o results -q >run.out 2>run.err || status=$?
[ $status -ne 2 ] && [ $status -ne 3 ] || fail "status $status: $(cat run.err)"
grep -q '"state":"failed"' results/journal && fail "a run failed: $(grep '"state":"failed"' results/journal | head -n 1)"
n=$(grep '"event":"run"' results/journal | grep -vc '"limit_bytes":63963136') || :
[ "$n" -eq 0 ] || fail "$n runs had another limit"

# device reads of each kept run: of the program (its command is microbench), of replays with and without balloon
for trace in results/traces/*.trace; do
	"$VALIDATE" info --json "$trace" | jq -r '.meta | [
		(if .extra.replay == null then "program" else .extra.replay.options.balloon end),
		.extra.facts.bytes_read_device] | @tsv'
done >reads
grep -q '^program	[1-9]' reads || skip "no device is read here (no block device below): $(head -n 2 reads)"
# the median: other processes evict pages during some runs
median() {
	awk -v role="$1" '$1 == role { print $2 }' reads | sort -n |
		awk '{ v[NR] = $1 } END { if (!NR) exit 1; printf "%d", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2048 }'
}
program=$(median program) && off=$(median off) && traced=$(median traced) || fail "kept: $(cat reads)"
echo "KiB read from the device: program $program, replay without balloon $off, with $traced"
[ "$off" -lt $((program * 9 / 10)) ] || fail "without a balloon a replay reads as much: the test shows nothing"
# on a busy machine, more pages are evicted between a write and the next read of a file
low=$((program - (program - off) / 2))
[ "$traced" -gt $low ] && [ "$traced" -lt $((2 * program)) ] || fail "with a balloon it reads $traced KiB"
