/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/options/parallel_options.h"

#include <stddef.h>

const char *const parallel_compute_names[] = {"spin", "sleep", NULL};
const char *const parallel_clock_names[] = {"auto", "cpu", "wall", NULL};

bool parallel_options_are_standard(const struct parallel_options *o)
{
	return !o->launcher && o->compute == COMPUTE_SPIN && o->clock == COMPUTE_AUTO;
}
