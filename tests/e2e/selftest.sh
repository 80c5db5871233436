# SPDX-License-Identifier: GPL-3.0-or-later
# long: 60 s
# The self-test on simulated campaigns: its numbers do not depend on the number of processes.
. "$SRCDIR/tests/e2e/lib.sh"

# The same seed, the same bytes; another seed, others. Status 1: of some hundred rates of so few
# campaigns, one may contradict its promise; the output says which.
stats() { # ARGUMENT...
	status=0
	"$VALIDATE" selftest stats --quick --simulated 10 "$@" >out 2>err || status=$?
	case $status in
	0) expect_line out 'As promised' ;;
	1) expect_line out '  broken: ' ;;
	*) fail "status $status: $(cat err)" ;;
	esac
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
stats -q --seed 2
cmp -s one out && fail "another seed gives the same numbers"

expect_status 2 "$VALIDATE" selftest everything
expect_status 2 "$VALIDATE" selftest --resume
