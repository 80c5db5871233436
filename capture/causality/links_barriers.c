/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Barriers that the trace contains as records. All barriers of one set of nodes share a hub. The
 * hub waits for all signals of the first barrier, then sends a signal to each wait of it, and so on
 * for the next barriers. So a barrier of n nodes has 2 n links. */
#include "capture/causality/links_private.h"
#include "common/u64_map.h"

struct hub {
	uint32_t first;	  /* first barrier of its set */
	uint32_t next;	  /* next hub whose set has the same hash, or UINT32_MAX */
	uint32_t n;	  /* number of its barriers so far */
};

struct barriers_join {
	struct causality_links *l;
	const struct link_marks *marks;
	struct hub *hub; /* hub[n_hubs] */
	size_t hubs_cap;
	uint32_t barriers_cap;
	struct u64_map of_set;
	uint32_t *nodes; /* nodes[n_nodes] of the current barrier */
};

static int compare_marks(const void *a, const void *b)
{
	const struct link_mark *x = a, *y = b;
	if (x->barrier != y->barrier)
		return x->barrier < y->barrier ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (int)x->is_wait - (int)y->is_wait;
}

static int marks_check(const struct link_mark *m, size_t n, struct err *e)
{
	size_t n_waits = 0;
	for (size_t i = 0; i < n; i++) {
		n_waits += m[i].is_wait;
		if (i && !compare_marks(&m[i - 1], &m[i]))
			return err_set(e, EINVAL,
				       "node %" PRIu32 " reaches barrier %" PRIu32 " twice",
				       m[i].node, m[i].barrier);
	}
	if (!n_waits)
		return err_set(e, EINVAL,
			       "node %" PRIu32 " signals at barrier %" PRIu32
			       ", at which no node waits",
			       m->node, m->barrier);
	if (n_waits == n)
		return err_set(e, ENOENT,
			       "node %" PRIu32 " waits before its request %" PRIu64
			       " at barrier %" PRIu32 ", at which no node signals",
			       m->node, m->request, m->barrier);
	return 0;
}

/* Writes the nodes of the marks of one barrier to nodes[]. */
static uint32_t nodes_of(struct barriers_join *j, const struct link_mark *m, size_t n)
{
	uint32_t n_nodes = 0;
	for (size_t i = 0; i < n; i++)
		if (!n_nodes || j->nodes[n_nodes - 1] != m[i].node)
			j->nodes[n_nodes++] = m[i].node;
	return n_nodes;
}

static uint32_t hub_of(struct barriers_join *j, uint32_t n)
{
	uint64_t hash = n;
	for (uint32_t i = 0; i < n; i++)
		hash = hash * UINT64_C(0x9e3779b97f4a7c15) + j->nodes[i] + 1;
	uint32_t *known = u64_map_at(&j->of_set, hash, UINT32_MAX);
	for (uint32_t h = *known; h != UINT32_MAX; h = j->hub[h].next) {
		const struct causality_barrier *b = &j->l->barrier[j->hub[h].first];
		if (b->n_nodes == n && !memcmp(b->node, j->nodes, n * sizeof *j->nodes))
			return h;
	}
	GROW(j->hub, j->l->n_hubs, j->hubs_cap);
	j->hub[j->l->n_hubs] = (struct hub){j->l->n_barriers, *known, 0};
	*known = j->l->n_hubs;
	return j->l->n_hubs++;
}

static void link_add(struct causality_links *l, struct causality_link link)
{
	GROW(l->link, l->n, l->cap);
	l->link[l->n++] = link;
}

/* Barriers are added in the order of their numbers, so the barriers of a hub are in this order,
 * too. */
static void barrier_add(struct barriers_join *j, const struct link_mark *m, size_t n)
{
	struct causality_links *l = j->l;
	const uint32_t n_nodes = nodes_of(j, m, n), hub = hub_of(j, n_nodes),
		       number = l->n_nodes + hub;
	const uint64_t place = 2 * (uint64_t)j->hub[hub].n++;
	struct causality_barrier b = {.n_nodes = n_nodes,
				      .node = xcalloc(n_nodes, sizeof *b.node),
				      .place = xcalloc(n_nodes, sizeof *b.place),
				      .request = xcalloc(n_nodes, sizeof *b.request)};
	memcpy(b.node, j->nodes, n_nodes * sizeof *b.node);
	GROW(l->barrier, l->n_barriers, j->barriers_cap);
	const uint32_t index = l->n_barriers + 1;
	for (size_t i = 0, at = 0; i < n; i++) {
		at += i && m[i].node != m[i - 1].node;
		b.place[at] = m[i].place;
		b.request[at] = m[i].request;
		if (m[i].is_wait)
			link_add(l, (struct causality_link){.signaller = number,
							    .waiter = m[i].node,
							    .signal_place = place + 1,
							    .wait_place = m[i].place,
							    .wait_request = m[i].request,
							    .computed_ppm = COMPUTED_ALL,
							    .barrier = index});
		else
			link_add(l, (struct causality_link){.signaller = m[i].node,
							    .waiter = number,
							    .signal_place = m[i].place,
							    .wait_place = place,
							    .signal_request = m[i].request,
							    .computed_ppm = COMPUTED_ALL,
							    .barrier = index});
	}
	l->barrier[l->n_barriers++] = b;
}

int link_marks_join(struct causality_links *l, struct link_marks *marks, struct err *e)
{
	struct barriers_join j = {.l = l,
				  .marks = marks,
				  .nodes = xcalloc((size_t)l->n_nodes + 1, sizeof *j.nodes)};
	int rc = 0;
	if (marks->n)
		qsort(marks->v, marks->n, sizeof *marks->v, compare_marks);
	for (size_t from = 0, to; from < marks->n && !rc; from = to) {
		for (to = from; to < marks->n && marks->v[to].barrier == marks->v[from].barrier;)
			to++;
		rc = marks_check(marks->v + from, to - from, e);
		if (!rc)
			barrier_add(&j, marks->v + from, to - from);
	}
	l->n_nodes += l->n_hubs;
	u64_map_release(&j.of_set);
	FREE_EACH(j.hub, j.nodes);
	return rc;
}
