/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/block_plan.h"

#include "common/sort.h"

/* --- mutants -------------------------------------------------------------
 * Faults of single requests change the loaded trace. Faults of times act below and in schedule.c,
 * faults of response times in worker.c. */

static bool moves_data(const struct block_loaded *q)
{
	return (q->direction == BLOCK_READ || q->direction == BLOCK_WRITE) && q->length;
}

/* Swaps two requests and their records, but not their times. */
static void fault_swap(struct block_loaded *q)
{
	struct block_loaded first = q[0];
	q[0].offset = q[1].offset, q[0].length = q[1].length, q[0].direction = q[1].direction,
	q[0].flags = q[1].flags;
	q[1].offset = first.offset, q[1].length = first.length, q[1].direction = first.direction,
	q[1].flags = first.flags;
	q[0].record = q[1].record, q[1].record = first.record;
	q[0].fault = q[1].fault = FAULT_SWAP;
}

/* Changes one request. FAULT_SIZE halves the request, rounded to whole blocks of the device. */
static void fault_apply(struct block_loaded *q, enum fault_kind kind, uint32_t block_bytes)
{
	q->fault = (uint8_t)kind;
	if (kind == FAULT_SWAP)
		fault_swap(q);
	else if (kind == FAULT_OFFSET)
		q->offset = q->offset >= q->length ? q->offset - q->length : q->offset + q->length;
	else if (kind == FAULT_SIZE)
		q->length -= (q->length / 2 + block_bytes - 1) / block_bytes * block_bytes;
}

static bool fault_applies(const struct block_input *l, uint32_t i, enum fault_kind kind)
{
	const struct block_loaded *q = &l->r[i];
	if (!moves_data(q) || (kind == FAULT_SIZE && q->length < 2 * l->block_bytes))
		return false;
	return kind != FAULT_SWAP || (i + 1 < l->n && moves_data(q + 1));
}

/* Counts the requests that the fault can change. With `s`, also changes the requests that the
 * sampler selects. */
static uint64_t requests_walk(struct block_input *l, struct sampler *s, enum fault_kind kind)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!fault_applies(l, i, kind))
			continue;
		n++;
		if (s && sampler_takes(s))
			fault_apply(&l->r[i], kind, l->block_bytes);
		i += kind == FAULT_SWAP; /* pairs do not overlap */
	}
	return n;
}

/* Changes requests as the mutant says. Errors: EINVAL if the mutant can change no request. */
static int block_faults_apply(struct block_input *l, const struct mutant *m, struct err *e)
{
	const struct fault *f = mutant_fault(m->kind);
	struct sampler s;
	uint64_t n_requests = 0;
	if (!f || f->argument != ARGUMENT_SHARE)
		return 0;
	for (uint32_t i = 0; i < l->n; i++)
		n_requests += moves_data(&l->r[i]);
	int ret = sampler_init(&s, m, requests_walk(l, NULL, m->kind), n_requests, l->n, e);
	if (!ret)
		requests_walk(l, &s, m->kind);
	return ret;
}

/* Requests that begin within this time of each other go to the same worker, unless --bundle is
 * given. The time is about the cost of a submission. */
#define DISTRIBUTE_NS 3000
#define DISTRIBUTE_LEAST 64u
#define AFAP_DEPTH 128u
/* The limit of a request is the largest traced depth within this time. A program that fetches
 * completions in batches has a sawtooth-shaped number in flight, and the replay may be at another
 * point of the sawtooth. Moreover, a replay that is late after a stall of some tens of milliseconds
 * can catch up only if it may have more requests in flight than the trace had at that instant. */
#define LIMIT_WINDOW_NS 100000000
_Static_assert(LIMIT_WINDOW_NS == 100 * 1000000,
	       "the unit of slack_ms must be 1 % of LIMIT_WINDOW_NS");
/* A device's queue usually has this many entries. If no entry is free, io_uring gives a request to
 * a kernel thread, and the order is lost. */
#define SLACK_MOST 128u
/* arrays of lanes begin at a multiple of this number of elements, and so at a multiple of 128
 * bytes */
#define LANE_ALIGN 32u

enum { MEMORY_REQUESTS, MEMORY_PARENTS, MEMORY_PLACES };

/* --- traced number in flight --------------------------------------------- */

/* Whether the request can overlap another: it has a known end and a duration. */
static bool has_duration(const struct block_loaded *q)
{
	return q->end_ns != TIME_NONE && q->end_ns > q->begin_ns;
}

