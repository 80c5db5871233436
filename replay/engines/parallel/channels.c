/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/sort.h"
#include "replay/engines/parallel/job.h"

#include "capture/op.h"
#include "common/u64_map.h"

struct pair { /* node `from` signals node `to` */
	uint32_t from, to; /* lanes */
	uint32_t from_node, to_node;
	uint32_t n_signals, n_waits;
	uint32_t at_from, at_to; /* number of the channel in each rank */
};

struct mark { /* a signal or wait of a barrier */
	uint32_t barrier, lane, index; /* index: of its request in the lane */
	bool is_wait;
};

/* In a barrier of more nodes, messages go through other nodes in rounds (a dissemination barrier,
 * Hensgen and others 1988): n log n channels instead of n squared. */
#define DIRECT_MAX 16u

struct mark_set { /* a set of barriers that the same nodes reach */
	/* first mark of one of these barriers; signals precede waits, each ordered by lane */
	size_t first;
	uint32_t n_signals, n_waits, n_uses;
	/* each node signals before it waits, and between the two it only sends other signals: so
	 * it can pass on the signals of other nodes */
	bool passes_on;
	uint32_t n_rounds; /* 0: each node sends to each other node */
	uint32_t first_pair;
	uint32_t next; /* the next set with the same hash, or NONE32 */
	uint32_t *list; /* list[n_signals + n_waits] */
};

struct node_pairs {
	struct pair *pair; /* pair[n] */
	uint32_t n, cap;
	struct u64_map of_nodes, tags; /* tags: number of channels for each pair of ranks */
	uint32_t *lane_of_node, *node_of_lane; /* NONE32: none */
	struct mark *mark; /* mark[n_marks] */
	size_t n_marks, marks_cap;
	struct mark_set *set; /* set[n_sets] */
	uint32_t n_sets, sets_cap;
	uint32_t *set_of; /* set_of[n_marks] */
};

static void nodes_place(struct node_pairs *ps, const struct causality_facts *f,
			const struct load *l)
{
	ps->lane_of_node = xmalloc(((size_t)f->n_nodes + 1) * sizeof *ps->lane_of_node);
	ps->node_of_lane = xmalloc(((size_t)l->n_threads + 1) * sizeof *ps->node_of_lane);
	for (uint32_t i = 0; i < f->n_nodes; i++)
		ps->lane_of_node[i] = NONE32;
	for (uint32_t i = 0; i < l->n_threads; i++) {
		int64_t node = causality_node_of(f, l->thread[i].pid, l->thread[i].tid);
		ps->node_of_lane[i] = node < 0 ? NONE32 : (uint32_t)node;
		if (node >= 0)
			ps->lane_of_node[node] = i;
	}
}

static uint64_t record_of(const struct replay_plan *p, uint32_t lane, uint32_t k)
{
	uint64_t i = 0;
	while (i < p->n_records && (p->place[i].lane != lane || p->place[i].index != k))
		i++;
	return i;
}

static struct pair *pair_of(struct node_pairs *ps, uint32_t from_node, uint32_t to_node)
{
	uint32_t *known = u64_map_at(&ps->of_nodes, u64_pair(from_node, to_node) + 1, ps->n);
	if (*known == ps->n)
		APPEND(ps->pair, ps->n, ps->cap,
		       (struct pair){.from = ps->lane_of_node[from_node],
				     .to = ps->lane_of_node[to_node],
				     .from_node = from_node,
				     .to_node = to_node});
	return &ps->pair[*known];
}

