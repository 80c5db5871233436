/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/observed.h"

#include "capture/format.h"
#include "common/sort.h"

struct observed_call {
	int64_t begin_ns; /* CLOCK_MONOTONIC */
	int64_t took_ns;
	uint64_t index; /* of the record */
};

struct observed_calls { /* of one operation */
	struct observed_call *call;
	size_t n, cap;
};

struct observed_reading {
	struct observed_calls of[OP_N];
	uint64_t n_records;
	int64_t first_ns, last_ns; /* CLOCK_MONOTONIC */
};

static void reading_release(struct observed_reading *r)
{
	for (unsigned int op = 0; op < OP_N; op++)
		free(r->of[op].call);
}

static void record_take(struct observed_reading *r, const struct trace_record *q, int64_t epoch_ns)
{
	uint64_t index = r->n_records++;
	if (q->begin_ns == TIME_NONE || q->end_ns == TIME_NONE || q->end_ns < q->begin_ns)
		return;
	struct observed_calls *c = &r->of[q->op];
	int64_t begin = epoch_ns + q->begin_ns, end = epoch_ns + q->end_ns;
	GROW(c->call, c->n, c->cap);
	c->call[c->n++] = (struct observed_call){begin, q->end_ns - q->begin_ns, index};
	r->first_ns = begin < r->first_ns ? begin : r->first_ns;
	r->last_ns = end > r->last_ns ? end : r->last_ns;
}

ORDER_BY(by_begin, struct observed_call, begin_ns, index)

/* Reads all calls of a trace, by operation and start. */
static int trace_read_calls(struct observed_reading *r, const char *path, struct err *e)
{
	const struct trace_record *q;
	struct trace *t;
	size_t n;
	*r = (struct observed_reading){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
	int ret = trace_open(&t, path, e);
	if (ret)
		return ret;
	trace_requests_only(t, true);
	while ((ret = trace_next_batch(t, &q, &n, e)) == 1)
		for (size_t i = 0; i < n; i++)
			record_take(r, &q[i], trace_meta(t)->epoch_ns);
	trace_close(t);
	for (unsigned int op = 0; op < OP_N; op++)
		if (r->of[op].n)
			qsort(r->of[op].call, r->of[op].n, sizeof *r->of[op].call, by_begin);
	return ret ? err_context(e, "%s", path) : 0;
}

/* Finds the calls of c[n] that begin within first..last, extended by `slack_ns`. Sets *from and
 * returns their number. */
static size_t calls_within(const struct observed_calls *c, int64_t first_ns, int64_t last_ns,
			   int64_t slack_ns, size_t *from)
{
	size_t to;
	for (*from = 0; *from < c->n && c->call[*from].begin_ns < first_ns - slack_ns; (*from)++)
		;
	for (to = *from; to < c->n && c->call[to].begin_ns <= last_ns + slack_ns; to++)
		;
	return to - *from;
}

/* Tolerances for differences between the clocks of the two traces, each of which is calibrated
 * separately. Smaller tolerances are tried if other calls are close. */
static const int64_t slacks_ns[] = {1000000, 100000, 10000, 0};

static void kind_match(const struct observed_calls *own, const struct observed_calls *side,
		       const struct observed_reading *r, int64_t *took, struct observed *o)
{
	for (size_t k = 0; k < sizeof slacks_ns / sizeof *slacks_ns; k++) {
		size_t from, n = calls_within(side, r->first_ns, r->last_ns, slacks_ns[k], &from);
		if (n != own->n)
			continue;
		for (size_t i = 0; i < n; i++)
			took[own->call[i].index] = side->call[from + i].took_ns;
		o->n_observed += n;
		return;
	}
}

struct changing {
	const int64_t *took; /* -1: keep the replayer's time */
	uint64_t at;
};

static int record_change(void *context, struct trace_writer *w, struct trace_record *r,
			 struct err *e)
{
	struct changing *c = context;
	int64_t took = c->took[c->at++];
	(void)w;
	(void)e;
	if (took >= 0)
		r->end_ns = r->begin_ns + took;
	return 0;
}

static int changed_write(const char *own, const char *out, const int64_t *took, struct err *e)
{
	struct changing c = {.took = took};
	struct trace_change how = {.change = record_change, .ctx = &c};
	struct trace *t;
	int ret = trace_open(&t, own, e);
	if (ret)
		return ret;
	ret = trace_copy(t, out, &how, NULL, e);
	trace_close(t);
	return ret;
}

int observed_write(const char *own, const char *side, const char *out, struct observed *o,
		   struct err *e)
{
	struct observed_reading mine, theirs = {0};
	double sum = 0;
	*o = (struct observed){0};
	int ret = trace_read_calls(&mine, own, e);
	ret = ret ? ret : trace_read_calls(&theirs, side, e);
	SCOPED_FREE int64_t *took = xreallocarray(NULL, mine.n_records + 1, sizeof *took);
	memset(took, 0xff, (mine.n_records + 1) * sizeof *took);
	for (unsigned int op = 0; !ret && op < OP_N; op++) {
		for (size_t i = 0; i < mine.of[op].n; i++)
			sum += (double)mine.of[op].call[i].took_ns;
		o->n_requests += mine.of[op].n;
		if (mine.of[op].n)
			kind_match(&mine.of[op], &theirs.of[op], &mine, took, o);
	}
	if (!ret && !o->n_requests)
		ret = err_set(e, ENODATA, "%s has no request that was issued and completed", own);
	if (!ret) {
		o->own_mean_ns = sum / (double)o->n_requests;
		ret = changed_write(own, out, took, e);
	}
	reading_release(&mine);
	reading_release(&theirs);
	return ret;
}
