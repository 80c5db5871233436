/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of traces: arrivals (groups s, bytes, time) and events (groups begin, end), whole
 * numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "tests/oracle/oracle.h"
#include "tests/model/concurrency.h"
#include "tests/model/density.h"
#include "tests/model/reorder.h"

/* 2^53: above it, a double may differ from the written number */
#define WHOLE_MAX 9007199254740992.0

bool dataset_integers(const struct dataset *d, const char *group, long long least, long long **x,
		      size_t *n)
{
	*x = NULL;
	*n = 0;
	for (size_t g = 0; d && g < d->n_groups; g++) {
		if (strcmp(d->group_name[g], group))
			continue;
		struct values v = d->group[g];
		*x = xcalloc(v.n ? v.n : 1, sizeof **x);
		*n = v.n;
		for (size_t i = 0; i < v.n; i++) {
			if (!(fabs(v.x[i]) <= WHOLE_MAX) || v.x[i] != floor(v.x[i]) ||
			    v.x[i] < (double)least)
				return false;
			(*x)[i] = (long long)v.x[i];
		}
		return true;
	}
	return false;
}

/* Reads a whole number. Any other text sets bad_param. */
static long long whole(struct named_call *c, const char *key)
{
	double x = named_number(c, key);
	if (!(fabs(x) <= WHOLE_MAX) || x != floor(x)) {
		c->bad_param = true;
		return 0;
	}
	return (long long)x;
}

static double ratio(double x, double y)
{
	return y == 0 ? NAN : x / y;
}

/* --- reordering ---------------------------------------------------------- */

struct reorder_case {
	struct reorder r;
	struct order_distance distance;
	const uint64_t *s;     /* [n], duplicates kept */
	const int64_t *time;   /* [n] or NULL */
	const uint64_t *bytes; /* [n] or NULL */
	size_t n;
	struct named_call *call;
};

/* The k-th reordered arrival (1-based), NULL if there is none. */
static const struct reordered_arrival *kth(const struct reorder_case *c)
{
	long long k = whole(c->call, "k");
	return k < 1 || (size_t)k > c->r.n_reordered ? NULL : &c->r.reordered[k - 1];
}
#define OF_KTH(expression) (kth(c) ? (double)(kth(c)->expression) : NAN)

static double late_time(const struct reorder_case *c)
{
	c->call->bad_param |= !c->time;
	return OF_KTH(late);
}

static double byte_offset(const struct reorder_case *c)
{
	c->call->bad_param |= !c->bytes;
	return OF_KTH(byte_offset);
}

static double gap(const struct reorder_case *c)
{
	long long k = whole(c->call, "k");
	if (k < 1 || (size_t)k >= c->r.n_discontinuities)
		return NAN;
	return (double)(c->r.discontinuity[k] - c->r.discontinuity[k - 1]);
}

static double n_reordered(const struct reorder_case *c)
{
	long long n = whole(c->call, "n");
	c->call->bad_param |= n < 1;
	return n < 1 ? 0 : (double)reorder_n_reordered(&c->r, (size_t)n);
}

static double missing(const struct reorder_case *c, bool relative)
{
	double sent = (double)whole(c->call, "sent"), lost = sent - (double)c->r.n;
	c->call->bad_param |= sent < 0;
	return relative ? ratio(lost, sent) : lost;
}

enum displaced { DISPLACED_BY, DISPLACED_ABSOLUTE, DISPLACED_LATE };

/* A threshold. If it is missing, there is no threshold. */
static uint64_t threshold(struct named_call *call, const char *key, uint64_t most)
{
	long long x = named_given(call, key) ? whole(call, key) : -1;
	if (!named_given(call, key))
		return DENSITY_UNBOUNDED;
	call->bad_param |= x < 0 || (uint64_t)x > most;
	return call->bad_param ? 0 : (uint64_t)x;
}

static double displaced(const struct reorder_case *c, enum displaced what)
{
	long long d = what == DISPLACED_BY ? whole(c->call, "d") : 0;
	int64_t *x = xcalloc(c->n + 1, sizeof *x);
	size_t n = 0;
	double sum = 0;
	density_displacements(c->s, c->n, threshold(c->call, "dt", DENSITY_MAX_DT), x, &n, NULL);
	for (size_t i = 0; i < n; i++)
		sum += what == DISPLACED_BY     ? x[i] == d
		       : what == DISPLACED_LATE ? x[i] > 0
						: fabs((double)x[i]);
	free(x);
	return ratio(sum, (double)n);
}

