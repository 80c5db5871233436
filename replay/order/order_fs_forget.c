/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Without this the state of removed files would grow with the length of the trace. */

#include "replay/order/order_fs_private.h"

static bool has_more(const struct fs *f, uint32_t thread)
{
	return f->begun[thread] < f->l->thread[thread].n_requests;
}

static bool request_known(const struct fs *f, uint32_t q)
{
	return q == NONE32 ||
	       threshold_ended(&f->l->request[q]) <= f->known[f->l->request[q].thread];
}

static bool owner_known(void *arg, uint32_t owner)
{
	return request_known(arg, owner);
}

static void set_forget(struct fs *f, struct use_set *s)
{
	use_forget(&f->uses, s, f->known);
}

static void file_forget(struct fs *f, uint32_t i)
{
	struct file_state *x = &f->file[i];
	struct use_set *const sets[] = {&x->attribute.users, &x->movers, &x->writers,
					&x->vague_writers, &x->enders};
	bool any = false;
	if (x->object == NONE32)
		return;
	for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
		set_forget(f, sets[k]);
		any |= sets[k]->first != 0;
	}
	if (x->extents != EXTENT_NONE &&
	    extent_visit(&f->extents, x->extents, 0, UINT64_MAX, owner_known, f)) {
		extent_clear(&f->extents, x->extents);
		x->extents = EXTENT_NONE;
	}
	if (any || x->extents != EXTENT_NONE || !request_known(f, x->attribute.changer) ||
	    !request_known(f, x->resizer) || !request_known(f, x->appender))
		return;
	f->note[x->object] = 0;
	*x = (struct file_state){.object = NONE32, .appender = f->unused_file};
	f->unused_file = i;
}

/* A process may release its locks by its end: changes `known` to 0 for the threads of processes
 * whose end is not known. Threads of a process are adjacent. */
static void ends_keep(struct fs *f)
{
	const struct load_thread *thread = f->l->thread;
	for (uint32_t t = 0, next; t < f->l->n_threads; t = next) {
		bool ended = true;
		for (next = t; next < f->l->n_threads && thread[next].pid == thread[t].pid; next++)
			ended &= f->known[next] >= 2 * thread[next].n_requests;
		if (!ended)
			memset(f->known + t, 0, (next - t) * sizeof *f->known);
	}
}

void fs_forget(struct fs *f)
{
	/* For each thread, finds the progress that all other threads with remaining requests have
	 * waited for. */
	const uint32_t n = f->l->n_threads;
	memset(f->known, 0xff, n * sizeof *f->known);
	for (uint32_t other = 0; other < n; other++)
		for (uint32_t t = 0; t < n && has_more(f, other); t++) {
			const uint32_t waited = f->waited[(size_t)other * n + t];
			if (t != other && waited < f->known[t])
				f->known[t] = waited;
		}
	for (uint32_t i = 1; i < f->n_files; i++)
		file_forget(f, i);
	for (uint32_t i = 1; i < f->n_names; i++)
		set_forget(f, &f->name[i].users);
	for (uint32_t i = 1; i < f->n_directories; i++) {
		set_forget(f, &f->directory[i].changers);
		set_forget(f, &f->directory[i].listers);
	}
	for (uint32_t i = 0; i < f->s->n; i++)
		set_forget(f, &f->slot[i].users);
	for (uint32_t i = 0; i < f->s->n_maps; i++)
		set_forget(f, &f->map[i].users);
	for (uint32_t i = 1; i < f->n_locks; i++) {
		set_forget(f, &f->lock[i].releasers);
		set_forget(f, &f->lock[i].queriers);
	}
	ends_keep(f);
	for (uint32_t i = 1; i < f->n_locks; i++) {
		set_forget(f, &f->lock[i].takers);
		set_forget(f, &f->lock[i].sharers);
	}
	/* the next pass is due after a number of new uses in proportion to the cost of this one */
	const uint32_t n_examined = f->n_files + f->n_names + 2 * f->n_directories +
		4 * f->n_locks + f->s->n + f->s->n_maps + f->extents.n;
	if (f->forget_at)
		f->forget_at = 2 * use_table_used(&f->uses) + n_examined / 2 + FORGET_AT;
}
