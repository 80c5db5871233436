/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Releases a call table. Separate from calls.c: compiled programs do not need it. */

#include "replay/issue/calls_private.h"

void call_table_release(struct call_table *c)
{
	if (c->places_laid)
		call_table_laid(c);
	for (struct call_stream *s = atomic_load(&c->streams), *next; s; s = next) {
		next = s->next;
		call_stream_end(s);
		pthread_mutex_destroy(&s->lock);
		FREE_EACH(s->cookie, s->buffer, s->traced_cookie, s);
	}
	for (uint32_t i = 0; i < c->n_maps; i++) {
		call_map_end(&c->map[i]);
		pthread_rwlock_destroy(&c->map[i].lock);
	}
	for (uint32_t i = 0; i < c->n_places; i++)
		free(c->place[i]);
	if (c->null_fd >= 0 && c->slot)
		close(c->null_fd);
	FREE_EACH(c->call, c->path, c->times, c->part, c->place, c->map);
	for (uint32_t i = 0; i < c->n_processes; i++)
		call_locks_free(&c->process[i]);
	FREE_EACH(c->process, c->slot, (void *)c->stream, c->next_ending, c->process_of_thread);
	vm_free(&c->memory);
	*c = (struct call_table){.null_fd = -1};
}
