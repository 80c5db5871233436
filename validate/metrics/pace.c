/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/pace.h"

#include "validate/stats/moments.h"

void pace_widen(struct pace *p, uint64_t factor)
{
	uint32_t n = 0;
	if (factor < 2)
		return;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t to = (uint32_t)(i / factor);
		uint64_t requests = p->requests[i], timed = p->timed[i];
		double error = p->issue_error[i];
		p->requests[i] = p->timed[i] = 0;
		p->issue_error[i] = 0;
		p->requests[to] += requests;
		p->timed[to] += timed;
		p->issue_error[to] += error;
		n = to + 1;
	}
	for (uint32_t i = 0; i < PACE_MAX; i++) {
		double active = p->active_ns[i], moved = p->moved[i];
		p->active_ns[i] = p->moved[i] = 0;
		p->active_ns[i / factor] += active;
		p->moved[i / factor] += moved;
	}
	p->n = n;
	p->width_ns *= (int64_t)factor;
}

void pace_make_room(struct pace_tally *t, uint64_t ns)
{
	while (ns / (uint64_t)t->pace.width_ns >= PACE_MAX)
		pace_widen(&t->pace, 2);
}

void pace_active(struct pace_tally *t, int64_t begin_ns, int64_t end_ns, double bytes)
{
	struct pace *p = &t->pace;
	int64_t from = begin_ns > t->origin_ns ? begin_ns - t->origin_ns : 0,
		to = end_ns - t->origin_ns, all = p->width_ns * PACE_MAX;
	const double whole = to > from ? (double)(to - from) : 1;
	to = to < all ? to : all;
	if (from == to && from < all) /* zero length */
		p->moved[from / p->width_ns] += bytes;
	while (from < to) {
		int64_t i = from / p->width_ns, next = (i + 1) * p->width_ns;
		next = next < to ? next : to;
		p->active_ns[i] += (double)(next - from);
		p->moved[i] += bytes * ((double)(next - from) / whole);
		from = next;
	}
}

static double requests_total(const struct pace *p)
{
	double sum = 0;
	for (uint32_t i = 0; i < p->n; i++)
		sum += (double)p->requests[i];
	return sum;
}

double pace_distance(const struct pace *a, const struct pace *b)
{
	struct pace x = *a, y = *b;
	if (!x.width_ns || !y.width_ns)
		return NAN;
	if (x.width_ns < y.width_ns)
		pace_widen(&x, (uint64_t)(y.width_ns / x.width_ns));
	else
		pace_widen(&y, (uint64_t)(x.width_ns / y.width_ns));
	while (x.n > PACE_COARSE || y.n > PACE_COARSE) {
		pace_widen(&x, 2);
		pace_widen(&y, 2);
	}
	double n_x = requests_total(&x), n_y = requests_total(&y), sum = 0;
	if (!(n_x > 0) || !(n_y > 0))
		return NAN;
	for (uint32_t i = 0; i < PACE_MAX; i++)
		sum += fabs((double)x.requests[i] / n_x - (double)y.requests[i] / n_y);
	return sum / 2;
}

/* Computes ranks from 1; equal values get their mean rank. */
static void mean_ranks(const double *x, size_t n, double *rank)
{
	for (size_t i = 0; i < n; i++) {
		double below = 0, equal = 0;
		for (size_t j = 0; j < n; j++) {
			below += x[j] < x[i];
			equal += x[j] <= x[i] && x[j] >= x[i];
		}
		rank[i] = below + (equal + 1) / 2;
	}
}

double pace_error_correlation(const struct pace *p)
{
	double rate[PACE_MAX], error[PACE_MAX], rank_rate[PACE_MAX], rank_error[PACE_MAX], r;
	size_t n = 0;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->timed[i]) {
			rate[n] = (double)p->requests[i];
			error[n++] = p->issue_error[i] / (double)p->timed[i];
		}
	if (n < 4)
		return NAN;
	mean_ranks(rate, n, rank_rate);
	mean_ranks(error, n, rank_error);
	return sample_correlation(rank_rate, rank_error, n, &r) ? NAN : r;
}
