# SPDX-License-Identifier: GPL-3.0-or-later
# Replayers that remove their target, damage the trace, fill the disk, print nothing, print
# impossible results, or make all requests twice: the message names the fault, and a campaign
# continues.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
. "$SRCDIR/tests/e2e/adapters-lib"

here=$PWD
${CC:-cc} -O1 -o hostile-replayer "$SRCDIR/tests/programs/hostile-replayer.c"
form='self:csv(begin=1, end=2, op=3, offset=4, length=5, unit=us, unit-offset=512)'
input() { # a trace of 200 requests of 4 KiB, and its target
	awk 'BEGIN { for (i = 0; i < 200; i++)
		printf "%.0f,hm,0,%s,%d,4096,600\n", 128166372003061629 + i * 500, i % 3 ? "Read" : "Write", (i * 37 % 256) * 4096 }' >in.csv
	truncate -s 1M target
}
hostile() { # STATUS FAULT OPTION...
	expected=$1 fault=$2
	shift 2
	rm -f out.trace out.trace.printed
	expect_status "$expected" "$VALIDATE" replay --engine exec --destructive --device target --export blkreplay -o out.trace --times "$form" \
		--command "[\"$here/hostile-replayer\", \"$fault\", \"{trace}\", \"{device}\"]" "$@" in.csv
	[ -z "$(ls -d out.trace.run-* 2>/dev/null)" ] || fail "the scratch directory stayed: $(ls -d out.trace.run-*)"
	[ "$expected" = 0 ] || [ ! -e out.trace ] || fail "$fault: a trace of a run that failed"
}
fact() { # NAME: of the replay's metadata
	"$VALIDATE" info --json out.trace | jq -r ".. | .$1? // empty" | head -n 1
}

# --- output ---------------------------------------------------------------------------------------------------------------------
input
hostile 3 inf
expect_line err 'times:1: column 2: "inf'
hostile 3 negative
expect_line err 'times:1: the offset or the length is negative or too large'
hostile 3 closed
expect_line err 'none of the 200 requests of the trace was observed'
hostile 0 binary
expect_line out '200 of 200'
[ "$(wc -c <out.trace.printed)" = 100000 ] || fail "of 100000 bytes $(wc -c <out.trace.printed) are kept"
head -c 256 out.trace.printed | od -An -v -tu1 | tr -s ' ' '\n' | grep . | awk '$1 != NR - 1 { exit 1 }' || fail 'they are not the bytes that it printed'
hostile 0 twice
expect_line out '200 requests that the input does not have'
expect_line out 'requests        200 of 200; times: self'
[ "$(fact n_matched)" = 200 ] && [ "$(fact n_extra)" = 200 ] || fail "of 200 requests made twice $(fact n_matched) matched, $(fact n_extra) are extra"

# times in another unit than stated: their span is longer than the replayer ran
right=$form
form=$(printf %s "$right" | sed 's/unit=us/unit=ms/')
hostile 3 twice
expect_line err 'check the unit and the columns'
form=$right
hostile 2 twice --accept-status 3,x
expect_line err 'accept-status: "x" is not a whole number'
hostile 2 twice --accept-status 256
hostile 2 twice --environment NAME
expect_line err 'environment: "NAME" is not of the form NAME=VALUE'

# --- the replayer kills the process that started it: its remaining processes are killed
# nevertheless ------
for times in "$form" preload none; do
	rm -f orphan
	expect_status 3 "$VALIDATE" replay --engine exec --destructive --device target --export blkreplay -o out.trace --times "$times" \
		--environment "ORPHAN=$PWD/orphan" --command "[\"$here/hostile-replayer\", \"orphan\", \"{trace}\", \"{device}\"]" in.csv
	expect_line err 'the process that supervises it was killed'
	[ -s orphan ] || fail "$times: no orphan was made"
	! kill -0 "$(cat orphan)" 2>/dev/null || fail "$times: the orphan $(cat orphan) runs on"
done

# --- actions --------------------------------------------------------------------------------------------------------------------
hostile 3 removes --environment "REMOVED=$PWD/target"
expect_line err 'hostile-replayer removed its target'
input
hostile 3 truncates --environment "TRUNCATED=$PWD/in.csv"
expect_line err 'hostile-replayer changed its input trace'
input
hostile 0 truncates --environment 'TRUNCATED={trace}' # a replayer may change the exported file: the changed content counts
[ "$(fact n_matched)" -lt 200 ] || fail 'a trace cut off was replayed to its end'

hostile 3 truncates --environment "TRUNCATED=$PWD/target"
expect_line err 'hostile-replayer changed the size of its target'
input
mv hostile-replayer kept
cp kept hostile-replayer
cp kept another
hostile 3 replaces --environment "ANOTHER=$PWD/another REPLACED=$PWD/hostile-replayer"
expect_line err 'hostile-replayer replaced its own program'
mv kept hostile-replayer

# a stopped supervising process is continued; otherwise the replay would wait for ever
for times in "$form" preload none; do
	expect_status 0 timeout -s KILL 100 "$VALIDATE" replay --engine exec --destructive --device target --export blkreplay -o out.trace \
		--times "$times" --command "[\"$here/hostile-replayer\", \"stops\", \"{trace}\", \"{device}\"]" in.csv
done

# --- a campaign: a removed target directory, and a full disk -------------------------------------------
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=24m,mode=755 small small 2>/dev/null; then
	trap 'cd "$here" && umount -l small' EXIT
	cp in.csv target small
	cd small
	hostile 3 fills --environment "FILLED={scratch}/fills"
	expect_line err 'No space left on device'
	hostile 0 none
	expect_line out '200 of 200'
	rm -f out.trace* in.csv target
	cd ..
else
	echo "a full disk: not tried, for a small file system cannot be mounted here"
fi
mkdir small/files
{
	bad_protocol "$PWD/small/files" "$PWD"
	bad_replayer removes '["sh", "-c", "rm -rf \"$0\"; echo 1,2", "{dir}"]'
	bad_replayer fills '["sh", "-c", "head -c 40000000 /dev/zero >\"$0/more\"; exit 5", "{dir}"]'
} >bad.conf
bad_run
journal=results/journal
grep -q 'removed its target' "$journal" || fail "nothing of the removed target in the journal: $(cat "$journal")"
grep -q 'exit status 5' "$journal" || fail 'nothing of the full disk in the journal'
jq -e '[.league[] | select(.replayer != "event") | .n_failed_runs] == [4, 4]' \
	results/report/report.json >/dev/null || fail 'not all of their runs failed'
all_failed 8
