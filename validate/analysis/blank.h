/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blank: replays without calls, and the limit of quantification that follows from them.
 *
 * s_blank is the standard deviation, over runs, of the mean time between the two stamps of a
 * request when there is no call between them. The means are trimmed by a tenth at each end: stalls
 * belong to the machine and are already part of the scatter of the replays. LOQ = 10 s_blank. A
 * response time below it is too close to the scatter of the stamps: all relative components stay
 * inconclusive. Source: Eurachem, The fitness for purpose of analytical methods (2014), 6.2. */
#pragma once

#include "validate/analysis/analysis_private.h"

/* Sets c->blank from the blanks of the cell in blocks up to n_blocks. Call it after
 * measure_times(). Status: STAT_TOO_FEW with fewer than two blanks, STAT_NOT_ASSESSED with none. */
void blank_measure(struct cell *c, const struct results *r, unsigned int n_blocks);
/* Makes the relative components inconclusive, with a reason, if the reference is below the limit.
 * Call it after all decisions and before Holm's correction. */
void blank_refuse(struct cell *c, struct evidence *e);
