/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of engines. */
#ifndef REPLAY_REGISTRY_H
#define REPLAY_REGISTRY_H

#include "replay/options/engine.h"

extern const struct replay_engine *const replay_engines[]; /* NULL-terminated */
const struct replay_engine *replay_engine_find(const char *name); /* NULL is no name */
/* The configuration as its engine takes it; `row` is set. */
struct replay_config replay_settled(const struct replay_config *c);
/* LEVEL_SYSCALL: calls on files in a directory; LEVEL_BLOCK: requests on a device; 0: either, as
 * the target says. */
enum trace_level replay_engine_level(const struct replay_engine *g);

#endif
