/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/parallel/layout.h"

#include <jansson.h>

#include "capture/causality/causality.h"
#include "common/sort.h"
#include "common/u64_map.h"
#include "replay/engines/parallel/job.h"

/* --- ranks --------------------------------------------------------------- */

/* Returns the root of the set of element i. The sets are disjoint sets of threads: each element
 * points to another element of its set, and the root points to itself. */
static uint32_t set_of(uint32_t *set, uint32_t i)
{
	while (set[i] != i)
		i = set[i] = set[set[i]];
	return i;
}

static void sets_join(uint32_t *set, uint32_t a, uint32_t b)
{
	a = set_of(set, a);
	b = set_of(set, b);
	set[a > b ? a : b] = a > b ? b : a;
}

static void heirs_join(uint32_t *set, const struct call_table *calls, const struct load *l)
{
	SCOPED(u64_map_release) struct u64_map of_pid = {.cell = NULL};
	for (uint32_t i = 0; i < l->n_threads; i++)
		u64_map_at(&of_pid, l->thread[i].pid, i);
	for (uint32_t i = 1; i < calls->n_slots; i++)
		for (uint32_t h = calls->slot[i].heir; h; h = calls->slot[h].next_heir) {
			const uint32_t *from =
			    u64_map_find(&of_pid, call_process_pid(calls, calls->slot[i].process));
			const uint32_t *to =
			    u64_map_find(&of_pid, call_process_pid(calls, calls->slot[h].process));
			if (from && to)
				sets_join(set, *from, *to);
		}
}

static void traced_ranks_join(uint32_t *set, const struct causality_facts *f, const struct load *l)
{
	SCOPED(u64_map_release) struct u64_map of_rank = {.cell = NULL};
	for (uint32_t i = 0; i < l->n_threads; i++) {
		int64_t node = causality_node_of(f, l->thread[i].pid, l->thread[i].tid);
		if (node >= 0 && f->node[node].rank >= 0)
			sets_join(set, *u64_map_at(&of_rank, (uint64_t)f->node[node].rank, i), i);
	}
}

struct member {
	uint64_t first; /* sort key of the rank */
	uint32_t set;
};

ORDER_BY(compare_member, struct member, first)

static void ranks_number(struct rank_layout *y, const struct causality_facts *f,
			 const struct load *l, uint32_t *set)
{
	SCOPED_FREE struct member *member = xcalloc((size_t)l->n_threads + 1, sizeof *member);
	SCOPED_FREE uint32_t *number = xcalloc((size_t)l->n_threads + 1, sizeof *number);
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const uint32_t own = set_of(set, i);
		/* Sorts threads without a node after threads with a node. */
		int64_t node = causality_node_of(f, l->thread[i].pid, l->thread[i].tid);
		const uint64_t place =
		    node < 0 ? (UINT64_C(1) << 32) + l->thread[i].pid : (uint64_t)node;
		if (own == i) {
			number[i] = n;
			member[n++] = (struct member){UINT64_MAX, i};
		}
		struct member *m = &member[number[own]];
		m->first = place < m->first ? place : m->first;
	}
	qsort(member, n, sizeof *member, compare_member);
	for (uint32_t i = 0; i < n; i++)
		number[member[i].set] = i;
	y->rank = xcalloc((size_t)n + 1, sizeof *y->rank);
	y->n_ranks = n;
	for (uint32_t i = 0; i < l->n_threads; i++) {
		struct layout_rank *r = &y->rank[number[set_of(set, i)]];
		r->pid = !r->n_lanes || l->thread[i].pid < r->pid ? l->thread[i].pid : r->pid;
		APPEND(r->lane, r->n_lanes, r->lanes_cap, i);
		y->rank_of_lane[i] = number[set_of(set, i)];
	}
}

static void ranks_find(struct rank_layout *y, const struct replay_plan *p,
		       const struct causality_facts *f, const struct load *l)
{
	SCOPED_FREE uint32_t *set = xcalloc((size_t)l->n_threads + 1, sizeof *set);
	for (uint32_t i = 0; i < l->n_threads; i++)
		set[i] = i;
	/* Threads are sorted by process. */
	for (uint32_t i = 1; i < l->n_threads; i++)
		if (l->thread[i].pid == l->thread[i - 1].pid)
			sets_join(set, i, i - 1);
	heirs_join(set, &p->calls, l);
	traced_ranks_join(set, f, l);
	ranks_number(y, f, l, set);
}

/* --- layout -------------------------------------------------------------- */

