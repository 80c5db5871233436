/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of results. Each result has a name, parameters, and a value, a word, or the reason why
 * there is no value. */
#pragma once

#include "validate/stats/status.h"

#define ESTIMATE_PARAMS 72

struct named_estimate {
	/* static: a name of validate/stats/named.h if it has one */
	const char *name;
	char params[ESTIMATE_PARAMS]; /* "conf=0.95;side=two", "" for none */
	/* the following members are set only if the status is STAT_OK */
	enum stat_status status;
	const char *word;	      /* static; NULL for a number */
	double value;		      /* finite */
};

struct estimates {
	struct named_estimate *e;
	size_t n, cap;
};

/* Stores an infinite value as STAT_UNBOUNDED, NaN as STAT_NOT_FINITE. */
void estimates_add(struct estimates *list, const char *name, const char *params, enum stat_status s,
		   double value);
/* Adds a word, for example a status. */
void estimates_add_word(struct estimates *list, const char *name, const char *params,
			enum stat_status s, const char *word);
/* Like estimates_add(), with formatted parameters: "p=%g;type=7". */
void estimates_addf(struct estimates *list, const char *name, enum stat_status s, double value,
		    const char *params, ...) __attribute__((format(printf, 5, 6)));

/* Returns the estimate with this name and these parameters (NULL: the first with this name), or
 * NULL if there is none. */
const struct named_estimate *estimates_find(const struct estimates *list, const char *name,
					    const char *params);

void estimates_release(struct estimates *list);
