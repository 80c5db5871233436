/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of results, each with its name, its parameters and either a value, a word, or the reason
 * there is none. */
#ifndef VALIDATE_COLUMNS_ESTIMATES_H
#define VALIDATE_COLUMNS_ESTIMATES_H

#include <stddef.h>

#include "validate/stats/status.h"

#define ESTIMATE_PARAMS 72

struct named_estimate {
	/* static: a name of validate/stats/named.h where it has one */
	const char *name;
	char params[ESTIMATE_PARAMS]; /* "conf=0.95;side=two", "" for none */
	enum stat_status status;      /* the rest is set only where STAT_OK */
	const char *word;	      /* static; NULL for a number */
	double value;		      /* finite */
};

struct estimates {
	struct named_estimate *e;
	size_t n, cap;
};

/* A value that is not finite is kept as STAT_UNBOUNDED (infinite) or STAT_NOT_FINITE. */
void estimates_add(struct estimates *list, const char *name, const char *params, enum stat_status s,
		   double value);
/* A status among the words is a result like another. */
void estimates_add_word(struct estimates *list, const char *name, const char *params,
			enum stat_status s, const char *word);
/* The same with one or more parameters to format: "p=%g;type=7". */
void estimates_addf(struct estimates *list, const char *name, enum stat_status s, double value,
		    const char *params, ...) __attribute__((format(printf, 5, 6)));

/* params NULL: the first of that name. NULL where there is none. */
const struct named_estimate *estimates_find(const struct estimates *list, const char *name,
					    const char *params);

void estimates_release(struct estimates *list);

#endif
