/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/profile.h"

#include <pthread.h>

#include "validate/profile/profile_private.h"

const char *const profile_scope_names[PROFILE_SCOPES + 1] = {"object", "descriptor", "thread",
							     NULL};

#define BIN_NS 1000
#define N_BINS 131072u

static void profile_init(struct profile *p)
{
	memset(p, 0, sizeof *p);
	tally_begin(&p->tally);
	timeline_init(&p->timeline, BIN_NS, N_BINS);
	for (int k = 0; k < KIND_OTHER; k++)
		sizes_init(&p->sizes[k]);
	errors_init(&p->errors);
	for (unsigned int op = 0; op < OP_N; op++)
		p->op[op] = (struct profile_op){(uint8_t)profile_kind_of(op),
						op_info(op)->uses & OP_RETURNS_BYTES,
						op_info(op)->uses & OP_RETURNS_FD};
	histogram_init(&p->gap);
	histogram_init(&p->late);
	histogram_init(&p->block.queue);
	histogram_init(&p->block.device);
}

void profile_release(struct profile *p)
{
	tally_release(&p->tally);
	timeline_release(&p->timeline);
	for (int k = 0; k < KIND_OTHER; k++)
		sizes_release(&p->sizes[k]);
	errors_release(&p->errors);
	object_uses_release(&p->objects);
	for (int s = PROFILE_DESCRIPTOR; s < PROFILE_SCOPES; s++)
		access_release(&p->access[s]);
	concurrency_release(&p->concurrency);
	histogram_release(&p->gap);
	histogram_release(&p->late);
	histogram_release(&p->block.queue);
	histogram_release(&p->block.device);
}

/* --- figures that depend on preceding requests, by another thread -------- */

#define CHUNK_RECORDS 1024u
#define N_CHUNKS 16u
/* several chunks for each wake-up: with one chunk for each, the kernel moves both threads to one
 * CPU */
#define N_ENOUGH (N_CHUNKS / 2)

struct profile_chunk {
	size_t n;
	struct trace_record record[CHUNK_RECORDS];
};

struct related {
	struct profile *p;
	struct profile_order order;
	bool block;
	/* errors of the order; after an error nothing is added to it */
	int ret;
	struct err e;

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct profile_chunk *chunk; /* [N_CHUNKS] */
	uint64_t n_put, n_taken;
	/* values of n_put and n_taken for which the other thread waits */
	uint64_t wanted, free_at;
	bool ended;
};

static void related_add(struct related *x, const struct trace_record *r, size_t n)
{
	profile_add_related(x->p, r, n, x->block);
	if (!x->ret)
		x->ret = profile_order_add(&x->order, r, n, &x->e);
}

static void *related_run(void *arg)
{
	struct related *x = arg;
	pthread_mutex_lock(&x->lock);
	for (;;) {
		while (x->n_taken == x->n_put && !x->ended)
			for (x->wanted = x->n_taken + N_ENOUGH; x->n_put < x->wanted && !x->ended;)
				pthread_cond_wait(&x->changed, &x->lock);
		if (x->n_taken == x->n_put)
			break;
		pthread_mutex_unlock(&x->lock);
		const struct profile_chunk *c = &x->chunk[x->n_taken % N_CHUNKS];
		related_add(x, c->record, c->n);
		pthread_mutex_lock(&x->lock);
		if (++x->n_taken == x->free_at)
			pthread_cond_signal(&x->changed);
	}
	pthread_mutex_unlock(&x->lock);
	return NULL;
}

static void related_put(struct related *x, const struct trace_record *r, size_t n)
{
	pthread_mutex_lock(&x->lock);
	if (x->n_put - x->n_taken == N_CHUNKS)
		for (x->free_at = x->n_taken + N_ENOUGH; x->n_taken < x->free_at;)
			pthread_cond_wait(&x->changed, &x->lock);
	pthread_mutex_unlock(&x->lock);
	struct profile_chunk *c = &x->chunk[x->n_put % N_CHUNKS];
	c->n = n;
	memcpy(c->record, r, n * sizeof *r);
	pthread_mutex_lock(&x->lock);
	if (++x->n_put == x->wanted)
		pthread_cond_signal(&x->changed);
	pthread_mutex_unlock(&x->lock);
}

static int related_start(struct related *x, struct profile *p, bool block, unsigned int n_threads,
			 struct err *e)
{
	*x = (struct related){.p = p, .block = block};
	int ret = profile_order_init(&x->order, p, ARRIVALS_WINDOW, e);
	if (ret || n_threads < 2)
		return ret;
	x->chunk = xmalloc(N_CHUNKS * sizeof *x->chunk);
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->changed, NULL);
	/* on failure this thread does the work */
	x->threaded = !pthread_create(&x->thread, NULL, related_run, x);
	return 0;
}

