# SPDX-License-Identifier: GPL-3.0-or-later
# long: 45 s
# The self-test on simulated campaigns. That its numbers do not depend on the number of processes is
# tested in tests/unit/validate/test_selftest.c.
. "$SRCDIR/tests/e2e/lib.sh"

# Status 0: no bound is broken. With this seed, the current program keeps every promise
# in so few campaigns; a rule that accepts or rejects too often breaks some.
expect_status 0 "$VALIDATE" selftest stats --quick --simulated 10 --seed 2 -j 3
expect_line out 'As promised'
expect_line out 'A replayer at a limit: called "trusted"'
expect_line out 'A fraud (replayer with the right mean, but wrong response times): called "not trusted"'
expect_line out 'A look after every pair'
[ "$(grep -c '^stats: part [1-7] of 7, .* done after ' err)" -eq 7 ] || fail "parts: $(cat err)"

# interrupted, and without progress
status=0
timeout 2 "$VALIDATE" selftest stats --quick --simulated 10 -j 1 -q >out 2>err || status=$?
[ "$status" -eq 124 ] || fail "status $status of an interrupted self-test"
[ "$(wc -l <err)" -eq 1 ] && grep -q interrupted err || fail "progress with -q: $(cat err)"

expect_status 2 "$VALIDATE" selftest everything
expect_status 2 "$VALIDATE" selftest --resume
