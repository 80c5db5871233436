/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the base run again, with the causes of each node's waits. Records are in order of begin.
 * But a signal is due at the end of its request, and requests of other nodes may begin before that.
 * Signals that are due later are kept in a heap, at most those of one request per node. */

#include "capture/causality/merge_private.h"
#include "capture/causality/work_private.h"
#include "capture/format.h"
#include "capture/preload/causes.h"
#include "common/file_beside.h"
#include "common/heap.h"

/* a shorter computation does not get a record of its own */
#define SPLIT_LEAST_NS INT64_C(20000)
/* In a replay, a node continues about this long after a signal: the time of a message, or the wait
 * for a CPU if nodes share CPUs. */
#define WAKE_NS INT64_C(50000)
#define WAKE_CONTENDED_NS INT64_C(2000000)

#define NODE_OMITTED UINT32_MAX

struct merge_node {
	uint64_t place;	  /* place in the node's records, counted as in causality_links_read() */
	uint16_t last_op; /* operation of its last record */
	/* Position in the base run: time outside waiting calls since its last request; total time
	 * so far, except waits for other nodes. */
	int64_t at_ns, own_ns;
	struct links_range at;
	uint64_t n_requests, n_parts; /* requests written; compute records since the last request */
	bool owes;	    /* the signals after its last request are still due, at due_ns */
	int64_t due_ns;
	int64_t external_ns; /* before its next request, after its waits */
	/* part of the time before its next request in which it may have waited for a CPU, not for a
	 * cause */
	int64_t contended_ns;
	int64_t last_ns;    /* time of its last record */
};

struct due {
	int64_t ns;
	uint32_t node;
};

struct merge_job {
	struct requests q;
	struct trace_writer *to;
	struct causality_links *l;
	const struct computes *c;
	const struct causality_facts *facts;
	struct causality_merge_counts *counts;
	bool complete; /* each request of each node was delayed, so no dependency is missing */
	struct links_order order;
	/* The first pass writes nothing. It sets the places of the links to those of their records,
	 * and sent_ns[l->n]: when each signal was sent in the base run. */
	bool first_pass;
	int64_t *sent_ns;
	/* own_ns of the nodes at each link */
	struct work_amount *at_wait, *at_signal;
	struct merge_barriers barriers;
	struct merge_node *node;
	uint32_t *number; /* number[n_nodes]: in the output; NODE_OMITTED */
	struct due *due; /* a heap by ns */
	size_t n_due, cap_due;
	uint32_t n_objects;
	uint64_t seq;
	struct trace_record out[1024];
	size_t n_out;
};

/* --- output -------------------------------------------------------------- */

static int records_flush(struct merge_job *j, struct err *e)
{
	size_t n = j->n_out;
	j->n_out = 0;
	return n ? trace_writer_append(j->to, j->out, n, e) : 0;
}

static int record_emit(struct merge_job *j, uint32_t of, const struct trace_record *r,
		       struct err *e)
{
	struct merge_node *n = &j->node[of];
	n->place += r->op != n->last_op || (r->op != OP_SIGNAL && r->op != OP_WAIT);
	n->last_op = r->op;
	if (j->first_pass)
		return 0;
	struct trace_record *to = &j->out[j->n_out++];
	*to = *r;
	to->seq = j->seq++;
	return j->n_out == sizeof j->out / sizeof *j->out ? records_flush(j, e) : 0;
}

static struct trace_record cause_of(const struct merge_job *j, enum trace_op op, uint32_t of,
				    int64_t ns, uint64_t length)
{
	const struct causality_node *n = &j->q.f.node[of];
	struct trace_record r = record_unknown();
	r.begin_ns = r.end_ns = ns;
	r.length = length;
	r.pid = n->pid;
	r.tid = n->tid;
	r.op = (uint16_t)op;
	return r;
}

static int link_emit_first(struct merge_job *j, bool signal, uint32_t of, size_t link,
			   const struct trace_record *r, struct err *e)
{
	struct causality_link *g = &j->l->link[link];
	const int ret = record_emit(j, of, r, e);
	*(signal ? &g->signal_place : &g->wait_place) = j->node[of].place;
	if (signal)
		j->sent_ns[link] = j->node[of].at_ns;
	return ret;
}

