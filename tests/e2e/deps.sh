# SPDX-License-Identifier: GPL-3.0-or-later
# validate deps: the figures of each order, JSON, and a graph that no name can break.
. "$SRCDIR/tests/e2e/lib.sh"

cat >in.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,10,pread,"path=a;fd=3;offset=0;length=64",64
1,2,5,15,pread,"path=a;fd=3;offset=64;length=64",64
1,2,16,26,pread,"path=a;fd=3;offset=128;length=64",64
1,1,20,30,pread,"path=a;fd=3;offset=192;length=64",64
END
expect_status 0 "$VALIDATE" deps --order temporal in.csv
expect_line out '4 by 2 threads on 1 file, over 30 ns'
expect_line out '3 between threads, redundant ones left out: 2 for a begin, 1 for an end'
expect_line out 'Critical path  20 ns of 40 ns'
expect_status 0 "$VALIDATE" deps in.csv
expect_line out 'order fs'
expect_line out '0 between threads'
expect_status 0 "$VALIDATE" deps --json --order temporal-serial in.csv
expect_line out '"critical_path_ns": 40'
expect_line out '"parallelism": 1.0'

# the graph: a node a request, a line for each wait and for program order
expect_status 0 "$VALIDATE" deps --order temporal --dot - in.csv
[ "$(grep -c ' \[label="[0-9]' out)" -eq 4 ] || fail "not 4 nodes"
[ "$(grep -c ' -> ' out)" -eq 5 ] || fail "not 2 + 3 edges"
[ "$(grep -c 'style=dashed' out)" -eq 2 ] || fail "not 2 waits for a begin"
expect_status 0 "$VALIDATE" deps --order temporal --requests 2 --dot two.dot in.csv
[ "$(grep -c ' -> ' two.dot)" -eq 1 ] || fail "not 1 edge among the first two"
expect_line out 'Critical path'

# a stranger's names stay inside their quotes
{
	head -n 1 in.csv
	echo '1,1,0,10,pread,"path=odd%22%5C]%3B%0Ax%01%FFé;fd=3;offset=0;length=64",64'
} >odd.csv
expect_status 0 "$VALIDATE" deps --dot - odd.csv
expect_line out 'odd\"\\];\\x0ax\\x01\\xffé'
LC_ALL=C grep -q "[[:cntrl:]]" out && fail "a control character" || :
if command -v dot >/dev/null; then
	dot -Tplain out >plain || fail "Graphviz does not read it"
fi

expect_status 2 "$VALIDATE" deps
expect_status 2 "$VALIDATE" deps --order sideways in.csv
expect_status 3 "$VALIDATE" deps missing.trace
expect_status 3 "$VALIDATE" deps --dot /nowhere/at/all.dot in.csv
