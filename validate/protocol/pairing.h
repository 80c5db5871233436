/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporal pairing of program and replay: alternately in slices, or in successive runs. */
#pragma once

#include "validate/protocol/protocol.h"

/* Whether the runs of a scenario alternate in slices. All replayers of a scenario share the slices
 * of one program run, so this must be possible for all of them. If it is not possible, `e` has the
 * obstacle, and *replayer is the replayer that prevents it, NULL none. If the protocol chooses
 * whole runs, `e` does not change. */
bool scenario_is_sliced(const struct protocol *p, size_t scenario, const char **replayer,
			struct err *e);

/* Returns how the process of a replayer, or of the program (SIZE_MAX), is paused: PAUSE_GATE or
 * PAUSE_SIGNAL. */
enum pause_by pairing_pause(const struct protocol *p, size_t replayer);

/* Returns the number of file sets that the runs of a scenario use at the same time: one for each
 * role of a group. It is 1 if the roles do not alternate, or cannot affect each other through a
 * cache. */
size_t scenario_n_seats(const struct protocol *p, size_t scenario);

/* Checks the pairing. Errors: EINVAL if the protocol requires slices and a scenario cannot have
 * them, with the scenario and the reason. */
int pairing_check(const struct protocol *p, struct err *e);