/* Writes the signal or the wait of a link. */
static int emit_link(struct merge_job *j, enum trace_op op, uint32_t of, int64_t ns, size_t link,
		     struct err *e)
{
	const struct causality_link *g = &j->l->link[link];
	const bool signal = op == OP_SIGNAL;
	const uint32_t other = signal ? g->waiter : g->signaller;
	struct trace_record r =
	    cause_of(j, op, of, ns, other < j->facts->n_nodes ? j->number[other] : 0);
	if (j->first_pass)
		return link_emit_first(j, signal, of, link, &r, e);
	(signal ? j->at_signal : j->at_wait)[link].ns = j->node[of].own_ns;
	if (!j->barriers.number[link])
		return record_emit(j, of, &r, e);
	r.length = j->barriers.number[link];
	r.flags = CAUSE_OF_BARRIER;
	const bool again = (signal ? j->barriers.again_signal : j->barriers.again_wait)[link];
	return again ? 0 : record_emit(j, of, &r, e);
}

/* Writes a computation as up to two records. The node slept for `slept_ns` of it. */
static int emit_compute(struct merge_job *j, uint32_t of, const struct trace_record *r,
			int64_t slept_ns, struct err *e)
{
	struct trace_record part = *r;
	const int64_t length = (int64_t)r->length;
	part.flags = slept_ns >= SPLIT_LEAST_NS ? COMPUTE_ASLEEP : COMPUTE_BUSY;
	if (slept_ns < SPLIT_LEAST_NS || length - slept_ns < SPLIT_LEAST_NS)
		return record_emit(j, of, &part, e);
	struct trace_record busy = *r;
	busy.flags = COMPUTE_BUSY;
	busy.length = (uint64_t)(length - slept_ns);
	busy.offset = 0;
	busy.end_ns = busy.begin_ns;
	part.length = (uint64_t)slept_ns;
	int ret = record_emit(j, of, &busy, e);
	return ret ? ret : record_emit(j, of, &part, e);
}

/* Copies a record. Objects and heap items keep their places, because nothing else is written to the
 * heap. */
static int emit_copy(struct merge_job *j, uint32_t of, const struct trace_record *r, struct err *e)
{
	struct trace_record copy = *r;
	if (j->first_pass)
		return record_emit(j, of, r, e);
	int ret = trace_copy_objects(j->q.t, j->to, &j->n_objects, e);
	ret = ret ? ret : trace_copy_heap(j->q.t, j->to, &copy.heap, e);
	return ret ? ret : record_emit(j, of, &copy, e);
}

/* --- signals that are due later ------------------------------------------ */

static bool due_is_before(const void *a, const void *b, const void *context)
{
	(void)context;
	return ((const struct due *)a)->ns < ((const struct due *)b)->ns;
}

static const struct heap_type heap_of_due = {sizeof(struct due), due_is_before, NULL};

static struct due due_take(struct merge_job *j)
{
	struct due first = j->due[0];
	j->due[0] = j->due[--j->n_due];
	heap_sift_down(&heap_of_due, j->due, j->n_due, 0);
	return first;
}

/* Writes the pending signals of a node, except signals after more than `upto_ppm` of the
 * computation that follows. */
static int signals_emit(struct merge_job *j, uint32_t of, int64_t ns, uint32_t upto_ppm,
			struct err *e)
{
	struct merge_node *n = &j->node[of];
	int ret = 0;
	n->owes = false;
	n->last_ns = ns;
	while (n->at.signal < n->at.signals_end && !ret) {
		const struct causality_link *g = &j->l->link[j->order.by_signal[n->at.signal]];
		if (g->signal_request > n->n_requests ||
		    (g->signal_request == n->n_requests && g->signalled_ppm > upto_ppm))
			break;
		ret = emit_link(j, OP_SIGNAL, of, ns, j->order.by_signal[n->at.signal++], e);
	}
	return ret;
}

/* Writes the signals of all nodes that are due up to `ns`. */
static int due_emit(struct merge_job *j, int64_t ns, struct err *e)
{
	int ret = 0;
	while (!ret && j->n_due && j->due[0].ns <= ns) {
		struct due d = due_take(j);
		if (j->node[d.node].owes && j->node[d.node].due_ns == d.ns)
			ret = signals_emit(j, d.node, d.ns, 0, e);
	}
	return ret;
}

/* --- the base run -------------------------------------------------------- */

