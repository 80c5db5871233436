# SPDX-License-Identifier: GPL-3.0-or-later
# Replayers of a protocol that hang, crash and do nothing: each run's reason is in the journal, and the campaign goes on to the others.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir files
cat >bad.conf <<EOC
[protocol]
seed = 5
replicates = 3
scratch = $PWD
keep = none
min-duration = 0

[target here]
dir = $PWD/files
cache = as-is

[workload reads]
type = random-read
requests = 50
file-size = 64K

[replayer event]
engine = event

[replayer crash]
engine = exec
export = csv
command = ["sh", "-c", "kill -SEGV \$\$"]
times = preload

[replayer hang]
engine = exec
command = ["sh", "-c", "trap '' TERM; sleep 100 & wait", "$PWD/hangs"]
times = self:csv(begin=1, end=2, unit=us)
time-limit = 100ms

[replayer nothing]
engine = exec
command = true
times = self:csv(begin=1, end=2, unit=us)
EOC
status=0
"$VALIDATE" run bad.conf -o results >out 2>err || status=$?
[ "$status" -ne 2 ] && [ "$status" -ne 3 ] || fail "status $status: $(cat err)"
journal=$(find results -name 'journal*' -type f | head -n 1)
grep -q 'was ended by signal 11' "$journal" || fail "no crash in the journal: $(cat "$journal")"
grep -q 'did not end within 0.1 s' "$journal" || fail "no time-out in the journal"
grep -q 'none was seen' "$journal" || fail "nothing of the one that did nothing in the journal"
for p in /proc/[0-9]*; do
	! grep -qs "$PWD/hangs" "$p/cmdline" || fail "the one that hangs runs on: $p"
done
