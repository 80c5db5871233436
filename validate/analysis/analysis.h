/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of a campaign: from run summaries to verdicts. Every number of a report is computed
 * here once, with its status. */
#pragma once

#include "validate/evidence/cell.h"

/* Computes everything up to the verdicts. Errors: ENODATA if no block is complete. Ownership:
 * analysis_release(). */
int analysis_compute(struct analysis *a, const struct results *r, struct err *e);
void analysis_release(struct analysis *a);

/* Propagates the budget of every cell by Monte Carlo with a fixed seed. This takes 0.1 s per cell;
 * simulations of many campaigns skip it. */
void analysis_propagate(struct analysis *a);

/* Computes the parts that decide nothing: distances of distributions, published findings and
 * values, kinds of requests, courses and costs. Errors: of reading the histograms of the runs. */
int analysis_describe(struct analysis *a, struct err *e);

/* Whether the verdict of a cell counts in the headline: its replayer is not included only for
 * comparison. */
bool cell_counts(const struct analysis *a, const struct cell *c);
/* Returns the number of cells whose verdict counts. */
size_t cells_counted(const struct analysis *a);

/* Whether a look was reached and no verdict is inconclusive: the campaign may stop. */
bool analysis_is_settled(const struct analysis *a);
