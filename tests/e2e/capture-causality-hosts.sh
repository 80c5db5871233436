# SPDX-License-Identifier: GPL-3.0-or-later
# capture causality --hosts: ranks on three hosts wait for each other after every write. The hosts
# are namespaces with separate shared memory; the clock of the second host is 1000 s ahead. Every
# dependency is found, the times are on one clock, and the trace is replayed on one host.
# long: 30 s
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
script=$SRCDIR/tests/e2e/capture-causality-hosts.sh
. "$SRCDIR/tests/e2e/parallel-hosts-lib"

[ -x "$BUILD/validate-mpi-workload" ] || skip 'the ranks of the workloads were not built: no OpenMPI to build with'
mkdir files
"$VALIDATE" microbench checkpoint-sync --level 3 --requests 4 --file-size 256K --dir files -o ref.trace --prepare-only >/dev/null
# The recipe for Kubernetes in doc/parallel.md, with a kubectl that runs the words in a namespace. As
# the real one, it starts no shell.
mkdir bin
cat >bin/kubectl <<END
#!/bin/sh
[ "\$1 \$2 \$4" = 'exec -i --' ] || { echo "kubectl: \$*" >&2; exit 1; }
host=\$3
shift 4
[ -e "$PWD/pid.\$host" ] || { echo "\$host: no route to host" >&2; exit 1; }
cd /
exec nsenter --target "\$(cat "$PWD/pid.\$host")" --net --uts --ipc --mount \$([ \$host != hostb ] || echo "${time:+--time}") -- "\$@"
END
sed -n '/^    #!\/bin\/sh/,/^    exec kubectl/s/^    //p' "$SRCDIR/doc/parallel.md" >kube-rsh
grep -q kubectl kube-rsh || fail 'the recipe is not in doc/parallel.md'
chmod +x bin/kubectl kube-rsh
PATH=$PWD/bin:$PATH
mpi() { # hosts, ranks
	echo "mpirun --allow-run-as-root --host $1 --map-by node --mca plm rsh --mca plm_rsh_agent $PWD/kube-rsh --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n $2"
}
rank=$("$VALIDATE" microbench checkpoint-sync --level 3 --requests 4 --file-size 256K --dir "$PWD/files" --print-command | sed 's,.* \([^ ]*validate-mpi-workload\),\1,')
in_hosta() {
	nsenter --target "$(cat pid.hosta)" --net --uts --ipc --mount -- sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
}
capture() { # hosts, ranks, options
	hosts=$1 ranks=$2
	shift 2
	# shellcheck disable=SC2046,SC2086
	in_hosta timeout 120 "$VALIDATE" capture causality -o trace --root files --scratch "$TMPDIR" --hosts "$hosts" --launcher 'kubectl exec -i {host} --' "$@" -- \
		$(mpi "${hosts_of_ranks:-$hosts}" "$ranks") $rank
}
missing() { # the dependencies that the capture has not found
	for k in 0 1 2; do
		for o in 0 1 2; do
			for i in 2 3 4; do # (behind two opens)
				[ $o = $k ] || grep -q "^$k:$i $o:$((i + 1)) " "trace.runs/run-1-$k.edges" ||
					echo "rank $o does not wait for write $i of rank $k: $(cat "trace.runs/run-1-$k.edges")"
			done
		done
	done
}
# (on a busy machine, a rank may be late by itself in the run that should show its wait)
for attempt in 1 2 3; do
	rm -rf trace trace.runs
	capture hosta,hostb,hostc 3 >out 2>err || fail "$(cat out err trace.runs/*.log)"
	expect_line out ' of 3 nodes'
	expect_line out "the differences between the hosts' clocks are known to"
	missing >missing
	[ -s missing ] || break
done
[ ! -s missing ] || fail "three captures: $(cat missing)"
expect_status 0 "$VALIDATE" info --json trace
tr -d ' \n' <out >json
for h in hosta hostb hostc; do
	grep -q "\"host\":\"$h\"" json || fail "the trace does not name $h"
done
# (the clock of hostb is ahead by more than the run takes)
application=$(sed -n 's/.*"application_ns":\([0-9]*\).*/\1/p' json)
[ "$application" -lt 60000000000 ] || fail "the application takes $application ns"
expect_status 0 "$VALIDATE" replay --engine parallel --dir target --prepare -o out.trace trace
[ -z "$(find "$TMPDIR" -name 'validate-*')" ] || fail "left behind: $(find "$TMPDIR" -name 'validate-*')"

# a host of the application is not in the list; a host cannot be reached
rm -rf trace trace.runs
hosts_of_ranks=hosta,hostb,hostc
expect_status 3 capture hosta,hostb 3
expect_line err 'only 2 were seen'
hosts_of_ranks=
for i in 1 2 3 4 5 6 7 8 9 10; do # the other collector may be just about to fork
	expect_status 3 capture hosta,hostd 2
	expect_line err 'host hostd: the process that watches the ranks there has ended: hostd: no route to host'
done
expect_status 2 "$VALIDATE" capture causality -o trace --hosts hosta -- true
expect_line err '--root'
