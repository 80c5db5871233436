/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of validate stats: the input, and single statistics by name. */
#pragma once

#include "common/words.h"
#include "reports/stats/stats_report.h"

/* stats_read.c: reads the samples of the files. Errors: EINVAL: wrong usage; otherwise of the
 * files. */
#define STATS_MAX_SAMPLES 64
int stats_read(struct stats *s, char **path, size_t n_paths, struct err *e);
void stats_sample_release(struct stats_sample *s);

/* Conditions that select lines: "COLUMN=TEXT" or "COLUMN!=TEXT", separated by commas. Errors:
 * EINVAL. Ownership: words_list_release(item). */
#define STATS_MAX_CONDITIONS 8
struct stats_conditions {
	struct words_list item; /* names of columns */
	const char *text[STATS_MAX_CONDITIONS]; /* borrowed from item */
	bool except[STATS_MAX_CONDITIONS];
};
int stats_conditions_split(const char *text, struct stats_conditions *w, struct err *e);
/* Sets choice[w->n]. */
void stats_conditions_choose(const struct stats_conditions *w, struct column_choice *choice);

/* Sorts the values of the first column by session. The second column names the sessions, which are
 * in the order of their first value. Ownership: free label, group and x. */
void stats_sessions_find(struct stats_sessions *g, const struct columns *c);

/* --list, and --compute NAME [role=...] [key=value]... Return an exit status. */
int stats_list(void);
int stats_compute(const struct stats_config *config, char **argument, size_t n, struct err *e);
