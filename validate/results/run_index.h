/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of one scenario, without a search through all runs. */
#ifndef VALIDATE_RESULTS_RUN_INDEX_H
#define VALIDATE_RESULTS_RUN_INDEX_H

#include "validate/results/results.h"

/* The next run of a scenario in the order of the plan; `before` NULL: the first. Returns NULL at
 * the end. */
const struct run *run_of_scenario(const struct results *r, size_t scenario,
				  const struct run *before);

/* Creates the index. Without it every search reads all runs. Scenarios of runs must not change
 * afterwards. */
void results_index(struct results *r);
void results_index_release(struct results *r);

#endif