void block_depths(const struct block_input *l, uint32_t *depth)
{
	SCOPED_FREE int64_t *end = xmalloc(((size_t)l->n + 1) * sizeof *end);
	uint32_t n_ends = 0, n_ended = 0, n_endless = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (has_duration(&l->r[i]))
			end[n_ends++] = l->r[i].end_ns;
	qsort(end, n_ends, sizeof *end, order_i64);
	for (uint32_t i = 0; i < l->n; i++) {
		while (n_ended < n_ends && end[n_ended] <= l->r[i].begin_ns)
			n_ended++;
		uint32_t begun = i - n_endless;
		n_endless += !has_duration(&l->r[i]);
		depth[i] = 1 + begun - n_ended;
	}
}

/* Computes the maxima with a queue of decreasing depths: its first element is the maximum of a
 * sliding window. */
void block_depths_around(const struct block_input *l, const uint32_t *depth, int64_t window_ns,
			 uint32_t *most)
{
	SCOPED_FREE uint32_t *queue = xmalloc(((size_t)l->n + 1) * sizeof *queue);
	uint32_t from = 0, to = 0, next = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		for (; next < l->n && l->r[next].begin_ns - l->r[i].begin_ns <= window_ns; next++) {
			while (to > from && depth[queue[to - 1]] <= depth[next])
				to--;
			queue[to++] = next;
		}
		while (l->r[i].begin_ns - l->r[queue[from]].begin_ns > window_ns)
			from++;
		most[i] = depth[queue[from]];
	}
}

/* Moves the bounds of the window [from, to) of requests to request i. */
static void window_move(const struct block_input *l, uint32_t i, int64_t window_ns, uint32_t *from,
			uint32_t *to)
{
	while (*to < l->n && l->r[*to].begin_ns - l->r[i].begin_ns <= window_ns)
		++*to;
	while (l->r[i].begin_ns - l->r[*from].begin_ns > window_ns)
		++*from;
}

/* Sets the slack of each request whose limit is `of`: the share of the requests in its window that
 * were issued with at most 3/4 of `of` requests in flight. */
static void slacks_by_issue(const struct block_input *l, const uint32_t *depth,
			    const uint32_t *limit, uint32_t of, int64_t window_ns, uint8_t *slack)
{
	uint32_t from = 0, to = 0, n_below = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t k = from, added = to;
		window_move(l, i, window_ns, &from, &to);
		for (; added < to; added++)
			n_below += 4 * (uint64_t)depth[added] <= 3 * (uint64_t)of;
		for (; k < from; k++)
			n_below -= 4 * (uint64_t)depth[k] <= 3 * (uint64_t)of;
		if (limit[i] == of)
			slack[i] = (uint8_t)(100 * (uint64_t)n_below / (to - from));
	}
}

static double response_ns(const struct block_loaded *q)
{
	return has_duration(q) ? (double)(q->end_ns - q->begin_ns) : 0;
}

void block_slacks(const struct block_input *l, const uint32_t *depth, const uint32_t *limit,
		  int64_t window_ns, uint8_t *slack)
{
	uint32_t from = 0, to = 0, limits = 0;
	double sum_ns = 0; /* sum of the response times in the window */
	for (uint32_t i = 0; i < l->n; i++)
		limits |= limit[i];
	for (uint32_t of = 1; of && of <= limits; of *= 2)
		if (limits & of)
			slacks_by_issue(l, depth, limit, of, window_ns, slack);
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t k = from, added = to;
		window_move(l, i, window_ns, &from, &to);
		for (; added < to; added++)
			sum_ns += response_ns(&l->r[added]);
		for (; k < from; k++)
			sum_ns -= response_ns(&l->r[k]);
		const int64_t length_ns = l->r[to - 1].begin_ns - l->r[from].begin_ns;
		const double spare =
			length_ns > 0 ? 1 - 2 * sum_ns / (double)length_ns / limit[i] : 0;
		if (100 * spare < slack[i])
			slack[i] = spare > 0 ? (uint8_t)(100 * spare) : 0;
	}
}

uint32_t block_round_up(uint32_t n)
{
	uint32_t up = 1;
	while (up < n)
		up *= 2;
	return up;
}

static uint32_t limit_of(const struct replay_config *c, const struct block_plan *p, uint32_t depth)
{
	const struct block_options *o = &c->block;
	uint32_t most = o->depth               ? (uint32_t)o->depth
			: o->mode == MODE_AFAP ? AFAP_DEPTH
					       : BLOCK_DEPTH_MAX;
	uint32_t limit = depth;
	if (o->mode == MODE_HF)
		limit = o->limit == LIMIT_NONE    ? most
			: o->limit == LIMIT_EXACT ? depth
						  : block_round_up(depth);
	else if (o->mode != MODE_LOAD)
		limit = most;
	if (p->mutant.kind == FAULT_DOUBLE)
		limit = limit < most / 2 ? 2 * limit : most;
	if (p->mutant.kind == FAULT_SERIALISE)
		limit = 1;
	return limit < most ? limit : most;
}

