/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/baseline_input.h"

#include <stdio.h>

int baseline_input(struct baseline *b, const char *path, struct err *e)
{
	int ret = baseline_open(b, path, e);
	if (!ret && !b->sealed)
		fprintf(stderr,
			"validate: warning: %s has no digest, so a change of it would not be found; \"validate baseline save RESULTS\" adds one\n",
			path);
	return ret;
}
