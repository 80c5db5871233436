/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of one scenario among those of all: what is said of a case looks at them alone, however
 * many scenarios there are. */
#ifndef VALIDATE_RESULTS_RUN_INDEX_H
#define VALIDATE_RESULTS_RUN_INDEX_H

#include "validate/results/results.h"

/* The next run of a scenario, in the order of the plan; `before` NULL: the first. NULL: there is
 * none. */
const struct run *run_of_scenario(const struct results *r, size_t scenario,
				  const struct run *before);

/* Makes that quick: results that nobody indexed are searched from end to end. The runs' scenarios
 * must not change afterwards. */
void results_index(struct results *r);
void results_index_release(struct results *r);

#endif
