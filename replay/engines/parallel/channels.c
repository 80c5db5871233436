/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/parallel/job.h"

#include "capture/op.h"
#include "common/xalloc.h"
#include "common/u64_map.h"

struct pair { /* node `from` signals node `to` */
	uint32_t from, to; /* lanes */
	uint32_t from_node, to_node;
	uint32_t n_signals, n_waits;
	uint32_t at_from, at_to; /* number of the channel in each rank */
};

struct node_pairs {
	struct pair *pair; /* pair[n] */
	uint32_t n, cap;
	struct u64_map of_nodes, tags; /* tags: number of channels between two ranks */
	uint32_t *lane_of_node, *node_of_lane; /* NONE32: none */
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
	if (*known == ps->n) {
		GROW(ps->pair, ps->n, ps->cap);
		ps->pair[ps->n++] = (struct pair){.from = ps->lane_of_node[from_node],
						  .to = ps->lane_of_node[to_node],
						  .from_node = from_node,
						  .to_node = to_node};
	}
	return &ps->pair[*known];
}

/* Stores the pair of a signal or wait in its request. */
static int request_count(struct node_pairs *ps, struct replay_plan *p,
			 const struct causality_facts *f, uint32_t lane, uint32_t k, struct err *e)
{
	struct hot_request *h = &p->lane[lane].request[k];
	const uint64_t other = h->offset;
	const uint32_t own = ps->node_of_lane[lane];
	if (own == NONE32)
		return err_set(e, EINVAL, "record %llu: a %s of a thread that is not a node",
			       (unsigned long long)record_of(p, lane, k), op_name(h->op));
	if (other >= f->n_nodes || other == own || ps->lane_of_node[other] == NONE32)
		return err_set(e, EINVAL, "record %llu: a %s of node %u for node %llu, which %s",
			       (unsigned long long)record_of(p, lane, k), op_name(h->op), own,
			       (unsigned long long)other,
			       other == own          ? "is itself"
			       : other >= f->n_nodes ? "does not exist"
						     : "makes no request");
	const bool signal = h->op == OP_SIGNAL;
	struct pair *x =
	    signal ? pair_of(ps, own, (uint32_t)other) : pair_of(ps, (uint32_t)other, own);
	*(signal ? &x->n_signals : &x->n_waits) += 1;
	h->length = (uint32_t)(x - ps->pair);
	return 0;
}

static uint32_t channel_add(struct layout_rank *r, struct channel c)
{
	GROW(r->channel, r->n_channels, r->channels_cap);
	r->channel[r->n_channels] = c;
	return r->n_channels++;
}

static int pair_lay(struct rank_layout *y, struct node_pairs *ps, struct pair *x, struct err *e)
{
	const uint32_t from = y->rank_of_lane[x->from], to = y->rank_of_lane[x->to];
	if (x->n_signals != x->n_waits)
		return err_set(
		    e, EINVAL,
		    "node %u signals node %u %u times, but that node waits for it %u times",
		    x->from_node, x->to_node, x->n_signals, x->n_waits);
	if (from == to) {
		x->at_from = x->at_to =
		    channel_add(&y->rank[from], (struct channel){from, y->rank[from].n_inside++,
								 CHANNEL_INSIDE, x->n_signals});
		return 0;
	}
	uint32_t *tag = u64_map_at(&ps->tags, u64_pair(from, to) + 1, 0);
	if (*tag >= LAYOUT_MAX_TAG)
		return err_set(
		    e, EINVAL,
		    "more than %u pairs of threads of ranks %u and %u exchange signals",
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
	for (uint32_t i = 0; i < ps.n && !ret; i++) {
		ret = pair_lay(y, &ps, &ps.pair[i], e);
		y->n_signals += ps.pair[i].n_signals;
		y->n_waits += ps.pair[i].n_waits;
	}
	for (uint32_t i = 0; i < p->n_lanes && !ret; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			struct hot_request *h = &p->lane[i].request[k];
			if (is_message(h))
				h->length = h->op == OP_SIGNAL ? ps.pair[h->length].at_from
							       : ps.pair[h->length].at_to;
		}
	u64_map_release(&ps.of_nodes);
	u64_map_release(&ps.tags);
	free(ps.pair);
	free(ps.lane_of_node);
	free(ps.node_of_lane);
	return ret;
}
