# SPDX-License-Identifier: GPL-3.0-or-later
# validate run --launcher: one campaign whose application and replays run on three hosts, which are
# namespaces. The protocol names neither hosts nor launchers. It is interrupted and resumed. There is
# one journal, one verdict, and a row for each host.
# long: 40 s
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
script=$SRCDIR/tests/e2e/campaign-parallel-hosts.sh
. "$SRCDIR/tests/e2e/parallel-hosts-lib"
. "$SRCDIR/tests/e2e/campaign-lib"

[ -x "$BUILD/validate-mpi-workload" ] || skip 'the ranks of the workloads were not built: no OpenMPI to build with'
command -v jq >/dev/null || skip 'no jq'
mkdir shared scratch
for h in b c; do # (without --scratch, collectors use /dev/shm)
	nsenter --target "$(cat pid.host$h)" --mount -- mount -t tmpfs tmpfs /dev/shm
done
cp "$SRCDIR/protocols/workloads/checkpoint-sync.sh" "$SRCDIR/protocols/workloads/lib.sh" "$SRCDIR/protocols/workloads/ranks.sh" .
cat >spread.conf <<END
[protocol]
replicates = 2
bank = 1
allow-undecidable = yes
min-duration = 0
scratch = $PWD/scratch
[target shared]
dir = $PWD/shared
[workload spread]
type = parallel
script = checkpoint-sync.sh
ranks = 3
size = 0
[replayer parallel]
engine = parallel
# the option replaces this launcher
launcher = "false {n}"
END
collectors="$PWD/agent {host}"
ranks="mpirun --allow-run-as-root --host hosta,hostb,hostc --map-by node --mca plm rsh --mca plm_rsh_agent $PWD/agent --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n {n}"
on_hosta() { # command of validate and its arguments
	VALIDATE=$VALIDATE nsenter --target "$(cat pid.hosta)" --net --uts --ipc --mount -- sh -c 'cd "$0" && exec "$@"' "$PWD" timeout 200 "$VALIDATE" "$@"
}
run() {
	on_hosta run spread.conf --rank-hosts hosta,hostb,hostc --launcher "$collectors" --launcher "$ranks" "$@"
}

expect_status 0 run --dry-run
expect_line out 'hosts: hosta,hostb,hostc'
expect_line out "launcher: $collectors"
expect_line out '"--host", "hosta,hostb,hostc"'
grep -v ^scratch spread.conf >no.conf
expect_status 3 "$VALIDATE" run no.conf --rank-hosts hosta,hostb --launcher "$collectors" --launcher 'true' --dry-run
expect_line err 'a directory on storage that all hosts share'

run -o campaign -q >out 2>err &
command=$!
wait_for has_runs campaign 3 || fail "no run: $(cat err)"
kill -INT "$(campaign_pids campaign | tail -n 1)" || fail 'the campaign had ended'
wait "$command" && fail 'an interrupted campaign gave a verdict'
expect_line err 'continue with: validate run -o campaign --resume'
n=$(journal_runs campaign | wc -l)
# other options would change the campaign
expect_status 3 on_hosta run spread.conf -o campaign --resume --rank-hosts hosta,hostb --launcher "$collectors" --launcher "$ranks"
expect_line err 'is not the protocol of the campaign'
# the same options, then none
run -o campaign --resume -q >out 2>err &
command=$!
wait_for has_runs campaign $((n + 1)) || fail "no run: $(cat err)"
kill -INT "$(campaign_pids campaign | tail -n 1)" || fail 'the campaign had ended'
wait "$command" && fail 'an interrupted campaign gave a verdict'
expect_verdict on_hosta run -o campaign --resume -q
! grep '"state":"failed"' campaign/journal || fail 'a run failed'
jq -e '.parallel.hosts | map(.host) == ["hosta", "hostb", "hostc"] and all(.n_nodes == 1 and .program_ns.value > 0 and .replay_ns.value > 0)' campaign/report/report.json >/dev/null ||
	fail "not a row for each host: $(jq -c .parallel campaign/report/report.json | head -c 600)"
jq -e '.cells | length == 1' campaign/report/report.json >/dev/null || fail 'not one verdict'
expect_line campaign/report/tables/parallel-hosts.csv 'hostb'
# the stored protocol has the values of the options
expect_line campaign/protocol.conf 'hosts = "hosta,hostb,hostc"'
grep -q '^launcher = "false' campaign/protocol.conf && fail 'the launcher of the protocol was not replaced'
expect_status 0 "$VALIDATE" run campaign/resolved.conf --dry-run
"$VALIDATE" report campaign --redact -o hidden >/dev/null || :
! grep -rl 'host[abc]' hidden || fail 'a host is not hidden'
[ -z "$(ls shared)" ] || fail "left behind: $(ls shared)"

sed '/^launcher/d' spread.conf >local.conf
expect_status 0 "$VALIDATE" run local.conf --rank-hosts hosta --launcher "$collectors" --dry-run
expect_line err '[replayer parallel] has no launcher: its replays run on this host only'

# refused before anything starts
refused() { # status, message, options...
	wanted=$1 message=$2
	shift 2
	expect_status "$wanted" "$VALIDATE" run "$@" -o none
	expect_line err "$message"
	[ ! -e none ] || fail 'a results directory was made'
}
tiny tiny.conf
refused 2 'has no words' spread.conf --launcher ''
refused 2 'there is no placeholder {n}' spread.conf --rank-hosts hosta --launcher 'ssh {host} {n}'
refused 2 'name the hosts with --rank-hosts' spread.conf --launcher "$collectors"
refused 2 'starts ranks, but tiny.conf has neither a replayer' tiny.conf --launcher 'srun -n {n}'
refused 2 'tiny.conf has no workload with type = parallel' tiny.conf --rank-hosts hosta
refused 2 'is not the name of a host' spread.conf --rank-hosts 'a b'
refused 2 'both lack {host}' spread.conf --launcher 'srun' --launcher 'mpirun'
refused 2 'omit one of the options' spread.conf --hosts hosta,hostb --rank-hosts hosta
refused 3 'cannot find the program nosuchlauncher' spread.conf --launcher 'nosuchlauncher -n {n}'
refused 3 'cannot find the program nosuchlauncher' spread.conf --rank-hosts hosta,hostb --launcher 'nosuchlauncher {host}' --launcher true
