/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of one scenario in one block. */
#include <errno.h>

#include "validate/campaign/campaign_state.h"

int group_make(struct campaign *c, size_t first, size_t n, struct err *e)
{
	for (size_t i = first; i < first + n; i++) {
		if (!run_is_wanted(c, i))
			continue;
		int ret = campaign_interrupted(c) ? -EINTR : run_make(c, (uint32_t)i, e);
		if (ret)
			return ret;
	}
	return 0;
}
