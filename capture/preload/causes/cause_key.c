/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/preload/causes/cause_key.h"

#include <stdlib.h>

#include "common/splitmix.h"

struct cause_slot *cause_slot_of(const struct cause_page *p, uint32_t pid, uint32_t tid)
{
	uint32_t n = atomic_load(&p->n_slots);
	for (uint32_t i = n < CAUSE_SLOTS ? n : CAUSE_SLOTS; i > 0; i--)
		if (p->slot[i - 1].pid == pid && p->slot[i - 1].tid == tid)
			return (struct cause_slot *)(uintptr_t)&p->slot[i - 1];
	return NULL;
}

enum key_kind { KEY_OF_RANK = 1, KEY_OF_ROOT, KEY_OF_CHILD, KEY_OF_THREAD_ID };

static uint64_t key_of(uint64_t parent, enum key_kind way, uint32_t n)
{
	uint64_t x = splitmix_mix(parent * SPLITMIX_STEP + ((uint64_t)way << 32 | n) + 1);
	return x ? x : 1;
}

uint64_t cause_key_of_child(struct cause_slot *parent)
{
	return key_of(parent->key, KEY_OF_CHILD, atomic_fetch_add(&parent->n_children, 1));
}

/* Returns the number in the first variable that contains one, or -1. */
static int32_t number_of_variables(const char *const *names)
{
	for (; *names; names++) {
		const char *text = getenv(*names);
		if (!text || *text < '0' || *text > '9')
			continue;
		int32_t n = 0;
		for (; *text >= '0' && *text <= '9' && n < 100000000; text++)
			n = n * 10 + (*text - '0');
		return n;
	}
	return -1;
}

static int32_t rank_of_variables(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
					    "SLURM_PROCID", NULL};
	return number_of_variables(names);
}

static void ranks_note(struct cause_page *p)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS",
					    NULL};
	int32_t n = number_of_variables(names);
	if (n > 0)
		atomic_store(&p->n_ranks, (uint32_t)n);
}

/* Key of a program's first thread: a rank, a child of a watched process, or a root. Children of a
 * rank inherit its variables. */
static uint64_t key_of_program(struct cause_page *p, uint32_t parent, int32_t *rank)
{
	struct cause_slot *from = cause_slot_of(p, parent, parent);
	*rank = rank_of_variables();
	if (*rank >= 0 && (!from || from->rank != *rank)) {
		ranks_note(p);
		return key_of(0, KEY_OF_RANK, (uint32_t)*rank);
	}
	if (from)
		return cause_key_of_child(from);
	return key_of(0, KEY_OF_ROOT, atomic_fetch_add(&p->n_roots, 1));
}

uint64_t cause_key_find(struct cause_page *p, uint32_t pid, uint32_t tid, uint32_t parent,
			uint64_t own_key, int32_t *rank)
{
	if (tid == pid && !own_key)
		return key_of_program(p, parent, rank);
	struct cause_slot *first = cause_slot_of(p, pid, pid),
			  *forked = first ? first : cause_slot_of(p, parent, parent);
	*rank = forked ? forked->rank : rank_of_variables();
	if (own_key)
		return own_key;
	return first ? key_of(first->key, KEY_OF_THREAD_ID, atomic_fetch_add(&first->n_children, 1))
		     : key_of(tid, KEY_OF_THREAD_ID, 0);
}