static int computing_check(const struct replay_plan *p, const struct load *l, struct err *e)
{
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			const struct hot_request *h = &p->lane[i].request[k];
			if (h->op == OP_COMPUTE && h->offset > TRACE_TIME_MAX)
				return err_set(e, EINVAL, "thread %u of process %u computes for "
					"%llu ns, which is out of range", l->thread[i].tid,
					l->thread[i].pid, (unsigned long long)h->offset);
		}
	return 0;
}

static int nodes_check(const struct causality_facts *f, const struct replay_plan *p,
		       const struct load *l, struct trace *t, struct err *e)
{
	if (!f->n_nodes)
		return err_set(e, EINVAL, "the trace has no records of computing or of waits "
			       "(\"validate capture causality\" records them); modes afap, "
			       "think-limited and timing-accurate do not need them");
	int ret = computing_check(p, l, e);
	return ret ? ret : causality_check(t, e);
}

int layout_make(struct rank_layout **out, struct replay_plan *p, bool causes, const struct load *l,
		const struct slots *s, struct trace *t, struct err *e)
{
	struct causality_facts facts = {.n_nodes = 0};
	struct rank_layout *y = *out = xcalloc(1, sizeof *y);
	y->rank_of_lane = xcalloc((size_t)l->n_threads + 1, sizeof *y->rank_of_lane);
	y->n_open_max = s->n_open_max;
	int ret = causality_facts_read(&facts, trace_meta(t), e);
	if (!ret && causes)
		ret = nodes_check(&facts, p, l, t, e);
	if (!ret) {
		y->causal = facts.n_nodes;
		y->cpu_time = facts.cpu_time;
		for (uint32_t i = 0; i < facts.n_nodes; i++)
			y->of_mpi |= facts.node[i].rank >= 0;
		ranks_find(y, p, &facts, l);
		ret = causes ? channels_find(y, p, &facts, l, e) : 0;
	}
	causality_facts_release(&facts);
	return ret;
}

void layout_free(struct rank_layout *y)
{
	if (!y)
		return;
	for (uint32_t i = 0; i < y->n_ranks; i++)
		FREE_EACH(y->rank[i].lane, y->rank[i].channel, y->rank[i].list, y->rank[i].listed);
	FREE_EACH(y->rank, y->rank_of_lane, y->report, y);
}

uint32_t layout_n_ranks(const struct rank_layout *y)
{
	return y->n_ranks;
}

/* --- summary ------------------------------------------------------------- */

static bool host_is_new(const struct rank_layout *y, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(y->report[k].host, y->report[i].host))
			return false;
	return true;
}

void layout_summary(const struct rank_layout *y, struct parallel_summary *s)
{
	*s = (struct parallel_summary){.mode = y->mode,
				       .n_ranks = y->n_ranks,
				       .n_signals = y->n_signals,
				       .n_waits = y->n_waits};
	snprintf(s->launcher, sizeof s->launcher, "%s", y->launcher);
	for (uint32_t i = 0; y->report && i < y->n_ranks; i++) {
		s->n_hosts += host_is_new(y, i);
		s->n_crowded += y->report[i].crowded != 0;
		if (y->report[i].uncertainty_ns > s->uncertainty_ns)
			s->uncertainty_ns = y->report[i].uncertainty_ns;
	}
}

static json_t *rank_to_json(const struct rank_layout *y, uint32_t i)
{
	const struct rank_report *r = &y->report[i];
	return json_pack("{s:I, s:I, s:s%, s:b, s:I, s:I, s:I}", "rank", (json_int_t)i,
		"traced_pid", (json_int_t)y->rank[i].pid, "host", r->host,
		strnlen(r->host, sizeof r->host), "crowded", (int)(r->crowded != 0),
		"clock_offset_ns", (json_int_t)r->offset_ns, "clock_drift_ns",
		(json_int_t)r->drift_ns, "clock_uncertainty_ns", (json_int_t)r->uncertainty_ns);
}

json_t *layout_to_json(const struct rank_layout *y)
{
	if (!y)
		return NULL;
	json_t *ranks = json_array();
	for (uint32_t i = 0; y->report && i < y->n_ranks; i++)
		json_array_append_new(ranks, rank_to_json(y, i));
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:o}", "mode", y->mode, "launcher", y->launcher,
			 "n_signals", (json_int_t)y->n_signals, "n_waits", (json_int_t)y->n_waits,
			 "clock_of_rank", (json_int_t)y->head, "ranks", ranks);
}
