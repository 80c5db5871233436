# SPDX-License-Identifier: GPL-3.0-or-later
# long: 25 s
# A campaign is killed at random points several times: every finished run is kept, no run is
# repeated, and nothing is left over.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

tiny tiny.conf
sed -i "s/^replicates = 3/replicates = 6/" tiny.conf
N_TINY=46
n_kills=0
begun=no
while [ $n_kills -lt 6 ]; do
	if [ -f results/journal ]; then
		begun=yes
		journal_runs results >before
		"$VALIDATE" run -o results --resume -q >out 2>err &
	else
		[ $begun = no ] || fail "the journal is gone"
		rm -rf results
		: >before
		"$VALIDATE" run tiny.conf -o results -q >out 2>err &
	fi
	pid=$!
	# between 0.00 and 0.99 s
	sleep "$(awk -v r="$(od -An -N1 -tu1 /dev/urandom)" 'BEGIN { printf "%.3f", r / 257 }')"
	kill -9 $pid 2>/dev/null || {
		wait $pid && status=0 || status=$?
		case $status in
		0 | 1 | 4) break ;; # it completed before it was killed
		*) fail "status $status: $(cat err)" ;;
		esac
	}
	wait $pid 2>/dev/null || :
	n_kills=$((n_kills + 1))
	if [ -f results/journal ]; then
		journal_runs results >after
		head -n "$(wc -l <before)" after | cmp -s - before || fail "kill $n_kills: finished runs were lost"
		# its child processes die with it
		wait_for sh -c "! pgrep -f '[v]alidate (microbench|replay) .*$PWD/results' >/dev/null" ||
			fail "a run outlived its campaign: $(pgrep -af "$PWD/results")"
	fi
done
echo "killed $n_kills times, $(wc -l <after) runs by then"
[ $n_kills -gt 0 ] || fail "never killed"

status=0
if [ -f results/journal ]; then
	"$VALIDATE" run -o results --resume -q >out 2>err || status=$?
else
	rm -rf results
	"$VALIDATE" run tiny.conf -o results -q >out 2>err || status=$?
fi
any_verdict "at the last resume"
complete results $N_TINY
grep -q '"state":"failed"' results/journal && fail "a run failed: $(grep '"state":"failed"' results/journal | head -n 1)"
clean results

# a cgroup that another process was testing is not this campaign's; a cgroup that its own process
# was testing is
group=$(places_used results | grep '^/sys/fs/cgroup/' | head -n 1)
if [ "$group" ]; then
	other=${group%/*}/validate-try-999999999
	own=${group%/*}/validate-try-$(campaign_pids results | tail -n 1)
	mkdir "$other"
	(clean results) || fail "a group of another process counts as left behind"
	rmdir "$other" 2>/dev/null || :
	mkdir "$own"
	(clean results) >out 2>&1 && [ -d "$own" ] && fail "$own was not noticed"
	rmdir "$own" 2>/dev/null || :
fi
[ -s results/report/index.html ] || fail "no report"

# killed before the first line of the journal, and again when it is resumed: its scratch directories
# are removed nevertheless
tiny early.conf
"$VALIDATE" run early.conf -o early -q >out 2>err &
wait_for has_event early start || fail "no start: $(cat err)"
kill -9 $!
wait $! 2>/dev/null || :
rm -rf early/runs/* early/validate-*
: >early/journal
"$VALIDATE" run -o early --resume -q >out 2>err &
wait_for has_event early place || fail "no place: $(cat err)"
kill -9 $!
wait $! 2>/dev/null || :
expect_verdict "$VALIDATE" run -o early --resume -q
clean early
# the results have digests: a manual change is named, and the results are refused
expect_status $status "$VALIDATE" report early
! grep -q 'not sealed' out || fail "early: $(cat out)"
for file in plan.json protocol.conf resolved.conf "$(cd early && ls runs/*.json | tail -n 1)"; do
	cp early/$file before
	echo >>early/$file
	expect_status 3 "$VALIDATE" report early
	expect_line err "$file was changed after the campaign wrote it"
	cp before early/$file
done

# incomplete files of a killed session are removed, and no other files
touch results/.validate-aBc123 results/runs/.validate-zzzzzz results/.validate-mine
expect_verdict "$VALIDATE" run -o results --resume -q
[ "$(find results -name '.validate-*')" = results/.validate-mine ] || fail "half-written files: $(find results -name '.validate-*')"
rm results/.validate-mine

# a journal with no valid line: existing runs are not overwritten by new ones
cp -r results lost
for how in empty garbage; do
	case $how in empty) : >lost/journal ;; garbage) head -c 5000 /dev/urandom >lost/journal ;; esac
	cp lost/journal before
	expect_status 3 "$VALIDATE" run -o lost --resume -q
	expect_line err 'is damaged, and without it'
	cmp before lost/journal && diff -r results/runs lost/runs || fail "a lost journal: existing files were changed"
done
# but if only its first line is damaged, the other lines are used
cp results/journal lost/journal
sed -i '1s/start/stXrt/' lost/journal
expect_verdict "$VALIDATE" run -o lost --resume -q
diff -r results/runs lost/runs || fail "a damaged first line: runs were made again"

# killed with an incomplete line at the end of the journal, and without the last summary: that run
# is made again
cp -r results torn
lines=$(grep -n '"event":"run"' torn/journal | sed -n 40p | cut -d: -f1)
head -n "$lines" torn/journal >j
sed -n "$((lines + 1))p" results/journal | head -c 40 >>j
mv j torn/journal
rm -rf torn/report
expect_verdict "$VALIDATE" run -o torn --resume -q
complete torn $N_TINY
clean torn

# killed while the processes of a group run in turn: none of them remains, paused or running
for pause in gate signal; do
	rm -rf paused
	tiny paused.conf 'pairing = slices' "pause = $pause"
	sed -i -e 's/min-duration = 5ms/min-duration = 300ms/; s/^replicates = 3/replicates = 2/' \
		-e 's/level = 1,2/level = 1\nblock-size = 64K/' paused.conf
	"$VALIDATE" run paused.conf -o paused -q >out 2>err &
	pid=$!
	# recordings are done, and at least two processes of a group run
	wait_for sh -c "[ \"\$(pgrep -fc '[v]alidate (microbench|replay) .*$PWD/paused')\" -ge 2 ]" || fail "no group was started: $(cat err)"
	kill -9 $pid
	wait $pid 2>/dev/null || :
	wait_for sh -c "! pgrep -f '[v]alidate (microbench|replay) .*$PWD/paused' >/dev/null" ||
		fail "pause = $pause: a run outlived its campaign: $(pgrep -af "$PWD/paused")"
	expect_verdict "$VALIDATE" run -o paused --resume -q
	complete paused 11 # 2 recordings, and blocks 0..2 of 3 roles
	clean paused
	[ "$(grep -c '"slices":' paused/journal)" -ge 9 ] ||
		fail "pause = $pause: $(grep -c '"slices":' paused/journal) runs in slices"
done
