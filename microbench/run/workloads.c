/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/workloads.h"

const struct workload *const workloads[] = {WORKLOADS(WORKLOAD_ADDRESS) NULL};

const struct workload *workload_find(const char *name_or_alias)
{
	for (const struct workload *const *w = workloads; *w; w++)
		if (!strcmp((*w)->name, name_or_alias) || !strcmp((*w)->alias, name_or_alias))
			return *w;
	return NULL;
}
