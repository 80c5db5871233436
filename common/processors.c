/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/processors.h"

#include <pthread.h>
#include <sched.h>

int processors_allowed(void)
{
	cpu_set_t allowed;
	return sched_getaffinity(0, sizeof allowed, &allowed) < 0 ? 1 : CPU_COUNT(&allowed);
}

int processor_nth(uint32_t i)
{
	cpu_set_t allowed;
	if (sched_getaffinity(0, sizeof allowed, &allowed) < 0 || CPU_COUNT(&allowed) == 0)
		return -1;
	i %= (uint32_t)CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && i-- == 0)
			return cpu;
	return -1;
}

int thread_pin(int cpu)
{
	cpu_set_t set;
	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}