/* Finds the pair of nodes of a signal or wait, and stores its number in the request. */
static int request_count(struct node_pairs *ps, struct replay_plan *p,
			 const struct causality_facts *f, uint32_t lane, uint32_t k, struct err *e)
{
	struct hot_request *h = &p->lane[lane].request[k];
	const uint64_t other = h->offset;
	const uint32_t own = ps->node_of_lane[lane];
	if (own == NONE32)
		return err_set(e, EINVAL, "record %llu (%s): the trace's metadata \"causality\" "
			"does not list its thread",
			       (unsigned long long)record_of(p, lane, k), op_name(h->op));
	if (h->length & CAUSE_OF_BARRIER) {
		APPEND(ps->mark, ps->n_marks, ps->marks_cap,
		       (struct mark){(uint32_t)other, lane, k, h->op == OP_WAIT});
		h->length = CHANNEL_LIST; /* its number follows */
		return 0;
	}
	if (other >= f->n_nodes || other == own || ps->lane_of_node[other] == NONE32)
		return err_set(e, EINVAL, "record %llu: the %s of node %u (traced thread) names "
			"node %llu, which %s",
			       (unsigned long long)record_of(p, lane, k), op_name(h->op), own,
			       (unsigned long long)other,
			       other == own          ? "is the same node"
			       : other >= f->n_nodes ? "does not exist"
						     : "makes no request");
	const bool signal = h->op == OP_SIGNAL;
	struct pair *x =
	    signal ? pair_of(ps, own, (uint32_t)other) : pair_of(ps, (uint32_t)other, own);
	*(signal ? &x->n_signals : &x->n_waits) += 1;
	h->length = (uint32_t)(x - ps->pair);
	return 0;
}

/* --- barriers ------------------------------------------------------------ */

ORDER_BY(compare_marks, struct mark, barrier, is_wait, lane)

static bool same_marks(const struct mark *a, const struct mark *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].lane != b[i].lane || a[i].is_wait != b[i].is_wait)
			return false;
	return true;
}

/* Returns the set of the barrier whose marks are mark[from .. to). */
static uint32_t set_of_marks(struct node_pairs *ps, struct u64_map *known, size_t from, size_t to)
{
	const struct mark *m = &ps->mark[from];
	uint64_t hash = to - from;
	for (size_t i = 0; i < to - from; i++)
		hash = hash * UINT64_C(0x9e3779b97f4a7c15) + 2 * (uint64_t)m[i].lane +
		       m[i].is_wait + 1;
	uint32_t *first = u64_map_at(known, hash, NONE32);
	for (uint32_t i = *first; i != NONE32; i = ps->set[i].next)
		if (ps->set[i].n_signals + ps->set[i].n_waits == to - from &&
		    same_marks(&ps->mark[ps->set[i].first], m, to - from))
			return i;
	GROW(ps->set, ps->n_sets, ps->sets_cap);
	struct mark_set *s = &ps->set[ps->n_sets];
	*s = (struct mark_set){.first = from,
			       .passes_on = true,
			       .next = *first,
			       .list = xcalloc(to - from + 1, sizeof *s->list)};
	for (size_t i = 0; i < to - from; i++)
		*(m[i].is_wait ? &s->n_waits : &s->n_signals) += 1;
	*first = ps->n_sets;
	return ps->n_sets++;
}

/* Whether each node of a barrier with these marks passes on the signals of others. */
static bool passes_on(const struct replay_plan *p, const struct mark *m, size_t n)
{
	if (n % 2)
		return false;
	for (size_t i = 0; i < n / 2; i++) {
		const struct mark *w = &m[n / 2 + i];
		if (m[i].is_wait || !w->is_wait || w->lane != m[i].lane || w->index < m[i].index)
			return false;
		for (uint32_t k = m[i].index; k < w->index; k++)
			if (p->lane[w->lane].request[k].op != OP_SIGNAL)
				return false;
	}
	return true;
}

static void set_pair_add(struct node_pairs *ps, const struct mark_set *s, uint32_t from,
			 uint32_t to)
{
	APPEND(ps->pair, ps->n, ps->cap,
	       (struct pair){.from = from,
			     .to = to,
			     .from_node = ps->node_of_lane[from],
			     .to_node = ps->node_of_lane[to],
			     .n_signals = s->n_uses,
			     .n_waits = s->n_uses});
}

/* The channels of a set: from each node that signals to each other node that waits; or in round r
 * from node i to node i + 2^r. */
