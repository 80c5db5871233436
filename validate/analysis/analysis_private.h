/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the analysis; not included elsewhere.
 *
 * Steps: pairs (usable runs, block by block) -> measures (members of the cell) -> evidence (test
 * statistics) -> components (decisions at a level) -> Holm's correction over the campaign ->
 * numbers of replicates that would decide the inconclusive components -> verdicts. */
#pragma once

#include "validate/evidence/evidence.h"

/* --- measures: cell members from pairs ----------------------------------- */
/* Call measure_times() before measure_budget(). */
void measure_times(struct cell *c, struct evidence *e, const struct pairs *p,
		   const struct results *r);
#define BUDGET_ORDER "order in the block" /* name of the budget row */
#define BUDGET_CORRECTION "correction of capture"
#define BUDGET_DEVIATION "deviation of the standard"
void measure_budget(struct cell *c, const struct evidence *e, const struct pairs *p,
		    const struct results *r);
void measure_order(struct cell *c, struct evidence *e, const struct pairs *p,
		   const struct results *r);
void measure_concurrency(struct cell *c, struct evidence *e, const struct pairs *p);
void measure_distributions(struct cell *c, const struct pairs *p);
void measure_sessions(struct cell *c, const struct pairs *p, const struct results *r);
void measure_control(struct cell *c, const struct pairs *p);
void measure_facts(struct cell *c, const struct pairs *p, const struct results *r);

/* Error of accepting a component, and of all rejections of the campaign together. */
#define ALPHA_ACCEPT 0.05
#define ALPHA_REJECT 0.01

/* --- verdict.c ----------------------------------------------------------- */

/* Applies Holm's correction over all cells, plans further replicates, sets verdicts and counts.
 * e[n_cells]. */
void verdicts_reach(struct analysis *a, const struct evidence *e);

/* --- linearity.c, sources.c ---------------------------------------------- */
/* Fits response times over the levels, for each workload and replayer. */
void linearity_compute(struct analysis *a);
/* Fills the list of sources of uncertainty. */
void sources_list(struct analysis *a);

/* Calls one(a, i) for each i < n. Uses several threads only in large campaigns
 * (protocol_in_detail()), because simulations run thousands of small campaigns in separate
 * processes. */
void analysis_each(struct analysis *a, size_t n, void (*one)(void *analysis, size_t i));
