/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cpus traced: workers are pinned to the CPUs to which their traced threads were pinned. Other
 * workers are not pinned. */
#pragma once

#include "replay/load/load.h"

static inline bool pinning_is_traced(const struct replay_config *c)
{
	return c->cpus && !strcmp(c->cpus, "traced");
}

/* Finds the CPUs of each thread of the load, in the order of threads: a slash and a list, which is
 * empty for a thread that was not pinned. *text is the value of replay_config.cpus for the workers.
 * Channels are pinned like their threads. Source: "affinity" of the trace (doc/formats/trace.md).
 * Errors: EINVAL if the trace has no affinity, an invalid affinity, or CPUs that this process may
 * not use. Ownership: the caller frees *text. */
int pinning_find(char **text, const struct load *l, const struct trace_meta *m, struct err *e);

/* Returns the list of the next thread, without its slash; NULL after the last. `at`: the text, or
 * the previous result. */
static inline const char *pinning_next(const char *at)
{
	at = strchr(at, '/');
	return at ? at + 1 : NULL;
}