static void set_pairs(struct node_pairs *ps, struct mark_set *s)
{
	const struct mark *m = &ps->mark[s->first], *w = m + s->n_signals;
	const uint32_t n = s->n_signals;
	s->first_pair = ps->n;
	if (s->passes_on && n > DIRECT_MAX)
		while (n > UINT32_C(1) << s->n_rounds)
			s->n_rounds++;
	for (uint32_t r = 0; r < s->n_rounds; r++)
		for (uint32_t i = 0; i < n; i++)
			set_pair_add(ps, s, m[i].lane, m[(i + (UINT32_C(1) << r)) % n].lane);
	for (uint32_t i = 0; i < n && !s->n_rounds; i++)
		for (uint32_t k = 0; k < s->n_waits; k++)
			if (m[i].lane != w[k].lane)
				set_pair_add(ps, s, m[i].lane, w[k].lane);
}

static void sets_find(struct node_pairs *ps, const struct replay_plan *p)
{
	SCOPED(u64_map_release) struct u64_map known = {.cell = NULL};
	ps->set_of = xcalloc(ps->n_marks + 1, sizeof *ps->set_of);
	SORT(ps->mark, ps->n_marks, compare_marks);
	for (size_t from = 0, to; from < ps->n_marks; from = to) {
		for (to = from; to < ps->n_marks && ps->mark[to].barrier == ps->mark[from].barrier;)
			to++;
		const uint32_t set = set_of_marks(ps, &known, from, to);
		ps->set[set].n_uses++;
		ps->set[set].passes_on &= passes_on(p, &ps->mark[from], to - from);
		for (size_t i = from; i < to; i++)
			ps->set_of[i] = set;
	}
	for (uint32_t i = 0; i < ps->n_sets; i++)
		set_pairs(ps, &ps->set[i]);
}

static void list_begin(struct layout_rank *r, uint32_t *number)
{
	*number = r->n_lists | CHANNEL_LIST;
	APPEND(r->list, r->n_lists, r->lists_cap, (struct channel_list){r->n_listed, 0});
}

static void list_add(struct layout_rank *r, uint32_t channel)
{
	APPEND(r->listed, r->n_listed, r->listed_cap, channel);
	r->list[r->n_lists - 1].n++;
}

/* A signal begins round 0. A wait ends each round and begins the next one. */
static void round_lists(struct rank_layout *y, const struct node_pairs *ps, struct mark_set *s)
{
	const struct mark *m = &ps->mark[s->first];
	const struct pair *pair = &ps->pair[s->first_pair];
	const uint32_t n = s->n_signals;
	for (uint32_t i = 0; i < n; i++) {
		struct layout_rank *r = &y->rank[y->rank_of_lane[m[i].lane]];
		list_begin(r, &s->list[i]);
		list_add(r, pair[i].at_from);
		list_begin(r, &s->list[n + i]);
		for (uint32_t k = 0; k < s->n_rounds; k++) {
			const uint32_t from = (i + n - (UINT32_C(1) << k) % n) % n;
			list_add(r, pair[(size_t)k * n + from].at_to);
			if (k + 1 < s->n_rounds)
				list_add(r, pair[(size_t)(k + 1) * n + i].at_from | CHANNEL_SENDS);
		}
	}
}

/* Makes a list for each signal and each wait of a set. A list is complete before the next list
 * begins. */
static void set_lists(struct rank_layout *y, const struct node_pairs *ps, struct mark_set *s)
{
	if (s->n_rounds) {
		round_lists(y, ps, s);
		return;
	}
	SCOPED_FREE uint32_t *pair_at =
	    xcalloc((size_t)s->n_signals * s->n_waits + 1, sizeof *pair_at);
	uint32_t next = s->first_pair;
	const struct mark *m = &ps->mark[s->first], *w = m + s->n_signals;
	for (uint32_t i = 0; i < s->n_signals; i++) {
		struct layout_rank *r = &y->rank[y->rank_of_lane[m[i].lane]];
		list_begin(r, &s->list[i]);
		for (uint32_t k = 0; k < s->n_waits; k++) {
			const bool own = m[i].lane == w[k].lane;
			pair_at[(size_t)i * s->n_waits + k] = own ? NONE32 : next;
			if (!own)
				list_add(r, ps->pair[next++].at_from);
		}
	}
	for (uint32_t k = 0; k < s->n_waits; k++) {
		struct layout_rank *r = &y->rank[y->rank_of_lane[w[k].lane]];
		list_begin(r, &s->list[s->n_signals + k]);
		for (uint32_t i = 0; i < s->n_signals; i++) {
			const uint32_t pair = pair_at[(size_t)i * s->n_waits + k];
			if (pair != NONE32)
				list_add(r, ps->pair[pair].at_to);
		}
	}
}

