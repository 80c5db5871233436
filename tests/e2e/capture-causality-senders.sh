# SPDX-License-Identifier: GPL-3.0-or-later
# capture causality: threads, processes and ranks without requests are nodes if others wait for
# them. In a replay they compute while the others write.
. "$SRCDIR/tests/e2e/lib.sh"
priority_raise # a thread must compute for a share of the run
leaks_unchecked # leaks of OpenMPI itself are not reported
preload_before_sanitizer
command -v jq >/dev/null || skip 'no jq'
${CC:-cc} -w -O1 -o parallel "$SRCDIR/tests/programs/parallel.c" -pthread || fail 'parallel.c does not compile'
mkdir work

capture() { # command...
	rm -rf trace trace.runs work
	mkdir work
	(cd work && "$VALIDATE" capture causality -o ../trace --root . -- "$@" >../out 2>../err) || fail "$* $(cat out err)"
	"$VALIDATE" deps --json trace >deps.json || fail 'deps fails'
}
deps() { # jq filter that must hold
	jq -e "$1" deps.json >/dev/null || fail "not: $1: $(cat deps.json)"
}
edges() { # node: its dependencies, signaller:request waiter:request
	cut -d ' ' -f 1,2 "trace.runs/run-1-$1.edges" | sort | tr '\n' ','
}

# each write waits for a message, but no message waits for a write
capture ../parallel paced 5
expect_line out 'of 2 nodes'
expect_line out '1 of the nodes makes no requests'
[ "$(edges 1)" = '1:0 0:1,1:1 0:2,1:2 0:3,1:3 0:4,1:4 0:5,' ] || fail "$(edges 1)"
# a wait whose sender is unknown would be external. On a busy machine, all times are longer
deps '.n_waits == 5 and .external_ns < .span_ns / 2 and .compute_ns > 4 * 20e6'

# a thread that only computes meets two threads that write at each barrier
bystander() {
	capture ../parallel bystander 5
	expect_line out 'of 3 nodes'
	for i in 0 1 2 3; do
		for k in 0 1; do
			grep -q "^2:$i $k:$((i + 2)) " trace.runs/run-1-2.edges || fail "node $k does not wait at barrier $i: $(cat trace.runs/run-1-2.edges)"
			grep -q "^$k:$((i + 1)) 2:$((i + 1)) " "trace.runs/run-1-$k.edges" || fail "the third thread does not wait at barrier $i: $(cat "trace.runs/run-1-$k.edges")"
		done
	done
}
# on a busy machine, threads compute and continue to wait after the watchdog has read the clock
case ${SANITIZE:-} in
*address*) ;; # the library must not be the first
*)
	${CC:-cc} -w -O1 -shared -fPIC -o slow-watch.so "$SRCDIR/tests/programs/slow-watch.c" || fail 'slow-watch.c does not compile'
	LD_PRELOAD=$PWD/slow-watch.so
	export LD_PRELOAD
	bystander
	unset LD_PRELOAD
	;;
esac
bystander
deps '(.barriers | length) >= 3 and .external_ns < .span_ns' # of two threads that wait
"$VALIDATE" export -q --to csv trace -o - | grep -vc ',compute,\|,signal,\|,wait,' >n_requests
[ "$(cat n_requests)" -eq 13 ] || fail "$(cat n_requests) lines instead of 12 requests: messages stayed in the trace"

# the number of messages differs from run to run: the thread is no node, and the other one waits as
# long as in the first run
capture ../parallel restless 5 "$PWD/count"
expect_line out 'are repeated; this time, threads that make no requests do not count as nodes'
expect_line out 'of 1 node '
deps '.external_ns > 5e6'

# ranks without requests
if command -v mpicc >/dev/null && [ -x "$BUILD/validate-mpi-workload" ] && mpicc -w -O1 -o mpi-idle "$SRCDIR/tests/programs/mpi-idle.c" 2>err; then
	mpi=$("$VALIDATE" microbench checkpoint --level 3 --dir . --print-command | sed 's, [^ ]*/validate-mpi-workload.*,,')
	# shellcheck disable=SC2086
	start=$(date +%s)
	# the idle rank computes for a small share of the run if the start takes 10 s, as it does
	# where the host's name cannot be resolved
	if $mpi ./mpi-idle bystander 1 >out 2>&1 && [ $(($(date +%s) - start)) -lt 5 ]; then
		rm -f part*
		capture $mpi ../mpi-idle bystander 4
		expect_line out 'of 3 nodes'
		[ "$(cut -d ' ' -f 2 trace.runs/run-1-2.edges | sort -u | tr '\n' ' ')" = '0:2 0:3 0:4 1:2 1:3 1:4 ' ] || fail "$(cat trace.runs/run-1-2.edges)"
		capture $mpi ../mpi-idle master 4
		expect_line out 'of 3 nodes'
		for i in 0 1 2 3; do
			grep -q "^2:$((2 * i)) 0:$((i + 1)) " trace.runs/run-1-2.edges || fail "$(cat trace.runs/run-1-2.edges)"
			grep -q "^2:$((2 * i + 1)) 1:$((i + 1)) " trace.runs/run-1-2.edges || fail "$(cat trace.runs/run-1-2.edges)"
		done
		[ ! -s trace.runs/run-1-0.edges ] || fail "the master waits for a worker: $(cat trace.runs/run-1-0.edges)"
	fi
fi

# In a replay the node without requests computes while the others write, also if writes take longer
# than in the trace (tests/bench/bench-parallel-programs.sh measures it on a slow volume). After a
# barrier, a write can start up to 1 ms before the computing.
[ -x "$BUILD/validate-mpi-replay" ] && command -v mpirun >/dev/null || skip 'no OpenMPI to replay with'
mkdir target
during() { # KIND
	expect_status 0 "$VALIDATE" replay --engine parallel --mode causal --prepare --dir target -o replayed.trace trace
	"$VALIDATE" export -q --to csv replayed.trace -o - | awk -F , -v kind="$1" '
		NR > 1 && $5 == "compute" && $4 - $3 > 1e7 { from[++n] = $3; to[n] = $4 }
		NR > 1 && $5 == "pwrite" { write[++n_writes] = $3 }
		END { for (i in write) for (k in from) if (write[i] > from[k] - 1e6 && write[i] < to[k]) { n_during++; break }
			print kind ":", n_during + 0, "of", n_writes, "writes while the other node computes"
			exit n_during * 2 < n_writes }'
}
for kind in paced bystander; do
	capture ../parallel $kind 10
	# a busy machine can delay a thread after its signal; a wrong order would delay it in each replay
	during $kind || during $kind || during $kind || fail 'the replay computes and writes in turn'
done
