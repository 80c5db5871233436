/* SPDX-License-Identifier: GPL-3.0-or-later */
/* umask(2) is not a request; the modes of later requests include its effect. */
#include <sys/stat.h>

#include "capture/op.h"
#include "capture/preload/core.h"

EXPORT mode_t umask(mode_t mask)
{
	const mode_t got = REAL(umask)(mask);
	if (capture_is_on())
		capture_umask = OP_UMASK_KNOWN | (mask & 0777);
	return got;
}
