/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a self-test finds: how often something happened, with its uncertainty, against what is
 * promised. */
#ifndef VALIDATE_SELFTEST_RATE_H
#define VALIDATE_SELFTEST_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum promise {
	PROMISE_NONE,	  /* shown, for comparison */
	PROMISE_AT_MOST,  /* the rate is at most `promised` */
	PROMISE_AT_LEAST, /* at least */
	PROMISE_ALWAYS,	  /* it happened every time */
};

enum standing {
	STANDING_NONE,	 /* nothing was promised, or nothing was tried */
	STANDING_SHOWN,	 /* the whole 95 % interval lies within the promise */
	STANDING_HOLDS,	 /* the promise lies inside the interval: not contradicted */
	/* the whole interval lies beyond the promise; PROMISE_ALWAYS: it did not happen once */
	STANDING_BROKEN,
};
extern const char *const standing_names[]; /* "", "shown", "holds", "broken" */

struct rate {
	const char *part;	 /* "statistics", "replay"; static */
	char group[96];		 /* "size of tests": the table it stands in */
	char name[64];		 /* the row: a test, an interval, a fault */
	char condition[96];	 /* the column: a distribution, a fault's size, a scenario */
	/* abscissa of a fault: times the limit, or times the fault at the limit; NaN none */
	double size;
	uint64_t k, n;		 /* k of n times */
	double lo, hi;		 /* Clopper-Pearson, 95 %; 0 and 1 for n = 0 */
	enum promise promise;
	double promised;
	char note[128]; /* "", or what the number is to be read with */
};

struct rates {
	struct rate *rate;
	size_t n, cap;
};

/* Appends a rate with its interval; the pointer is good until the next one. */
struct rate *rate_add(struct rates *rates, const char *part, const char *group, const char *name,
		      const char *condition, uint64_t k, uint64_t n);
/* k/n, NaN for n = 0. */
double rate_value(const struct rate *r);
enum standing rate_standing(const struct rate *r);
size_t rates_count(const struct rates *rates, enum standing s);
void rates_release(struct rates *rates);

#endif
