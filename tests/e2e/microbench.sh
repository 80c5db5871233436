# SPDX-License-Identifier: GPL-3.0-or-later
# validate microbench from the command line: each workload of the table, wrong usage, refusals, a kill, a full disk.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir target
run() { # status, then arguments
	want=$1
	shift
	expect_status "$want" "$VALIDATE" microbench "$@"
}

# each row of the table runs by both its names, is in the manual, and leaves files only in the
# target
run 0 --list
[ "$(wc -l <out)" -ge 8 ] || fail "the list has $(wc -l <out) workloads"
grep -v "^ *block-" out >list # tests/e2e/microbench-block.sh
while read -r name alias _; do
	grep -q "$(echo "$name" | sed 's/-/\\\\-/')" "$SRCDIR/doc/man/validate-microbench.1" || fail "$name is not in the manual"
	case $name in
	fileserver | postmark | compile | createfiles | copyfiles) continue ;; # tests/e2e/microbench-scripts.sh
	checkpoint* | partitioned-read | earthquake | shared-polling | mpi-io) continue ;; # tests/e2e/microbench-parallel.sh
	esac
	run 0 "$name" --level 1 --requests 50 --file-size 64K --dir target -o "$name.trace"
	expect_line out "$name, 1 thread: "
	expect_line out "trace: $name.trace"
	[ -f "target/$alias.0" ] || fail "$name made no target/$alias.0"
	run 0 "$alias" --requests 50 --file-size 64K --level 2 --dir target -o again.trace --remove
	[ ! -e "target/$alias.0" ] && [ ! -e "target/$alias.1" ] || fail "--remove left files of $alias"
	"$VALIDATE" info again.trace >info.txt || fail "info cannot read the trace of $name"
	expect_line info.txt '2 threads'
done <list
[ -z "$(ls target)" ] || fail "left in the target: $(ls target)"

# wrong usage: status 2, one line, no effect
wrong() { # what it says, then arguments
	says=$1
	shift
	run 2 "$@"
	expect_line err "$says"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one line: $*"
	[ -z "$(ls target)" ] && [ ! -e wrong.trace ] || fail "wrong usage did something: $*"
}
wrong 'the workload is missing' --dir target -o wrong.trace
wrong 'did you mean "random-read"' random-raed --dir target -o wrong.trace
wrong '--dir' rr -o wrong.trace
wrong '-o TRACE is missing' rr --dir target
wrong '--block-size' rr --dir target -o wrong.trace --block-size 4parsec
wrong '--pause' rr --dir target -o wrong.trace --pause 10
wrong 'less than one block' rr --dir target -o wrong.trace --file-size 100
wrong 'needs a mean pause' rr --dir target -o wrong.trace --think uniform
wrong '512' rr --dir target -o wrong.trace --direct --block-size 1000
wrong 'too large' rr --dir target -o wrong.trace --min-duration 100000d --requests 1 # it ended at once
wrong 'did you mean "rotate"' rr --dir target -o wrong.trace --placement rotat

# a link is refused with status 6, and its target is not touched
echo precious >precious
ln -s ../precious target/rr.0
run 6 rr --requests 50 --file-size 64K --dir target -o refused.trace
[ "$(cat precious)" = precious ] || fail "a file outside the target was written to"
[ ! -e refused.trace ] || fail "a refused run left a trace"
rm target/rr.0

# a FIFO for the trace: refused before the run, without waiting for a reader
mkfifo pipe
ls target >before
run 3 rr --requests 50 --file-size 64K --dir target -o pipe
expect_line err 'not to a pipe'
ls target | cmp -s before || fail "a refused run left files"

# ended by a signal: no trace, status 3, no file left with --remove
"$VALIDATE" microbench sr --file-size 64K --pause 1ms --min-duration 60s --dir target -o killed.trace --remove \
	2>err &
pid=$!
until [ "$(ls "/proc/$pid/task" 2>/dev/null | wc -l)" -eq 2 ]; do
	kill -0 "$pid" 2>/dev/null || fail "the run ended by itself"
	sleep 0.05
done
kill "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 3 ] || fail "status $status after SIGTERM"
expect_line err 'interrupted'
[ ! -e killed.trace ] || fail "a killed run left a trace"
[ -z "$(ls target)" ] || fail "a killed run left $(ls target)"

# no room for the trace: an error, and no part of it remains
(
	ulimit -f 64
	trap '' XFSZ
	expect_status 3 "$VALIDATE" microbench rr --requests 5000 --file-size 16K --dir target -o big.trace
)
expect_line err 'big.trace'
[ ! -e big.trace ] || fail "part of a trace that did not fit is left"
