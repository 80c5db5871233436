/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/profile.h"

#include "common/each.h"
#include "validate/profile/profile_private.h"

const char *const profile_scope_names[PROFILE_SCOPES + 1] = {"object", "descriptor", "thread",
							     NULL};

#define BIN_NS 1000
#define N_BINS 131072u

static void profile_init(struct profile *p)
{
	memset(p, 0, sizeof *p);
	timeline_init(&p->timeline, BIN_NS, N_BINS);
	for (unsigned int op = 0; op < OP_N; op++)
		p->op[op] = (struct profile_op){(uint8_t)profile_kind_of(op),
						op_info(op)->uses & OP_RETURNS_BYTES,
						op_info(op)->uses & OP_RETURNS_FD};
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

/* --- passes -------------------------------------------------------------- */

/* so many that starting a thread takes little time in comparison */
#define RECORDS_AT_ONCE 16384u

struct profile_pass {
	struct profile *p;
	struct profile_order order;
	bool block, threaded;
	struct trace_record *record; /* [RECORDS_AT_ONCE]; the first n are not counted yet */
	size_t n;
	/* errors of the order; after an error nothing is added to it */
	int ret;
	struct err e;
};

/* Half 0: single requests; half 1: what depends on preceding requests. */
static void half_add(void *pass, size_t half)
{
	struct profile_pass *x = pass;
	if (half == 0) {
		profile_add_single(x->p, x->record, x->n);
		return;
	}
	profile_add_related(x->p, x->record, x->n, x->block);
	if (!x->ret)
		x->ret = profile_order_add(&x->order, x->record, x->n, &x->e);
}

static void records_count(struct profile_pass *x)
{
	if (x->threaded) {
		each_do(2, half_add, x);
	} else {
		half_add(x, 0);
		half_add(x, 1);
	}
	x->n = 0;
}

static void records_add(struct profile_pass *x, const struct trace_record *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		x->record[x->n++] = r[i];
		if (x->n == RECORDS_AT_ONCE)
			records_count(x);
	}
}

static int pass_make(struct profile_pass *x, struct trace *t, struct err *e)
{
	const struct trace_record *r;
	struct err one = ERR_INIT;
	size_t n;
	int ret = trace_rewind(t, e);
	if (ret)
		return ret;
	while ((ret = trace_next_batch(t, &r, &n, &one)) == 1 || ret == -EBADMSG) {
		if (ret == 1)
			records_add(x, r, n);
		else
			tally_damage(&x->p->tally, one.msg);
	}
	records_count(x);
	tally_end(&x->p->tally, t);
	x->p->causes = *trace_causes(t);
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
	SCOPED_FREE struct trace_record *record = xmalloc(RECORDS_AT_ONCE * sizeof *record);
	struct profile_pass x = {.p = p, .block = trace_meta(t)->level == LEVEL_BLOCK,
				 .threaded = o->n_threads > 1, .record = record, .e = ERR_INIT};
	bool late = false;
	profile_init(p);
	trace_requests_only(t, true);
	int ret = profile_order_init(&x.order, p, ARRIVALS_WINDOW, e);
	ret = ret ? ret : pass_make(&x, t, e);
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
	*h = (struct histogram){0};
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