/* --- distribution to workers --------------------------------------------- */

/* Sets worker[n]. Runs of at least DISTRIBUTE_LEAST requests go to the workers in turn, because
 * passing the turn to another CPU costs as much as submitting some requests. Bundles are not
 * divided. */
static void requests_distribute(const struct block_input *l, const struct block_options *o,
				uint32_t n_workers, uint8_t *worker)
{
	int64_t threshold = o->bundle_ns >= 0 ? o->bundle_ns : DISTRIBUTE_NS, first = 0;
	uint32_t w = n_workers - 1, run = DISTRIBUTE_LEAST;
	for (uint32_t i = 0; i < l->n; i++) {
		bool apart = l->r[i].begin_ns - first >= threshold;
		if (apart)
			first = l->r[i].begin_ns;
		if (i == 0 || (run >= DISTRIBUTE_LEAST && apart) ||
		    run >= DISTRIBUTE_LEAST + BLOCK_BUNDLE_MAX) {
			w = (w + 1) % n_workers;
			run = 0;
		}
		run++;
		worker[i] = (uint8_t)w;
	}
}

static int memory_get(struct block_plan *p, bool dep, struct err *e)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		n += round_up(p->lane[i].n, LANE_ALIGN);
	bool places = p->n_lanes > 1 && !dep;
	int ret =
	    vm_alloc(&p->memory[MEMORY_REQUESTS], n * sizeof(struct block_hot), "the requests", e);
	if (!ret && dep)
		ret = vm_alloc(&p->memory[MEMORY_PARENTS], n * sizeof(struct block_parents),
			       "the dependencies", e);
	if (!ret && places)
		ret = vm_alloc(&p->memory[MEMORY_PLACES], n * sizeof(uint32_t),
			       "the order among workers", e);
	uint64_t first = 0;
	for (uint32_t i = 0; !ret && i < p->n_lanes; i++) {
		p->lane[i].request = (struct block_hot *)p->memory[MEMORY_REQUESTS].base + first;
		p->lane[i].parents =
		    dep ? (struct block_parents *)p->memory[MEMORY_PARENTS].base + first : NULL;
		p->lane[i].place =
		    places ? (uint32_t *)p->memory[MEMORY_PLACES].base + first : NULL;
		first += round_up(p->lane[i].n, LANE_ALIGN);
	}
	return ret;
}

static int64_t scaled_ns(int64_t ns, double scale)
{
	double x = (double)ns / scale;
	return x > 1e18 ? (int64_t)1e18 : llrint(x); /* must not overflow in ticks either */
}

/* The due time of a request in modes hf and dep, including faults of times. */
static int64_t due_of(const struct block_plan *p, const struct replay_config *c, int64_t begin_ns)
{
	int64_t due =
	    scaled_ns(begin_ns, c->block.mode == MODE_DEP ? c->block.think_scale : c->speed);
	if (p->mutant.kind == FAULT_DRIFT)
		due += llrint((double)due * p->mutant.ratio);
	if (p->mutant.kind == FAULT_COARSE && c->block.mode == MODE_HF)
		due = (due + p->mutant.ns - 1) / p->mutant.ns * p->mutant.ns;
	return due;
}

static struct block_hot request_of(const struct block_plan *p, const struct replay_config *c,
				   const struct block_loaded *q, uint32_t depth)
{
	return (struct block_hot){.offset = q->offset,
				  .length = q->length,
				  .due = due_of(p, c, q->begin_ns),
				  .begin = NOT_ENDED,
				  .end = NOT_ENDED,
				  .limit = limit_of(c, p, depth),
				  .direction = q->direction,
				  .flags = q->flags,
				  .fault = q->fault};
}

/* --- dependencies -------------------------------------------------------- */

struct inferred {
	struct infer_parents *parents; /* parents[n] */
	uint32_t *rank;		       /* rank[n] */
	int64_t *end_ns;	       /* traced ends by rank; NULL with --follow each */
};

static void rank_note(void *ctx, uint64_t request, uint64_t rank)
{
	((struct inferred *)ctx)->rank[request] = (uint32_t)rank;
}

