/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/op.h"
#include "common/xalloc.h"
#include "replay/calls/rooted.h"
#include "replay/engines/gate.h"

enum { AT_REQUESTS, AT_WAITS, AT_DUE, AT_OUTCOMES, AT_REPEATED, AT_EXPECTED };

/* Lanes begin at multiples of this many elements, which is a multiple of 128 bytes for every array: no two lanes share a line. */
#define LANE_ALIGN 16u

static uint64_t lane_room(uint64_t n)
{
	return (n + LANE_ALIGN - 1) / LANE_ALIGN * LANE_ALIGN;
}

/* --- layout ------------------------------------------------------------------------------------------------------- */

/* One lane for each thread; one for all where a pool of workers takes requests in issue order. */
static void lanes_choose(struct replay_plan *p, const struct replay_config *c, const struct load *l)
{
	p->pool = c->order == ORDER_NONE || p->mutant.kind == FAULT_DOUBLE;
	uint64_t n_workers = !p->pool ? l->n_threads : c->n_workers ? c->n_workers : l->n_threads;
	if (p->mutant.kind == FAULT_DOUBLE)
		n_workers = 2 * (c->n_workers ? c->n_workers : l->n_threads);
	p->n_workers = (uint32_t)n_workers;
	p->own_lanes = p->pool && n_workers == l->n_threads && c->timing == TIMING_FULLSPEED;
	p->n_lanes = p->pool && !p->own_lanes ? 1 : l->n_threads;
}

/* `base` is advanced by what a lane needs; NULL stays NULL. */
static void *lane_part(char **base, uint64_t n, size_t size)
{
	char *part = *base;
	if (part)
		*base += lane_room(n) * size;
	return part;
}

static int memory_get(struct replay_plan *p, const struct replay_config *c, const uint32_t *n_waits, struct err *e)
{
	uint64_t n = 0, n_all_waits = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		n += lane_room(p->lane[i].n);
		n_all_waits += lane_room(n_waits[i]);
	}
	const struct {
		size_t n_bytes;
		const char *what;
	} part[] = {
		[AT_REQUESTS] = {n * sizeof(struct hot_request), "the requests"},
		[AT_WAITS] = {n_all_waits * sizeof(struct hot_wait), "the order"},
		[AT_DUE] = {c->timing == TIMING_FULLSPEED ? 0 : n * sizeof(int64_t), "the times of the requests"},
		[AT_OUTCOMES] = {n * sizeof(struct outcome), "the outcomes"},
		[AT_REPEATED] = {p->mutant.kind == FAULT_REPEAT ? n * sizeof(struct outcome) : 0, "the repeated outcomes"},
		[AT_EXPECTED] = {n * sizeof(int64_t), "the expected results"},
	};
	char *base[sizeof part / sizeof *part];
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		bool across = c->processes && (i == AT_OUTCOMES || i == AT_REPEATED);
		int ret = (across ? vm_alloc_shared : vm_alloc)(&p->memory[i], part[i].n_bytes, part[i].what, e);
		if (ret)
			return ret;
		base[i] = p->memory[i].base;
	}
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		struct lane *a = &p->lane[i];
		a->request = lane_part(&base[AT_REQUESTS], a->n, sizeof *a->request);
		a->wait = lane_part(&base[AT_WAITS], n_waits[i], sizeof *a->wait);
		a->due = lane_part(&base[AT_DUE], a->n, sizeof *a->due);
		a->outcome = lane_part(&base[AT_OUTCOMES], a->n, sizeof *a->outcome);
		a->repeated = lane_part(&base[AT_REPEATED], a->n, sizeof *a->repeated);
		a->expected = lane_part(&base[AT_EXPECTED], a->n, sizeof *a->expected);
	}
	return 0;
}

/* --- one request -------------------------------------------------------------------------------------------------- */

static int64_t scaled_ns(int64_t gap_ns, double speed)
{
	double ns = (double)gap_ns / speed;
	return ns <= 0 ? 0 : ns > 9e18 ? INT64_MAX / 2 : llrint(ns);
}

static int64_t due_ns(const struct replay_config *c, const struct load *l, const struct load_request *r,
		      const struct load_request *before)
{
	if (c->timing == TIMING_TIMESTAMP || !before)
		return scaled_ns(r->begin_ns - l->first_begin_ns, c->speed);
	/* an unknown end, or calls of one thread that overlap: there was no gap */
	return before->end_ns >= r->begin_ns ? 0 : scaled_ns(r->begin_ns - before->end_ns, c->speed);
}

/* All of them without their calls; and nothing is expected of them. */
static void requests_blank(struct replay_plan *p)
{
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			if (p->lane[i].request[k].op != HOT_PASSED)
				p->lane[i].request[k].op = HOT_NOTHING;
			p->lane[i].expected[k] = 0;
		}
}

static int64_t expected_of(const struct load_request *r)
{
	if (r->passed)
		return 0;
	return r->rvalue > 0 && !call_result_counts(r) ? 0 : r->rvalue;
}

