# SPDX-License-Identifier: GPL-3.0-or-later
# alone: a delay of 20 us must be seen
# A replayer that adds 20 us to each request is not trusted. The program itself in the place of a
# replayer is not rejected.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

protocol() {
	cat <<-END
		[protocol]
		replicates = 8
		bank = 2
		min-duration = 5ms
		settle = 1ms
		[target here]
		cache = warm
		[workload reads]
		type = sequential-read
		file-size = 2M
		block-size = 64K
		requests = 500
		[replayer candidate]
		$1
	END
}

protocol 'mutant = delay:20us' >mutant.conf
status=0
"$VALIDATE" run mutant.conf -o mutant -q >out 2>err || status=$?
[ $status -eq 1 ] || fail "a delay of 20 us a request: status $status: $(cat out err)"
complete mutant 20
clean mutant

# a rejection needs more than a few disturbed runs, and all rejections together err in less than one
# of a hundred campaigns
protocol 'engine = program' | sed 's/^min-duration.*/min-duration = 20ms/' >again.conf
status=0
"$VALIDATE" run again.conf -o again -q >out 2>err || status=$?
case $status in
0 | 4) ;;
*) fail "the program against itself: status $status: $(cat out err)" ;;
esac
complete again 20

# a replayer that loses requests cannot be trusted, even with correct times
protocol 'mutant = lost:5%' >lost.conf
status=0
"$VALIDATE" run lost.conf -o lost -q >out 2>err || status=$?
[ $status -eq 1 ] || fail "lost requests: status $status: $(cat out err)"
grep -q '"n_lost":[1-9]' lost/runs/*.json || fail "no lost request was counted"

# planned looks: the verdict is certain at the first look, so the campaign ends there, and a resumed
# campaign makes no further run
protocol 'mutant = delay:20us' | sed 's/^replicates.*/replicates = 10..20/' >looks.conf
status=0
"$VALIDATE" run looks.conf -o looks -q >out 2>err || status=$?
[ $status -eq 1 ] || fail "looks: status $status: $(cat out err)"
[ "$(grep -c '"event":"look"' looks/journal)" -eq 1 ] || fail "looks: $(grep '"event":"look"' looks/journal)"
grep '"event":"look"' looks/journal | grep -q '"replicates":10.*"stop":true' || fail "it did not stop: $(grep look looks/journal)"
complete looks 24
clean looks
cp looks/journal before
"$VALIDATE" run -o looks --resume -q >out 2>err || status=$?
cmp -s before looks/journal || fail "resuming a decided campaign went on"

# Inconclusive at every look: the campaign continues to the last. Status 1: another limit than that of
# the bias may be rejected by chance, in less than one of a hundred campaigns.
protocol 'engine = program' | sed 's/^replicates.*/replicates = 10..14/' >inconclusive.conf
printf '[accept]\nbias = 0.0001%%\n' >>inconclusive.conf
status=0
"$VALIDATE" run inconclusive.conf -o inconclusive -q >out 2>err || status=$?
[ $status -eq 4 ] || [ $status -eq 1 ] || fail "inconclusive: status $status: $(cat out err)"
grep '"event":"look"' inconclusive/journal | grep -q '"stop":false' || fail "no look, or it stopped: $(grep look inconclusive/journal)"
complete inconclusive 32

# every limit may be switched off: the report states what was not assessed; without a limit on the
# bias no case is trusted
cp -r mutant shown
unseal shown
printf '[accept]\n' >>shown/protocol.conf
for key in bias typical shape tail operation half precision-ratio uncertainty execution-time concurrency in-flight in-flight-max linearity; do
	echo "$key = none" >>shown/protocol.conf
done
expect_status 4 "$VALIDATE" report shown
expect_line out "Assessed: reordering and fidelity."
grep -q "but not trusted: the protocol sets no limit for the bias" shown/report/report.json || fail "trusted, or no reason is given"

# sessions, Monte Carlo, control chart and quantiles are in the report; every undefined value has a
# reason
cp -r again sessions
unseal sessions
sed -i 's/^bank = 2/bank = 2\nsessions = 4/' sessions/protocol.conf
status=0
"$VALIDATE" report sessions >out 2>err || status=$?
[ $status -eq 0 ] || [ $status -eq 4 ] || fail "sessions: status $status: $(cat out err)" # as above
expect_line sessions/report/report.json '"n_sessions": 4'
grep -qE '"gum_adequate": (true|false)' sessions/report/report.json || fail "no Monte Carlo"
for table in quantiles sessions session-groups control; do
	[ "$(wc -l <sessions/report/tables/$table.csv)" -gt 1 ] || fail "tables/$table.csv is empty"
done
! grep -qiw nan sessions/report/report.json || fail "NaN in report.json"
