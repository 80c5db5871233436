/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers where the traced threads were (--cpus traced): a thread that was kept on some processors
 * has its worker kept on the same ones; others run wherever the kernel puts them. */
#ifndef REPLAY_PINNING_H
#define REPLAY_PINNING_H

#include <stdbool.h>
#include <string.h>

#include "capture/trace.h"
#include "common/err.h"
#include "replay/load/load.h"

struct replay_config;

bool pinning_is_traced(const struct replay_config *c);

/* Of each thread of the load, in their order, a slash and the list of its processors, empty for
 * any: what replay_config.cpus is to the workers then. Channels are where their threads are. From
 * the trace's "affinity" (doc/formats/trace.md). Errors: EINVAL where the trace has none, or not in
 * this form, or with processors that this process may not use. Ownership: *text is freed by the
 * caller. */
int pinning_find(char **text, const struct load *l, const struct trace_meta *m, struct err *e);

/* Where the next thread's list begins, behind its slash; NULL: behind the last. `at`: the text, or
 * what was returned before. */
static inline const char *pinning_next(const char *at)
{
	at = strchr(at, '/');
	return at ? at + 1 : NULL;
}

#endif
