/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/baseline_input.h"

#include <stdio.h>

int baseline_input(struct baseline *b, const char *path, struct err *e)
{
	int ret = baseline_open(b, path, e);
	if (!ret && !b->sealed)
		fprintf(stderr,
			"validate: warning: %s has no digest of its content, so that a change of "
			"it is not found; \"validate baseline save RESULTS\" writes one\n",
			path);
	return ret;
}
