/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader must be told in words: why something is not accepted, grouped, and what is wrong with the evidence. */
#ifndef REPORTS_FINDINGS_H
#define REPORTS_FINDINGS_H

#include "validate/analysis/analysis.h"

struct finding {            /* one reason and the cells it holds for */
	const char *reason; /* borrowed from the analysis */
	size_t *cell, n_cells, cap_cells;
};

struct finding_group { /* everything that one component decided alike */
	enum component_kind kind;
	enum decision decision; /* DECISION_REJECT or DECISION_INCONCLUSIVE */
	struct finding *finding;
	size_t n_findings, cap_findings, n_cells;
	uint64_t n_more; /* most further replicates asked for in the group, those left out that nobody would run */
	size_t n_impractical; /* cells that no practical number settles */
};

struct replayer_tally { /* of one replayer over the scenarios */
	size_t n_cells, n_trusted, n_not_trusted, n_inconclusive;
};

struct findings {
	struct finding_group *group; /* rejections first */
	size_t n_groups, cap_groups;
	char **warning; /* sentences */
	size_t n_warnings, cap_warnings;
	struct replayer_tally *tally; /* by replayer index */
	size_t n_replayers;
};

/* Ownership: findings_release; the analysis must outlive it. */
void findings_collect(struct findings *f, const struct analysis *a);
void findings_release(struct findings *f);

#endif