static double occupancy(const struct reorder_case *c, bool mean)
{
	long long wanted = mean ? 0 : whole(c->call, "b");
	uint64_t *b = xcalloc(c->n + 1, sizeof *b);
	size_t n = 0;
	double sum = 0;
	density_occupancies(c->s, c->n, threshold(c->call, "bt", UINT64_MAX - 1), b, &n, NULL);
	for (size_t i = 0; i < n; i++)
		sum += mean ? (double)b[i] : (double)((long long)b[i] == wanted);
	free(b);
	return ratio(sum, (double)n);
}

static enum trace_outcome order_value(const char *name, const struct reorder_case *c, double *value)
{
	const struct reorder *r = &c->r;
	double n = (double)r->n;
#define IS(statistic, expression)                                                                                      \
	if (!strcmp(name, statistic)) {                                                                                \
		*value = (double)(expression);                                                                         \
		return TRACE_OK;                                                                                       \
	}
	IS("ro_received", r->n)
	IS("ro_duplicates", r->n_duplicates)
	IS("ro_reordered", r->n_reordered)
	IS("ro_ratio", ratio((double)r->n_reordered, n))
	IS("ro_runs_x", r->runs_x)
	IS("ro_runs_a", r->runs_a)
	IS("ro_runs_p", r->runs_p)
	IS("ro_runs_q", r->runs_q)
	IS("ro_run_length", OF_KTH(run_length))
	IS("ro_discontinuities", r->n_discontinuities)
	IS("ro_gap", gap(c))
	IS("ro_seq_discontinuities", r->n_sequence_discontinuities)
	IS("ro_reordered_seq", OF_KTH(s))
	IS("ro_extent", OF_KTH(i - kth(c)->j))
	IS("ro_late_time", late_time(c))
	IS("ro_byte_offset", byte_offset(c))
	IS("ro_max_extent", r->max_extent)
	IS("ro_mean_extent", r->mean_extent)
	IS("ro_n_reordered_count", n_reordered(c))
	IS("ro_n_reordering_degree", ratio(n_reordered(c), n))
	IS("ro_missing", missing(c, false))
	IS("ro_missing_ratio", missing(c, true))
	IS("ro_inversions", c->distance.inversions)
	IS("ro_kendall_tau", c->distance.kendall_tau)
	IS("ro_lis_length", c->distance.lis_length)
	IS("ro_min_moves_ratio", ratio(n - (double)c->distance.lis_length, n))
	IS("ro_spearman_footrule", c->distance.footrule)
	IS("ro_hfplayer_script_count", r->n_descents)
	IS("rd_density", displaced(c, DISPLACED_BY))
	IS("rd_mean_abs_displacement", displaced(c, DISPLACED_ABSOLUTE))
	IS("rd_frac_late", displaced(c, DISPLACED_LATE))
	IS("rbd_density", occupancy(c, false))
	IS("rbd_mean_occupancy", occupancy(c, true))
	return TRACE_UNKNOWN;
}

enum trace_outcome reorder_statistic(const char *name, const struct dataset *arrivals,
				     struct named_call *call, double *value)
{
	struct reorder_case c = {.call = call};
	long long *s, *bytes, *time;
	size_t n_bytes, n_time;
	enum trace_outcome outcome = TRACE_BAD;
	bool good = dataset_integers(arrivals, "s", 1, &s, &c.n) || !c.n;
	bool has_bytes = dataset_integers(arrivals, "bytes", 0, &bytes, &n_bytes),
	     has_time = dataset_integers(arrivals, "time", -(1LL << 53), &time, &n_time);
	good = good && (!n_bytes || (has_bytes && n_bytes == c.n)) &&
	       (!n_time || (has_time && n_time == c.n));
	if (!good)
		goto out;
	c.s = (const uint64_t *)s;
	c.bytes = n_bytes ? (const uint64_t *)bytes : NULL;
	c.time = n_time ? (const int64_t *)time : NULL;
	if (reorder_analyse(&c.r, c.s, c.bytes, c.time, c.n, NULL))
		goto out;
	c.distance = order_distance(c.r.s, c.r.n);
	outcome = order_value(name, &c, value);
	reorder_release(&c.r);
out:
	free(s);
	free(bytes);
	free(time);
	if (outcome == TRACE_OK && call->bad_param)
		return TRACE_BAD;
	return outcome == TRACE_OK && isnan(*value) ? TRACE_UNDEFINED : outcome;
}

