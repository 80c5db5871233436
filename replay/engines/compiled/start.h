/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting a compiled program on a plan, and taking back what it did. */
#ifndef REPLAY_START_H
#define REPLAY_START_H

#include "common/err.h"
#include "replay/plan/plan.h"

/* Runs the program behind `program_fd`, which was made of this very plan: it inherits the plan's descriptors and fills in the outcomes,
 * clock and facts. Afterwards the plan's descriptors are closed here, and the numbers in `fds` are those that the program had.
 * Errors: of memory and of starting it; those of crew_run; EIO when it did not end by itself, with plan.partial where outcomes
 * of completed requests are there. */
int start_program(struct replay_plan *p, const struct replay_config *config, int program_fd, struct err *e);

#endif
