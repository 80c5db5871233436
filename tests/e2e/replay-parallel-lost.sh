# SPDX-License-Identifier: GPL-3.0-or-later
# Engine parallel on three hosts: a rank is killed, or a rank is stopped while other ranks wait for
# it. The replay ends soon and names the rank, and no process is left on any host.
. "$SRCDIR/tests/e2e/lib.sh"
script=$SRCDIR/tests/e2e/replay-parallel-lost.sh
. "$SRCDIR/tests/e2e/parallel-hosts-lib"
. "$SRCDIR/tests/e2e/parallel-lost-lib"

begin hostb
kill -KILL "$lost"
finish hosta hostb hostc
expect_line err 'the launcher printed'
expect_line err 'hostb'

begin hostc
kill -STOP "$lost"
finish hosta hostb hostc
expect_line err 'rank 2 (host hostc) sent no heartbeat for 2 s'
