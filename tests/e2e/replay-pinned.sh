# SPDX-License-Identifier: GPL-3.0-or-later
# Pinning as traced: capture and microbench record the permitted CPUs of threads, and a replay with
# --cpus traced binds its workers to them. Traces without this data are refused before the start.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
compiler=${CC:-cc}
all=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
first=${all%%[,-]*}
last=${all##*[,-]}
[ "$first" != "$last" ] || skip 'one processor: nothing can be kept anywhere'

# two threads that pin themselves, by one call each, and a thread that does not
cat >bound.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *work(void *arg)
{
	const char *cpu = arg;
	char name[20];
	cpu_set_t set;
	CPU_ZERO(&set);
	if (*cpu) {
		CPU_SET(atoi(cpu), &set);
		pthread_setaffinity_np(pthread_self(), sizeof set, &set);
	}
	snprintf(name, sizeof name, "of-%s", cpu);
	int fd = open(name, O_CREAT | O_WRONLY, 0600);
	for (int i = 0; i < 3; i++) {
		if (write(fd, "x", 1) != 1)
			abort();
		usleep(200000);
	}
	close(fd);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t id[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, work, i < argc - 1 ? argv[i + 1] : "");
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	return 0;
}
END
$compiler -w -O1 -o bound bound.c -lpthread || fail 'bound.c does not compile'
mkdir run
(cd run && "$VALIDATE" capture app --root "$PWD" -o ../bound.trace -- ../bound "$last" "$first") >capture.out 2>&1 ||
	fail "capture: $(cat capture.out)"
grep -a -o '"affinity":\[[^]]*\]' bound.trace | tail -n 1 >affinity
# if this script may not use all CPUs of the machine, the third thread is also reported
[ "$(grep -o '"cpus":"[^"]*"' affinity | grep -vxF "\"cpus\":\"$all\"" | sort | tr '\n' ' ')" = "$(printf '"cpus":"%s"\n' "$last" "$first" | sort | tr '\n' ' ')" ] ||
	fail "pinned to $last and $first, but recorded: $(cat affinity)"

# the CPUs on which the threads of a replay of a minute may run; only the owner of the process knows
# the thread names, so by count
looked() { # DIR REPLAY...
	at=$1
	shift
	rm -rf "$at"
	mkdir "$at"
	"$@" --dir "$at" >looked.out 2>&1 &
	looker=$!
	i=0
	until [ -s "$at/of-$first" ] && [ -s "$at/of-$last" ] && [ -s "$at/of-" ]; do
		i=$((i + 1))
		[ $i -lt 1000 ] || fail "it does not begin: $(cat looked.out)"
		sleep 0.05
	done
	for process in $looker $(cat /proc/$looker/task/$looker/children); do
		for thread in /proc/$process/task/*; do
			[ "${thread##*/}" = "$process" ] || sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$thread/status"
		done
	done | sort >allowed
	kill -9 $looker
	wait $looker 2>/dev/null || :
}
for engine in event compiled 'event --processes'; do
	# shellcheck disable=SC2086 # options
	looked tree "$VALIDATE" replay --engine $engine --timing timestamp --speed 0.01 --cpus traced bound.trace
	for cpu in "$first" "$last"; do
		[ "$(grep -c "^$cpu\$" allowed)" -eq 1 ] || fail "$engine: threads may run on $(tr '\n' ' ' <allowed)"
	done
	grep -q "^$all\$" allowed || fail "$engine: no thread is free: $(tr '\n' ' ' <allowed)"
done
rm -rf tree
mkdir tree
expect_status 0 "$VALIDATE" replay --cpus traced --dir tree -o out.trace bound.trace
expect_line out 'mismatches      0'

# the CPUs to which microbench pinned its threads
expect_status 0 "$VALIDATE" microbench random-read --level 2 --requests 20 --file-size 64K --pin --dir tree -o pinned.trace
[ "$(grep -a -o '"affinity":\[[^]]*\]' pinned.trace | tail -n 1 | grep -o '"cpus":"[0-9]*"' | wc -l)" -eq 2 ] || fail 'two workers were kept on a processor each'
expect_status 0 "$VALIDATE" replay --cpus traced --dir tree pinned.trace

# refused: a trace without affinity, CPUs that do not exist here, workers without a traced thread,
# and both options at once
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,0,10,mkdir,"path=d;mode=0755",0\n' >in.csv
expect_status 3 "$VALIDATE" replay --cpus traced --dir tree in.csv
expect_line err 'the trace lacks the CPUs of its threads'
[ ! -e tree/d ] || fail 'a request was issued'
expect_status 3 taskset -c "$first" "$VALIDATE" replay --cpus traced --dir tree bound.trace
expect_line err "this process is not allowed to use CPU $last"
for bad in '--engine coordinator' '--order none' --pin; do
	# shellcheck disable=SC2086 # options
	expect_status 2 "$VALIDATE" replay --cpus traced $bad --dir tree bound.trace
done
