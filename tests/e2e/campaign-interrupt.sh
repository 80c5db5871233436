# SPDX-License-Identifier: GPL-3.0-or-later
# long: 20 s
# waits: for the due times of requests
# After Ctrl-C or SIGTERM, the campaign ends at once, cleans up, prints how to continue, and can be
# resumed. Two campaigns cannot share a directory.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

# runs of half a second, so that the signal arrives during a run
cat >slow.conf <<'END'
[protocol]
replicates = 2
allow-undecidable = yes
bank = 1
min-duration = 0
[workload reads]
type = random-read
file-size = 1M
requests = 50
pause = 10ms
[replayer event]
order = temporal
timing = timestamp
END

# a background job of a script ignores SIGINT: sh -c with job control restores it
for signal in INT TERM HUP; do
	rm -rf results
	env --default-signal=INT "$VALIDATE" run slow.conf -o results >out 2>err &
	pid=$!
	wait_for has_runs results 1 || fail "no run was finished: $(cat err)"
	[ $signal != INT ] || {
		expect_status 3 "$VALIDATE" run -o results --resume
		expect_line err 'another campaign is running there'
	}
	sleep 0.2
	kill -$signal $pid
	status=0
	wait $pid || status=$?
	[ $status -eq 3 ] || fail "status $status after SIG$signal"
	grep -q '"event":"interrupted"' results/journal || fail "SIG$signal: not in the journal"
	clean results
	! pgrep -f "validate (microbench|replay) .*$PWD/results" >/dev/null || fail "SIG$signal: a run is still there"
done
journal_runs results >before
expect_verdict "$VALIDATE" run slow.conf -o results --resume
# runs that finished before count in the progress, both as runs and as time
grep -E ' (recording|block) [0-9]+ of ' err >steps || fail "no progress was shown: $(cat err)"
! head -n 1 steps | grep -q '^ *0%' || fail "finished runs do not count: $(head -n 1 steps)"
journal_runs results | head -n "$(wc -l <before)" | cmp -s - before || fail "finished runs were lost"
# the bank was in the removed scratch directory: the needed recordings were made again
grep -q '"event":"bank"' results/journal || fail "the lost bank trace was not recorded again"
complete results 7
clean results

# a copy of a killed campaign cannot run while the original runs, because their objects outside of
# the directories have equal names
rm -rf results
"$VALIDATE" run slow.conf -o results -q >out 2>err &
pid=$!
wait_for has_runs results 1 || fail "no run was finished: $(cat err)"
kill -9 $pid
wait $pid 2>/dev/null || :
cp -r results copy
n=$(journal_runs results | wc -l)
"$VALIDATE" run -o results --resume -q >out.first 2>err.first &
pid=$!
wait_for has_runs results $((n + 1)) || fail "no run was finished: $(cat err.first)"
expect_status 3 "$VALIDATE" run -o copy --resume
expect_line err 'in use by another campaign'
wait $pid && status=0 || status=$?
[ $status -ne 2 ] && [ $status -ne 3 ] || fail "status $status beside a copy: $(cat err.first)"
complete results 7
! grep -q '"state":"failed"' results/journal || fail "disturbed by its copy: $(grep '"state":"failed"' results/journal)"
clean results
