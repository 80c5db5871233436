/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of a protocol that say how processes are started. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "validate/campaign/launch.h"

/* "3" or "2-5" into the set. */
static int range_add(char *text, cpu_set_t *set, struct err *e)
{
	uint64_t first, last;
	char *dash = strchr(text, '-');
	if (dash)
		*dash = 0;
	int ret = parse_uint(text, &first, e);
	if (!ret)
		ret = dash ? parse_uint(dash + 1, &last, e) : (last = first, 0);
	if (ret)
		return ret;
	if (last < first || last >= CPU_SETSIZE)
		return err_set(e, EINVAL, "processors %llu to %llu: not a range below %d", (unsigned long long)first,
			       (unsigned long long)last, CPU_SETSIZE);
	for (; first <= last; first++)
		CPU_SET((int)first, set);
	return 0;
}

int cpus_parse(const char *text, cpu_set_t *set, struct err *e)
{
	char **items;
	size_t n;
	CPU_ZERO(set);
	int ret = split_list(text, &items, &n, e);
	if (ret)
		return ret;
	for (size_t i = 0; !ret && i < n; i++)
		ret = range_add(items[i], set, e);
	list_free(items, n);
	return ret;
}

int scheduler_parse(const char *text, struct scheduling *s, struct err *e)
{
	static const struct {
		const char *name;
		int policy;
		bool has_priority;
	} policies[] = {
	    {"other", SCHED_OTHER, false}, {"batch", SCHED_BATCH, false}, {"idle", SCHED_IDLE, false},
	    {"fifo", SCHED_FIFO, true},    {"rr", SCHED_RR, true},
	};
	static const char expected[] = "other, batch, idle, fifo:1 to fifo:99 or rr:1 to rr:99";
	size_t len = strcspn(text, ":");
	*s = (struct scheduling){.set = true};
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		if (strlen(policies[i].name) != len || strncmp(policies[i].name, text, len))
			continue;
		s->policy = policies[i].policy;
		if (!policies[i].has_priority)
			return text[len] ? err_set(e, EINVAL, "\"%s\": %s has no priority", text, policies[i].name) : 0;
		uint64_t priority = 0;
		if (!text[len] || parse_uint(text + len + 1, &priority, NULL) < 0 || priority < 1 || priority > 99)
			break;
		s->priority = (int)priority;
		return 0;
	}
	return err_set(e, EINVAL, "\"%s\" is not one of %s", text, expected);
}
