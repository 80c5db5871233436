/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan without its calls (--blank): everything is waited for, ordered and stamped as with them, and nothing expected. plan_make does it
 * itself, but for an engine that makes something of the plan (replay_engine.prepare): that sees the calls, and what it makes serves both. */
#ifndef REPLAY_PLAN_BLANK_H
#define REPLAY_PLAN_BLANK_H

#include "replay/plan/plan.h"

void plan_blank(struct replay_plan *p);

#endif
