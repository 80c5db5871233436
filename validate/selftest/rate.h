/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of a self-test: the rate of an event with its uncertainty, compared with the bound that
 * is promised. */
#pragma once

#include "common/std.h"

enum promise {
	PROMISE_NONE,	  /* no promise; shown for comparison */
	PROMISE_AT_MOST,  /* the rate is at most `promised` */
	PROMISE_AT_LEAST, /* at least */
	PROMISE_ALWAYS,	  /* it happened every time */
};

enum standing {
	STANDING_NONE,	 /* nothing was promised or tried */
	STANDING_SHOWN,	 /* the whole 95 % interval is within the promise */
	/* the promised bound is inside the interval: the promise is not contradicted */
	STANDING_HOLDS,
	/* the whole interval is outside the promise; PROMISE_ALWAYS: it failed at least once */
	STANDING_BROKEN,
};
extern const char *const standing_names[]; /* "", "shown", "holds", "broken" */

enum rate_note {
	NOTE_NONE,
	NOTE_FAULT, /* found by component `about` noted[0] times, called trusted noted[1] times */
	NOTE_FRAUD, /* frauds[about], called trusted noted[0] times */
	NOTE_SAME_CAMPAIGNS, /* all values come from the same noted[0] campaigns */
};

struct rate {
	const char *part;	 /* "statistics", "replay"; static */
	char group[128];	 /* table: "size of tests" */
	char name[64];		 /* row: a test, an interval, a fault */
	/* condition of a column: a distribution, a fault's size, a scenario */
	char condition[96];
	/* size of a fault: multiple of the limit, or of the fault at the limit; NaN: none */
	double size;
	uint64_t k, n;		 /* k of n times */
	double lo, hi;		 /* Clopper-Pearson, 95 %; 0 and 1 for n = 0 */
	enum promise promise;
	double promised;
	enum rate_note note;
	size_t about; /* the component or fraud of the note */
	uint64_t noted[2];
};

struct rates {
	struct rate *rate;
	size_t n, cap;
};

/* Appends a rate with its interval. The pointer is valid until the next call. */
struct rate *rate_add(struct rates *rates, const char *part, const char *group, const char *name,
		      const char *condition, uint64_t k, uint64_t n);
/* Sets what is promised about a rate, and returns it. */
struct rate *rate_promise(struct rate *r, enum promise kind, double promised);
/* k/n, NaN for n = 0. */
double rate_value(const struct rate *r);
/* Compares the interval of a rate with its promise. rates_count() returns the number of rates with
 * this standing. */
enum standing rate_standing(const struct rate *r);
size_t rates_count(const struct rates *rates, enum standing s);
void rates_release(struct rates *rates);
