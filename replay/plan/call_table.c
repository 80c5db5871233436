/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of a call table that a compiled program needs as well. */

#include "replay/plan/call_table_private.h"

struct call_process_laid call_process_laid(const struct call_table *c, uint32_t process)
{
	const struct call_process *p = &c->process[process];
	return (struct call_process_laid){p->pid, atomic_load(&p->n_threads), p->first_ending,
					  p->first_map};
}

uint32_t call_map_next(const struct call_table *c, uint32_t map)
{
	return c->map[map].next_ending;
}

int call_table_revive(struct call_table *c, const struct call_process_laid *laid,
		      const uint32_t *map_next, struct err *e)
{
	int ret = vm_get(&c->memory, VM_SHARED, sizeof *c->common, "the calls", e);
	if (ret)
		return ret;
	c->common = c->memory.base;
	c->map = xcalloc((size_t)c->n_maps + 1, sizeof *c->map);
	for (uint32_t i = 0; i < c->n_maps; i++) {
		pthread_rwlock_init(&c->map[i].lock, NULL);
		c->map[i].next_ending = map_next[i];
		c->map[i].fd = -1;
	}
	c->process = xcalloc((size_t)c->n_processes + 1, sizeof *c->process);
	for (uint32_t i = 0; i < c->n_processes; i++) {
		struct call_process *p = &c->process[i];
		p->pid = laid[i].pid;
		p->first_ending = laid[i].first_ending;
		p->first_map = laid[i].first_map;
		atomic_init(&p->n_threads, laid[i].n_threads);
		pthread_mutex_init(&p->lock, NULL);
	}
	c->stream = xcalloc((size_t)c->n_slots + 1, sizeof *c->stream);
	return 0;
}

bool call_ends_something(const struct call_table *c, uint32_t process)
{
	return process < c->n_processes &&
	       (c->process[process].first_ending || c->process[process].first_map != NONE32);
}

uint32_t call_process_pid(const struct call_table *c, uint32_t process)
{
	return process < c->n_processes ? c->process[process].pid : 0;
}
