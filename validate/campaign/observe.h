/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that are observed at their device (observe = block): what must be there, and what comes of a
 * run. */
#ifndef VALIDATE_CAMPAIGN_OBSERVE_H
#define VALIDATE_CAMPAIGN_OBSERVE_H

#include "validate/campaign/campaign_state.h"

/* Whether the observations of a protocol can be had here, before anything is made or started.
 * Errors: of the kernel's tracing; ENOTBLK; each one sentence that names the target. */
int observe_possible(const struct protocol *p, struct err *e);
/* The device to be watched for a target's runs, once the target is there: *number, 0 where no
 * scenario asks for it. Errors: ENOTBLK. */
int observe_device(const struct protocol *p, size_t target, const struct place *place,
		   dev_t *number, struct err *e);

/* What a run was observed by: OBSERVE_OWN where its own trace has the times that count, also
 * because somebody else saw to that (a captured program; a replayer that is told whose times to
 * give). */
enum observe step_observation(const struct campaign *c, const struct step *s);

/* Watches the device from now on, where a step is to be observed there; *watch NULL otherwise. */
struct block_watch;
int observe_begin(struct block_watch **watch, const struct campaign *c, const struct step *s,
		  char **side, struct err *e);
/* Ends it, and writes the device's requests to OUTPUT.side. Errors: of reading and writing; EIO for
 * events that the kernel lost. */
int observe_end(struct block_watch *watch, struct err *e);

/* Whether a replayer's own trace has no times where the device is observed: it is somebody else's,
 * and not asked for its own figures. */
bool replayer_is_untimed(const struct replayer *r);

/* Whether a step is a program whose requests are captured at its device: what was seen there is its
 * trace. */
bool step_is_captured(const struct campaign *c, const struct step *s);

/* Where the device's view of a recording lies, which may be the recording itself. The caller frees.
 */
char *observed_bank_path(const struct campaign *c, size_t scenario, const char *bank);

/* Replaces the times of a run's trace by the observer's: writes OUT from TRACE and TRACE.side, and
 * tells in `run` what it came to. `input` is the recording that was replayed, NULL for the program.
 */
int observed_make(const struct campaign *c, struct run *run, const char *trace, const char *input,
		  const char *out, struct err *e);

#endif
