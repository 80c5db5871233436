/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/processors.h"

#include <pthread.h>

#include "common/proc_text.h"

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

bool processors_are_busy(void)
{
	char text[128];
	int running; /* includes the calling thread */
	return proc_text_read("/proc/loadavg", text, sizeof text) &&
	       sscanf(text, "%*s %*s %*s %d/", &running) == 1 && running > processors_allowed();
}

/* Parses one number or range, and moves *at after it. */
static int range_parse(struct processor_list *list, const char **at, const cpu_set_t *allowed,
		       struct err *e)
{
	char *end;
	errno = 0;
	unsigned long first =
			  **at >= '0' && **at <= '9' ? strtoul(*at, &end, 10) : (end = NULL, 0ul),
		      last = first;
	if (end && *end == '-' && end[1] >= '0' && end[1] <= '9')
		last = strtoul(end + 1, &end, 10);
	if (!end || last < first || (*end && *end != ',' && *end != '+'))
		return err_set(e, EINVAL,
			       "\"%s\" is not a list of CPU numbers and ranges, such as 0,2-3",
			       *at);
	if (last - first >= PROCESSORS_LISTED_MAX - list->n)
		return err_set(e, EINVAL, "more than %d CPUs are listed", PROCESSORS_LISTED_MAX);
	for (unsigned long cpu = first; cpu <= last; cpu++) {
		if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, allowed))
			return err_set(e, EINVAL, "this process is not allowed to use CPU %lu",
				       cpu);
		list->cpu[list->n++] = (int)cpu;
	}
	*at = *end ? end + 1 : end;
	return *end && !end[1] ? err_set(e, EINVAL, "the list of CPUs ends with \"%c\": a CPU "
				 "number must follow", *end) : 0;
}

int processors_parse(struct processor_list *list, const char *text, struct err *e)
{
	cpu_set_t allowed;
	*list = (struct processor_list){.cpu = xcalloc(PROCESSORS_LISTED_MAX, sizeof *list->cpu)};
	if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
		return err_sys(e, errno, "cannot determine the permitted CPUs");
	int ret = *text ? 0 : err_set(e, EINVAL, "the list of CPUs is empty");
	while (!ret && *text)
		ret = range_parse(list, &text, &allowed, e);
	return ret;
}

int thread_bind(const char *list)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	if (!*list || *list == '/')
		return 0;
	for (;; list++) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;
		if (end > list && *end == '-')
			last = strtoul(list = end + 1, &end, 10);
		if (end == list || last < first || last >= CPU_SETSIZE)
			return EINVAL;
		for (; first <= last; first++)
			CPU_SET(first, &set);
		list = end;
		if (!*list || *list == '/')
			return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
		if (*list != ',' && *list != '+')
			return EINVAL;
	}
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