/* Assigns lists to the signals and waits of all barriers. */
static void lists_set(struct rank_layout *y, struct replay_plan *p, struct node_pairs *ps)
{
	for (uint32_t i = 0; i < ps->n_sets; i++)
		set_lists(y, ps, &ps->set[i]);
	for (size_t from = 0, to; from < ps->n_marks; from = to) {
		const struct mark_set *s = &ps->set[ps->set_of[from]];
		to = from + s->n_signals + s->n_waits;
		for (size_t i = from; i < to; i++)
			p->lane[ps->mark[i].lane].request[ps->mark[i].index].length =
			    s->list[i - from];
	}
}

/* --- channels ------------------------------------------------------------ */

static uint32_t channel_add(struct layout_rank *r, struct channel c)
{
	APPEND(r->channel, r->n_channels, r->channels_cap, c);
	return r->n_channels - 1;
}

static int pair_lay(struct rank_layout *y, struct node_pairs *ps, struct pair *x, struct err *e)
{
	const uint32_t from = y->rank_of_lane[x->from], to = y->rank_of_lane[x->to];
	if (x->n_signals != x->n_waits)
		return err_set(
		    e, EINVAL,
		    "the trace is inconsistent: the number of signals from node %u (traced thread) "
		    "to node %u is %u, but the number of waits for them is %u",
		    x->from_node, x->to_node, x->n_signals, x->n_waits);
	if (from == to) {
		x->at_from = x->at_to = channel_add(&y->rank[from], (struct channel){from,
			y->rank[from].n_inside++, CHANNEL_INSIDE, x->n_signals});
		return 0;
	}
	uint32_t *tag = u64_map_at(&ps->tags, u64_pair(from, to) + 1, 0);
	if (*tag >= LAYOUT_MAX_TAG)
		return err_set(
		    e, EINVAL,
		    "more than %u pairs of threads of ranks %u and %u exchange signals: engine "
		    "parallel cannot replay this trace",
		    LAYOUT_MAX_TAG, from, to);
	x->at_from =
	    channel_add(&y->rank[from], (struct channel){to, *tag, CHANNEL_OUT, x->n_signals});
	x->at_to =
	    channel_add(&y->rank[to], (struct channel){from, *tag, CHANNEL_IN, x->n_signals});
	++*tag;
	return 0;
}

static bool is_message(const struct hot_request *h)
{
	return h->op == OP_SIGNAL || h->op == OP_WAIT;
}

static void pairs_release(struct node_pairs *ps)
{
	U64_MAPS_RELEASE(&ps->of_nodes, &ps->tags);
	for (uint32_t i = 0; i < ps->n_sets; i++)
		free(ps->set[i].list);
	FREE_EACH(ps->set, ps->set_of, ps->mark, ps->pair, ps->lane_of_node, ps->node_of_lane);
}

int channels_find(struct rank_layout *y, struct replay_plan *p, const struct causality_facts *f,
		  const struct load *l, struct err *e)
{
	struct node_pairs ps = {.pair = NULL};
	int ret = 0;
	nodes_place(&ps, f, l);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n && !ret; k++)
			ret = is_message(&p->lane[i].request[k]) ? request_count(&ps, p, f, i, k, e)
								 : 0;
	if (!ret)
		sets_find(&ps, p);
	for (uint32_t i = 0; i < ps.n && !ret; i++) {
		ret = pair_lay(y, &ps, &ps.pair[i], e);
		y->n_signals += ps.pair[i].n_signals;
		y->n_waits += ps.pair[i].n_waits;
	}
	for (uint32_t i = 0; i < p->n_lanes && !ret; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			struct hot_request *h = &p->lane[i].request[k];
			if (is_message(h) && !(h->length & CHANNEL_LIST))
				h->length = h->op == OP_SIGNAL ? ps.pair[h->length].at_from
							       : ps.pair[h->length].at_to;
		}
	if (!ret)
		lists_set(y, p, &ps);
	pairs_release(&ps);
	return ret;
}
