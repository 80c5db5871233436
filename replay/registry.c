/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/registry.h"

#include <stddef.h>

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
