/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/rate.h"

#include "validate/stats/distributions.h"

const char *const standing_names[] = {"", "shown", "holds", "broken"};

struct rate *rate_add(struct rates *rates, const char *part, const char *group, const char *name,
		      const char *condition, uint64_t k, uint64_t n)
{
	GROW(rates->rate, rates->n, rates->cap);
	struct rate *r = &rates->rate[rates->n++];
	*r = (struct rate){.part = part, .size = NAN, .k = k, .n = n, .hi = 1};
	snprintf(r->group, sizeof r->group, "%s", group);
	snprintf(r->name, sizeof r->name, "%s", name);
	snprintf(r->condition, sizeof r->condition, "%s", condition);
	if (n && clopper_pearson((double)k, (double)n, 0.95, &r->lo, &r->hi)) {
		r->lo = 0;
		r->hi = 1;
	}
	return r;
}

struct rate *rate_promise(struct rate *r, enum promise kind, double promised)
{
	r->promise = kind;
	r->promised = promised;
	return r;
}

double rate_value(const struct rate *r)
{
	return r->n ? (double)r->k / (double)r->n : NAN;
}

enum standing rate_standing(const struct rate *r)
{
	if (!r->n)
		return STANDING_NONE;
	switch (r->promise) {
	case PROMISE_AT_MOST:
		return r->hi <= r->promised  ? STANDING_SHOWN
		       : r->lo > r->promised ? STANDING_BROKEN
					     : STANDING_HOLDS;
	case PROMISE_AT_LEAST:
		return r->lo >= r->promised  ? STANDING_SHOWN
		       : r->hi < r->promised ? STANDING_BROKEN
					     : STANDING_HOLDS;
	case PROMISE_ALWAYS:
		/* n of n: one-sided 95 % limit */
		return r->k < r->n			     ? STANDING_BROKEN
		       : pow(0.05, 1 / (double)r->n) >= r->promised ? STANDING_SHOWN
								    : STANDING_HOLDS;
	case PROMISE_NONE:
		break;
	}
	return STANDING_NONE;
}

size_t rates_count(const struct rates *rates, enum standing s)
{
	size_t n = 0;
	for (size_t i = 0; i < rates->n; i++)
		n += rate_standing(&rates->rate[i]) == s;
	return n;
}

void rates_release(struct rates *rates)
{
	free(rates->rate);
	*rates = (struct rates){0};
}
