# SPDX-License-Identifier: GPL-3.0-or-later
# The program's file is replaced during its campaign: the original program still makes all runs. A
# resume with another program is reported.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

ends() { # a command that completes with a verdict
	expect_verdict "$@"
}
tiny tiny.conf
cp "$VALIDATE" mine
./mine run tiny.conf -o results -q >out 2>err &
pid=$!
wait_for has_runs results 2 || fail "no run: $(cat err)"
printf '#!/bin/sh\nexit 9\n' >other
chmod 755 other
mv other mine
wait_for has_runs results 6 || fail "it did not go on: $(cat err)"
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 3 ] || [ "$(journal_runs results | wc -l)" -eq $N_TINY ] || fail "status $status: $(cat err)"
grep -q '"state":"failed"' results/journal && fail "the new file was started: $(grep -m1 '"state":"failed"' results/journal)"
grep -q 'one program file of validate for all runs' results/environment.json && fail 'another program was reported too early'

cp -r results same
ends "$VALIDATE" run -o same --resume -q
complete same $N_TINY
grep -q 'one program file of validate for all runs' same/environment.json && fail 'the same program is taken for another'

[ "$(journal_runs results | wc -l)" -lt $N_TINY ] || skip "the campaign came to its end before it could be interrupted"
cp "$VALIDATE" longer
printf x >>longer
ends ./longer run -o results --resume -q
complete results $N_TINY
expect_line results/environment.json 'one program file of validate for all runs'
grep -q 'one program file of validate for all runs' results/report/index.html || fail 'the report does not mention it'
