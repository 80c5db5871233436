# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of parallel applications: text in both directions, deps, info, slice and exporters, and
# refusals.
. "$SRCDIR/tests/e2e/lib.sh"

# three nodes that meet at a barrier; then node 0 lets node 1 close the file. Written by hand, as in
# the paper
cat >n.0 <<'END'
/* node 0 of the example */
open64m("/data/f0", 578, 416 ) = 3
COMPUTE(0.001)
write(3, 4096) = 4096
SIGNAL(1)
SIGNAL(2)
COMPUTE(0.002)

/* barrier before
   the second write */
WAIT(1)
WAIT(2)
_llseek(3, 8192, SEEK_SET) = 8192
write(3, 4096) = 4096
SIGNAL(1)
COMPUTE(0.5)
END
cat >n.1 <<'END'
open64m("/data/f1", 578, 416) = 3
COMPUTE(0.003)
write(3, 4096) = 4096
SIGNAL(0)
SIGNAL(2)
WAIT(0)
WAIT(2)
write(3, 4096) = 4096
WAIT(0)
close(3) = 0
END
cat >n.2 <<'END'
open64m("/data/f2", 578, 416) = 3
COMPUTE(0.005000001)
write(3, 4096) = 4096
SIGNAL(0)
SIGNAL(1)
WAIT(0)
WAIT(1)
write(3, 4096) = 4096
close(3) = 0
END
expect_status 0 "$VALIDATE" import n.0 n.1 n.2 -o p.trace
expect_line out 'p.trace: 12 requests'
expect_line out 'Records    between requests: compute 5, signal 7, wait 7'

expect_status 0 "$VALIDATE" deps p.trace
expect_line out '12 of 3 nodes'
expect_line out '7 for the end of another'
expect_line out 'Barriers       1, with 6 waits'
expect_line out 'Critical path  505 ms'
expect_status 0 "$VALIDATE" deps --json p.trace
expect_line out '"critical_path_ns": 505000001'
expect_line out '"n_implied_waits": 0'
expect_status 0 "$VALIDATE" deps --dot - p.trace
[ "$(grep -c 'label="barrier 1 of nodes 0-2"' out)" -eq 1 ] || fail "the barrier is not one box"
[ "$(grep -c ' -> b0 ' out)" -eq 3 ] || fail "not 3 edges to the barrier"
expect_line out 'n0_3 -> n1_3 [style=bold]'
expect_line out 'label="compute 2 ms"'
if command -v dot >/dev/null; then
	dot -Tplain out >plain || fail "Graphviz does not read it"
