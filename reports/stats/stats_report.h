/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of validate stats, and their forms. */
#pragma once

#include "common/options.h"
#include "validate/columns/columns.h"
#include "validate/columns/comparison.h"

struct stats_config {
	struct option_list column;
	const char *sessions, *where, *units, *compute;
	bool files_are_sessions, paired, time_ordered, judge, json, all, list;
	double alpha, limit_bias, limit_precision, clock;
	uint64_t n_resamples, seed, block;
	int header, paper_mode;
};

struct stats_sessions {
	char **label;	      /* [n], borrowed from the columns */
	struct values *group; /* [n] */
	double *x;	      /* values of all groups, one group after the other */
	size_t n;
	struct estimates estimates;
};

struct stats_sample {
	struct columns columns;
	const struct column *column; /* the values */
	struct column_sample sample;
	struct stats_sessions sessions;
};

struct stats { /* the first sample is the reference; a single sample is only described */
	const struct stats_config *config;
	struct comparison_plan plan;
	struct stats_sample *sample; /* [n] */
	struct comparison *comparison; /* [n - 1] */
	bool *reject;		       /* [2 (n - 1)], comparisons_judge */
	enum decision_word verdict;
	size_t n;
};

/* "trusted", "not trusted", "inconclusive" */
const char *stats_verdict_name(const struct stats *s);
/* Lines are at most `width` columns wide; 0: any width. */
void stats_print_text(const struct stats *s, size_t width);
void stats_print_json(const struct stats *s);

/* Draws the samples on a common axis, a line for each, with range, quartiles, median and mean. The
 * lines are at most `width` columns wide. */
void stats_add_plot(struct strbuf *out, const struct stats *s, size_t width);
