# SPDX-License-Identifier: GPL-3.0-or-later
# long: 20 s
# waits: for the due times of requests
# The self-test on this machine: deliberate faults are found, a self-test is resumed, and nothing is
# left over.
. "$SRCDIR/tests/e2e/lib.sh"

# on the machine: a few blocks only; a fault that exceeds all noise must be found
expect_status 0 "$VALIDATE" selftest replay --quick --replicates 6 --campaigns 0 --campaigns-aa 1 --run-duration 2ms -o aa -q --json
expect_line out '"n_broken": 0'
expect_line out "the program in the replayer's place"
status=0
"$VALIDATE" selftest replay --quick --replicates 4 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q >out 2>err || status=$?
# 1: a single campaign may miss a fault of few microseconds
[ "$status" -le 1 ] || fail "faults: status $status: $(cat err)"
for fault in lost repeat offset size; do
	grep -q "^  $fault .*1/1 " out || fail "$fault was not found: $(cat out)"
done
for fault in delay proportional swap serialise double stall drift coarse; do
	grep -q "^  $fault .*/1 " out || fail "$fault was not tried: $(cat out)"
done
for file in outcomes.jsonl rates.csv detection.dat detection.gp; do
	[ -s faults/$file ] || fail "there is no faults/$file"
done
[ "$(find faults -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq 0 ] || fail "left behind: $(ls faults)"

# resumed: no campaign runs again; not resumed, or with other options: refused
wc -l <faults/outcomes.jsonl >before
"$VALIDATE" selftest replay --quick --replicates 4 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q --resume >again 2>err || status=$?
wc -l <faults/outcomes.jsonl | cmp -s before || fail "resuming made campaigns again"
cmp -s out again || fail "resumed, the rates differ"
expect_status 3 "$VALIDATE" selftest replay --quick --replicates 4 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q
expect_line err '--resume'
expect_status 3 "$VALIDATE" selftest replay --quick --replicates 5 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q --resume
expect_line err 'other options'
for other in '--target .' '--permutations 19'; do
	# shellcheck disable=SC2086 # option and value
	expect_status 3 "$VALIDATE" selftest replay --quick --replicates 4 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q --resume $other
	expect_line err 'other options'
done

# a damaged line of the outcomes only repeats its campaign
printf '{"kind":"aa","in' >>aa/outcomes.jsonl
expect_status 0 "$VALIDATE" selftest replay --quick --replicates 6 --campaigns 0 --campaigns-aa 1 --run-duration 2ms -o aa -q --resume

# interrupted: status 3, no process and, without -o, no directory left
mkdir empty
cd empty
"$VALIDATE" selftest replay --quick --campaigns-aa 1 -q >/dev/null 2>../err &
pid=$!
until pgrep -P $pid >/dev/null; do
	kill -0 $pid || fail "no run was started: $(cat ../err)"
	sleep 0.05
done
kill -TERM $pid
status=0
wait $pid || status=$?
[ "$status" -eq 3 ] || fail "interrupted: status $status: $(cat ../err)"
[ -z "$(ls -A)" ] || fail "left behind: $(ls -A)"
cd ..
