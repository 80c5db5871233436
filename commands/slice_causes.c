/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/slice.h"

#include "capture/causality/causality.h"
#include "common/sort.h"

struct end { /* a signal or a wait; for a barrier, its number is in `waiter` */
	uint32_t signaller, waiter;
	bool of_barrier, is_wait, kept;
	uint64_t number; /* number among all signals and waits */
};

struct slice_causes {
	bool *drop; /* drop[n], by number */
	uint64_t n, n_dropped, at;
};

ORDER_BY(compare_ends, struct end, of_barrier, signaller, waiter, is_wait, number)

/* end[n] are the signals and waits of one barrier. They are kept if at least one node signals and
 * at least one waits. */
static void barrier_look(struct slice_causes *x, const struct end *end, size_t n)
{
	bool signals = false, waits = false;
	for (size_t i = 0; i < n; i++) {
		signals |= end[i].kept && !end[i].is_wait;
		waits |= end[i].kept && end[i].is_wait;
	}
	for (size_t i = 0; i < n; i++) {
		x->drop[end[i].number] = !signals || !waits;
		x->n_dropped += end[i].kept && x->drop[end[i].number];
	}
}

/* end[n] are the ends of one pair of nodes: first signals, then waits. The k-th wait belongs to the
 * k-th signal. */
static void pair_look(struct slice_causes *x, const struct end *end, size_t n)
{
	size_t n_signals = 0;
	while (n_signals < n && !end[n_signals].is_wait)
		n_signals++;
	for (size_t i = 0; i < n; i++) {
		size_t partner = end[i].is_wait ? i - n_signals : i + n_signals;
		bool has = end[i].is_wait ? partner < n_signals : partner < n;
		x->drop[end[i].number] = !has || !end[partner].kept;
		x->n_dropped += end[i].kept && x->drop[end[i].number];
	}
}

static int ends_read(struct trace *t, const struct causality_facts *f, struct slice_filter *filter,
		     struct end **end, size_t *n, struct err *e)
{
	const struct trace_record *r;
	size_t cap = 0;
	bool over = false;
	int ret = trace_rewind(t, e);
	while (!ret && (ret = trace_next(t, &r, e)) == 1) {
		struct trace_record copy = *r;
		int keep = over ? 0 : slice_filter_pass(filter, t, &copy);
		over |= keep == 2;
		ret = 0;
		if (r->op != OP_SIGNAL && r->op != OP_WAIT)
			continue;
		bool is_wait = r->op == OP_WAIT;
		int64_t node = causality_node_of(f, r->pid, r->tid);
		uint32_t of = node < 0 ? UINT32_MAX : (uint32_t)node,
			 other = r->length < f->n_nodes ? (uint32_t)r->length : UINT32_MAX;
		GROW(*end, *n, cap);
		(*end)[*n] =
		    r->flags & CAUSE_OF_BARRIER
			? (struct end){0, (uint32_t)r->length, true, is_wait, keep == 1, *n}
			: (struct end){is_wait ? other : of, is_wait ? of : other, false, is_wait,
				       keep == 1, *n};
		++*n;
	}
	return ret;
}

int slice_causes_open(struct slice_causes **out, struct trace *t,
		      const struct slice_filter_config *c, struct err *e)
{
	SCOPED(causality_facts_release) struct causality_facts f = {0};
	struct slice_filter *filter = NULL;
	struct end *end = NULL;
	size_t n = 0;
	*out = NULL;
	int ret = causality_facts_read(&f, trace_meta(t), e);
	if (ret || !f.n_nodes)
		return ret;
	struct slice_causes *x = *out = xcalloc(1, sizeof *x);
	ret = slice_filter_open(&filter, c, e);
	ret = ret ? ret : ends_read(t, &f, filter, &end, &n, e);
	x->drop = xcalloc(n + 1, sizeof *x->drop);
	x->n = n;
	SORT(end, n, compare_ends);
	for (size_t from = 0, to; !ret && from < n; from = to) {
		for (to = from + 1; to < n && end[to].of_barrier == end[from].of_barrier &&
				    end[to].signaller == end[from].signaller &&
				    end[to].waiter == end[from].waiter;
		     to++)
			;
		if (end[from].of_barrier)
			barrier_look(x, end + from, to - from);
		else
			pair_look(x, end + from, to - from);
	}
	free(end);
	slice_filter_close(filter);
	return ret;
}

void slice_causes_close(struct slice_causes *x)
{
	if (!x)
		return;
	FREE_EACH(x->drop, x);
}

bool slice_causes_pass(struct slice_causes *x, const struct trace_record *r)
{
	if (r->op != OP_SIGNAL && r->op != OP_WAIT)
		return true;
	return x->at >= x->n || !x->drop[x->at++];
}

void slice_causes_print(const struct slice_causes *x)
{
	if (x->n_dropped)
		printf("%" PRIu64 " record%s of signals and waits left out: the slice lacks the "
		       "counterpart%s in other threads\n", x->n_dropped,
		       x->n_dropped == 1 ? "" : "s", x->n_dropped == 1 ? "" : "s");
}
