# SPDX-License-Identifier: GPL-3.0-or-later
# Engine parallel on three hosts, whose ranks wait for each other.
. "$SRCDIR/tests/e2e/lib.sh"
script=$SRCDIR/tests/e2e/replay-parallel-hosts.sh
. "$SRCDIR/tests/e2e/parallel-hosts-lib"
. "$SRCDIR/tests/e2e/parallel-clocks-lib"

# --- a trace of three ranks that wait for each other -----------------------------------------------------
./causal-trace in.trace <<'END'
node 0 0 0
node 1 1 0
node 2 2 0
0 open a 20
0 write 0 100000 30
0 compute 3000000
0 signal 1
1 wait 0
1 open b 10
1 write 0 100 10
1 signal 2
2 wait 1
2 open a 10
2 read 0 100000 10
2 signal 0
0 wait 2
0 close 10
END
on_hosts 0 hosta,hostb,hostc --prepare --scratch "$TMPDIR" -o out.trace in.trace
expect_line out 'causal; 3 ranks on 3 hosts'
expect_line out 'mismatches      0'
expect_line out 'requests        7 of 7'
expect_line out '3 ranks share CPUs'
expect_line out 'clocks          compared before and after'

# times are of one clock: an awaited request has ended before
"$VALIDATE" export --to csv in.trace -o in.csv
seq_of() { # pid, op
	awk -F , -v p="$1" -v o="$2" 'NR > 1 && $1 == p && $5 == o { print $(NF - 2); exit }' in.csv
}
clocks_hold out.trace hostb ${time:+1000000000000}
in_order "$(seq_of 100 compute)" "$(seq_of 101 wait)" ends
in_order "$(seq_of 101 pwrite)" "$(seq_of 102 wait)" ends
in_order "$(seq_of 102 pread)" "$(seq_of 100 close)" ends
[ "$(cut -d ' ' -f 2 ranks | sort | tr '\n' ' ')" = 'hosta hostb hostc ' ] || fail "the hosts are not reported: $(cat ranks)"

# --- a target that a host does not have, and a host that cannot be reached -----------------------------
nsenter --target "$(cat pid.hostc)" --mount -- mount -t tmpfs tmpfs "$PWD/target"
on_hosts 3 hosta,hostb,hostc --prepare in.trace
expect_line err 'rank 2 of 3 (host hostc)'
expect_line err 'is not the directory that was prepared'
on_hosts 3 hosta,hostb,hostx --prepare in.trace
expect_line err 'the launcher printed'
expect_line err 'hostx'
[ -z "$(find . "$TMPDIR" -name '.ranks-*' -o -name 'validate-ranks-*')" ] || fail 'something was left behind'
