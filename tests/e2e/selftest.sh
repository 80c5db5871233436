# SPDX-License-Identifier: GPL-3.0-or-later
# The self-test: simulated numbers that do not depend on the number of processes, faults found on this machine, resuming, and
# nothing left behind.
. "$SRCDIR/tests/e2e/lib.sh"

# the same seed, the same bytes; another seed, others. Of some hundred rates of so few campaigns one may well contradict its promise
stats() { # ARGUMENT...
	status=0
	"$VALIDATE" selftest stats --quick --simulated 20 -q "$@" >out 2>err || status=$?
	case $status in
	0) expect_line out 'As promised' ;;
	1) expect_line out '  broken: ' ;;
	*) fail "status $status: $(cat err)" ;;
	esac
}
stats -j 1
mv out one
expect_line one 'A replayer at a limit called trusted'
expect_line one 'A fraud with the right mean called not trusted'
expect_line one 'A look after every pair'
stats -j 3
cmp -s one out || fail "the numbers depend on the number of processes"
stats --seed 2
cmp -s one out && fail "another seed gives the same numbers"

# on the machine: a few blocks only, a fault that no noise can hide must be found
expect_status 0 "$VALIDATE" selftest replay --quick --replicates 6 --campaigns 0 --campaigns-aa 1 --run-duration 2ms -o aa -q --json
expect_line out '"n_broken": 0'
expect_line out "the program in the replayer's place"
status=0
"$VALIDATE" selftest replay --quick --replicates 4 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q >out 2>err || status=$?
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

# resumed: nothing is made again; not resumed, or with other options: refused
wc -l <faults/outcomes.jsonl >before
"$VALIDATE" selftest replay --quick --replicates 4 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q --resume >again 2>err || status=$?
wc -l <faults/outcomes.jsonl | cmp -s before || fail "resuming made campaigns again"
cmp -s out again || fail "resumed, the rates differ"
expect_status 3 "$VALIDATE" selftest replay --quick --replicates 4 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q
expect_line err '--resume'
expect_status 3 "$VALIDATE" selftest replay --quick --replicates 5 --campaigns 1 --campaigns-aa 0 --run-duration 2ms -o faults -q --resume
expect_line err 'other options'

# a damaged line of the outcomes is one campaign to be made again, not a failure
printf '{"kind":"aa","in' >>aa/outcomes.jsonl
expect_status 0 "$VALIDATE" selftest replay --quick --replicates 6 --campaigns 0 --campaigns-aa 1 --run-duration 2ms -o aa -q --resume

# interrupted: status 3, no process and, without -o, no directory left
mkdir empty
cd empty
"$VALIDATE" selftest replay --quick --campaigns-aa 1 -q >/dev/null 2>../err &
pid=$!
sleep 1
kill -TERM $pid 2>/dev/null || true
status=0
wait $pid || status=$?
[ "$status" -eq 3 ] || [ "$status" -eq 130 ] || [ "$status" -eq 0 ] || fail "interrupted: status $status: $(cat ../err)"
[ -z "$(ls -A)" ] || fail "left behind: $(ls -A)"
cd ..

expect_status 2 "$VALIDATE" selftest everything
expect_status 2 "$VALIDATE" selftest --resume
