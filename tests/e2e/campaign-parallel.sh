# SPDX-License-Identifier: GPL-3.0-or-later
# A parallel application: recorded with its dependencies on one target, replayed on another, and
# compared with its own runs there. An application that differs from run to run fails with the
# reason, and the campaign continues. A period is found, and nothing is left over.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-parallel-lib"

expect_status 0 "$VALIDATE" run parallel.conf --dry-run
expect_line out 'of which the recordings of parallel applications take about'
# without a launcher nothing starts
expect_status 3 env PATH=/nowhere "$VALIDATE" run parallel.conf -o nothing
expect_line err 'needs MPI to replay the parallel application [workload piped]'
[ ! -e nothing ] || fail 'a results directory was made'

status=0
"$VALIDATE" run parallel.conf -o results -q >out 2>err || status=$?
case $status in 1 | 4) ;; *) fail "status $status: $(cat err)" ;; esac # never 0: some runs fail
reasons=$(sed -n 's/.*"state":"failed","reason":"\([^"]*\).*/\1/p' results/journal)
[ "$(echo "$reasons" | wc -l)" -eq 4 ] || fail "other runs failed: $reasons"
[ "$(echo "$reasons" | grep -c 'does not make the same requests')" -eq 4 ] || fail "the recording of what differs: $reasons"
[ "$(echo "$reasons" | grep -c 'could not be recorded')" -eq 3 ] || fail "replays without a recording: $reasons"
grep -q '"event":"period".*"period":1000' results/journal || fail 'no period was tried'
# a node makes six requests: periods between 1000 and 6 are skipped
tried=$(sed -n '/"event":"period"/s/^[^{]*//p' results/journal | jq -s -c 'map([.period, .skipped])')
for one in '[1000,[]]' '[3,[500,250,125,62,31,15,7]]' '[1,[]]'; do
	case $tried in *"$one"*) ;; *) fail "tried: $tried" ;; esac
done
case $tried in *'[500,['* | *'[7,['*) fail "tried: $tried" ;; esac

# two nodes, delayed one after the other at each request: the reader waits for the open before its
# start, and for each of four writes
jq -e '.parallel.cases | length == 4' results/report/report.json >/dev/null || fail 'not four cases'
jq -e '[.parallel.cases[] | select(.scenario == "piped")][0] | .recorded_on == "a" and .target == "b" and .recording.n_nodes == 2 and
	.recording.n_delayed == 2 and .recording.n_runs == 3 and .recording.period == 1 and .recording.n_waits == 5 and
	.recording.tracing_ns > .recording.application_ns' results/report/report.json >/dev/null ||
	fail "the recording: $(jq -c .parallel.cases results/report/report.json)"
# period 1000 suffices for `found`. Only on a busy machine can its replay take more than eleven times as
# long as the application
found=$(jq -c '[.parallel.cases[] | select(.scenario == "found")][0].recording | [.period, .n_waits]' results/report/report.json)
[ "$found" = '[1000,1]' ] || sed -n '/"event":"period"/s/^[^{]*//p' results/journal |
	jq -s -e 'map(select(.scenario == 1 and .period == 1000)) | length > 0 and all(.[]; .error == null or .error > 10)' >/dev/null ||
	fail "another period, or other waits: $found $(grep '"event":"period"' results/journal)"
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
