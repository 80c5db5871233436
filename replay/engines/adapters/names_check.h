/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the names of a trace before another replayer gets them. Such a program opens them itself,
 * as open(2) does: an absolute name, "..", and a link lead it out of the target directory, and a
 * device node is written. Every exported request is checked:
 *
 * - Each name is looked up below the directory (openat2 with RESOLVE_BENEATH), and must be a file
 *   or a directory, or missing. A missing name must have neither ".." nor a link on its way.
 * - If requests move, link or remove names, or change the working directory, no name may have
 *   "..", no new link may be absolute or have "..", and the directory may hold neither such links
 *   nor devices, FIFOs and sockets.
 *
 * The check is made once, before the replayer starts. It does not see what another process changes
 * later. */
#ifndef REPLAY_NAMES_CHECK_H
#define REPLAY_NAMES_CHECK_H

#include <stdbool.h>

#include "capture/trace.h"
#include "common/err.h"
#include "replay/engines/adapters/inputs.h"

struct names_how {
	const char *dir;     /* absolute path of the target directory */
	const char *program; /* for messages */
	/* absolute names below it are names in the directory; NULL: all absolute names are refused
	 */
	const char *root;
	/* other absolute names cannot reach anything, as long as they have no ".." */
	bool others_stay;
};

/* Whether a component of the path is "..". */
bool names_climb(const char *path);

/* Rewinds and reads `t`. Errors: EPERM with the name and the reason; of reading; of the system. */
int names_check(const struct names_how *how, const struct inputs *in, struct trace *t,
		struct err *e);

#endif
