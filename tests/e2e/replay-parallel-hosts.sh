# SPDX-License-Identifier: GPL-3.0-or-later
# Engine parallel on three hosts: namespaces of network, host name, IPC and mounts on a bridge, each with an address of its own, where one cannot see
# the scratch directory of the other and clocks differ. A process namespace around them all ends with this script, however that ends.
. "$SRCDIR/tests/e2e/lib.sh"

if [ -z "${HOSTS_INSIDE:-}" ]; then
	. "$SRCDIR/tests/e2e/parallel-lib"
	for program in ip unshare nsenter; do
		command -v "$program" >/dev/null || skip "no $program"
	done
	map=
	[ "$(id -u)" -eq 0 ] || map=--map-root-user
	around="unshare $map --net --mount --uts --ipc --pid --fork --kill-child --mount-proc"
	$around sh -c 'ip link add type bridge && unshare --net --uts --ipc --mount mount -t tmpfs tmpfs /mnt' >/dev/null 2>&1 ||
		skip 'namespaces are forbidden here'
	HOSTS_INSIDE=1 $around sh "$SRCDIR/tests/e2e/replay-parallel-hosts.sh"
	exit
fi

# --- the hosts -----------------------------------------------------------------------------------------------------------
ip link set lo up
ip link add bridge0 type bridge
ip link set bridge0 up
time= # a clock that is 1000 s ahead, where clocks have namespaces
! unshare --time --monotonic 1000 true 2>/dev/null || time='--time --monotonic 1000'
mkdir target
host() { # name, number, options of unshare
	name=$1 number=$2
	shift 2
	unshare "$@" --net --uts --ipc --mount --fork sh -c '
		set -e
		hostname "$0"
		[ "$1" = 1 ] || mount -t tmpfs tmpfs "$TMPDIR"
		echo $$ >"pid.$0.tmp"
		until ip link show "eth$1" >/dev/null 2>&1; do sleep 0.05; done
		ip link set lo up
		ip addr add "10.77.0.$1/24" dev "eth$1"
		ip link set "eth$1" up
		mv "pid.$0.tmp" "pid.$0"
		exec sleep 300' "$name" "$number" &
	until [ -s "pid.$name.tmp" ]; do sleep 0.05; done
	ip link add "veth$number" type veth peer name "eth$number"
	ip link set "veth$number" master bridge0 up
	ip link set "eth$number" netns "$(cat "pid.$name.tmp")"
	until [ -e "pid.$name" ]; do sleep 0.05; done
}
host hosta 1
# shellcheck disable=SC2086
host hostb 2 $time
host hostc 3

cat >agent <<END
#!/bin/sh
# how mpirun reaches a host: agent HOST COMMAND...
host=\$1
shift
[ -e "$PWD/pid.\$host" ] || { echo "\$host: no route to host" >&2; exit 1; }
cd /
exec nsenter --target "\$(cat "$PWD/pid.\$host")" --net --uts --ipc --mount \$([ \$host != hostb ] || echo "${time:+--time}") -- sh -c "\$*"
END
chmod +x agent
on_hosts() { # status, hosts, options...
	wanted=$1 hosts=$2
	shift 2
	expect_status "$wanted" timeout 120 nsenter --target "$(cat pid.hosta)" --net --uts --ipc --mount -- \
		sh -c 'cd "$0" && exec "$@"' "$PWD" "$VALIDATE" replay --engine parallel \
		--launcher "mpirun --allow-run-as-root --host $hosts --mca plm rsh --mca plm_rsh_agent $PWD/agent --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n {n}" \
		--dir "$PWD/target" "$@"
}

# --- a trace of three ranks, which wait for one another --------------------------------------------------------------------
./causal-trace in.trace <<'END'
node 0 0 0
node 1 1 0
node 2 2 0
0 open a 20
0 write 0 100000 30
0 compute 3000000
0 signal 1
1 wait 0
1 open b 10
1 write 0 100 10
1 signal 2
2 wait 1
2 open a 10
2 read 0 100000 10
2 signal 0
0 wait 2
0 close 10
END
on_hosts 0 hosta,hostb,hostc --prepare -o out.trace in.trace
expect_line out 'causal; 3 ranks on 3 hosts'
expect_line out 'mismatches      0'
expect_line out 'requests        14 of 14'
expect_line out '3 ranks share processors'

# times are of one clock: what was waited for has ended
"$VALIDATE" export --to csv out.trace -o out.csv
"$VALIDATE" export --to csv in.trace -o in.csv
seq_of() { # pid, op
	awk -F , -v p="$1" -v o="$2" 'NR > 1 && $1 == p && $5 == o { print $(NF - 2); exit }' in.csv
}
order() { # A ends before B does
	awk -F , -v a="$1" -v b="$2" 'NR > 1 && $(NF - 2) == a { x = $4 } NR > 1 && $(NF - 2) == b { y = $4 }
		END { exit !(x != "" && x <= y && y - x < 60e9) }' out.csv || fail "record $2 ended before $1, or long after it: $(cat out.csv)"
}
order "$(seq_of 100 compute)" "$(seq_of 101 wait)"
order "$(seq_of 101 pwrite)" "$(seq_of 102 wait)"
order "$(seq_of 102 pread)" "$(seq_of 100 close)"
"$VALIDATE" info --json out.trace >info.json
grep -o '"host": *"host[abc]"' info.json | sort -u | wc -l | grep -qx ' *3' || fail 'the hosts are not told'
if [ -n "$time" ]; then
	grep -oE '"clock_offset_ns": *-?[0-9]+' info.json | grep -qE '(999|1000)[0-9]{9}$' || fail "no clock differs by 1000 s: $(grep -o '"clock_offset[^,]*' info.json)"
fi

# --- a target that one host has not, and a host that is not reached ---------------------------------------------------------
nsenter --target "$(cat pid.hostc)" --mount -- mount -t tmpfs tmpfs "$PWD/target"
on_hosts 3 hosta,hostb,hostc --prepare in.trace
expect_line err 'rank 2 of 3 (host hostc)'
expect_line err 'is not the directory that was prepared'
on_hosts 3 hosta,hostb,hostx --prepare in.trace
expect_line err 'the launcher said'
expect_line err 'hostx'
[ -z "$(find target "$TMPDIR" -name '.ranks-*' -o -name 'validate-ranks-*')" ] || fail 'something was left behind'
