/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a case and a component with an outcome and a sentence, for programs that read the results
 * of many tools. A report and a comparison are converted to this form, and each format is written
 * once. */
#pragma once

#include "common/std.h"

/* OPEN: inconclusive */
enum outcome { OUTCOME_PASS, OUTCOME_BETTER, OUTCOME_FAIL, OUTCOME_OPEN, OUTCOME_SKIPPED };

struct machine_row {
	const char *scenario, *replayer, *component; /* borrowed */
	enum outcome outcome;
	const char *word;  /* "worse", "reject"; static */
	/* the result for people: "+20.1 [+18.0, +22.3] %"; owned, may be NULL */
	char *number;
	char *limit;	   /* likewise */
	char *message;	   /* owned; one sentence, may be NULL */
	double value, value_limit; /* in base units; NaN none */
	/* inconclusive because nothing could be measured or compared: no setting (open_as) makes it
	 * pass */
	bool unmeasured;
};

struct machine {
	const char *suite; /* "validate compare"; static */
	const char *metric; /* "validate_compare"; static */
	char *title, *headline; /* headline: short enough for a commit status, at most 140 bytes */
	enum outcome outcome;
	enum outcome open_as; /* how JUnit shows inconclusive rows */
	struct machine_row *row;
	size_t n_rows, cap_rows;
	char **note; /* further notes, a sentence each */
	size_t n_notes;
};

/* Adds a row; all its members are 0. */
struct machine_row *machine_row_add(struct machine *m);
void machine_note_add(struct machine *m, const char *text);
void machine_release(struct machine *m);

/* Rows with the same outcome and component, for forms that summarise. */
struct machine_group {
	const struct machine_row *first; /* NULL: none */
	/* n: number of these rows; n_component: number of all rows of the component */
	size_t n, n_component;
};
/* Returns the group that begins with row `i`; an empty group if an earlier row belongs to it. */
struct machine_group machine_group_at(const struct machine *m, size_t i);

/* The formats: below 1 MiB; XML; at most ten annotations; two texts for time series databases. */
void machine_add_markdown(struct strbuf *out, const struct machine *m);
void machine_add_junit(struct strbuf *out, const struct machine *m);
void machine_add_github(struct strbuf *out, const struct machine *m);
void machine_add_openmetrics(struct strbuf *out, const struct machine *m);
void machine_add_prometheus(struct strbuf *out, const struct machine *m);
