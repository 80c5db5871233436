# SPDX-License-Identifier: GPL-3.0-or-later
# long: 14 s
# Engine parallel with ranks on this host: modes, dependencies, threads, and refusals.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/parallel-lib"
. "$SRCDIR/tests/e2e/parallel-clocks-lib"

replay() { # status, options...
	wanted=$1
	shift
	expect_status "$wanted" timeout 100 "$VALIDATE" replay --engine parallel --dir target "$@"
}
stamps() { # trace: seq, begin and end of each record, in order
	"$VALIDATE" export --to csv "$1" -o - | awk -F , 'NR > 1 { n = NF - 2; print $(NF - 2), $3, $4, $5 }'
}

mkdir target
cat >ring <<'END'
node 0 0 0
node 1 1 0
node 2 2 0
0 open a 20
0 write 0 4096 30
0 compute 3000000
0 signal 1
0 close 5
1 wait 0
1 open b 10
1 write 0 100 10
1 compute 2000000
1 signal 2
1 close 5
2 wait 1
2 open c 10
2 write 0 100 10
2 signal 0
2 close 5
0 wait 2
0 open a 10
0 read 0 4096 10
0 close 5
END
./causal-trace in.trace <ring

# --- causal: every record, in the order that the application required
replay 0 --prepare -o out.trace in.trace
expect_line out 'requests        12 of 12; 3 workers in 3 processes'
expect_line out 'mismatches      0'
expect_line out 'causal; 3 ranks on 1 host'
expect_line out 'clocks          all ranks use the same clock'
expect_line out 'signals         3 signals from a traced thread to another'
"$VALIDATE" export --to csv in.trace -o in.csv
seq_of() { # pid, op, how-manieth
	awk -F , -v p="$1" -v o="$2" -v k="$3" 'NR > 1 && $1 == p && $5 == o && ++n == k { print $(NF - 2) }' in.csv
}
in_order "$(seq_of 100 compute 1)" "$(seq_of 101 open 1)" begins
in_order "$(seq_of 101 compute 1)" "$(seq_of 102 open 1)" begins
in_order "$(seq_of 102 pwrite 1)" "$(seq_of 100 open 2)" begins
stamps out.trace | awk -v s="$(seq_of 100 compute 1)" '$1 == s && $3 - $2 >= 2999000 { ok = 1 } END { exit !ok }' || fail 'it did not compute'
clocks_hold out.trace none 0
[ "$(stat -c %s target/a target/b target/c | tr '\n' ' ')" = '4096 100 100 ' ] || fail 'other files'
[ -z "$(find . "$TMPDIR" -name '.ranks-*' -o -name 'validate-ranks-*')" ] || fail 'something was left behind'

# --- the other modes skip records that are no requests
for mode in think-limited timing-accurate; do
	replay 0 --prepare --mode "$mode" -o out.trace in.trace
	expect_line out "$mode; 3 ranks"
	expect_line out 'requests        12 of 12'
	expect_line out 'skipped         8 records of computing, signals and waits'
	expect_line out 'mismatches      0'
done
expect_line out 'issue error'
expect_status 0 "$VALIDATE" replay --dir target --prepare in.trace
expect_line out 'skipped         8 records of computing, signals and waits'
sed 's/^node \([0-9]\) [0-9]/node \1 none/; / compute \| signal \| wait /d' ring | ./causal-trace plain.trace
replay 3 --prepare plain.trace
expect_line err 'has no records of computing or of waits'
replay 0 --prepare --mode afap plain.trace
expect_line out 'afap; 3 ranks'

# --- threads of one rank, with a thread of another rank; computing asleep, and options of the
# launcher
cat >threads <<'END'
node 0 0 0
node 1 0 1
node 2 1 0
0 open a 10
0 write 0 10 10
0 signal 1
0 signal 1
0 signal 2
1 wait 0
1 wait 0
1 open b 10
1 write 0 20 10
1 signal 2
2 wait 0
2 wait 1
2 open c 10
2 signal 1
1 wait 2
1 compute 1000000
1 close 10
END
./causal-trace threads.trace cpu <threads
replay 0 --prepare --compute sleep --clock wall -o out.trace \
	--launcher "$(command -v mpirun) $([ "$(id -u)" = 0 ] && echo --allow-run-as-root) --oversubscribe --bind-to none --mca btl self,vader -n {n}" threads.trace
