# SPDX-License-Identifier: GPL-3.0-or-later
# One protocol on four hosts, each at its own storage, started by mpirun as doc/results.md tells;
# pool makes one report of them.
# long: 40 s
. "$SRCDIR/tests/e2e/lib.sh"
script=$SRCDIR/tests/e2e/pool-hosts.sh
. "$SRCDIR/tests/e2e/parallel-hosts-lib"
. "$SRCDIR/tests/e2e/campaign-lib"
command -v jq >/dev/null || skip 'no jq'

host hostd 4
tiny tiny.conf
mkdir results
# a verdict that is not "trusted" is no failure of the job
cat >one-host <<END
cd "$PWD" || exit 3
"$VALIDATE" run tiny.conf -o "results/\$(hostname)" --quiet >"\$(hostname).out" 2>&1
case \$? in 0 | 1 | 4) exit 0 ;; esac
cat "\$(hostname).out"
exit 3
END
expect_status 0 timeout 180 nsenter --target "$(cat pid.hosta)" --net --uts --ipc --mount -- \
	mpirun --allow-run-as-root --host hosta,hostb,hostc,hostd --map-by node --mca plm rsh --mca plm_rsh_agent "$PWD/agent" \
	--mca oob_tcp_if_include 10.77.0.0/24 --oversubscribe --bind-to none -n 4 sh "$PWD/one-host"
[ "$(cd results && echo *)" = "hosta hostb hostc hostd" ] || fail "other results: $(ls results)"
status=0
"$VALIDATE" pool results/* --format json >out 2>err || status=$?
[ "$status" -eq 0 ] || fail "status $status: $(cat err)"
jq -e '[.laboratories[].name] == ["hosta", "hostb", "hostc", "hostd"]' out >/dev/null || fail "other laboratories: $(jq -c .laboratories out | head -c 400)"
jq -e '(.cases | length) == 4 and (.cases | all(.s_R >= .s_r))' out >/dev/null || fail "no reproducibility: $(jq -c '.cases[0]' out | head -c 400)"