static int parents_infer(struct block_plan *p, const struct block_input *l, struct inferred *d,
			 int64_t threshold_ns, struct err *e)
{
	struct infer f;
	int ret = 0;
	d->parents = xmalloc(((size_t)l->n + 1) * sizeof *d->parents);
	d->rank = xmalloc(((size_t)l->n + 1) * sizeof *d->rank);
	p->shift = xmalloc(((size_t)l->n + 1) * sizeof *p->shift);
	memset(d->rank, 0xff, ((size_t)l->n + 1) * sizeof *d->rank);
	infer_init(&f, threshold_ns);
	f.ended = rank_note;
	f.ctx = d;
	for (uint32_t i = 0; !ret && i < l->n; i++)
		ret = infer_feed(&f, l->r[i].begin_ns, l->r[i].end_ns, &d->parents[i], e);
	if (!ret)
		infer_finish(&f);
	p->inferred = f.sum;
	infer_release(&f);
	for (uint32_t i = 0; i <= l->n; i++)
		atomic_init(&p->shift[i], NOT_ENDED);
	return ret;
}

static struct block_parents parents_of(const struct block_plan *p, const struct replay_config *c,
	const struct block_loaded *q, const struct infer_parents *range, uint32_t rank)
{
	const struct block_options *o = &c->block;
	struct block_parents b = {
	    .lo = (uint32_t)range->lo, .hi = (uint32_t)range->hi, .rank = rank};
	if (rank == RANK_NONE)
		return b;
	if (o->follow == FOLLOW_EACH)
		b.end = due_of(p, c, q->end_ns);
	if (o->device_scale > 0)
		b.least = scaled_ns(q->end_ns - q->begin_ns, o->device_scale);
	return b;
}

/* --- lanes --------------------------------------------------------------- */

struct laying {
	struct block_plan *p;
	const struct block_input *l;
	const struct replay_config *c;
	const uint8_t *worker; /* worker[n] */
	const uint32_t *depth; /* depth[n] */
	const uint8_t *slack;  /* slack[n], or NULL */
	struct inferred dep;
	uint32_t n_laid;
};

/* Lays out request i. `source`: the request whose time and dependencies are used. It is i itself,
 * except with FAULT_DOUBLE. */
static void request_lay(struct laying *y, uint32_t i, uint32_t source, bool copy)
{
	struct block_plan *p = y->p;
	struct block_lane *a = &p->lane[y->worker[i]];
	struct block_hot *r = &a->request[a->n];
	*r = request_of(p, y->c, &y->l->r[i], y->depth[i]);
	r->due = due_of(p, y->c, y->l->r[source].begin_ns);
	if (y->dep.end_ns && y->dep.parents[source].hi > y->dep.parents[source].lo)
		r->due -= due_of(p, y->c, y->dep.end_ns[y->dep.parents[source].hi - 1]);
	r->flags |= copy ? REQUEST_COPY : 0;
	if (y->slack && p->mutant.kind != FAULT_SERIALISE)
		r->slack_ms = y->slack[i];
	if (a->parents)
		a->parents[a->n] = parents_of(p, y->c, &y->l->r[i], &y->dep.parents[source],
					      copy ? RANK_NONE : y->dep.rank[i]);
	if (a->place)
		a->place[a->n] = y->n_laid;
	if (!copy)
		p->at[y->l->r[i].record] = (struct block_place){y->worker[i], a->n};
	a->n++;
	y->n_laid++;
}

static int lanes_count(struct laying *y, struct err *e)
{
	struct block_plan *p = y->p;
	for (uint32_t i = 0; i < y->l->n; i++)
		p->lane[y->worker[i]].n += 1 + (y->l->r[i].fault == FAULT_REPEAT);
	int ret = memory_get(p, y->c->block.mode == MODE_DEP, e);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		p->lane[i].n = 0;
	return ret;
}

/* Lays out all requests. FAULT_DOUBLE in modes with times: every second request is submitted
 * together with its predecessor. */
static void requests_lay(struct laying *y)
{
	const bool pairs = y->p->mutant.kind == FAULT_DOUBLE &&
			   (y->c->block.mode == MODE_HF || y->c->block.mode == MODE_DEP);
	for (uint32_t i = 0; i < y->l->n; i++) {
		uint32_t source = pairs ? i & ~UINT32_C(1) : i;
		request_lay(y, i, source, false);
		if (y->l->r[i].fault == FAULT_REPEAT)
			request_lay(y, i, source, true);
	}
}

