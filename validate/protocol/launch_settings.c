/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/launch_settings.h"

#include "common/units.h"
#include "common/words.h"

/* Adds "3" or "2-5" to the set. */
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
		return err_set(e, EINVAL, "\"%s%s%s\": expected a CPU from 0 to %d, or a range "
			       "such as 2-3", text, dash ? "-" : "", dash ? dash + 1 : "",
			       CPU_SETSIZE - 1);
	for (; first <= last; first++)
		CPU_SET((int)first, set);
	return 0;
}

int cpus_parse(const char *text, cpu_set_t *set, struct err *e)
{
	SCOPED(words_list_release) struct words_list items;
	CPU_ZERO(set);
	int ret = words_split(&items, text, e);
	for (size_t i = 0; !ret && i < items.n; i++)
		ret = range_add(items.v[i], set, e);
	return ret;
}

int launch_scheduling_parse(const char *text, struct scheduling **list, size_t *n, struct err *e)
{
	SCOPED(words_list_release) struct words_list item;
	int ret = words_split(&item, text, e);
	*n = item.n;
	if (ret)
		return ret;
	*list = xcalloc(*n, sizeof **list);
	for (size_t i = 0; !ret && i < *n; i++) {
		ret = scheduling_parse(item.v[i], &(*list)[i], e);
		if (!ret && (*list)[i].policy == SCHED_DEADLINE)
			ret = err_set(e, EINVAL,
				      "\"%s\": a process with this policy cannot start threads. "
				      "Use the key \"scheduler\" of a [workload] or [replayer], "
				      "which sets the policy of individual threads", item.v[i]);
	}
	if (ret) {
		free(*list);
		*list = NULL;
	}
	return ret;
}
