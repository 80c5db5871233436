/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory in which workloads run, and the trace that they write. */
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include "common/files.h"
#include "common/xalloc.h"

static char *base, *dir, *output;

static int set_up(void **state)
{
	(void)state;
	const char *tmp = getenv("TMPDIR");
	base = xasprintf("%s/microbench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(base))
		return -1;
	dir = xasprintf("%s/target", base);
	output = xasprintf("%s/out.trace", base);
	return mkdir(dir, 0755);
}

static int tear_down(void **state)
{
	(void)state;
	int ret = dir_remove_tree(base, NULL);
	free(base);
	free(dir);
	free(output);
	return ret;
}