static void related_end(struct related *x)
{
	if (x->threaded) {
		pthread_mutex_lock(&x->lock);
		x->ended = true;
		pthread_cond_signal(&x->changed);
		pthread_mutex_unlock(&x->lock);
		pthread_join(x->thread, NULL);
	}
	if (x->chunk) {
		pthread_mutex_destroy(&x->lock);
		pthread_cond_destroy(&x->changed);
		free(x->chunk);
	}
}

/* --- passes -------------------------------------------------------------- */

static void add_batch(struct profile *p, struct related *x, const struct trace_record *r, size_t n)
{
	for (size_t at = 0, part; at < n; at += part) {
		part = n - at < CHUNK_RECORDS ? n - at : CHUNK_RECORDS;
		if (x->threaded)
			related_put(x, r + at, part);
		else
			related_add(x, r + at, part);
		profile_add_single(p, r + at, part);
	}
}

static int profile_pass(struct profile *p, struct trace *t, struct related *x, struct err *e)
{
	const struct trace_record *r;
	struct err one = ERR_INIT;
	size_t n;
	int ret = trace_rewind(t, e);
	if (ret)
		return ret;
	while ((ret = trace_next_batch(t, &r, &n, &one)) == 1 || ret == -EBADMSG) {
		if (ret == 1)
			add_batch(p, x, r, n);
		else
			tally_damage(&p->tally, one.msg);
	}
	tally_end(&p->tally, t);
	p->causes = *trace_causes(t);
	return ret ? err_set(e, -ret, "%s", one.msg) : 0;
}

/* Reads the trace again, and sorts it completely. */
static int pass_of_order(struct profile *p, struct trace *t, struct err *e)
{
	SCOPED(profile_order_release) struct profile_order o;
	const struct trace_record *r;
	size_t n;
	bool late;
	int ret = profile_order_init(&o, p, ARRIVALS_RUNS, e);
	ret = ret ? ret : trace_rewind(t, e);
	while (!ret) {
		ret = trace_next_batch(t, &r, &n, e);
		if (ret == -EBADMSG) { /* reported by the first pass */
			ret = 0;
			continue;
		}
		if (ret != 1)
			break;
		ret = profile_order_add(&o, r, n, e);
	}
	ret = ret ? ret : profile_order_finish(&o, &late, e);
	return ret;
}

int profile_compute(struct profile *p, struct trace *t, const struct profile_options *o,
		    struct err *e)
{
	struct related x;
	bool late = false;
	profile_init(p);
	trace_requests_only(t, true);
	int ret = related_start(&x, p, trace_meta(t)->level == LEVEL_BLOCK, o->n_threads, e);
	ret = ret ? ret : profile_pass(p, t, &x, e);
	related_end(&x);
	if (!ret && x.ret)
		ret = err_set(e, -x.ret, "%s", x.e.msg);
	ret = ret ? ret : profile_order_finish(&x.order, &late, e);
	profile_order_release(&x.order);
	ret = ret || !late ? ret : pass_of_order(p, t, e);
	trace_requests_only(t, false);
	return ret;
}

/* --- derived numbers ----------------------------------------------------- */

void profile_responses(const struct profile *p, enum profile_kind kind, struct histogram *h)
{
	histogram_init(h);
	for (int i = 0; i < OP_N; i++)
		if (kind == KIND_N || p->op[i].kind == kind)
			histogram_merge(h, &p->tally.op[i].response);
}

static double time_accounted_ns(const struct profile *p)
{
	return p->has_order ? (double)(p->concurrency.last_ns - p->concurrency.first_ns) : 0;
}

double profile_mean_concurrency(const struct profile *p)
{
	double sum = 0, span = time_accounted_ns(p);
	for (size_t i = 1; p->has_order && i <= p->concurrency.highest; i++)
		sum += (double)i * (double)p->concurrency.ns_at_level[i];
	return span > 0 ? sum / span : NAN;
}

double profile_share_of_time(const struct profile *p, size_t level)
{
	double span = time_accounted_ns(p);
	if (!(span > 0) || level > p->concurrency.max_level)
		return span > 0 ? 0 : NAN;
	return (double)p->concurrency.ns_at_level[level] / span;
}

double profile_gap_variation(const struct profile *p)
{
	double n = (double)p->gap.n, mean = p->sum_gap_ns / n;
	if (n < 2 || !(mean > 0))
		return NAN;
	double variance = (p->sum_gap_squared - n * mean * mean) / (n - 1);
	return variance > 0 ? sqrt(variance) / mean : 0;
}

bool profile_has_ends(const struct profile *p)
{
	return p->has_order && p->tally.n_without_end <= p->tally.n_begin_known / 100;
}
