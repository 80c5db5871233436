# SPDX-License-Identifier: GPL-3.0-or-later
# alone: replays without other load must keep the times of a recording
# validate judge on recordings of another machine: an old recording of slow storage, and an iolog.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

judged() { # DIR ARGUMENT...: any verdict
	dir=$1
	shift
	expect_verdict "$VALIDATE" judge --replicates 5 -o "$dir" "$@"
	grep '"state":"failed"' "$dir/journal" && fail "a run failed" || :
}

# a recording of slow storage: this program's engine and all others differ from it, and none is
# called wrong for it
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	echo '1,1,1000,2000,open,"path=f;flags=0",3'
	for i in $(seq 1 60); do echo "1,1,${i}000000,${i}800000,pread,\"fd=3;offset=$((i * 4096));length=4096\",4096"; done
} >old.csv
judged old --with event --with event:order=none --with event:order=thread old.csv
[ "$status" -eq 4 ] || fail "status $status for replays that differ from an old recording"
expect_line out 'differs from the recording'
expect_line out 'validate judge --rerun'
tr -s '\n ' ' ' <out | grep -qF 'Not visible in the recordings: requests that the recording program left out without counting them.' ||
	fail "nothing states what the recording lacks: $(cat out)"
expect_line out 'event-1 (order=none timing=timestamp): Differs from'
jq -e '[.cells[] | [.verdict, .leaning]] | unique == [["inconclusive", "differs from the recording"]]' old/report/report.json >/dev/null ||
	fail "$(jq -c '[.cells[] | [.verdict, .leaning]]' old/report/report.json)"
jq -e '.cells[] | select(.replayer == "event-1") | .reason | test("that of the control replay \\(event\\) -")' old/report/report.json >/dev/null ||
	fail "no control beside it: $(jq -c '[.cells[].reason]' old/report/report.json)"
jq -e '[.league[] | [.options, .differs_from_recording]] | sort == [["order=fs timing=timestamp", true], ["order=none timing=timestamp", true],
	["order=thread timing=timestamp", true]]' \
	old/report/report.json >/dev/null || fail "$(jq -c .league old/report/report.json)"
# lost requests count against the replayer nevertheless
judged old-lost --with event:mutant=lost:20% old.csv
[ "$status" -eq 1 ] || fail "status $status for a replayer that loses requests"
jq -e '[.cells[] | select(.replayer == "event") | .verdict] == ["not trusted"]' old-lost/report/report.json >/dev/null || fail 'lost requests are forgiven'

# an iolog has no response times: the command reports it before the start, and judges the other
# components
{
	printf 'fio version 3 iolog\n1 f add\n1 f open\n'
	for i in $(seq 1 50); do echo "$((i * 1000)) f write $((i * 4096)) 4096"; done
	echo '60000 f close'
} >files.iolog
judged iolog --with event --with event:mutant=lost:20% files.iolog
expect_line err 'none of its 52 requests has a response time (a fio iolog has none)'
expect_line err 'validate capture app'
[ "$status" -eq 1 ] || fail "status $status for a replayer that loses requests of an iolog"
# on a busy machine only the times of issue may be rejected
jq -e '.cells[] | select(.replayer == "event") |
	(.verdict == "inconclusive" or .verdict == "not trusted" and (.reason | startswith("issue error"))) and
	(.components[] | select(.component == "bias") | .decision == "not assessed" and (.reason | test("no response times")))' \
	iolog/report/report.json >/dev/null ||
	fail "$(jq -c '.cells[0]' iolog/report/report.json | cut -c1-600)"
jq -e '.cells[] | select(.replayer == "event") | .components[] | select(.component == "issue error") | .decision != "not assessed"' \
	iolog/report/report.json >/dev/null || fail 'times of issue are not judged'
jq -e '.cells[] | select(.replayer == "event") | .components[] | select(.component == "fidelity") | .decision == "accept"' \
	iolog/report/report.json >/dev/null || fail 'fidelity is not judged'