/* Sets the number of slots: enough for the limits, and at most the number of requests. */
static void slots_count(struct block_plan *p, const struct replay_config *c)
{
	uint32_t most = 1;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++)
			if (p->lane[i].request[k].limit > most)
				most = p->lane[i].request[k].limit;
	/* twice the number of independent requests, because of the threshold of mode dep */
	if (c->block.mode == MODE_DEP && !c->block.depth) {
		uint64_t width = 2 * p->inferred.width_max;
		most = width < most ? (uint32_t)width : most;
	}
	if (c->block.mode == MODE_HF && c->block.limit == LIMIT_NONE && !c->block.depth &&
	    most > 4096)
		most = 4096;
	if (c->block.mode == MODE_HF && c->block.limit == LIMIT_SLACK && most < p->slack_most)
		most = p->slack_most;
	p->n_slots = most < p->n ? most : p->n;
	p->n_slots = p->n_slots ? p->n_slots : 1;
}

int block_plan_make(struct block_plan *p, struct block_input *l, const struct replay_config *c,
		    int64_t threshold_ns, struct err *e)
{
	const bool dep = c->block.mode == MODE_DEP;
	*p = (struct block_plan){.n_lanes = c->n_workers ? (uint32_t)c->n_workers : 1,
				 .n = l->n,
				 .threshold_ns = threshold_ns};
	struct laying y = {.p = p, .l = l, .c = c};
	SCOPED_FREE uint8_t *worker = xmalloc((size_t)l->n + 1);
	SCOPED_FREE uint32_t *depth = xmalloc(((size_t)l->n + 1) * sizeof *depth);
	p->at = xmalloc((l->n_records + 1) * sizeof *p->at);
	memset(p->at, 0xff, (l->n_records + 1) * sizeof *p->at);
	block_depths(l, depth);
	for (uint32_t i = 0; i < l->n; i++)
		p->max_in_flight = depth[i] > p->max_in_flight ? depth[i] : p->max_in_flight;
	p->slack_most = c->block.depth && c->block.depth < SLACK_MOST ? (uint32_t)c->block.depth
								      : SLACK_MOST;
	const bool has_slack = c->block.mode == MODE_HF && c->block.limit == LIMIT_SLACK;
	SCOPED_FREE uint8_t *slack = has_slack ? xcalloc((size_t)l->n + 1, 1) : NULL;
	if (has_slack || (c->block.mode == MODE_HF && c->block.limit == LIMIT_ROUNDED)) {
		SCOPED_FREE uint32_t *exact = depth;
		depth = xmalloc(((size_t)l->n + 1) * sizeof *depth);
		block_depths_around(l, exact, LIMIT_WINDOW_NS, depth);
		for (uint32_t i = 0; has_slack && i < l->n; i++)
			depth[i] = block_round_up(depth[i]);
		if (has_slack)
			block_slacks(l, exact, depth, LIMIT_WINDOW_NS, slack);
	}
	int ret = mutant_parse(&p->mutant, c->mutant, e);
	if (!ret && dep)
		ret = parents_infer(p, l, &y.dep, threshold_ns, e);
	if (!ret && dep && c->block.follow != FOLLOW_EACH) {
		y.dep.end_ns = xmalloc(((size_t)l->n + 1) * sizeof *y.dep.end_ns);
		for (uint32_t i = 0; i < l->n; i++)
			if (y.dep.rank[i] != RANK_NONE)
				y.dep.end_ns[y.dep.rank[i]] = l->r[i].end_ns;
	}
	ret = ret ? ret : block_faults_apply(l, &p->mutant, e);
	if (!ret) {
		requests_distribute(l, &c->block, p->n_lanes, worker);
		y.worker = worker;
		y.depth = depth;
		y.slack = slack;
		ret = lanes_count(&y, e);
	}
	if (!ret) {
		requests_lay(&y);
		slots_count(p, c);
	}
	FREE_EACH(y.dep.parents, y.dep.rank, y.dep.end_ns);
	return ret;
}

void block_plan_release(struct block_plan *p)
{
	for (size_t i = 0; i < sizeof p->memory / sizeof *p->memory; i++)
		vm_free(&p->memory[i]);
	FREE_EACH(p->at, (void *)p->shift);
	*p = (struct block_plan){.n = 0};
}

void block_plan_to_ticks(struct block_plan *p, const struct clock *c)
{
	const double ticks_per_ns = 1 / c->ns_per_tick;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			struct block_parents *b =
			    p->lane[i].parents ? &p->lane[i].parents[k] : NULL;
			p->lane[i].request[k].due =
			    llrint((double)p->lane[i].request[k].due * ticks_per_ns);
			if (b) {
				b->end = llrint((double)b->end * ticks_per_ns);
				b->least = llrint((double)b->least * ticks_per_ns);
			}
		}
	p->mutant.ns = llrint((double)p->mutant.ns * ticks_per_ns);
	p->mutant.every_ns = llrint((double)p->mutant.every_ns * ticks_per_ns);
}
