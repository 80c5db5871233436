/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/affinity.h"

#include <jansson.h>
#include <sched.h>

#include "common/std.h"

enum { N_CPUS = 64 * AFFINITY_WORDS };

static bool set_has(const uint64_t *set, int cpu)
{
	return cpu < N_CPUS && set[cpu / 64] >> cpu % 64 & 1;
}

void affinity_add(json_t *rows, uint32_t pid, uint32_t tid, const uint64_t set[AFFINITY_WORDS])
{
	struct strbuf list = STRBUF_INIT;
	int n = 0;
	for (int cpu = 0; cpu < N_CPUS; cpu++)
		n += set_has(set, cpu);
	if (!n || n >= sysconf(_SC_NPROCESSORS_ONLN))
		return;
	for (int first = 0, last; first < N_CPUS; first++) {
		if (!set_has(set, first))
			continue;
		for (last = first; set_has(set, last + 1); last++)
			;
		strbuf_addf(&list, first == last ? "%s%d" : "%s%d-%d", list.len ? "," : "", first,
			    last);
		first = last;
	}
	json_array_append_new(rows, json_pack("{s:I,s:I,s:s}", "pid", (json_int_t)pid, "tid",
					      (json_int_t)tid, "cpus", list.s));
	strbuf_release(&list);
}

int affinity_own(uint64_t set[AFFINITY_WORDS])
{
	cpu_set_t allowed;
	memset(set, 0, AFFINITY_WORDS * sizeof *set);
	if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &allowed) && cpu >= N_CPUS)
			return -1;
		if (CPU_ISSET(cpu, &allowed))
			set[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
	return 0;
}
