/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/standard/loops.h"

#include "common/xalloc.h"
#include "validate/standard/standard.h"
#include "validate/stats/quantiles.h"

struct volume_request *loops_room(struct loops *l)
{
	if (l->n == l->cap) {
		l->cap = 2 * l->cap + 8;
		l->loop = xrealloc(l->loop, l->cap * sizeof *l->loop);
		l->request = xrealloc(l->request, l->cap * l->n_requests * sizeof *l->request);
	}
	return l->request + l->n * l->n_requests;
}

void loops_add(struct loops *l, int64_t duration_ns, int64_t waited_ns)
{
	l->loop[l->n++] = (struct loop){duration_ns, (double)waited_ns / (double)duration_ns};
}

/* Returns the largest waiting share of a loop that is not disturbed. */
static double limit_of(const struct loops *l)
{
	SCOPED_FREE double *waited = xcalloc(l->n, sizeof *waited);
	for (size_t i = 0; i < l->n; i++)
		waited[i] = l->loop[i].waited;
	doubles_sort(waited, l->n);
	return standard_waited_limit(sorted_quantile(waited, l->n, 0.25, 7));
}

int64_t loops_usable_ns(const struct loops *l)
{
	const double limit = l->n ? limit_of(l) : 0;
	int64_t sum_ns = 0;
	for (size_t i = 0; i < l->n; i++)
		sum_ns += l->loop[i].waited <= limit ? l->loop[i].duration_ns : 0;
	return sum_ns;
}

double loops_leave_out(struct loops *l, uint64_t *n_left_out)
{
	const double limit = limit_of(l);
	double waited_ns = 0, sum_ns = 0;
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct loop one = l->loop[i];
		if (one.waited > limit)
			continue;
		memmove(l->request + n * l->n_requests, l->request + i * l->n_requests,
			l->n_requests * sizeof *l->request);
		l->loop[n++] = one;
		waited_ns += one.waited * (double)one.duration_ns;
		sum_ns += (double)one.duration_ns;
	}
	*n_left_out += l->n - n;
	l->n = n;
	return waited_ns / sum_ns;
}

void loops_release(struct loops *l)
{
	FREE_EACH(l->request, l->loop);
}