static int waits_emit(struct merge_job *j, uint32_t of, int64_t ns, uint64_t number, struct err *e)
{
	struct merge_node *n = &j->node[of];
	int ret = 0;
	while (n->at.wait < n->at.waits_end && !ret) {
		const struct causality_link *g = &j->l->link[j->order.by_wait[n->at.wait]];
		if (g->wait_request > number)
			break;
		ret = emit_link(j, OP_WAIT, of, ns, j->order.by_wait[n->at.wait++], e);
	}
	return ret;
}

static const struct compute *compute_of(const struct merge_job *j, int64_t node, uint64_t number)
{
	return j->c->v && j->c->first[node] != UINT64_MAX ? &j->c->v[j->c->first[node] + number]
							  : NULL;
}

/* Position of the next signal or wait in this computation, in parts of COMPUTED_ALL; signals come
 * first. -1: none. */
static int64_t next_ppm(const struct merge_job *j, const struct merge_node *n, uint64_t number,
			bool *signals)
{
	const struct causality_link *s =
	    n->at.signal < n->at.signals_end ? &j->l->link[j->order.by_signal[n->at.signal]] : NULL;
	const struct causality_link *w =
	    n->at.wait < n->at.waits_end ? &j->l->link[j->order.by_wait[n->at.wait]] : NULL;
	*signals = s && s->signal_request <= number;
	if (*signals)
		return s->signalled_ppm;
	return w && w->wait_request <= number ? (int64_t)w->computed_ppm : -1;
}

/* Writes a computation with the signals and waits at their positions inside it. Waits after its end
 * are written before the request. The order of computation and sleep is unknown, so each part gets
 * the same share of both. */
static int compute_emit(struct merge_job *j, const struct trace_record *r, int64_t slept_ns,
			uint32_t of, uint64_t number, struct err *e)
{
	struct merge_node *n = &j->node[of];
	struct trace_record rest = *r;
	const double slept = r->length ? (double)slept_ns / (double)r->length : 0;
	const int64_t own_ns = n->own_ns, from_ns = r->begin_ns, elapsed_ns = merge_elapsed(r);
	int ret = 0;
	int64_t ppm;
	bool signals;
	while (!ret && (ppm = next_ppm(j, n, number, &signals)) >= 0) {
		const uint64_t done = r->length - rest.length,
			       upto = (uint64_t)((double)r->length * (double)ppm / COMPUTED_ALL);
		/* a short computation before a wait or after a signal gets no record */
		if (upto + SPLIT_LEAST_NS > r->length && !(signals && upto < SPLIT_LEAST_NS))
			break;
		if (upto >= done + SPLIT_LEAST_NS) {
			struct trace_record part = *r;
			part.length = upto - done;
			part.offset = 0;
			part.end_ns = part.begin_ns;
			rest.length -= part.length;
			ret = emit_compute(j, of, &part, llrint(slept * (double)part.length), e);
		}
		n->own_ns = own_ns + llrint((double)elapsed_ns * (double)ppm / COMPUTED_ALL);
		n->at_ns = from_ns + (n->own_ns - own_ns);
		if (!ret && signals)
			ret = signals_emit(j, of, r->begin_ns, (uint32_t)ppm, e);
		else if (!ret)
			ret = emit_link(j, OP_WAIT, of, r->begin_ns,
					j->order.by_wait[n->at.wait++], e);
	}
	ret = ret ? ret : emit_compute(j, of, &rest, llrint(slept * (double)rest.length), e);
	n->own_ns = own_ns + elapsed_ns;
	n->at_ns = from_ns + elapsed_ns;
	return ret ? ret : signals_emit(j, of, n->last_ns, COMPUTED_ALL, e);
}

/* Assigns the time in waiting calls before request `number` to external waits, unexplained waits,
 * or waits for a CPU. */
static void waiting_explain(struct merge_job *j, const struct trace_record *r, uint32_t of,
			    uint64_t number, bool polled)
{
	struct merge_node *n = &j->node[of];
	struct causality_merge_counts *c = j->counts;
	size_t end = n->at.wait;
	while (end < n->at.waits_end && j->l->link[j->order.by_wait[end]].wait_request <= number)
		end++;
	int64_t ns = merge_unexplained(r, j->l, j->order.by_wait + n->at.wait, end - n->at.wait,
				       j->sent_ns, polled);
	const bool shares = j->facts->cpu_time, polls = r->dispatch_ns > 0;
	const int64_t off_cpu_ns = !shares || !polls     ? 0
				   : r->dispatch_ns < ns ? r->dispatch_ns
							 : ns;
	const int64_t least_ns = end == n->at.wait && !polls ? SPLIT_LEAST_NS
				 : shares		   ? WAKE_CONTENDED_NS
							   : WAKE_NS;
	ns -= off_cpu_ns;
	n->contended_ns += off_cpu_ns + (ns < least_ns ? ns : 0);
	if (ns < least_ns)
		return;
	if (j->complete) {
		n->external_ns += ns;
		c->external_ns += ns;
		return;
	}
	c->unexplained_ns += ns;
	if (ns > c->longest_ns) {
		c->longest_ns = ns;
		c->longest_node = j->number[of];
		c->longest_request = number;
	}
}

