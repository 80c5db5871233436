# SPDX-License-Identifier: GPL-3.0-or-later
# Engine parallel on three hosts, one of which is cut off. The replay ends soon and names the host,
# and the rank on that host ends by itself.
. "$SRCDIR/tests/e2e/lib.sh"
script=$SRCDIR/tests/e2e/replay-parallel-cut.sh
. "$SRCDIR/tests/e2e/parallel-hosts-lib"
. "$SRCDIR/tests/e2e/parallel-lost-lib"

begin hostc
ip link set veth3 down
finish hosta hostb
expect_line err 'rank 2 (host hostc) sent no heartbeat for 2 s (--watchdog sets this time): a signal suspended its process, or its host cannot be reached'
[ -z "$(processes_on hostc validate-mpi-re)" ] || fail 'the rank that is cut off goes on'
