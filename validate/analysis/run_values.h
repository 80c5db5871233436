/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of a run by which the analysis judges. Also for other computations (evidence/pairs.h has
 * further ones). */
#pragma once

#include "validate/evidence/cell.h"

/* Largest difference between the distributions of the number in flight, by time: 0 equal, 1
 * disjoint. NaN if a run has no duration. */
double run_concurrency_distance(const struct run_summary *x, const struct run_summary *r);
/* Returns the order by which a replay is judged: that of the scope in [accept], or that which the
 * replayer promises. */
const struct reorder_summary *run_order(const struct protocol *p, const struct replayer *replayer,
					const struct run_summary *s);
