/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of results. Each has a name, parameters, and a value, a word or the reason why there is
 * none. */
#pragma once

#include "validate/stats/status.h"

#define ESTIMATE_PARAMS 72

struct named_estimate {
	/* static: a name of validate/stats/named.h if it has one */
	const char *name;
	char params[ESTIMATE_PARAMS]; /* "conf=0.95;side=two", "" for none */
	/* the members below are set only if it is STAT_OK */
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
/* As estimates_add(), with formatted parameters: "p=%g;type=7". */
void estimates_addf(struct estimates *list, const char *name, enum stat_status s, double value,
		    const char *params, ...) __attribute__((format(printf, 5, 6)));

/* params NULL: the first of that name. Returns NULL if there is none. */
const struct named_estimate *estimates_find(const struct estimates *list, const char *name,
					    const char *params);

void estimates_release(struct estimates *list);