/* Writes a computation that continues in another record, which has the waits. */
static int compute_emit_part(struct merge_job *j, const struct trace_record *r, int64_t slept_ns,
			     uint32_t of, struct err *e)
{
	j->node[of].own_ns += merge_elapsed(r);
	return emit_compute(j, of, r, slept_ns, e);
}

static int compute_take(struct merge_job *j, const struct trace_record *r, int64_t node,
			uint64_t number, struct err *e)
{
	const struct compute *other = compute_of(j, node, number);
	struct trace_record changed = *r;
	int64_t slept_ns = r->intended_ns > 0 ? r->intended_ns : 0;
	changed.intended_ns = changed.dispatch_ns = TIME_NONE;
	changed.flags = 0;
	changed.rvalue = 0;
	if (r->flags & CAUSE_GOES_ON) /* the next record has the waits */
		return other ? 0 : compute_emit_part(j, &changed, slept_ns, (uint32_t)node, e);
	if (!j->first_pass)
		waiting_explain(j, r, (uint32_t)node, number, other);
	if (j->node[node].n_parts++ && other) /* the first record had the whole length */
		return 0;
	if (other && other->ns < 0)
		return 0;
	if (other) {
		changed.length = (uint64_t)other->ns;
		changed.offset = other->blocked_ns;
		slept_ns = other->slept_ns;
	}
	return compute_emit(j, &changed, slept_ns, (uint32_t)node, number, e);
}

static int external_emit(struct merge_job *j, uint32_t of, int64_t ns, struct err *e)
{
	struct merge_node *n = &j->node[of];
	struct trace_record r = cause_of(j, OP_COMPUTE, of, ns, (uint64_t)n->external_ns);
	r.flags = COMPUTE_EXTERNAL;
	n->own_ns += n->external_ns + n->contended_ns;
	n->external_ns = n->contended_ns = 0;
	return r.length ? record_emit(j, of, &r, e) : 0;
}

static int request_take(struct merge_job *j, const struct trace_record *r, int64_t node,
			uint64_t number, int64_t ns, struct err *e)
{
	struct merge_node *n = &j->node[node];
	const struct compute *other = compute_of(j, node, number);
	int ret = 0;
	if (other && !n->n_parts && other->ns >= 0) {
		struct trace_record compute =
		    cause_of(j, OP_COMPUTE, (uint32_t)node, ns, (uint64_t)other->ns);
		compute.offset = other->blocked_ns;
		ret = emit_compute(j, (uint32_t)node, &compute, other->slept_ns, e);
	}
	n->n_parts = 0;
	ret = ret ? ret : signals_emit(j, (uint32_t)node, ns, COMPUTED_ALL, e);
	n->n_requests = number + 1;
	ret = ret ? ret : waits_emit(j, (uint32_t)node, ns, number, e);
	ret = ret ? ret : external_emit(j, (uint32_t)node, ns, e);
	ret = ret || is_message(r) ? ret : emit_copy(j, (uint32_t)node, r, e);
	n->at_ns = r->end_ns > ns ? r->end_ns : ns;
	n->own_ns +=
	    r->end_ns != TIME_NONE && r->begin_ns != TIME_NONE ? r->end_ns - r->begin_ns : 0;
	if (n->at.signal < n->at.signals_end &&
	    j->l->link[j->order.by_signal[n->at.signal]].signal_request <= n->n_requests) {
		n->owes = true;
		n->due_ns = r->end_ns > ns ? r->end_ns : ns;
		GROW(j->due, j->n_due, j->cap_due);
		j->due[j->n_due] = (struct due){n->due_ns, ((uint32_t)node)};
		heap_sift_up(&heap_of_due, j->due, j->n_due++);
	}
	return ret;
}

