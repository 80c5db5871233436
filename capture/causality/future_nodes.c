/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/future_nodes.h"

/* Whether a known node created the thread. The creator of a thread is its process, and that of a
 * process is its parent. Without an MPI job, the command starts all processes. */
static bool is_begun_by_a_node(const struct future_nodes *u, const struct watch_thread *t)
{
	if (t->tid != t->pid || t->rank < 0)
		return true;
	for (uint32_t i = 0; i < u->n; i++)
		if (u->known[i].pid == t->parent && u->known[i].rank == t->rank)
			return true;
	return false;
}

void future_nodes_init(struct future_nodes *u, const struct watch_thread *known, uint32_t n)
{
	*u = (struct future_nodes){known, n, xcalloc((size_t)n + 1, sizeof *u->excluded),
			     xcalloc((size_t)n + 1, sizeof *u->last)};
	for (uint32_t i = 0; i < n; i++) {
		u->excluded[i] |= !is_begun_by_a_node(u, &known[i]);
		for (uint32_t k = 0; k < i; k++)
			if (known[k].key == known[i].key)
				u->excluded[i] = u->excluded[k] = true;
	}
}

void future_nodes_release(struct future_nodes *u)
{
	FREE_EACH(u->excluded, u->last);
	*u = (struct future_nodes){NULL};
}

uint32_t slots_used(const struct cause_page *p)
{
	const uint32_t used = atomic_load(&p->n_slots);
	return used < CAUSE_SLOTS ? used : CAUSE_SLOTS;
}

uint32_t slot_of_key(const struct cause_page *p, uint64_t key)
{
	const uint32_t n = slots_used(p);
	for (uint32_t i = 0; i < n; i++)
		if (__atomic_load_n(&p->slot[i].pid, __ATOMIC_ACQUIRE) && p->slot[i].key == key)
			return i;
	return SLOT_NONE;
}

/* Whether the rank exists. Before that, no thread of it waits, except its launcher. */
static bool rank_is_there(const struct cause_page *p, int64_t rank)
{
	const uint32_t n = slots_used(p);
	for (uint32_t i = 0; i < n; i++)
		if (__atomic_load_n(&p->slot[i].pid, __ATOMIC_ACQUIRE) && p->slot[i].rank == rank)
			return true;
	return rank < 0;
}

void future_nodes_note(struct future_nodes *u, const struct cause_page *p, int64_t at_ns,
		       uint32_t throttled)
{
	for (uint32_t i = 0; i < u->n; i++) {
		u->excluded[i] = u->excluded[i] || slot_of_key(p, u->known[i].key) != SLOT_NONE;
		if (!u->excluded[i] && rank_is_there(p, u->known[i].rank))
			u->last[i] = (struct future_wait){at_ns, throttled};
	}
}