expect_line out '--bind-to none --mca btl self,vader -n 2'
expect_line out '3 workers in 2 processes'
expect_line out 'mismatches      0'
"$VALIDATE" export --to csv threads.trace -o in.csv
grep -q ',1100,' in.csv || fail 'no thread'
awk -F , 'NR > 1 && $2 == 1100 && $5 == "open" { print $(NF - 2) }' in.csv >b
awk -F , 'NR > 1 && $2 == 100 && $5 == "pwrite" { print $(NF - 2) }' in.csv >a
in_order "$(cat a)" "$(cat b)" begins

# --- barriers: no node continues before all three have arrived, twice
for i in 0 1 2; do
	printf 'node %d %d 0\n' $i $i
done >barriers
for i in 0 1 2; do
	printf "$i open f$i 10\n$i compute ${i}0000000\n$i signal-at 1\n$i wait-at 1\n$i write 0 10 10\n"
	printf "$i compute $((2 - i))0000000\n$i signal-at 2\n$i wait-at 2\n$i close 10\n"
done >>barriers
./causal-trace barriers.trace <barriers
replay 0 --prepare -o out.trace barriers.trace
expect_line out 'mismatches      0'
stamps out.trace >times
"$VALIDATE" export --to csv barriers.trace -o in.csv
awk -F , 'NR == FNR { split($0, x, " "); begin[x[1]] = x[2]; end[x[1]] = x[3]; next }
	FNR > 1 { n = NF - 2; seq = $n; if ($5 == "signal") k[$1]++
		if ($5 == "signal" && (!last[k[$1]] || begin[seq] > last[k[$1]])) last[k[$1]] = begin[seq]
		if ($5 == "pwrite" || $5 == "close") { b = $5 == "close" ? 2 : 1; if (!first[b] || begin[seq] < first[b]) first[b] = begin[seq] } }
	END { exit !(first[1] >= last[1] && first[2] >= last[2] && last[1] && last[2]) }' times in.csv || fail "a barrier was passed too early: $(cat times)"

# --- a node that is no rank of an MPI job yields its CPU while it waits, as it slept before: a
# server of the storage may need the CPU
cat >yields.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static long n;
int sched_yield(void)
{
	__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
	return (int)syscall(SYS_sched_yield);
}
__attribute__((destructor)) static void tell(void)
{
	FILE *f = strcmp(program_invocation_short_name, "validate-mpi-replay") ? NULL : fopen(YIELDS, "a");
	if (f)
		fprintf(f, "%ld\n", n);
}
END
if [ -z "${SANITIZE:-}" ] && ${CC:-cc} -w -shared -fPIC -DYIELDS="\"$PWD/yields\"" -o yields.so yields.c 2>/dev/null; then
	printf 'open("a", O_RDWR|O_CREAT, 0644) = 3\nSLEEP(0.3)\nSIGNAL(1)\nclose(3) = 0\n' >hand.0
	printf 'WAIT(0)\nopen("b", O_RDWR|O_CREAT, 0644) = 3\nclose(3) = 0\n' >hand.1
	"$VALIDATE" import --from parallel hand.0 hand.1 -o hand.trace >out 2>&1 || fail "$(cat out)"
	LD_PRELOAD=$PWD/yields.so replay 0 --prepare -o out.trace hand.trace
	# on a busy machine, a yield can take more than 10 ms
	[ "$(sort -n yields | tail -n 1)" -ge 10 ] || fail "a node that waits for 0.3 s yields only so often: $(cat yields)"
fi

