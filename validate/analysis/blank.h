/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blank: replays without calls, and the limit of quantification that they set.
 *
 * s_blank is the standard deviation of the mean time between the stamps of replays in which nothing
 * lies between them, each a run of its own (the mean without the longest and shortest tenth: a
 * stall is of the machine and in the scatter of the replays already); LOQ = 10 s_blank. Below it a
 * response time is too close to what the stamps themselves scatter by, and no statement relative to
 * it is made: what would be judged so stays inconclusive. Source: Eurachem, The fitness for purpose
 * of analytical methods (2014), 6.2. */
#ifndef VALIDATE_ANALYSIS_BLANK_H
#define VALIDATE_ANALYSIS_BLANK_H

#include "validate/analysis/analysis_private.h"

/* From the replays of the cell that have one, of the blocks up to n_blocks; after measure_times.
 * Fewer than two: STAT_TOO_FEW, none: STAT_NOT_ASSESSED. */
void blank_measure(struct cell *c, const struct results *r, unsigned int n_blocks);
/* Relative components of a cell whose reference lies below the limit: inconclusive, with the
 * reason; after all decisions and before Holm. */
void blank_refuse(struct cell *c, struct evidence *e);

#endif
