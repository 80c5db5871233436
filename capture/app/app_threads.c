/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_threads.h"

#include "common/splitmix.h"

void app_threads_init(struct app_threads *t)
{
	*t = (struct app_threads){.n = 0};
	threads_init(&t->rows);
}

void app_threads_release(struct app_threads *t)
{
	processes_release(&t->rows);
	u64_map_release(&t->of_handle);
	free(t->item);
}

static struct app_thread *thread_of(struct app_threads *t, const struct merge_record *r)
{
	const uint64_t key = splitmix_mix((uint64_t)r->image) ^ r->r->offset;
	const uint32_t i = *u64_map_at(&t->of_handle, key, t->n);
	if (i == t->n) {
		GROW(t->item, t->n, t->cap);
		t->item[t->n++] = (struct app_thread){.tid = 0};
	}
	return &t->item[i];
}

static void join_note(struct app_threads *t, const struct app_thread *x)
{
	if (x->tid && x->joiner)
		processes_waited(&t->rows, x->tid, x->joiner, x->joined_ns);
}

/* A thread usually makes its first call after another thread began to wait for it. */
void app_threads_follow(struct app_threads *t, const struct merge_record *r, int64_t begin_ns,
			int64_t end_ns)
{
	struct app_thread *x;
	switch (r->r->op) {
	case LOG_THREAD_CREATE: /* an earlier thread with this pthread_t has ended */
		*thread_of(t, r) = (struct app_thread){.creator = r->tid, .created_ns = begin_ns};
		break;
	case LOG_THREAD:
		x = thread_of(t, r);
		if (x->tid) /* its creation was not seen */
			*x = (struct app_thread){.tid = 0};
		x->tid = r->tid;
		processes_see(&t->rows, x->tid, x->creator, x->creator ? x->created_ns : begin_ns);
		join_note(t, x);
		break;
	case LOG_THREAD_JOIN:
		x = thread_of(t, r);
		x->joiner = r->tid;
		x->joined_ns = end_ns;
		join_note(t, x);
		break;
	}
}
