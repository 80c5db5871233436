/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches the waits and signals of a trace. */

#include "capture/causality/links_private.h"
#include "capture/causality/requests.h"
#include "common/sort.h"

struct link_end { /* a wait or a signal */
	uint32_t signaller, waiter;
	uint64_t record, place, request;
};

struct link_ends {
	struct link_end *v;
	size_t n, cap;
};

struct links_read_node {
	uint64_t place, n_requests;
	uint16_t last_op; /* consecutive waits have one place, and so have consecutive signals */
};

ORDER_BY(compare_ends, struct link_end, signaller, waiter, record)

static void end_add(struct link_ends *ends, const struct link_end *one)
{
	GROW(ends->v, ends->n, ends->cap);
	ends->v[ends->n++] = *one;
}

struct links_reading {
	struct link_ends signals, waits;
	struct links_barriers barriers;
	struct causality_links *l;
	struct links_read_node *node;
	const struct causality_facts *f;
};

static int mark_take(struct links_reading *x, uint32_t of, const struct trace_record *r,
		     uint64_t index, struct err *e)
{
	if (!r->length || r->length > UINT32_MAX)
		return err_set(e, EINVAL, "record %" PRIu64 ": the %s names barrier %" PRIu64 ", "
					  "but barriers are numbered from 1 to 2^32-1", index,
			       op_name(r->op), r->length);
	const struct links_read_node *n = &x->node[of];
	if (n->place > UINT32_MAX)
		return err_set(e, E2BIG, "record %" PRIu64 ": node %" PRIu32 " (traced thread) has "
			"more than 2^32-1 records before a barrier", index, of);
	links_mark_add(&x->barriers, x->l, r->length,
		       (struct causality_mark){.node = of & INT32_MAX, .is_wait = r->op == OP_WAIT,
					       .place = (uint32_t)n->place,
					       .request = (uint32_t)n->n_requests});
	return 0;
}

static int record_take(struct links_reading *x, const struct trace_record *r, uint64_t index,
		       struct err *e)
{
	const struct causality_facts *f = x->f;
	int64_t of = causality_node_of(f, r->pid, r->tid);
	bool cause = op_info(r->op)->family == FAMILY_CAUSE;
	if (of < 0)
		return cause ? err_set(e, EINVAL,
				       "record %" PRIu64 ": the %s belongs to thread "
				       "%" PRIu32 " of process %" PRIu32 ", which is not in the "
				       "trace's list of nodes (traced threads)",
				       index, op_name(r->op), r->tid, r->pid)
			     : 0;
	struct links_read_node *n = &x->node[of];
	n->place += r->op != n->last_op || (r->op != OP_SIGNAL && r->op != OP_WAIT);
	n->last_op = r->op;
	n->n_requests += is_request(r);
	if (r->op != OP_SIGNAL && r->op != OP_WAIT)
		return 0;
	if (r->flags & CAUSE_OF_BARRIER)
		return mark_take(x, (uint32_t)of, r, index, e);
	if (r->length >= f->n_nodes || r->length == (uint64_t)of)
		return err_set(e, EINVAL,
			       "record %" PRIu64 ": the %s of node %" PRId64 " (traced thread) "
			       "names node %" PRIu64 ", %s",
			       index, op_name(r->op), of, r->length,
			       r->length == (uint64_t)of ? "but must name another node"
							 : "which does not exist");
	uint32_t other = (uint32_t)r->length;
	struct link_end one = {r->op == OP_WAIT ? other : (uint32_t)of,
			       r->op == OP_WAIT ? (uint32_t)of : other, index, n->place,
			       n->n_requests};
	end_add(r->op == OP_WAIT ? &x->waits : &x->signals, &one);
	return 0;
}

static int lone_error(const struct link_end *signal, const struct link_end *wait, struct err *e)
{
	if (wait)
		return err_set(e, ENOENT,
			       "node %" PRIu32 " (traced thread) waits before its request %" PRIu64
			       " for a signal of node %" PRIu32 " that never comes",
			       wait->waiter, wait->request, wait->signaller);
	return err_set(e, EINVAL,
		       "node %" PRIu32 " (traced thread) signals node %" PRIu32 " after %" PRIu64
		       " requests, but node %" PRIu32 " does not wait for this signal",
		       signal->signaller, signal->waiter, signal->request, signal->waiter);
}

static bool same_pair(const struct link_end *a, const struct link_end *b)
{
	return a->signaller == b->signaller && a->waiter == b->waiter;
}

/* Reports a wait or signal without a partner, in the lowest pair of nodes. */
static int lone_find(const struct link_ends *signals, const struct link_ends *waits, size_t i,
		     struct err *e)
{
	const struct link_end *s = i < signals->n ? &signals->v[i] : NULL;
	const struct link_end *w = i < waits->n ? &waits->v[i] : NULL;
	const struct link_end sx = s ? (struct link_end){s->signaller, s->waiter, 0, 0,
							 0} : (struct link_end){0};
	const struct link_end wx = w ? (struct link_end){w->signaller, w->waiter, 0, 0,
							 0} : (struct link_end){0};
	bool wait_alone = !s || (w && compare_ends(&wx, &sx) < 0);
	return wait_alone ? lone_error(NULL, w, e) : lone_error(s, NULL, e);
}

static int ends_join(struct causality_links *l, struct link_ends *signals, struct link_ends *waits,
		     struct err *e)
{
	if (signals->n)
		qsort(signals->v, signals->n, sizeof *signals->v, compare_ends);
	if (waits->n)
		qsort(waits->v, waits->n, sizeof *waits->v, compare_ends);
	l->link = xcalloc(waits->n + 1, sizeof *l->link);
	l->cap = waits->n + 1;
	for (size_t i = 0; i < signals->n || i < waits->n; i++) {
		if (i >= signals->n || i >= waits->n || !same_pair(&signals->v[i], &waits->v[i]))
			return lone_find(signals, waits, i, e);
		const struct link_end *s = &signals->v[i], *w = &waits->v[i];
		l->link[l->n++] =
		    (struct causality_link){.signaller = s->signaller,
					    .waiter = s->waiter,
					    .signal_place = s->place,
					    .wait_place = w->place,
					    .signal_request = s->request,
					    .wait_request = w->request,
					    .computed_ppm = COMPUTED_ALL};
	}
	return 0;
}

int causality_links_read(struct causality_links *l, struct trace *t,
			 const struct causality_facts *f, struct err *e)
{
	struct links_reading x = {.f = f,
				  .l = l,
				  .node = xcalloc((size_t)f->n_nodes + 1, sizeof *x.node)};
	const struct trace_record *r;
	uint64_t index = 0;
	*l = (struct causality_links){.n_nodes = f->n_nodes};
	int ret = trace_rewind(t, e), got = 0;
	while (!ret && (got = trace_next(t, &r, e)) == 1)
		ret = record_take(&x, r, index++, e);
	ret = ret ? ret : got;
	ret = ret ? ret : ends_join(l, &x.signals, &x.waits, e);
	ret = ret ? ret : links_marks_finish(&x.barriers, l, e);
	links_barriers_release(&x.barriers);
	FREE_EACH(x.signals.v, x.waits.v, x.node);
	if (ret)
		causality_links_release(l);
	return ret;
}

int causality_check(struct trace *t, struct err *e)
{
	struct causality_facts f;
	struct causality_links l = {0};
	int ret = causality_facts_read(&f, trace_meta(t), e);
	ret = ret ? ret : causality_links_read(&l, t, &f, e);
	ret = ret ? ret : causality_links_walk(&l, NULL, e);
	causality_links_release(&l);
	causality_facts_release(&f);
	return ret;
}
