# SPDX-License-Identifier: GPL-3.0-or-later
# long: 70 s
# The self-test on simulated campaigns: its numbers do not depend on the number of processes.
. "$SRCDIR/tests/e2e/lib.sh"

# Status 0: no rate contradicts its promise. With this seed, the current program keeps every promise
# in so few campaigns; a rule that accepts or rejects too often breaks some. The numbers do not depend
# on the number of processes.
stats() { # ARGUMENT...
	expect_status 0 "$VALIDATE" selftest stats --quick --simulated 10 --seed 2 "$@"
	expect_line out 'As promised'
}
stats -q -j 1
[ ! -s err ] || fail "progress with -q: $(cat err)"
mv out one
expect_line one 'A replayer at a limit called trusted'
expect_line one 'A fraud with the right mean called not trusted'
expect_line one 'A look after every pair'
stats -j 3
cmp -s one out || fail "the numbers depend on the number of processes"
[ "$(grep -c '^stats: part [1-7] of 7, .* done after ' err)" -eq 7 ] || fail "parts: $(cat err)"

expect_status 2 "$VALIDATE" selftest everything
expect_status 2 "$VALIDATE" selftest --resume
