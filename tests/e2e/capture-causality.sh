# SPDX-License-Identifier: GPL-3.0-or-later
# alone: times must distinguish waits of nodes from computing
# capture causality on applications with known dependencies: period 1 finds all of them and no
# others. An interrupted capture can be resumed. An application that fails or differs from run to
# run is an error.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
command -v jq >/dev/null || skip 'no jq'
${CC:-cc} -w -O1 -o parallel "$SRCDIR/tests/programs/parallel.c" -pthread || fail 'parallel.c does not compile'
mkdir work
cd work

# only files of the applications are here
capture() {
	rm -rf ../trace ../trace.runs ./*
	expect_status 0 "$VALIDATE" capture causality -o ../trace --root . -- ../parallel "$@"
	mv out err ..
}
edges() { # the edges of the run that delayed node $1, without the share of computing before them
	cut -d ' ' -f 1,2 <"../trace.runs/run-1-$1.edges" | sort -u | tr '\n' ' '
}
same() {
	[ "$2" = "$3" ] || fail "$1: $2 instead of $3"
}

# the child's k-th read waits for the parent's k-th write, which follows its open; the parent opens
# before the child exists
capture pipe
same 'a pipe' "$(edges 0)" '0:0 1:0 0:1 1:0 0:2 1:1 0:3 1:2 0:4 1:3 0:5 1:4 '
same 'a pipe, backwards' "$(edges 1)" ''
expect_line ../out 'requests      11 of 2 nodes'
"$VALIDATE" info ../trace --csv ../csv >/dev/null
same 'waits in the trace' "$(grep -c ',wait,' ../csv)" 6 # the first of them precedes the computing of the child

# barriers of threads
capture threads 4
expect_line ../out 'requests      15 of 3 nodes'
for k in 0 1 2; do
	for other in 0 1 2; do
		[ $k = $other ] || for i in 1 2 3; do
			edges $k | grep -qF "$k:$i $other:$((i + 1)) " || fail "node $other does not wait for write $i of node $k: $(edges $k)"
		done
	done
done

# position of a wait in the computing: after a quarter of it (after the first read; computing before the first request is omitted)
capture computing
same 'a pipe' "$(edges 0)" '0:0 1:0 0:1 1:0 0:2 1:1 0:3 1:2 0:4 1:3 0:5 1:4 '
awk '$1 == "0:3" && ($3 < 150000 || $3 > 350000) { exit 1 }' ../trace.runs/run-1-0.edges || fail "the wait is elsewhere: $(cat ../trace.runs/run-1-0.edges)"
"$VALIDATE" export --to parallel ../trace -o ../text 2>../notes
expect_words ../notes "$("$VALIDATE" info --json ../trace | jq -r '"\(.n_requests) requests, and \(.between_requests | .n_computes + .n_signals + .n_waits) records of computing, signals and waits"')"
sed -n '/node 1/,$p' ../text | sed '/^$/d; /^EXTERNAL/d; s/(.*//' | tr '\n' ' ' |
	grep -q 'pread64 COMPUTE WAIT COMPUTE pread64' || fail "$(cat ../text)"

# position of a signal in the computing: after three quarters of it; and with a period, after the
# last of three writes and not after the delayed write; the node can wait for a CPU meanwhile
capture sending
same 'a pipe' "$(edges 0)" '0:0 1:0 0:1 1:0 0:2 1:1 0:3 1:2 0:4 1:3 0:5 1:4 '
awk '$1 == "0:3" && ($4 != 0 || $5 < 650000 || $5 > 850000) { exit 1 }' ../trace.runs/run-1-0.edges || fail "the signal is elsewhere: $(cat ../trace.runs/run-1-0.edges)"
"$VALIDATE" export --to parallel ../trace -o ../text >/dev/null
sed '/node 1/,$d; /^$/d; /^EXTERNAL/d; s/(.*//' ../text | tr '\n' ' ' |
	grep -q 'pwrite64 COMPUTE SIGNAL COMPUTE pwrite64' || fail "$(cat ../text)"
rm -rf ../trace ../trace.runs ./*
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --nodes 0 --period 4 -- ../parallel sending 5 3
mv out err ..
# delayed are the open, which precedes the child, and the writes 4, 8 and 12. Of these, 12 is the last
# write of its period (1 to 3, 4 to 6 ...)
[ "$(awk '{ print $1 "+" $4 }' ../trace.runs/run-4-0.edges | tr '\n' ' ')" = '0:0+0 0:4+2 0:8+1 0:12+0 ' ] || fail "other signals: $(cat ../trace.runs/run-4-0.edges)"

# polled memory: detected by computing that takes too long; the computing time comes from a run in
# which the node does not wait
capture polling
same 'polling' "$(edges 0)" '0:0 1:0 0:1 1:0 0:2 1:1 0:3 1:2 0:4 1:3 0:5 1:4 '
expect_line ../out 'it polls memory'
expect_line ../out 'in the run that delays this node'

# a process that looks for a file until another node creates it: each look-up is one request, and
# waits
rm -rf ../trace ../trace.runs ./*
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --before 'rm -f ready*' -- ../parallel files 6
mv out err ..
expect_line ../out 'requests      33 of 2 nodes'
for pair in '0:2 1:0' '0:5 1:2' '0:8 1:4' '0:11 1:7' '0:14 1:9' '0:17 1:11'; do
	edges 0 | grep -qF "$pair " || fail "no dependency $pair: $(edges 0)"
done
same 'files, backwards' "$(edges 1)" ''
! grep -q 'polls memory' ../out || fail 'looking for a file is taken for computing'

# a node that has not begun also waits: the parent's k-th write precedes its k-th child, for which
# the next write waits; with many children each run finds it once
capture children 3
same 'children' "$(edges 0)" '0:1 1:0 0:2 2:0 0:3 3:0 '
"$VALIDATE" info ../trace --csv ../csv >/dev/null
same 'waits in the trace' "$(grep -c ',wait,' ../csv)" 5
"$VALIDATE" export --to parallel ../trace -o ../text >/dev/null
[ "$(sed '/^$/d; s/(.*//' ../text | grep -A 1 'node [123]:' | grep -c WAIT)" = 3 ] || fail "a child does not begin by waiting: $(cat ../text)"

# a program that is started as by vfork counts as started once: the next request does not wait 3 s
# for another start
capture cloned 3
jq -e '[.runs[] | select(.held > 0)] | length == 1 and all(.held_ns < 2.5e9)' ../trace.runs/runs.json >/dev/null || fail "another child is waited for: $(jq -c .runs ../trace.runs/runs.json)"

# a node that makes requests until another, delayed node continues would never end: the capture fails
rm -rf ../trace ../trace.runs ./*
expect_status 3 "$VALIDATE" capture causality -o ../trace --root . -- ../parallel beats
expect_line err 'does not make the same requests in each run'
expect_line err ' requests, but only '

# a lock is a request, and waits: the child continues when the parent has unlocked the file. The
# address of a lock by fcntl differs from run to run
capture locking
for pair in '0:8 1:2' '0:9 1:3'; do
	edges 0 | grep -qF "$pair " || fail "the lock is not waited for: $(edges 0)"
done

capture independent
same 'nothing to wait for' "$(edges 0)$(edges 1)" ''

# a descriptor, and with it the inode number, of an ignored file (its name belongs to the MPI
# library)
capture again 8 x.lockedfile
expect_line ../out 'requests      24 of 1 node'
# and a descriptor of the same file, which has another name by then
capture renamed 8 x.lockedfile
expect_line ../out 'requests      24 of 1 node'
capture moved 8 x.lockedfile
expect_line ../out 'requests      16 of 1 node'
capture replaced 8 x.lockedfile
expect_line ../out 'requests      40 of 1 node'

# an invalid pointer is not read to find the file: the program continues up to requests that need no pointer
${CC:-cc} -w -O1 -o ../wrong-pointers "$SRCDIR/tests/programs/wrong-pointers.c" || fail 'wrong-pointers.c does not compile'
rm -rf ../trace ../trace.runs ./*
expect_status 3 "$VALIDATE" capture causality -o ../trace --root . -- ../wrong-pointers
expect_line err 'the application makes asynchronous requests'

# the program's output goes to a file of the run, under any descriptor number: shells keep a copy
# while their output is redirected
rm -rf ../trace ../trace.runs ./*
expect_status 0 "$VALIDATE" capture causality -o trace --root . -- sh -c 'echo a >f; echo b >f; echo told'
expect_line out 'of 1 node'
"$VALIDATE" info --csv csv trace >/dev/null
grep -q 'path=f;' csv && ! grep -q 'run-[a-z0-9-]*[.]log' csv || fail "the requests of a shell: $(cat csv)"
rm -rf ./*

# the trace replaces only a file
ln -s /dev/null link
expect_status 2 "$VALIDATE" capture causality -o link --root . -- touch f
expect_line err 'link: a trace is written to a regular file only'
[ -L link ] && [ ! -e f ] && [ ! -e link.runs ] || fail "a FIFO or device was replaced, or the capture started: $(ls -l)"
rm -rf ./*

# a launcher that a shell has become is not waited for, however long its computing may last
cp "$(command -v sh)" ../srun
capture_of() { # options, then the command
	rm -rf ../trace ../trace.runs ./*
	expect_status 0 "$VALIDATE" capture causality -o ../trace --root . "$@"
	mv out err ..
}
capture_of --floor 30s -- sh -c 'exec ../srun -c "../parallel pipe 3; exit"' # (shells may be nodes too, because they look up their working directory)
same 'behind a launcher' "$(cat ../trace.runs/run-1-*.edges | awk '$2 !~ /:0$/' | wc -l)" 2 # (also to the first requests of the shells)
jq -e '[.runs[] | select(.held > 0)] | length > 1 and all(.held_ns / .held < 15e9)' ../trace.runs/runs.json >/dev/null || fail "each was delayed as long as no node computes: $(cat ../trace.runs/runs.json)"

# a thread can be cancelled in a call that takes a semaphore, also a free semaphore
capture_of --nodes none -- ../parallel cancelled

# a run in which no node continues is ended and repeated, with longer maxima
capture_of --floor 1ms -- ../parallel stops ../counter
same 'stopped once' "$(edges 0)" '0:0 1:0 0:1 1:0 0:2 1:1 0:3 1:2 0:4 1:3 0:5 1:4 '
expect_line ../out 'no traced thread made a request for a long time in a run that delays requests'
expect_line ../out 'are repeated with 2 times the values of --factor and --floor'
same 'runs in all' "$(wc -l <../counter)" 4

# a process that is stopped in the run without delays ends the capture
echo run >../counter
rm -rf ../trace ../trace.runs ./*
expect_status 3 timeout 60 "$VALIDATE" capture causality -o ../trace --root . -- ../parallel stops ../counter
expect_line err 'suspended these processes: process'
[ "$(grep -o 'process [0-9]' err | wc -l)" -eq 1 ] || fail "a process is named for each thread: $(cat err)"
capture_of --nodes none -- ../parallel pipe

# less: a node, a period
expect_status 2 "$VALIDATE" capture causality -o ../trace --root . -- ../parallel pipe
expect_line err 'resume'
rm -r ../trace.runs
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --nodes 0 --period 3 -- ../parallel pipe 12
same 'a period' "$(sort -u ../trace.runs/run-3-0.edges | cut -d ' ' -f 1 | tr '\n' ' ')" '0:0 0:12 0:3 0:6 0:9 '
[ ! -e ../trace.runs/run-3-1.edges ] || fail 'node 1 was held back too'

# continues where it was: only missing runs are made
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --period 3 --resume -- ../parallel pipe 12
expect_line out '1 run with delays (--period 3) will follow'
[ -e ../trace.runs/run-3-1.edges ] || fail 'node 1 is still missing'
expect_status 3 "$VALIDATE" capture causality -o ../trace --root . --resume -- ../parallel pipe 13
expect_line err 'another command'

# the next capture removes scratch directories of a killed capture, and no other directories
mkdir ../scratch
mkdir -m 700 ../scratch/validate-capture-killed ../scratch/validate-capture-young1
mkdir -m 700 ../scratch/validate-capture-held01
mkdir -m 755 ../scratch/validate-capture-other1
touch -d '1 hour ago' ../scratch/validate-capture-[hko]*
rm -rf ../trace.runs
flock ../scratch/validate-capture-held01 sh -c 'echo $$ >../holder; exec sleep 100' &
holder=$!
until [ -s ../holder ]; do sleep 0.05; done
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --scratch ../scratch --nodes none -- ../parallel pipe
kill "$(cat ../holder)"
wait $holder || :
expect_line out 'cleaned up after 1 killed capture'
same 'scratch' "$(cd ../scratch && echo *)" 'validate-capture-held01 validate-capture-other1 validate-capture-young1'

# one node, drawn
rm -rf ../trace.runs
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --nodes random:1 --seed 5 -- ../parallel pipe 12
[ "$(ls ../trace.runs/*.edges | wc -l)" -eq 2 ] || fail "not one node: $(ls ../trace.runs)"

# killed in the middle, it continues with the missing runs; the remaining application is killed,
# because it would write to the same files
rm -rf ../scratch ../trace.runs
mkdir ../scratch
: >../counter # (the second run stops for good)
"$VALIDATE" capture causality -o ../trace --root . --scratch ../scratch -- ../parallel stops ../counter >../out 2>&1 &
collector=$!
until [ "$(wc -l <../counter)" -ge 2 ] && [ -e ../trace.runs/run-base.trace ]; do sleep 0.05; done
kill -KILL $collector
wait $collector || :
touch -d '1 hour ago' ../scratch/validate-capture-*
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --scratch ../scratch --resume -- ../parallel stops ../counter
expect_line out 'cleaned up after 1 killed capture'
expect_line out '2 runs with delays (--period 1) will follow'
same 'after a kill' "$(edges 0)" '0:0 1:0 0:1 1:0 0:2 1:1 0:3 1:2 0:4 1:3 0:5 1:4 '
[ -z "$(ls ../scratch)" ] || fail "left: $(ls ../scratch)"
for p in /proc/[0-9]*; do
	[ "$(readlink "$p/exe")" != "$(realpath ../parallel)" ] || fail "${p#/proc/} of the application goes on"
done

# an MPI library that a module of the program loads for itself
for part in 'LIBRARY -shared -fPIC -o libmpi.so' 'MODULE -shared -fPIC -o module.so -L. -lmpi -Wl,-rpath,.' 'PROGRAM -o ../local-mpi -ldl'; do
	# shellcheck disable=SC2086
	${CC:-cc} -w "$SRCDIR/tests/programs/local-mpi.c" -D$part || fail 'local-mpi.c does not compile'
done
rm -rf ../trace ../trace.runs
expect_status 0 "$VALIDATE" capture causality -o ../trace --nodes none -- ../local-mpi
# time in which MPI works on a file of its own is an external wait, also if computing is CPU time
mkfifo ../own
rm -rf ../trace ../trace.runs
expect_status 0 env MPI_OWN_FILE=../own "$VALIDATE" capture causality -o ../trace --root . --clock cpu --nodes all -- ../local-mpi
external=$(sed -n 's/^external *the nodes together wait \([0-9]*\).* ms .*/\1/p' out)
[ "${external:-0}" -ge 190 ] || fail "external ${external:-0} ms instead of 200: $(cat out)"
rm -f ./*

# While a write of thread 0 is delayed, thread 1 receives a message of thread 2. Thread 1 then computes:
# it does not wait, although it has polled thousands of times since its last request.
for part in 'LIBRARY -shared -fPIC -o libmpi.so' 'PROGRAM -o ../receives -L. -lmpi -Wl,-rpath,. -pthread'; do
	# shellcheck disable=SC2086
	${CC:-cc} -w -O1 "$SRCDIR/tests/programs/receives.c" -D$part || fail 'receives.c does not compile'
done
rm -rf ../trace ../trace.runs
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --nodes 0 -- ../receives 3
for i in 1 2; do
	grep -q "^0:$i 1:$((i + 1)) " ../trace.runs/run-1-0.edges || fail "thread 1 does not wait for write $i: $(cat ../trace.runs/run-1-0.edges)"
done
grep ' 1$' ../trace.runs/run-1-0.edges && fail 'a thread that computes seems to wait'
rm -f ./*

# faults
rm -rf ../trace.runs
expect_status 3 "$VALIDATE" capture causality -o ../trace --root . -- ../parallel fails
expect_line err 'killed by signal 9'
rm -rf ../trace.runs ./*
expect_status 3 "$VALIDATE" capture causality -o ../trace --root . -- ../parallel differs
expect_line err 'node 0'
rm -rf ../trace.runs ./*
expect_status 3 "$VALIDATE" capture causality -o ../trace --root . -- true
expect_line err '--root'
rm -rf ../trace.runs
expect_status 2 "$VALIDATE" capture causality -o ../trace --root . --period 0 -- true
rm -rf ../trace.runs
expect_status 2 "$VALIDATE" capture causality -o ../trace --root . --nodes 5 -- ../parallel pipe
expect_line err 'there is no node 5'
