/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The correction of captured response times by a calibration, in a slice. */
#ifndef COMMANDS_SLICE_CORRECTION_H
#define COMMANDS_SLICE_CORRECTION_H

#include "capture/trace.h"
#include "commands/trace_set.h"
#include "common/err.h"

struct slice_correction;

/* `method` NULL: what the traces say captured them. Errors: as calibration_read; EINVAL where they do not say, or not
 * the same, and where one is corrected already. Ownership: slice_correction_close. */
int slice_correction_open(struct slice_correction **c, const char *file, const char *method,
			  const struct trace_set *set, struct err *e);
void slice_correction_close(struct slice_correction *c); /* NULL is fine */

void slice_correction_apply(struct slice_correction *c, struct trace_record *r);
/* Puts what was done into the extra metadata. */
void slice_correction_finish(struct slice_correction *c, struct trace_meta *meta);
void slice_correction_print(const struct slice_correction *c);

#endif
