/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/deps.h"

#include "common/sort.h"

static uint64_t pairs_count(const struct deps *d)
{
	uint64_t n = 0;
	SCOPED_FREE uint64_t *pair = xcalloc(d->edges.n + 1, sizeof *pair);
	for (size_t i = 0; i < d->edges.n; i++)
		pair[i] = (uint64_t)d->load.request[d->edges.edge[i].request].thread << 32 |
			  d->edges.edge[i].thread;
	qsort(pair, d->edges.n, sizeof *pair, order_u64);
	for (size_t i = 0; i < d->edges.n; i++)
		n += i == 0 || pair[i] != pair[i - 1];
	return n;
}

static void waits_count(struct deps *d)
{
	struct deps_summary *s = &d->summary;
	for (size_t i = 0, k; i < d->edges.n; i = k) {
		for (k = i; k < d->edges.n && d->edges.edge[k].request == d->edges.edge[i].request;
		     k++)
			if (d->edges.edge[k].threshold & 1)
				s->n_begun++;
			else
				s->n_ended++;
		s->n_waiting++;
		s->n_waits_max = k - i > s->n_waits_max ? k - i : s->n_waits_max;
	}
	s->n_pairs = pairs_count(d);
}

static int64_t service_of(const struct load *l, const struct load_request *r)
{
	const int64_t end_ns = load_end_ns(l, r);
	return end_ns == INT64_MAX ? 0 : end_ns - r->begin_ns;
}

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Computes the earliest start of a request; NOT_YET if the start of a predecessor is still
 * unknown. */
#define NOT_YET INT64_MIN

static int64_t begin_find(const struct deps *d, const int64_t *begin, const size_t *first_edge,
			  uint32_t i)
{
	const struct load_request *r = &d->load.request[i];
	int64_t at = 0;
	if (r->index && d->order != ORDER_NONE) {
		uint32_t before = d->of[d->first[r->thread] + r->index - 1];
		at = begin[before] + service_of(&d->load, &d->load.request[before]);
	}
	for (size_t k = first_edge[i]; k < first_edge[i + 1]; k++) {
		uint32_t q = deps_source(d, &d->edges.edge[k]);
		bool ended = !(d->edges.edge[k].threshold & 1);
		if (begin[q] == NOT_YET)
			return NOT_YET;
		at = later_of(at,
			      begin[q] + (ended ? service_of(&d->load, &d->load.request[q]) : 0));
	}
	return at;
}

/* Computes all starts. The threads take turns, and each continues as far as possible: a request may
 * wait for a request that began later (order_linear.c). */
static void begins_find(struct deps *d, int64_t *begin, const size_t *first_edge)
{
	const struct load *l = &d->load;
	SCOPED_FREE uint32_t *next = xcalloc((size_t)l->n_threads + 1, sizeof *next);
	for (uint32_t n_left = l->n, before = 0; n_left && n_left != before;) {
		before = n_left;
		for (uint32_t t = 0; t < l->n_threads; t++)
			for (; next[t] < l->thread[t].n_requests; next[t]++, n_left--) {
				uint32_t i = d->of[d->first[t] + next[t]];
				begin[i] = begin_find(d, begin, first_edge, i);
				if (begin[i] == NOT_YET)
					break;
			}
	}
}

static void path_find(struct deps *d)
{
	const struct load *l = &d->load;
	struct deps_summary *s = &d->summary;
	SCOPED_FREE int64_t *begin = xcalloc((size_t)l->n + 1, sizeof *begin);
	SCOPED_FREE size_t *first_edge = xcalloc((size_t)d->load.n + 2, sizeof *first_edge);
	size_t k = 0;
	for (uint32_t i = 0; i <= d->load.n; i++) {
		while (k < d->edges.n && d->edges.edge[k].request < i)
			k++;
		first_edge[i] = k;
	}
	for (uint32_t i = 0; i < l->n; i++)
		begin[i] = NOT_YET;
	begins_find(d, begin, first_edge);
	for (uint32_t i = 0; i < l->n; i++) {
		s->service_ns += service_of(l, &l->request[i]);
		s->critical_ns = later_of(s->critical_ns, begin[i] + service_of(l, &l->request[i]));
	}
	s->span_ns = l->n ? l->last_end_ns - l->first_begin_ns : 0;
	s->mean_concurrency = s->span_ns > 0 ? (double)s->service_ns / (double)s->span_ns : NAN;
	s->parallelism = s->critical_ns > 0 ? (double)s->service_ns / (double)s->critical_ns : NAN;
}

int deps_read(struct deps *d, const char *path, enum replay_order order, unsigned int fs_rules,
	      struct err *e)
{
	*d = (struct deps){.order = order};
	int ret = trace_open(&d->trace, path, e);
	if (ret)
		return ret;
	if (trace_meta(d->trace)->level == LEVEL_BLOCK)
		return err_set(e, EINVAL,
			       "%s is a block-level trace, but orders apply to system calls only",
			       path);
	ret = load_read(&d->load, d->trace, false, e);
	ret = ret ? ret : slots_find(&d->slots, &d->load, d->trace, e);
	ret = ret ? ret : order_derive(&d->edges, order, fs_rules, &d->load, &d->slots, e);
	if (ret)
		return err_context(e, "%s", path);
	d->summary.n_requests = d->load.n;
	d->summary.n_threads = d->load.n_threads - d->load.n_channels;
	d->summary.n_files = d->slots.n_files;
	const struct load *l = &d->load;
	d->first = xcalloc((size_t)l->n_threads + 1, sizeof *d->first);
	d->of = xcalloc((size_t)l->n + 1, sizeof *d->of);
	load_index(l, d->first, d->of);
	waits_count(d);
	path_find(d);
	return 0;
}

void deps_release(struct deps *d)
{
	edges_release(&d->edges);
	slots_release(&d->slots);
	load_release(&d->load);
	trace_close(d->trace);
	FREE_EACH(d->first, d->of);
	*d = (struct deps){.first = NULL};
}