static int record_take(struct merge_job *j, const struct trace_record *r, int64_t node,
		       uint64_t number, struct err *e)
{
	if (node < 0 || (!is_request(r) && r->op != OP_COMPUTE)) {
		j->counts->n_left_out++;
		return 0;
	}
	if (j->number[node] == NODE_OMITTED)
		return 0;
	struct merge_node *n = &j->node[node];
	int64_t ns =
	    r->begin_ns != TIME_NONE && r->begin_ns > n->last_ns ? r->begin_ns : n->last_ns;
	int ret = due_emit(j, r->begin_ns, e);
	if (!ret && n->owes)
		ret = signals_emit(j, (uint32_t)node, ns, 0, e);
	n->last_ns = ns;
	/* after its last signal, no node waits for a node without requests */
	if (ret || (j->facts->node[node].sends && n->at.signal == n->at.signals_end))
		return ret;
	return r->op == OP_COMPUTE ? compute_take(j, r, node, number, e)
				   : request_take(j, r, node, number, ns, e);
}

static int take_all(struct merge_job *j, struct err *e)
{
	const struct trace_record *r;
	int64_t node;
	uint64_t number;
	int ret = 0;
	while (!ret && (ret = requests_next(&j->q, &r, &node, &number, e)) == 1)
		ret = record_take(j, r, node, number, e);
	ret = ret ? ret : due_emit(j, INT64_MAX, e);
	for (uint32_t i = 0; i < j->facts->n_nodes && !ret; i++)
		ret = signals_emit(j, i, j->node[i].last_ns, COMPUTED_ALL, e);
	return ret ? ret : records_flush(j, e);
}

/* Sets each node to its first wait and signal. */
static void nodes_reset(struct merge_job *j)
{
	links_order_release(&j->order);
	links_order_make(&j->order, j->l);
	for (uint32_t i = 0; i < j->l->n_nodes; i++)
		j->node[i] = (struct merge_node){.at = j->order.of[i], .last_ns = TIME_NONE};
	j->counts->n_left_out = 0;
}

static int places_find(struct merge_job *j, struct err *e)
{
	nodes_reset(j);
	int ret = requests_rewind(&j->q, e);
	return ret ? ret : take_all(j, e);
}

/* A join sends its signals when it has got all signals. */
static void joins_send(struct merge_job *j)
{
	const struct causality_links *l = j->l;
	SCOPED_FREE int64_t *last_ns = xcalloc((size_t)l->n_nodes + 1, sizeof *last_ns);
	for (uint32_t i = 0; i < l->n_nodes; i++)
		last_ns[i] = INT64_MIN;
	for (size_t i = 0; i < l->n; i++) {
		int64_t *last = &last_ns[l->link[i].waiter];
		*last = j->sent_ns[i] > *last ? j->sent_ns[i] : *last;
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->link[i].signaller >= links_nodes(l))
			j->sent_ns[i] = last_ns[l->link[i].signaller];
}

/* Sets the places of the links. Waits at different places of a short computation get one place,
 * which makes some of them redundant. */
static int first_pass(struct merge_job *j, struct err *e)
{
	j->first_pass = true;
	int ret = places_find(j, e);
	const size_t n = j->l->n;
	ret = ret ? ret : causality_links_reduce(j->l, e);
	ret = ret || j->l->n == n ? ret : places_find(j, e);
	j->first_pass = false;
	joins_send(j);
	j->counts->n_edges_left = merge_edges_count(j->l);
	ret = ret ? ret : requests_rewind(&j->q, e);
	if (ret)
		return ret;
	nodes_reset(j);
	return merge_barriers_find(&j->barriers, j->l, j->order.by_wait, j->order.by_signal, e);
}

/* Predicts the execution time of a replay: each node takes its own time in the base run, and waits
 * for its signals. */
static int running_predict(struct merge_job *j, struct err *e)
{
	struct work_amount longest, *total = xcalloc((size_t)j->l->n_nodes + 1, sizeof *total);
	for (uint32_t i = 0; i < j->l->n_nodes; i++)
		total[i].ns = j->node[i].own_ns;
	const struct work_before before = {.wait = j->at_wait, .signal = j->at_signal};
	int ret = critical_path(j->l, &before, total, &longest, e);
	j->counts->predicted_ns = longest.ns;
	free(total);
	return ret;
}

