/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/registry.h"

#include "replay/engines/adapters/adapter.h"

extern const struct replay_engine engine_event, engine_coordinator, engine_compiled,
    engine_parallel, engine_block;
/* foreign replayers (replay/engines/adapters/) */
extern const struct replay_engine engine_exec, engine_fio, engine_btreplay, engine_blkreplay,
    engine_hfplayer, engine_artc, engine_beefs;

const struct replay_engine *const replay_engines[] = {
	&engine_event,
	&engine_coordinator,
	&engine_compiled,
	&engine_parallel,
	&engine_block,
	&engine_exec,
	&engine_fio,
	&engine_btreplay,
	&engine_blkreplay,
	&engine_hfplayer,
	&engine_artc,
	&engine_beefs,
	NULL,
};

const struct replay_engine *replay_engine_find(const char *name)
{
	for (const struct replay_engine *const *g = replay_engines; name && *g; g++)
		if (!strcmp((*g)->name, name))
			return *g;
	return NULL;
}

struct replay_config replay_settled(const struct replay_config *c)
{
	struct replay_config settled = *c;
	settled.row = replay_engine_find(c->engine);
	if (settled.row && settled.row->settle)
		settled.row->settle(&settled);
	return settled;
}

enum trace_level replay_engine_level(const struct replay_engine *g)
{
	return g->adapter ? g->adapter->level : g->level;
}
