/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that are observed at their device (observe = block): requirements, and evaluation of a
 * run. */
#pragma once

#include "validate/campaign/campaign_state.h"

/* Checks, before anything starts, that this machine can make the observations of a protocol.
 * Errors: of kernel tracing; ENOTBLK; each with a sentence that names the target. */
int observe_possible(const struct protocol *p, struct err *e);
/* Finds the device to observe for a target that exists: *number, 0 if no scenario observes it.
 * Errors: ENOTBLK. */
int observe_device(const struct protocol *p, size_t target, const struct place *place,
		   dev_t *number, struct err *e);

/* Returns the observer of a step. OBSERVE_OWN: the times in its own trace are used. This includes
 * captured programs, and replayers whose times come from another observer. */
enum observe step_observation(const struct campaign *c, const struct step *s);

struct block_watch;
/* Starts to observe the device if the step needs it; otherwise *watch is NULL. Errors: of kernel
 * tracing. */
int observe_begin(struct block_watch **watch, const struct campaign *c, const struct step *s,
		  char **side, struct err *e);
/* Stops the observation, and writes the device's requests to OUTPUT.side. Errors: of reading and
 * writing; EIO if the kernel lost events. */
int observe_end(struct block_watch *watch, struct err *e);

/* Whether the trace of a replayer of another project has no times, because the device is observed
 * instead. */
bool replayer_is_untimed(const struct replayer *r);

/* Whether the step is a program whose requests are captured at its device: then the observation is
 * its trace. */
bool step_is_captured(const struct campaign *c, const struct step *s);

/* Path of the device's view of a recording; it may be the recording itself. The caller frees. */
char *observed_bank_path(const struct campaign *c, size_t scenario, const char *bank);

/* Replaces the times in a run's trace by those of the observer: writes OUT from TRACE and
 * TRACE.side, and stores the result in `run`. `input`: the replayed recording; NULL: the run is one
 * of the program. */
int observed_make(const struct campaign *c, struct run *run, const char *trace, const char *input,
		  const char *out, struct err *e);
