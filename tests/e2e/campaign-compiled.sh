# SPDX-License-Identifier: GPL-3.0-or-later
# A campaign with the compiled engine: programs are made before the runs and outside their memory
# cgroup, once for each trace and variant. Their memory counts. If programs cannot be made, the runs
# fail with the reason.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"
command -v cc >/dev/null || skip 'no C compiler is called cc'
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# Records its cgroup, and the command that started build.sh.
cat >counting-cc <<-END
	#!/bin/sh
	cat /proc/self/cgroup | tr '\n' ' ' >>$PWD/count
	tr '\0' ' ' </proc/\$(sed -n 's/^PPid:[[:blank:]]*//p' /proc/\$PPID/status)/cmdline >>$PWD/count
	echo >>$PWD/count
	exec cc "\$@"
	END
chmod +x counting-cc

engines() { # FILE COMPILER
	tiny any.conf
	sed "/^\[replayer/,\$d" any.conf >"$1"
	printf '[replayer engines]\nengine = event, coordinator, compiled\norder = fs\ncc = %s\n' "$2" >>"$1"
}
outcome() { # DIR STATE: how many runs
	journal_runs "$1" | grep -c " $2\$" || :
}

engines good.conf "$PWD/counting-cc"
expect_verdict "$VALIDATE" run good.conf -o results
complete results 36 # for 2 scenarios: 2 recordings, and in blocks 0..3 the program and 3 replayers
[ "$(outcome results ok)" -eq 36 ] || fail "runs failed: $(grep '"state":"failed"' results/journal)"
clean results
[ ! -e cache/validate ] && [ ! -e results/programs ] || fail 'programs are left, or lie in the cache of the user'

# for each scenario: a program for each of 2 traces, also for the blank replays; and one in
# calibration if memory is limited
case $(wc -l <count) in 4 | 6) ;; *) false ;; esac || fail "compiled $(wc -l <count) times: $(cat count)"
! grep -v -e '--compile-only' count || fail 'a replay that was measured has compiled'
! grep 'validate-' count | grep -q 'memory:[^ ]*validate-\|0::[^ ]*/validate-' || fail "compiled in the memory cgroup of the runs: $(cat count)"
! grep -v 'engine=compiled' count || fail 'another engine compiles'

for number in $(journal_runs results | cut -d' ' -f1); do
	summary=results/runs/$(printf %06d "$number").json
	[ -s "$summary" ] || fail "run $number has no summary"
done
jq -e '[.. | .engine? // empty | strings] | index("compiled")' results/report/report.json >/dev/null || fail 'the report does not know the engine'
grep -q 'engine=compiled' out || fail 'the terminal does not show the replayer'

# The memory of its program counts as for any replayer: its process and the program use more than
# one process. A busy machine can look at a calibration run before its program has started.
if grep -q '"event":"cgroup"' results/journal; then
	sed -n 's/.*"anonymous_bytes":\(\[\[[^"]*\]\]\).*/\1/p' results/journal >memory
	[ -s memory ] || fail 'no memory was looked at'
	jq -se 'any(.[]; .[3][0] > .[1][0])' memory >/dev/null || fail "the program's memory does not count: $(cat memory)"
fi

# without a compiler only its runs fail, with the reason
engines made.conf no-such-cc
sed 's/^level = .*/level = 1/' made.conf >bad.conf
expect_verdict "$VALIDATE" run bad.conf -o failed
[ "$(outcome failed ok)" -eq 14 ] && [ "$(outcome failed failed)" -eq 4 ] || fail "outcomes: $(journal_runs failed)"
[ "$(grep '"state":"failed"' failed/journal | grep -c 'needs a C compiler')" -eq 4 ] || fail 'the reason is not in the journal'
clean failed
