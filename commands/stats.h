/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate stats, in parts: what was read, what was computed, and the ways it is shown. */
#ifndef COMMANDS_STATS_H
#define COMMANDS_STATS_H

#include "common/err.h"
#include "validate/columns/columns.h"
#include "validate/columns/comparison.h"

struct stats_config {
	const char *column, *sessions, *where, *units, *compute;
	bool files_are_sessions, paired, time_ordered, judge, json, all, list;
	double alpha, limit_bias, limit_precision, clock;
	uint64_t n_resamples, seed, block;
	int header, paper_mode;
};

struct stats_sessions {
	char **label;	      /* [n], borrowed from the columns */
	struct values *group; /* [n] */
	double *x;	      /* all of them, group by group */
	size_t n;
	struct estimates estimates;
};

struct stats_sample {
	struct columns columns;
	const struct column *column; /* the values */
	struct column_sample sample;
	struct stats_sessions sessions;
};

struct stats { /* the first sample is the reference; one alone is only described */
	const struct stats_config *config;
	struct comparison_plan plan;
	struct stats_sample *sample; /* [n] */
	struct comparison *comparison; /* [n - 1] */
	bool *reject;		       /* [2 (n - 1)], comparisons_judge */
	enum decision_word verdict;
	size_t n;
};

/* stats_read.c: the samples of the files, and what is wrong in them. Errors: EINVAL for wrong usage, else of the files. */
#define STATS_MAX_SAMPLES 64
int stats_read(struct stats *s, char **path, size_t n_paths, struct err *e);
void stats_sample_release(struct stats_sample *s);

/* Lines wanted: "COLUMN=TEXT" or "COLUMN!=TEXT", separated by commas. Errors: EINVAL. Ownership: list_free(item, n). */
#define STATS_MAX_CONDITIONS 8
struct stats_conditions {
	char **item; /* [n] names of columns */
	size_t n;
	const char *text[STATS_MAX_CONDITIONS]; /* borrowed from item */
	bool except[STATS_MAX_CONDITIONS];
};
int stats_conditions_split(const char *text, struct stats_conditions *w, struct err *e);
void stats_conditions_choose(const struct stats_conditions *w, struct column_choice *choice); /* choice[w->n] */

/* stats_sessions.c: the values of each session of a sample, by its second column, described. */
void stats_sessions_fill(struct stats_sample *s);

void stats_print_text(const struct stats *s);
int stats_print_json(const struct stats *s, struct err *e);

/* A picture of the samples on one axis, each a line with its range, quartiles, median and mean; `width` characters. */
void stats_print_plot(const struct stats *s, size_t width);

/* --list, and --compute NAME [role=...] [key=value]...: return an exit status. */
int stats_list(void);
int stats_compute(const struct stats_config *config, char **argument, size_t n, struct err *e);

#endif
