/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader needs first, in plain words, the same on the terminal and on the page: the verdict,
 * the main cause for each replayer, and the next step. All text is UTF-8 without line breaks; names
 * are as in the protocol, not escaped. */
#pragma once

#include "validate/evidence/cell.h"

/* "Trusted in 14 of 16 cases; 1 not trusted; 1 inconclusive (looks right, not proven)" */
void first_screen_verdict(struct strbuf *out, const struct analysis *a);

/* "trusted in 7 of 8 scenarios; execution time is 8.2 % longer with level=2 (looks wrong, not
 * proven)" */
void first_screen_replayer(struct strbuf *out, const struct analysis *a, size_t replayer);

/* Appends a sentence with the time that the next step takes, and a single command; `dir` stands for
 * the results directory in it. Either may stay empty. */
void first_screen_next(struct strbuf *text, struct strbuf *command, const struct analysis *a,
		       const char *dir);

/* Parts that the files of the first screen share. */
/* Whether the verdict's reason says what forbids trust in the inconclusive case: no component is
 * inconclusive, or the claim names a component that was not judged. */
bool first_screen_is_excluded(const struct cell *c);

/* Facts that a reader needs in words: why something is not accepted, grouped, and what is wrong
 * with the evidence. */
struct finding {            /* a reason and the cells for which it holds */
	const char *reason; /* borrowed from the analysis */
	size_t *cell, n_cells, cap_cells;
};

struct finding_group { /* all cells in which one component has the same decision */
	enum component_kind kind;
	enum decision decision; /* DECISION_REJECT or DECISION_INCONCLUSIVE */
	struct finding *finding;
	size_t n_findings, cap_findings, n_cells;
	/* largest number of further replicates that a cell of the group needs, without impractical
	 * numbers */
	uint64_t n_more;
	size_t n_impractical; /* number of cells that no practical number settles */
	size_t n_unrecorded;  /* number of cells that only more recordings settle */
};

struct findings {
	struct finding_group *group; /* rejections first */
	size_t n_groups, cap_groups;
	char **warning; /* sentences */
	size_t n_warnings, cap_warnings;
};

/* Collects the findings. Ownership: findings_release. The analysis must outlive them. */
void findings_collect(struct findings *f, const struct analysis *a);
void findings_release(struct findings *f);