/* Omits nodes without requests for which no node waits. */
static void nodes_number(struct merge_job *j)
{
	struct causality_merge_counts *c = j->counts;
	for (uint32_t i = 0; i < j->facts->n_nodes; i++)
		j->number[i] = j->facts->node[i].sends ? NODE_OMITTED : 0;
	for (size_t i = 0; i < j->l->n; i++)
		if (j->l->link[i].signaller < j->facts->n_nodes)
			j->number[j->l->link[i].signaller] = 0;
	for (uint32_t i = 0; i < j->facts->n_nodes; i++) {
		if (j->number[i] == NODE_OMITTED)
			continue;
		j->number[i] = c->n_nodes++;
		c->n_senders += j->facts->node[i].sends;
	}
}

/* Takes the nodes of the output; the caller frees node[] and throttled[]. */
static void facts_number(const struct merge_job *j, struct causality_facts *f)
{
	struct causality_node *node = xcalloc((size_t)f->n_nodes + 1, sizeof *node);
	uint32_t *throttled = xcalloc((size_t)f->n_throttled + 1, sizeof *throttled), n = 0;
	for (uint32_t i = 0; i < f->n_nodes; i++)
		if (j->number[i] != NODE_OMITTED)
			node[j->number[i]] = j->q.f.node[i];
	for (uint32_t i = 0; i < f->n_throttled; i++)
		if (j->number[f->throttled[i]] != NODE_OMITTED)
			throttled[n++] = j->number[f->throttled[i]];
	f->node = node;
	f->n_nodes = j->counts->n_nodes;
	f->throttled = throttled;
	f->n_throttled = n;
}

static int meta_write(struct merge_job *j, const struct causality_facts *facts, const char *path,
		      const char *shown, struct err *e)
{
	const struct trace_write_options how = {.shown = shown, .compress = true};
	struct causality_facts f = *facts;
	struct trace_meta meta = *trace_meta(j->q.t);
	facts_number(j, &f);
	f.predicted_ns = j->counts->predicted_ns;
	SCOPED_FREE char *extra = causality_facts_text(&f, meta.extra_json);
	FREE_EACH(f.node, f.throttled);
	meta.extra_json = extra;
	return j->to ? trace_writer_set_meta(j->to, &meta, e)
		     : trace_writer_open(&j->to, path, &meta, &how, e);
}

static int write_all_of(struct merge_job *j, const struct causality_facts *facts, const char *path,
			const char *shown, struct err *e)
{
	int ret = meta_write(j, facts, path, shown, e);
	if (ret)
		return ret;
	ret = take_all(j, e);
	ret = ret ? ret : running_predict(j, e);
	ret = ret ? ret : meta_write(j, facts, path, shown, e);
	return trace_writer_end(j->to, ret, e);
}

/* Whether each request of each node was delayed, or there is only one node. */
static bool is_complete(const struct causality_facts *f)
{
	return f->n_nodes == 1 || (f->period == 1 && f->n_throttled == f->n_nodes);
}

static void job_release(struct merge_job *j)
{
	requests_close(&j->q);
	merge_barriers_release(&j->barriers);
	links_order_release(&j->order);
	FREE_EACH(j->node, j->number, j->sent_ns, j->at_wait, j->at_signal, j->due, j);
}

int merge_write(const struct causality_run *base, struct causality_links *l,
		const struct computes *c, const struct causality_facts *facts, const char *output,
		struct causality_merge_counts *counts, struct err *e)
{
	struct merge_job *j = xcalloc(1, sizeof *j);
	int ret = requests_open(&j->q, base->trace, facts->n_nodes, e);
	if (ret) {
		free(j);
		return ret;
	}
	char *temporary = NULL;
	int fd = file_beside(output, 0666, &temporary, e);
	ret = fd < 0 ? fd : 0;
	j->l = l;
	j->c = c;
	j->facts = facts;
	j->counts = counts;
	j->complete = is_complete(facts);
	j->node = xcalloc((size_t)l->n_nodes + 1, sizeof *j->node);
	j->sent_ns = xcalloc(l->n + 1, sizeof *j->sent_ns);
	j->at_wait = xcalloc(l->n + 1, sizeof *j->at_wait);
	j->at_signal = xcalloc(l->n + 1, sizeof *j->at_signal);
	j->number = xcalloc((size_t)facts->n_nodes + 1, sizeof *j->number);
	nodes_number(j);
	ret = ret ? ret : first_pass(j, e);
	ret = ret ? ret : write_all_of(j, facts, temporary, output, e);
	ret = file_beside_keep(temporary, output, ret, e);
	fd_close(fd);
	job_release(j);
	return ret;
}
