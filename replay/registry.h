/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of engines, and checks of a configuration. */
#pragma once

#include "replay/options/engine.h"

extern const struct replay_engine *const replay_engines[]; /* NULL-terminated */
const struct replay_engine *replay_engine_find(const char *name); /* NULL for an unknown name */
/* Returns the configuration with `row` set and with the changes that its engine makes (settle). */
static inline struct replay_config replay_settled(const struct replay_config *c)
{
	struct replay_config settled = *c;
	settled.row = replay_engine_find(c->engine);
	if (settled.row && settled.row->settle)
		settled.row->settle(&settled);
	return settled;
}

/* Checks engine, mutant and combinations of options, without the trace. Errors: EINVAL, ENOENT. */
int replay_check(const struct replay_config *c, struct err *e);
