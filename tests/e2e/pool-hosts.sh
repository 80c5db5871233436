# SPDX-License-Identifier: GPL-3.0-or-later
# validate run --hosts: one protocol on four hosts, each with its own storage, started by mpirun or
# by a remote shell; one report for all. Two of the hosts do not see the results directory. A host
# that cannot be reached is named, and --resume adds it later.
# long: 15 s
. "$SRCDIR/tests/e2e/lib.sh"
script=$SRCDIR/tests/e2e/pool-hosts.sh
. "$SRCDIR/tests/e2e/parallel-hosts-lib"
. "$SRCDIR/tests/e2e/campaign-lib"
command -v jq >/dev/null || skip 'no jq'

host hostd 4
tiny tiny.conf
mkdir storage fleet
sed -i "s|^\[target here\]|&\ndir = $PWD/storage|; s/^level = .*/level = 1/" tiny.conf
in_host() { # name, command...
	name=$1
	shift
	nsenter --target "$(cat "pid.$name")" --net --uts --ipc --mount -- "$@"
}
for h in hosta hostb hostc hostd; do
	in_host $h mount -t tmpfs "storage-$h" "$PWD/storage"
done
for h in hostc hostd; do
	in_host $h mount -t tmpfs "own-$h" "$PWD/fleet"
done
printf 'hosta\nhostb # not the last\n\nhostc\nhostd\n' >list

# hostd cannot be reached at first
mv pid.hostd pid.away
mpi="mpirun --allow-run-as-root --host {host} --mca plm rsh --mca plm_rsh_agent $PWD/agent --mca oob_tcp_if_include 10.77.0.0/24 --mca orte_local_tmpdir_base $TMPDIR/{host} --bind-to none -n 1"
expect_status 3 timeout 180 nsenter --target "$(cat pid.hosta)" --net --uts --ipc --mount -- sh -c 'cd "$0" && exec "$@"' "$PWD" \
	"$VALIDATE" run tiny.conf --hosts list --launcher "$mpi" -o fleet --format json
expect_line err 'host hostd failed: hostd: no route to host'
expect_line err '1 of 4 hosts failed: hostd'
expect_line fleet/hosts/hostd.log 'no route to host'
jq -e '[.laboratories[].name] == ["hosta", "hostb", "hostc"]' fleet/report/pool.json >/dev/null || fail "other laboratories: $(jq -c .laboratories fleet/report/pool.json | head -c 400)"
[ "$(echo fleet/hosts/*)" = "fleet/hosts/hosta fleet/hosts/hosta.log fleet/hosts/hostb fleet/hosts/hostb.log fleet/hosts/hostc fleet/hosts/hostc.log fleet/hosts/hostd.log" ] ||
	fail "other results: $(ls fleet/hosts)"

# the others have finished and are not run again
mv pid.away pid.hostd
runs=$(journal_runs fleet/hosts/hosta)
expect_verdict timeout 180 "$VALIDATE" run tiny.conf --hosts hosta,hostb,hostc,hostd --launcher "$PWD/agent {host}" -o fleet --resume
[ "$(journal_runs fleet/hosts/hosta)" = "$runs" ] || fail 'a finished campaign was run again'
for h in a b c d; do
	expect_line err "host host$h is done"
	jq -e --arg h "storage-host$h" 'tojson | contains($h)' "fleet/hosts/host$h/environment.json" >/dev/null || fail "host$h did not use its own storage"
done
jq -e '[.laboratories[].name] == ["hosta", "hostb", "hostc", "hostd"]' fleet/report/pool.json >/dev/null || fail "other laboratories: $(jq -c .laboratories fleet/report/pool.json | head -c 400)"
jq -e '(.cases | length) == 2 and (.cases | all(.s_R >= .s_r))' fleet/report/pool.json >/dev/null || fail "no reproducibility: $(jq -c '.cases[0]' fleet/report/pool.json | head -c 400)"
left=$(for h in a b c d; do in_host host$h ls -A "$PWD/storage"; done; ls -d fleet/hosts/*.back fleet/hosts/.shared* 2>/dev/null) || :
[ -z "$left" ] || fail "left behind: $left"

# a host ends its campaign when the command ends
mkdir other
"$VALIDATE" run tiny.conf --hosts 'host[a-b]' -o other >out.wrong 2>&1 && fail 'a range of letters was accepted'
expect_line out.wrong 'is not a list of numbers'
timeout 180 "$VALIDATE" run tiny.conf --hosts hosta,hostb --launcher "$PWD/agent {host}" -o other >killed 2>&1 &
command=$!
wait_for has_runs other/hosts/hostb 1 || fail "no run: $(cat killed)"
wait_for has_runs other/hosts/hosta 1 || fail "no run: $(cat killed)"
pkill -KILL -P "$command" -x validate
wait "$command" 2>/dev/null || :
for h in hosta hostb; do
	pid=$(campaign_pids other/hosts/$h)
	ended() { ! kill -0 "$pid" 2>/dev/null; }
	wait_for ended || fail "the campaign of $h goes on"
done

expect_status 2 "$VALIDATE" run tiny.conf --hosts hosta -o one
expect_line err 'at least two hosts'
expect_status 2 "$VALIDATE" run tiny.conf --hosts hosta,hostb --launcher ssh -o one
expect_line err 'lacks {host}'
expect_status 3 "$VALIDATE" run tiny.conf --hosts hosta,hostb -o fleet
expect_line err '--resume'