fi
expect_status 0 "$VALIDATE" deps --dot - --from 6 --requests 3 p.trace
[ "$(grep -c ' \[label="[0-9]' out)" -eq 3 ] || fail "not 3 requests in the window"
expect_status 0 "$VALIDATE" deps --order fs p.trace
expect_line out 'order fs'
expect_line out '12 by 3 threads'
expect_status 0 "$VALIDATE" deps --infer p.trace
expect_line out '12 over 5 ms'
for options in '--think-time 1us' '-o other.trace'; do
	# shellcheck disable=SC2086
	expect_status 2 "$VALIDATE" deps $options p.trace
	expect_line err 'p.trace: --think-time and --output need --infer: this trace states the waits'
done
expect_status 2 "$VALIDATE" deps --order fs --from 6 p.trace
expect_line err 'p.trace: --from shows the waits that this trace of a parallel application records'
expect_status 2 "$VALIDATE" deps --fs-rules position p.trace
expect_line err 'p.trace: --fs-rules needs --order fs'
expect_status 0 "$VALIDATE" deps --infer --think-time 1us --from 1 -o other.trace p.trace

# text and back, in one file and in one for each node; COMPUTE to the nanosecond
expect_status 0 "$VALIDATE" export --to parallel p.trace -o p.txt
expect_line p.txt '/* barrier 1 of nodes 0-2 before lseek */'
expect_line p.txt 'COMPUTE(0.005000001)'
if [ "${UPDATE:-}" ]; then
	sed 1d p.txt >"$SRCDIR/tests/data/formats/parallel.txt"
fi
sed 1d p.txt | cmp - "$SRCDIR/tests/data/formats/parallel.txt" || fail "the text was changed"
expect_status 0 "$VALIDATE" export --to parallel p.trace -o nodes/
expect_status 0 "$VALIDATE" import p.txt -o one.trace
expect_status 0 "$VALIDATE" import nodes/node.0 nodes/node.1 nodes/node.2 -o three.trace
for t in p one three; do
	"$VALIDATE" export -q --to csv $t.trace -o $t.csv
done
cmp p.csv one.csv || fail "the text of one file gives another trace"
cmp p.csv three.csv || fail "the texts of three files give another trace"

# events between requests are no requests
expect_status 0 "$VALIDATE" info --json p.trace
expect_line out '"n_requests": 12'
expect_line out '"n_waits": 7'
expect_status 0 "$VALIDATE" info p.trace
expect_line out '3 nodes (traced threads) of a parallel application'
expect_line out 'also 511 ms of computing (5 records), 7 signals and 7 waits'
expect_status 0 "$VALIDATE" export --to strace p.trace -o p.strace
expect_line err '12 requests written'
expect_line err '19 records left out'
printf 'read(3, 10) = 10 <0.000002>\nCOMPUTE(1)\nread(3, 10) = 10 <0.000002>\nCOMPUTE(1)\nread(3, 10) = 10 <0.000002>\n' >m.0
expect_status 0 "$VALIDATE" import --from parallel m.0 -o m.trace
expect_status 0 "$VALIDATE" info --json m.trace
[ "$(grep -c '"max_ns": 2000' out)" -ge 1 ] || grep -q '"max": 2000' out || fail "computing is taken for a response time"
expect_status 0 "$VALIDATE" metrics --json m.trace m.trace
grep -q 'compute' out && fail "metrics are of computing" || :

# a slice has no half of a pair; and an anonymised slice still names its nodes
expect_status 0 "$VALIDATE" slice --thread 1,2 p.trace -o s.trace
expect_line out '4 records of signals and waits left out'
expect_status 0 "$VALIDATE" deps s.trace
expect_line out 'Barriers       1, with 2 waits'
expect_status 0 "$VALIDATE" slice --scale 2 p.trace -o slow.trace
expect_status 0 "$VALIDATE" deps --json slow.trace
expect_line out '"critical_path_ns": 1010000002'
expect_status 0 "$VALIDATE" slice --anonymise p.trace -o a.trace
expect_status 0 "$VALIDATE" deps a.trace
expect_line out 'Barriers       1, with 6 waits'
expect_status 0 "$VALIDATE" slice p.trace one.trace -o both.trace
expect_line out 'they cannot be merged'

# a trace that cannot end is detected, and reported with its nodes
printf 'WAIT(1)\nread(3, 1) = 1\nSIGNAL(1)\n' >c.0
printf 'WAIT(0)\nread(3, 1) = 1\nSIGNAL(0)\n' >c.1
expect_status 0 "$VALIDATE" import c.0 c.1 -o c.trace
expect_status 3 "$VALIDATE" deps c.trace
expect_line err 'nodes (traced threads) wait for each other'
expect_line err 'node 0 waits before its request 0 for the signal of node 1 after its request 0'
printf 'read(3, 1) = 1\nWAIT(1)\nread(3, 1) = 1\n' >u.0
expect_status 0 "$VALIDATE" import u.0 -o u.trace
expect_status 3 "$VALIDATE" deps u.trace
expect_line err 'node 0 (traced thread) waits before its request 1 for a signal of node 1 that never comes'

# bad text is reported with file and line
printf 'COMPUTE(0.1)\nSIGNAL(me)\n' >bad.0
expect_status 3 "$VALIDATE" import bad.0 -o bad.trace
expect_line err 'bad.0: line 2, column 8'
expect_status 0 "$VALIDATE" import --lenient 1 bad.0 -o bad.trace
expect_line out 'left out: 1'

# barriers as records of their own: each node has one signal and one wait
rm -f n.* p.*
sed 's/SIGNAL(1)/SIGNAL(barrier 1)/; s/SIGNAL(2)//; s/WAIT(1)/WAIT(barrier 1)/; s/WAIT(2)//' >n.0 <<'END'
open64m("/data/f0", 578, 416 ) = 3
COMPUTE(0.001)
SIGNAL(1)
SIGNAL(2)
COMPUTE(0.002)
WAIT(1)
WAIT(2)
write(3, 4096) = 4096
END
for i in 1 2; do
	cat >n.$i <<END
open64m("/data/f$i", 578, 416) = 3
COMPUTE(0.00$((2 * i + 1)))
SIGNAL(barrier 1)
WAIT(barrier 1)
write(3, 4096) = 4096
END
done
expect_status 0 "$VALIDATE" import n.0 n.1 n.2 -o p.trace
expect_line out 'Records    between requests: compute 4, signal 3, wait 3'
expect_status 0 "$VALIDATE" deps p.trace
expect_line out 'Barriers       1, with 3 waits'
expect_line out 'Critical path  5 ms'
expect_status 0 "$VALIDATE" deps --dot - p.trace
[ "$(grep -c 'label="barrier 1 of nodes 0-2"' out)" -eq 1 ] || fail 'the barrier is not one box'
expect_status 0 "$VALIDATE" export --to parallel p.trace -o p.txt
expect_line p.txt '/* barrier 1 of nodes 0-2 before write */'
expect_status 0 "$VALIDATE" import p.txt -o q.trace
expect_status 0 "$VALIDATE" deps q.trace
expect_line out 'Barriers       1, with 3 waits'
# the rest of a barrier is a barrier; without its signals nothing is left of it
expect_status 0 "$VALIDATE" slice --thread 1,2 p.trace -o q.trace
expect_status 0 "$VALIDATE" deps q.trace
expect_line out 'Barriers       1, with 2 waits'
expect_status 0 "$VALIDATE" slice --operation write,wait p.trace -o q.trace
expect_line out 'left out'
expect_status 0 "$VALIDATE" deps q.trace
expect_line out 'Barriers       0'

# their number of links grows with the nodes and not with its square
i=0
while [ $i -lt 200 ]; do
	printf '/* node %d: of 200 */\n' $i
	k=1
	while [ $k -le 50 ]; do
		printf 'SIGNAL(barrier %d)\nWAIT(barrier %d)\n' $k $k
		k=$((k + 1))
	done
	i=$((i + 1))
done >many.txt
expect_status 0 "$VALIDATE" import --from parallel many.txt -o many.trace
[ "$(stat -c %s many.trace)" -lt 2500000 ] || fail "50 barriers of 200 nodes take $(stat -c %s many.trace) bytes"
expect_status 0 "$VALIDATE" deps many.trace
expect_line out 'Barriers       50, with 10000 waits'
