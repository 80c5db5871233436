/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs observed at their device (observe = block): requirements, and evaluation of a run. */
#pragma once

#include "validate/campaign/campaign_state.h"

/* Checks, before anything starts, that this machine can make the observations of a protocol.
 * Errors: of kernel tracing; ENOTBLK; each in one sentence with the target. */
int observe_possible(const struct protocol *p, struct err *e);
/* The device to observe for a target that exists: *number, 0 if no scenario observes it. Errors:
 * ENOTBLK. */
int observe_device(const struct protocol *p, size_t target, const struct place *place,
		   dev_t *number, struct err *e);

/* The observer of a step. OBSERVE_OWN: the times of its own trace count. This includes captured
 * programs, and replayers that another observer gives times to. */
enum observe step_observation(const struct campaign *c, const struct step *s);

/* Starts to observe the device if the step needs it; else *watch is NULL. */
struct block_watch;
int observe_begin(struct block_watch **watch, const struct campaign *c, const struct step *s,
		  char **side, struct err *e);
/* Stops, and writes the device's requests to OUTPUT.side. Errors: of reading and writing; EIO if
 * the kernel lost events. */
int observe_end(struct block_watch *watch, struct err *e);

/* True if the trace of another project's replayer has no own times, because the device is
 * observed. */
bool replayer_is_untimed(const struct replayer *r);

/* True if the step is a program whose requests are captured at its device: the observation is its
 * trace. */
bool step_is_captured(const struct campaign *c, const struct step *s);

/* Path of the device's view of a recording, which may be the recording. The caller frees. */
char *observed_bank_path(const struct campaign *c, size_t scenario, const char *bank);

/* Replaces the times of a run's trace by those of the observer: writes OUT from TRACE and
 * TRACE.side, and stores the result in `run`. `input`: the replayed recording; NULL: the
 * program. */
int observed_make(const struct campaign *c, struct run *run, const char *trace, const char *input,
		  const char *out, struct err *e);
