# SPDX-License-Identifier: GPL-3.0-or-later
# capture causality on ranks of an MPI job: dependencies are found between ranks that poll in calls
# and in memory. After an interruption, no process of the application is left. A failed rank is an
# error.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
command -v mpirun >/dev/null || skip 'mpirun is not installed'
[ -x "$BUILD/validate-mpi-workload" ] || skip 'the ranks of the workloads were not built: no OpenMPI to build with'
here=$(pwd)
mkdir -p files/tmp

# ranks WORKLOAD N REQUESTS: the command that starts them, in $command
ranks() {
	"$VALIDATE" microbench "$1" --level "$2" --requests "$3" --file-size 256K --dir files -o ref.trace --prepare-only >/dev/null
	command=$("$VALIDATE" microbench "$1" --level "$2" --requests "$3" --file-size 256K --dir files -o ref.trace --print-command)
}
capture() { # captures the ranks, with files below this directory and these options; temporary files of MPI are below the root too
	TMPDIR=$here/files/tmp
	export TMPDIR
	eval "\"\$VALIDATE\" capture causality -o trace --root $* -- $command"
}
sh -c "$(ranks checkpoint-sync 2 2; printf %s "$command")" >out 2>&1 || skip "mpirun does not start ranks here: $(tail -n 1 out)"

# a barrier after each write: the next write of the other rank waits
ranks checkpoint-sync 2 6
capture files >out 2>err || fail "$(cat out err)"
expect_line out ' of 2 nodes'
for k in 0 1; do
	o=$((1 - k))
	for i in 2 3 4 5 6; do # (behind two opens)
		grep -q "^$k:$i $o:$((i + 1)) " "trace.runs/run-1-$k.edges" || fail "rank $o does not wait for write $i of rank $k: $(cat "trace.runs/run-1-$k.edges")"
	done
done
"$VALIDATE" info trace --json >json
grep -q '"causality"' json || fail 'the trace does not name its nodes'
"$VALIDATE" info trace --csv csv >/dev/null
grep -q 'psm\|ompi\.\|vader' csv && fail 'files of the MPI library are in the trace'

# in turn: the first read of the second rank waits for the last read of the first
rm -rf trace trace.runs
ranks partitioned-read 2 5
capture files/partitioned --nodes 0 >out 2>err || fail "$(cat out err)"
# (a thread of MPI without requests can be a third node if it computes for long enough)
grep ' 1:' trace.runs/run-1-0.edges >edges
last=$(sort -t : -k 2 -n edges | tail -n 1)
expect_line out 'dependencies'
[ "$(cut -d ' ' -f 2 <edges | sort -u | wc -l)" -eq 1 ] || fail "rank 1 waits at several places: $(cat trace.runs/run-1-0.edges)"
[ -n "$last" ] || fail 'nothing waits'

# MPI_File_open tries locks on files of its own, on the application's storage: these are requests
rm -rf trace trace.runs
ranks mpi-io 2 2
command=$(printf %s "$command" | sed "s/--output=ref.trace//; s/-o ref.trace//")
capture files/mpi-io --nodes 0 >out 2>err || fail "$(cat out err)"
"$VALIDATE" info trace --csv csv >/dev/null
grep -q 'mpi-io\|path=data' csv || fail "the file of the application is missing: $(cat csv)"
grep -q 'locktest' csv || fail "the lock tests of MPI-IO are missing: $(cat csv)"

# a rank that fails
rm -rf trace trace.runs
command="${command%% -n 2 *} -n 2 sh -c 'exit 3'"
capture files >out 2>err && fail 'ranks that fail are no error'
expect_line err 'ended with status'
