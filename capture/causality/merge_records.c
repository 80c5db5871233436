/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the records of the base run, with the causes of each node's waits. Records are in order of
 * begin. But a signal is due at the end of its request, and requests of other nodes may begin
 * before that. Signals that are due later are kept in a heap, at most those of one request per
 * node. */
#include "capture/causality/merge_records.h"

#include "capture/format.h"
#include "capture/preload/causes.h"
#include "common/heap.h"

/* a shorter computation does not get a record of its own */
#define SPLIT_LEAST_NS INT64_C(20000)
/* In a replay, a node continues about this long after a signal: the time of a message, or the wait
 * for a CPU if nodes share CPUs. */
#define WAKE_NS INT64_C(50000)
#define WAKE_CONTENDED_NS INT64_C(2000000)

struct due {
	int64_t ns;
	uint32_t node;
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

int merge_records_write(struct merge_job *j, struct err *e)
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