/* --- concurrency --------------------------------------------------------- */

static double share_up_to(const struct concurrency *c, bool by_time, size_t from, double to)
{
	double part = 0, all = 0;
	for (size_t level = from; level <= c->highest; level++) {
		double x =
		    by_time ? (double)c->ns_at_level[level] : (double)c->requests_at_level[level];
		all += x;
		part += (double)level <= to ? x : 0;
	}
	return ratio(part, all);
}

static double mean_level(const struct concurrency *c, bool by_time)
{
	double sum = 0;
	for (size_t level = 0; level <= c->highest; level++)
		sum += (double)level * (by_time ? (double)c->ns_at_level[level]
						: (double)c->requests_at_level[level]);
	return ratio(sum, by_time ? (double)(c->last_ns - c->first_ns) : (double)c->n);
}

static double little(const long long *begin, const long long *end, size_t n, double span)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (double)(end[i] - begin[i]);
	return ratio(sum, span);
}

static double mean_defined(const double *x, size_t n)
{
	double sum = 0;
	size_t defined = 0;
	for (size_t i = 0; i < n; i++) {
		sum += isnan(x[i]) ? 0 : x[i];
		defined += !isnan(x[i]);
	}
	return ratio(sum, (double)defined);
}

/* Index of request i of n, from 0. If it does not exist, sets bad_param. */
static size_t request(struct named_call *call, size_t n)
{
	long long i = whole(call, "i");
	call->bad_param |= i < 1 || (size_t)i > n;
	return call->bad_param ? 0 : (size_t)i - 1;
}

static enum trace_outcome level_value(const char *name, const struct concurrency_levels *l,
				      const long long *begin, const long long *end, size_t n,
				      struct named_call *call, double *value)
{
	const struct concurrency *c = &l->total;
	double span = (double)(c->last_ns - c->first_ns);
	IS("conc_cdf_time", share_up_to(c, true, 0, (double)whole(call, "c")))
	IS("conc_cdf_time_busy", share_up_to(c, true, 1, (double)whole(call, "c")))
	IS("conc_cdf_request", share_up_to(c, false, 0, (double)whole(call, "c")))
	IS("conc_mean_time", mean_level(c, true))
	IS("conc_little_mean", little(begin, end, n, span))
	IS("conc_mean_request", mean_level(c, false))
	IS("conc_max_level", c->highest)
	IS("conc_span", span)
	IS("conc_idle_time", c->ns_at_level[0])
	IS("conc_level_at_start", l->found[request(call, n)])
	IS("conc_lifetime", l->lifetime[request(call, n)])
	IS("conc_mean_lifetime", mean_defined(l->lifetime, n))
	return TRACE_UNKNOWN;
}
#undef IS

enum trace_outcome concurrency_statistic(const char *name, const struct dataset *events,
					 struct named_call *call, double *value)
{
	long long *begin, *end;
	size_t n, n_end;
	enum trace_outcome outcome = TRACE_BAD;
	bool good = dataset_integers(events, "begin", -(1LL << 53), &begin, &n);
	good = dataset_integers(events, "end", -(1LL << 53), &end, &n_end) && good && n == n_end &&
	       n > 0;
	struct concurrency_levels l;
	if (good &&
	    !concurrency_levels(&l, (const int64_t *)begin, (const int64_t *)end, n, NULL)) {
		outcome = level_value(name, &l, begin, end, n, call, value);
		concurrency_levels_release(&l);
	}
	free(begin);
	free(end);
	if (outcome == TRACE_OK && call->bad_param)
		return TRACE_BAD;
	return outcome == TRACE_OK && isnan(*value) ? TRACE_UNDEFINED : outcome;
}
