/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engines' rows, one file each; engines.c gathers them. */
#ifndef REPLAY_ENGINES_H
#define REPLAY_ENGINES_H

#include "replay/replay.h"

extern const struct replay_engine engine_event;

#endif
