/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/tally.h"

#include "common/sort.h"

/* --- threads ------------------------------------------------------------- */

/* Returns the thread of the record; NULL if there are too many threads. */
static struct tally_thread *thread_of(struct tally *s, const struct trace_record *r)
{
	const uint64_t key = u64_pair(r->pid, r->tid);
	const uint32_t *known = u64_map_find(&s->thread_of, key);
	if (!known && s->n_threads == TALLY_THREADS_MAX) {
		s->threads_cut = true;
		return NULL;
	}
	if (!known) {
		known = u64_map_at(&s->thread_of, key, (uint32_t)s->n_threads);
		APPEND(s->thread, s->n_threads, s->cap_threads, (struct tally_thread){.pid = r->pid,
			.tid = r->tid, .last_begin_ns = TIME_NONE});
	}
	return &s->thread[*known];
}

static uint64_t count_processes(const struct tally *s)
{
	SCOPED_FREE uint32_t *pid = xmalloc((s->n_threads ? s->n_threads : 1) * sizeof *pid);
	uint64_t n_distinct = 0;
	for (size_t i = 0; i < s->n_threads; i++)
		pid[i] = s->thread[i].pid;
	qsort(pid, s->n_threads, sizeof *pid, order_u32);
	for (size_t i = 0; i < s->n_threads; i++)
		n_distinct += !i || pid[i] != pid[i - 1];
	return n_distinct;
}

/* --- the records --------------------------------------------------------- */

static uint64_t add_clamped(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Greatest common divisor. For most clocks it falls to 1 within a few requests, and then stays
 * 1. */
static uint64_t granularity_of(uint64_t g, int64_t ns)
{
	uint64_t a = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	while (a) {
		uint64_t rest = g % a;
		g = a;
		a = rest;
	}
	return g;
}

static void add_begin(struct tally *s, struct tally_thread *t, int64_t begin_ns)
{
	if (t) {
		s->n_backwards += begin_ns < t->last_begin_ns;
		t->last_begin_ns = begin_ns;
	}
	if (!s->n_begin_known++) {
		s->first_begin_ns = s->last_begin_ns = begin_ns;
		s->last_end_ns = TIME_NONE;
	}
	if (begin_ns < s->first_begin_ns)
		s->first_begin_ns = begin_ns;
	if (begin_ns > s->last_begin_ns)
		s->last_begin_ns = begin_ns;
	if (s->granularity_ns != 1)
		s->granularity_ns = granularity_of(s->granularity_ns, begin_ns);
}

void tally_add(struct tally *s, const struct trace_record *r, uint64_t moved)
{
	struct tally_op *op = &s->op[r->op];
	s->n_records++;
	op->n++;
	async_counts_add(&s->async, r);
	op->n_failed += r->rvalue < 0;
	op->bytes = add_clamped(op->bytes, moved);
	struct tally_thread *t = thread_of(s, r);
	if (t) {
		t->n++;
		t->bytes = add_clamped(t->bytes, moved);
	}
	if (r->begin_ns == TIME_NONE) {
		s->n_without_begin++;
		return;
	}
	add_begin(s, t, r->begin_ns);
	if (r->end_ns > s->last_end_ns)
		s->last_end_ns = r->end_ns;
	if (r->end_ns == TIME_NONE) {
		s->n_without_end++;
		return;
	}
	if (s->granularity_ns != 1)
		s->granularity_ns = granularity_of(s->granularity_ns, r->end_ns);
	if (r->end_ns < r->begin_ns) {
		s->n_end_before_begin++;
		return;
	}
	int64_t ns = r->end_ns - r->begin_ns;
	if (!op->n_timed++ || ns < op->min_ns)
		op->min_ns = ns;
	if (op->n_timed == 1 || ns > op->max_ns)
		op->max_ns = ns;
	op->sum_ns += (uint64_t)ns;
	histogram_add(&op->response, ns);
	if (t)
		t->busy_ns += (double)(r->end_ns - r->begin_ns);
}

void tally_damage(struct tally *s, const char *message)
{
	if (s->n_damage < TALLY_DAMAGE_MAX)
		snprintf(s->damage[s->n_damage], sizeof *s->damage, "%s", message);
	s->n_damage++;
}

void tally_end(struct tally *s, const struct trace *t)
{
	s->n_bytes = 0;
	for (int i = 0; i < OP_N; i++)
		s->n_bytes = add_clamped(s->n_bytes, s->op[i].bytes);
	s->n_processes = count_processes(s);
	trace_health(t, &s->health);
}

void tally_release(struct tally *s)
{
	for (int i = 0; i < OP_N; i++)
		histogram_release(&s->op[i].response);
	free(s->thread);
	u64_map_release(&s->thread_of);
	s->thread = NULL;
}

/* --- derived numbers ----------------------------------------------------- */

int64_t tally_span_ns(const struct tally *s)
{
	if (!s->n_begin_known)
		return 0;
	int64_t last = s->last_end_ns > s->last_begin_ns ? s->last_end_ns : s->last_begin_ns;
	return last - s->first_begin_ns;
}

double tally_interarrival_ns(const struct tally *s)
{
	return s->n_begin_known < 2 ? NAN
				    : (double)(s->last_begin_ns - s->first_begin_ns) /
					  (double)(s->n_begin_known - 1);
}

static int by_requests(const void *a, const void *b)
{
	const struct tally_thread *x = a, *y = b;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->pid != y->pid ? order_u32(&x->pid, &y->pid) : order_u32(&x->tid, &y->tid);
}

size_t tally_top_threads(const struct tally *s, struct tally_thread *top, size_t k)
{
	return sort_top(top, k, s->thread, s->n_threads, sizeof *top, by_requests);
}

struct tally_family tally_family(const struct tally *t, enum op_family family)
{
	struct tally_family f = {0};
	for (unsigned int i = 1; i < OP_N; i++) {
		const struct tally_op *op = &t->op[i];
		if (op_info(i)->family != family)
			continue;
		f.n += op->n;
		f.n_failed += op->n_failed;
		if (__builtin_add_overflow(f.bytes, op->bytes, &f.bytes))
			f.bytes = UINT64_MAX;
		f.sum_ns += op->sum_ns;
	}
	return f;
}