static void requests_lay(struct replay_plan *p, const struct replay_config *c, struct load *l, const struct slots *s)
{
	const struct load_request **before = xcalloc(l->n_threads + 1, sizeof *before);
	bool by_thread = !p->pool || p->own_lanes;
	call_table_init(&p->calls, l, s, !p->pool);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		struct lane_place at = {by_thread ? r->thread : 0, by_thread ? r->index : i};
		struct lane *a = &p->lane[at.lane];
		a->request[at.index] = call_hot(&p->calls, l, s, r);
		a->expected[at.index] = expected_of(r);
		if (a->due)
			a->due[at.index] = due_ns(c, l, r, before[r->thread]);
		p->place[r->record] = at;
		before[r->thread] = r;
	}
	call_table_laid(&p->calls);
	p->bytes = l->bytes; /* calls point into it */
	l->bytes = NULL;
	l->n_bytes = l->bytes_cap = 0;
	free(before);
}

/* A lane's last request is where its thread leaves the process. */
static void leaves_lay(struct replay_plan *p, const struct load *l)
{
	if (p->pool)
		return;
	p->process_of = xcalloc((size_t)p->n_lanes + 1, sizeof *p->process_of);
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		p->process_of[i] = p->calls.process_of_thread[i];
		if (call_ends_something(&p->calls, p->process_of[i]) && l->thread[i].n_requests)
			p->lane[i].request[l->thread[i].n_requests - 1].flags |= HOT_LEAVE;
	}
}

static void passes_lay(struct replay_plan *p, const struct load *l)
{
	bool any = false;
	for (int i = PASS_NOT + 1; i < PASS_N; i++)
		any |= p->calls.n_passed[i] > 0;
	p->pass_reason = any ? xcalloc(l->n_records + 1, 1) : NULL;
	for (uint32_t i = 0; any && i < l->n; i++)
		p->pass_reason[l->request[i].record] = l->request[i].passed;
}

/* --- order -------------------------------------------------------------------------------------------------------- */

static void edges_lay(struct replay_plan *p, const struct load *l, const struct edges *d)
{
	struct hot_wait **next = xcalloc(p->n_lanes + 1, sizeof *next);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		next[i] = p->lane[i].wait;
	for (size_t i = 0; i < d->n; i++) {
		const struct edge *g = &d->edge[i];
		const struct load_request *r = &l->request[g->request];
		*next[r->thread]++ = (struct hot_wait){g->thread, g->threshold};
		p->lane[r->thread].request[r->index].n_waits++;
		struct hot_request *q = &p->lane[g->thread].request[(g->threshold - 1) / 2];
		q->flags |= g->threshold & 1 ? HOT_PUBLISH_BEGUN : HOT_PUBLISH_ENDED;
	}
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			struct hot_request *h = &p->lane[i].request[k];
			if (h->flags & HOT_PUBLISH_BEGUN || (k && h[-1].flags & HOT_PUBLISH_ENDED))
				h->flags |= HOT_DRAIN;
		}
	p->ordered = d->n > 0;
	free(next);
}

static void opens_lay(struct replay_plan *p, const struct slots *s)
{
	p->n_slots = s->n;
	p->open = xcalloc(s->n + 1, sizeof *p->open);
	p->fds = xcalloc(s->n + 1, sizeof *p->fds);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct slot *b = &s->slot[i];
		p->direct |= b->flags & O_DIRECT && i;
		atomic_init(&p->fds[i], -1);
		if (i && b->file != NONE32)
			p->open[i] = (struct hot_open){s->file[b->file].name, rooted_flags(b->flags), b->mode};
	}
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

int plan_make(struct replay_plan *p, const struct replay_config *c, struct load *l, const struct slots *s,
	      const struct edges *d, struct err *e)
{
	*p = (struct replay_plan){.n = l->n, .n_records = l->n_records, .max_length = l->max_length, .dir_fd = -1};
	int ret = mutant_parse(&p->mutant, c->mutant, e);
	if (ret)
		return ret;
	lanes_choose(p, c, l);
	p->lane = xcalloc(p->n_lanes + 1, sizeof *p->lane);
	p->place = malloc((l->n_records + 1) * sizeof *p->place);
	if (!p->place)
		return err_set(e, ENOMEM, "not enough memory for %llu records", (unsigned long long)l->n_records);
	memset(p->place, 0xff, (l->n_records + 1) * sizeof *p->place);
	uint32_t *n_waits = xcalloc(p->n_lanes + 1, sizeof *n_waits);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		p->lane[i].n = p->pool && !p->own_lanes ? l->n : l->thread[i].n_requests;
	for (size_t i = 0; !p->pool && i < d->n; i++)
		n_waits[l->request[d->edge[i].request].thread]++;
	ret = memory_get(p, c, n_waits, e);
	free(n_waits);
	if (ret)
		return ret;
	requests_lay(p, c, l, s);
	passes_lay(p, l);
	leaves_lay(p, l);
	if (c->blank)
		requests_blank(p);
	if (!p->pool)
		edges_lay(p, l, d);
	opens_lay(p, s);
	return mutant_apply(p, e);
}

void plan_release(struct replay_plan *p)
{
	for (size_t i = 0; i < sizeof p->memory / sizeof *p->memory; i++)
		vm_free(&p->memory[i]);
	free(p->lane);
	free(p->place);
	call_table_release(&p->calls);
	free(p->process_of);
	free(p->pass_reason);
	free(p->bytes);
	free((void *)p->fds);
	free(p->open);
	*p = (struct replay_plan){.n = 0};
}