# --- sleeping, and waiting for something that is not a node, use no CPU
printf 'node 0 0 0\n0 open a 10\n0 asleep 2500000000\n0 external 1500000000\n0 close 10\n' | ./causal-trace asleep.trace cpu
(
	replay 0 --prepare -o out.trace asleep.trace
	times | tail -n 1 >cpu
)
stamps out.trace | awk '$3 - $2 >= 1499000000 { n++ } END { exit n != 2 }' || fail 'it did not wait'
awk '{ gsub(/s/, ""); split($1, u, "m"); split($2, s, "m"); exit u[1] * 60 + u[2] + s[1] * 60 + s[2] > 3 }' cpu ||
	fail "it computed instead of sleeping: $(cat cpu)"

# --- refused before anything starts
refused() { # the message; text on standard input
	./causal-trace bad.trace
	replay 3 --prepare bad.trace
	grep -qi -- "$1" err || fail "not reported: \"$1\": $(cat err)"
}
printf 'node 0 0 0\nnode 1 1 0\n0 open a 1\n1 wait 0\n1 open b 1\n' | refused 'signal'
printf 'node 0 0 0\nnode 1 1 0\n0 wait 1\n0 open a 1\n0 signal 1\n1 wait 0\n1 open b 1\n1 signal 0\n' | refused 'cycle\|each other\|for ever'
for option in '--order fs' '--timing think' '--mutant delay:1ms' '--mode dep' '--processes' '--speed 2' '--balloon 1MiB' '--stop-on-mismatch' '--device x' \
	'--workers 2' '--mode afap --wait spin' '--keep-source source'; do
	# shellcheck disable=SC2086
	replay 2 $option in.trace
done
expect_status 2 "$VALIDATE" replay --dir target --launcher x in.trace
expect_line err 'engines with it: parallel'
expect_status 2 "$VALIDATE" replay --dir target --mode causal in.trace
replay 3 --launcher 'no-such-launcher' in.trace
expect_line err 'no-such-launcher'
replay 3 --launcher 'false' in.trace
expect_line err 'the launcher printed'
expect_status 3 env PATH=/nowhere "$VALIDATE" replay --engine parallel --dir target in.trace
expect_line err 'not installed'

# --- the wrong number of ranks
cat >two-ranks <<END
#!/bin/sh
shift 2
exec mpirun $([ "$(id -u)" = 0 ] && echo --allow-run-as-root) --oversubscribe --mca btl self,vader -n 2 "\$@"
END
chmod +x two-ranks
replay 3 --launcher "$PWD/two-ranks" in.trace
expect_line err 'the launcher started'

# --- a rank that dies ends the run, and is named; meanwhile the plan is beside the output, where a
# resumed campaign finds it
mkdir beside
beside=$(cd beside && pwd -P)
{
	echo 'node 0 0 0'
	echo 'node 1 1 0'
	echo '0 open a 1'
	echo '0 compute 30000000000'
	echo '0 signal 1'
	echo '1 open b 1'
	echo '1 wait 0'
	echo '1 close 1'
} | ./causal-trace long.trace
"$VALIDATE" replay --engine parallel --dir target --prepare -o beside/long.out long.trace >out 2>err &
job=$!
n=0
until set -- $(pgrep -f "validate-mpi-replay $beside/validate-ranks") && [ $# -ge 3 ] && [ -e target/b ]; do
	n=$((n + 1))
	[ "$n" -lt 900 ] || fail "no ranks: $(cat err)"
	sleep 0.1
done
for pid; do
	[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = validate-mpi-re ] || continue
	victim=$pid
done
kill -9 "$victim"
status=0
wait "$job" || status=$?
[ "$status" -eq 3 ] || fail "status $status: $(cat err)"
grep -q 'rank [01]' err || fail "no rank is named: $(cat err)"
! pgrep -f "validate-mpi-replay $beside/validate-ranks" >/dev/null || fail 'ranks are left'
[ -z "$(find . "$TMPDIR" -name '.ranks-*' -o -name 'validate-ranks-*')" ] || fail 'something was left behind'
