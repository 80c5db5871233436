/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engines' rows, one file each; engine.c gathers them. */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include "replay/replay.h"

extern const struct replay_engine engine_event, engine_coordinator, engine_compiled, engine_parallel, engine_block;
/* other people's (replay/engines/adapters/) */
extern const struct replay_engine engine_exec, engine_fio, engine_btreplay, engine_blkreplay, engine_hfplayer, engine_artc, engine_beefs;

#endif
