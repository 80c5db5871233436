# SPDX-License-Identifier: GPL-3.0-or-later
# validate deps: the numbers of each order, JSON, and a graph that stays valid for any name.
. "$SRCDIR/tests/e2e/lib.sh"

cat >in.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,10,pread,"path=a;fd=3;offset=0;length=64",64
1,2,5,15,pread,"path=a;fd=3;offset=64;length=64",64
1,2,16,26,pread,"path=a;fd=3;offset=128;length=64",64
1,1,20,30,pread,"path=a;fd=3;offset=192;length=64",64
END
expect_status 0 "$VALIDATE" deps --order temporal in.csv
expect_line out '4 by 2 threads, with 1 file name, over 30 ns'
expect_line out '3 between threads (waits that other waits imply do not count)'
expect_line out '2 until another request starts, 1 until another request ends'
expect_line out 'Critical path  20 ns; sum of the response times: 40 ns'
expect_line out 'In flight      mean at most 2'
expect_status 0 "$VALIDATE" deps in.csv
expect_line out 'order fs'
expect_line out '0 between threads'
expect_status 0 "$VALIDATE" deps --json --order temporal-serial in.csv
expect_line out '"critical_path_ns": 40'
expect_line out '"parallelism": 1.0'

# the graph: a node for each request, a line for each wait and for program order
expect_status 0 "$VALIDATE" deps --order temporal --dot - in.csv
[ "$(grep -c ' \[label="[0-9]' out)" -eq 4 ] || fail "not 4 nodes"
[ "$(grep -c ' -> ' out)" -eq 5 ] || fail "not 2 + 3 edges"
[ "$(grep -c 'style=dashed' out)" -eq 2 ] || fail "not 2 waits for a start"
expect_status 0 "$VALIDATE" deps --order temporal --requests 2 --dot two.dot in.csv
[ "$(grep -c ' -> ' two.dot)" -eq 1 ] || fail "not 1 edge among the first two"
expect_line out 'Critical path'

# untrusted names stay inside their quotes
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

# block level: dependencies from times. C overlaps no request but follows B too soon; D follows all of them
cat >block.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,40000,read,"fd=3;offset=0;length=4096",4096
1,1,20000,50000,read,"fd=3;offset=4096;length=4096",4096
1,1,55000,90000,read,"fd=3;offset=8192;length=4096",4096
1,1,150000,160000,write,"fd=3;offset=0;length=4096",4096
END
expect_status 0 "$VALIDATE" deps --infer block.csv
expect_line out 'requests that end at least 10 us before it begins (the default)'
expect_line out 'Dependencies   3 that other dependencies do not imply; per request: mean 0.75, at most'
expect_line out 'the longest has 3 requests; 2 chains contain all requests'
expect_status 0 "$VALIDATE" deps --infer --think-time 5us --json block.csv
[ "$(jq .n_dependencies out)" -eq 3 ] || fail "not 3 dependencies at 5 us"
[ "$(jq .n_independent out)" -eq 2 ] || fail "not 2 without parents at 5 us"
expect_status 0 "$VALIDATE" deps --infer --think-time auto block.csv
expect_line out 'too few idle periods'
expect_status 0 "$VALIDATE" deps --infer --dot - --from 2 block.csv
expect_line out 'r2 -> r3 [label="60 us"]'
expect_line out '1 before'
expect_status 0 "$VALIDATE" deps --infer -o annotated.trace block.csv
expect_status 0 "$VALIDATE" info annotated.trace
expect_line out 'threshold_ns 10000'
expect_status 2 "$VALIDATE" deps --infer --think-time soon block.csv
expect_status 2 "$VALIDATE" deps --think-time 1us in.csv
expect_line err 'in.csv: --think-time, --from and --output need --infer'
expect_status 2 "$VALIDATE" deps --order fs --from 1 in.csv
expect_line err 'need --infer in place of --order and --fs-rules'
# what would be skipped is refused
expect_status 2 "$VALIDATE" deps --order thread --fs-rules position in.csv
expect_line err '--fs-rules has no effect: only order fs'
expect_status 2 "$VALIDATE" deps --infer --order thread block.csv
expect_line err 'omit --order and --fs-rules'
printf '128166372003061629,v,0,Write,0,4096,600\n128166372603061629,v,0,Write,4096,4096,600\n' >msr.csv
expect_status 2 "$VALIDATE" deps --order thread msr.csv
expect_line err 'do not apply to a block-level trace'
expect_status 2 "$VALIDATE" deps --fs-rules position msr.csv
expect_status 0 "$VALIDATE" deps msr.csv
expect_status 2 "$VALIDATE" deps --infer --fs-rules naem block.csv
expect_line err '--fs-rules: unknown order rule "naem" (did you mean "name"?)'
for line in 1 3 2; do sed -n "${line}p" block.csv; done >unsorted.csv
expect_status 3 "$VALIDATE" deps --infer unsorted.csv
expect_line err 'record 1: the request begins 20000 ns before the previous request'
