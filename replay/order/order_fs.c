/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order `fs`: the waits that the rules of the file system demand. Requests are walked in an order
 * in which they can have taken effect (order_linear.c). A model (fs_model.h) reports what each
 * request used and changed.
 *
 * r waits for the end of an earlier q of another thread when descriptor  q opened the descriptor
 * that r uses; q used it and r closes it; q closed it position    both move the position of one
 * open file name        q created, removed or replaced a name that r looks up; q looked up a name
 * that r creates, removes or replaces directory   q created or removed an entry of the directory
 * that r lists or checks for entries; the reverse data        q is the last writer of some byte
 * that r reads size        q set the size of the file that r reads, writes or queries; q did, and r
 * sets it; q reached the end of the file, and r writes beyond it; both append attribute   q changed
 * permissions, owner or extended attributes that r reads; the reverse; both change them; locks: see
 * lock_rules() process     r is the first request of a thread, and q of the parent process, or of a
 * process for which the parent had waited, had ended when r began; r's thread has waited for the
 * end of q's process where "earlier" refers to that order. Source: the resource rules of ARTC and
 * TBBT (see doc/replay-engines.md). */

#include "replay/order/order_fs_private.h"

#define WAITED_THREADS_MAX 512u /* with more threads a hash table replaces the array of waits */

const char *const fs_rule_names[RULES_N + 1] = {
    "descriptor", "position", "name", "directory", "data", "size", "attribute", "process", NULL};

/* --- edges --------------------------------------------------------------- */

static uint32_t *waited_for(struct fs *f, uint32_t thread)
{
	return f->waited ? &f->waited[(size_t)f->own * f->l->n_threads + thread]
			 : u64_map_at(&f->waited_of, u64_pair(f->own, thread), 0);
}

void fs_wait_until(struct fs *f, uint32_t thread, uint32_t threshold)
{
	if (thread == f->own)
		return;
	size_t at = f->edge_of[thread];
	if (at >= f->first_edge && at < f->out->n && f->out->edge[at].thread == thread) {
		if (f->out->edge[at].threshold < threshold)
			f->out->edge[at].threshold = threshold;
		return;
	}
	if (*waited_for(f, thread) >= threshold)
		return;
	f->edge_of[thread] = f->out->n;
	edges_add(f->out, f->request, thread, threshold);
}

void fs_wait_for(struct fs *f, uint32_t q)
{
	if (q != NONE32 && q != f->request)
		fs_wait_until(f, f->l->request[q].thread, threshold_ended(&f->l->request[q]));
}

void fs_wait_for_all(struct fs *f, const struct use_set *s)
{
	for (uint32_t u = s->first; u; u = f->uses.use[u].next)
		fs_wait_until(f, f->uses.use[u].thread, f->uses.use[u].request);
}

void fs_note(struct fs *f, struct use_set *s, uint64_t value)
{
	use_note(&f->uses, s, f->own, f->threshold, value);
}

static void edges_settle(struct fs *f)
{
	if (f->first_edge == f->out->n)
		return;
	for (size_t i = f->first_edge; i < f->out->n; i++)
		*waited_for(f, f->out->edge[i].thread) = f->out->edge[i].threshold;
	f->first_edge = f->out->n;
}

static void resource_rules(struct fs *f, struct resource *x, bool change)
{
	fs_wait_for(f, x->changer);
	if (!change) {
		fs_note(f, &x->users, 0);
		return;
	}
	fs_wait_for_all(f, &x->users);
	x->changer = f->request;
	use_drop(&f->uses, &x->users);
}

/* --- descriptors --------------------------------------------------------- */

static bool is_open_call(const struct load_request *r)
{
	return r->op == OP_OPEN || r->op == OP_FOPEN || r->op == OP_FREOPEN || r->op == OP_OPENDIR;
}

static void slot_make(struct fs *f, uint32_t slot)
{
	f->slot[slot].opener = f->request;
	if (f->s->slot[slot].replaces) {
		struct slot_state *old = &f->slot[f->s->slot[slot].replaces];
		fs_wait_for_all(f, &old->users);
		fs_wait_for(f, old->opener);
	}
	for (uint32_t h = f->s->slot[slot].heir; h; h = f->s->slot[h].next_heir)
		f->slot[h].opener = f->request;
}

static void descriptor_use(struct fs *f, const struct load_request *r, uint32_t slot)
{
	struct slot_state *b = &f->slot[slot];
	if (!slot)
		return;
	fs_wait_for(f, b->opener);
	fs_wait_for(f, b->closer);
	if (load_closes(r)) {
		fs_wait_for_all(f, &b->users);
		if (r->rvalue >= 0) {
			b->closer = f->request;
			use_drop(&f->uses, &b->users); /* later requests wait for this one */
		}
	}
	if (b->closes)
		fs_note(f, &b->users, 0);
}

static void descriptor_rules(struct fs *f, const struct load_request *r)
{
	const struct load_more *more = load_more(f->l, r);
	if (more && more->map < f->s->n_maps) {
		const bool change = r->op == OP_MMAP || r->op == OP_MUNMAP || r->op == OP_MREMAP;
		resource_rules(f, &f->map[more->map], change && r->rvalue >= 0);
	}
	bool copies = op_info(r->op)->family == FAMILY_COPY;
	if (is_open_call(r)) {
		slot_make(f, r->slot);
		return;
	}
	descriptor_use(f, r, r->slot);
	if (more && more->slot && copies)
		descriptor_use(f, r, more->slot);
	else if (more && more->slot)
		slot_make(f, more->slot);
}

static void position_use(struct fs *f, uint32_t slot)
{
	struct slot_state *b = &f->slot[f->s->slot[slot].origin];
	if (!slot)
		return;
	fs_wait_for(f, b->mover);
	b->mover = f->request;
}

static void position_rules(struct fs *f, const struct load_request *r)
{
	const struct load_more *more = load_more(f->l, r);
	const struct op_info *o = op_info(r->op);
	if (is_open_call(r))
		return;
	if (o->uses & OP_MOVES_POSITION || o->family == FAMILY_STREAM ||
	    (o->family == FAMILY_COPY && r->offset == OFFSET_NONE))
		position_use(f, r->slot);
	if (more && o->family == FAMILY_COPY && more->from == OFFSET_NONE)
		position_use(f, more->slot);
}

static void waits_follow(struct fs *f, const struct process_waits *w, const struct u64_map *of)
{
	const uint32_t *first = w->n ? u64_map_find(of, f->request) : NULL;
	for (size_t i = first ? *first : SIZE_MAX; i < w->n && w->wait[i].request == f->request;
	     i++)
		fs_wait_for(f, w->wait[i].earlier);
}

/* --- events of the model ------------------------------------------------- */

static uint32_t *note_of(struct fs *f, uint32_t what)
{
	if (what >= f->n_notes) {
		const size_t n = (size_t)what + what / 2 + 1024;
		f->note = xreallocarray(f->note, n, sizeof *f->note);
		memset(f->note + f->n_notes, 0, (n - f->n_notes) * sizeof *f->note);
		f->n_notes = n;
	}
	return &f->note[what];
}

static void entries_rules(struct fs *f, uint32_t directory, bool change)
{
	uint32_t *at = note_of(f, directory);
	if (!*at) {
		*at = f->n_directories;
		APPEND(f->directory, f->n_directories, f->directories_cap,
		       (struct directory_state){.changers = {0}});
	}
	struct directory_state *d = &f->directory[*at];
	fs_wait_for_all(f, change ? &d->listers : &d->changers);
	fs_note(f, change ? &d->changers : &d->listers, 0);
}

/* Waits for uses by the same process, whose locks do not conflict with each other. */
static void own_process_wait(struct fs *f, const struct use_set *s)
{
	for (uint32_t u = s->first; u; u = f->uses.use[u].next)
		if (f->l->thread[f->uses.use[u].thread].pid == f->l->thread[f->own].pid)
			fs_wait_until(f, f->uses.use[u].thread, f->uses.use[u].request);
}

static bool own_process_used(const struct fs *f, const struct use_set *s)
{
	for (uint32_t u = s->first; u; u = f->uses.use[u].next)
		if (f->l->thread[f->uses.use[u].thread].pid == f->l->thread[f->own].pid)
			return true;
	return false;
}

/* Waits for the ends of processes that have locks: the end of a process releases its locks. */
static void ended_processes_wait(struct fs *f, const struct use_set *s)
{
	const struct load_thread *thread = f->l->thread;
	for (uint32_t u = s->first; u; u = f->uses.use[u].next) {
		const uint32_t taker = f->uses.use[u].thread;
		if (thread[taker].pid == thread[f->own].pid ||
		    f->begun[taker] < thread[taker].n_requests ||
		    *waited_for(f, taker) >= 2 * thread[taker].n_requests)
			continue;
		for (uint32_t t = 0; t < f->l->n_threads; t++)
			if (thread[t].pid == thread[taker].pid &&
			    f->begun[t] == thread[t].n_requests)
				fs_wait_until(f, t, 2 * thread[t].n_requests);
	}
}

/* The waits that locks demand. A request that takes a lock waits for releases, for queries, and for
 * requests that took a lock which excludes its own: their owner may release it later, or only by
 * its end. A release waits for queries, but only for takers of its own process: a call that waited
 * for the lock may have returned before the release did. A query waits for takers and releases. */
static void lock_rules(struct fs *f, uint32_t object, enum lock_act act)
{
	uint32_t *at = note_of(f, object);
	if (!*at) {
		*at = f->n_locks;
		APPEND(f->lock, f->n_locks, f->locks_cap, (struct lock_state){.takers = {0}});
	}
	struct lock_state *x = &f->lock[*at];
	if (act == LOCK_RELEASED) {
		own_process_wait(f, &x->takers);
		own_process_wait(f, &x->sharers);
	} else {
		fs_wait_for_all(f, &x->takers);
		fs_wait_for_all(f, &x->releasers);
	}
	if (act == LOCK_TAKEN || act == LOCK_QUERIED)
		fs_wait_for_all(f, &x->sharers);
	if (act != LOCK_RELEASED)
		ended_processes_wait(f, &x->takers);
	if (act == LOCK_TAKEN || act == LOCK_QUERIED)
		ended_processes_wait(f, &x->sharers);
	if (act != LOCK_QUERIED)
		fs_wait_for_all(f, &x->queriers);
	/* a shared lock may replace an exclusive lock of the process, and so release it */
	if (act == LOCK_SHARED && own_process_used(f, &x->takers))
		fs_note(f, &x->releasers, 0);
	fs_note(f, act == LOCK_QUERIED ? &x->queriers : act == LOCK_TAKEN ? &x->takers :
		act == LOCK_SHARED ? &x->sharers : &x->releasers, 0);
}

static struct file_state *file_of(struct fs *f, uint32_t object)
{
	uint32_t *at = note_of(f, object);
	if (*at)
		return &f->file[*at];
	const struct file_state none = {
	    .attribute = {.changer = NONE32}, .resizer = NONE32, .appender = NONE32};
	*at = f->n_files;
	APPEND(f->file, f->n_files, f->files_cap, none);
	return &f->file[*at];
}

/* --- the walk ------------------------------------------------------------ */

static void states_init(struct fs *f)
{
	for (uint32_t i = 0; i < f->s->n; i++)
		f->slot[i].opener = f->slot[i].closer = f->slot[i].mover = NONE32;
	for (uint32_t i = 0; i < f->l->n; i++)
		if (load_closes(&f->l->request[i]))
			f->slot[f->l->request[i].slot].closes = true;
	for (uint32_t i = 0; i < f->s->n; i++)
		if (f->s->slot[i].replaces)
			f->slot[f->s->slot[i].replaces].closes = true;
	for (uint32_t i = 0; i < f->s->n_maps; i++)
		f->map[i] = (struct resource){.changer = NONE32};
	memset(f->edge_of, 0xff, (f->l->n_threads + 1) * sizeof *f->edge_of);
	if (f->l->n_threads <= WAITED_THREADS_MAX)
		f->waited = xcalloc((size_t)f->l->n_threads * f->l->n_threads, sizeof *f->waited);
	f->begun = xcalloc((size_t)f->l->n_threads + 1, sizeof *f->begun);
	GROW(f->name, f->n_names, f->names_cap);
	GROW(f->file, f->n_files, f->files_cap);
	GROW(f->directory, f->n_directories, f->directories_cap);
	GROW(f->lock, f->n_locks, f->locks_cap);
	f->n_names = f->n_files = f->n_directories = f->n_locks = 1;
}

static void request_begins(struct fs *f, uint32_t request)
{
	const struct load_request *r = &f->l->request[request];
	edges_settle(f);
	f->request = request;
	f->own = r->thread;
	f->begun[r->thread] = r->index + 1;
	f->threshold = threshold_ended(r);
	waits_follow(f, &f->asynchronous, &f->async_wait_of);
	if (fs_rule(f, RULE_PROCESS))
		waits_follow(f, &f->processes, &f->process_wait_of);
	if (!r->skipped && fs_rule(f, RULE_DESCRIPTOR))
		descriptor_rules(f, r);
	if (!r->skipped && fs_rule(f, RULE_POSITION))
		position_rules(f, r);
}

/* Processes an event. Returns its number of words. */
static size_t event_take(struct fs *f, const uint64_t *word)
{
	const uint32_t what = event_subject(*word);
	const bool change = event_is_change(*word);
	switch (event_kind(*word)) {
	case FS_EVENT_REQUEST:
		request_begins(f, what);
		return 1;
	case FS_EVENT_NAME:
		if (fs_rule(f, RULE_NAME)) {
			uint32_t *at = note_of(f, what);
			if (!*at) {
				*at = f->n_names;
				APPEND(f->name, f->n_names, f->names_cap,
				       (struct resource){.changer = NONE32});
			}
			resource_rules(f, &f->name[*at], change);
		}
		return 1;
	case FS_EVENT_ENTRIES:
		if (fs_rule(f, RULE_DIRECTORY))
			entries_rules(f, what, change);
		return 1;
	case FS_EVENT_ATTRIBUTE:
		if (fs_rule(f, RULE_ATTRIBUTE))
			resource_rules(f, &file_of(f, what)->attribute, change);
		return 1;
	case FS_EVENT_READ:
		fs_read_rules(f, file_of(f, what), word[1], word[2], word[3]);
		return 4;
	case FS_EVENT_WRITE:
		fs_write_rules(f, file_of(f, what), word[1], word[2], change);
		return 3;
	case FS_EVENT_RESIZE:
		if (fs_rule(f, RULE_SIZE))
			fs_resize_rules(f, file_of(f, what));
		return 1;
	case FS_EVENT_SIZE:
		if (fs_rule(f, RULE_SIZE))
			fs_size_rules(f, file_of(f, what), word[1]);
		return 2;
	case FS_EVENT_LOCK:
		if (fs_rule(f, RULE_ATTRIBUTE))
			lock_rules(f, what, (enum lock_act)word[1]);
		return 2;
	}
	return 1;
}

static void events_take(void *ctx, const uint64_t *word, size_t n)
{
	for (size_t i = 0; i < n;)
		i += event_take(ctx, word + i);
}

int order_derive_fs(struct edges *out, unsigned int rules, const struct load *l,
		    const struct slots *s, struct err *e)
{
	struct fs f = {.l = l,
		       .s = s,
		       .out = out,
		       .rules = rules,
		       .request = NONE32};
	struct linear order = {.request = NULL};
	if (l->n_threads < 2)
		return 0; /* one thread: program order suffices */
	f.slot = calloc(s->n + 1, sizeof *f.slot);
	f.map = malloc((s->n_maps + 1) * sizeof *f.map);
	f.edge_of = malloc((l->n_threads + 1) * sizeof *f.edge_of);
	int ret = f.slot && f.map && f.edge_of
		      ? 0
		      : err_set(e, ENOMEM, "not enough memory to derive the order");
	if (!ret) {
		states_init(&f);
		process_waits_find(&f.processes, f.l, f.s);
		for (size_t i = 0; i < f.processes.n; i++)
			u64_map_at(&f.process_wait_of, f.processes.wait[i].request, (uint32_t)i);
		async_waits_find(&f.asynchronous, f.l);
		for (size_t i = 0; i < f.asynchronous.n; i++)
			u64_map_at(&f.async_wait_of, f.asynchronous.wait[i].request, (uint32_t)i);
		ret = order_linearise(&order, l, s, events_take, &f, e);
	}
	FREE_EACH(f.slot, f.map, f.note, f.name, f.file, f.directory, f.lock, f.edge_of, f.waited,
		  f.begun);
	process_waits_release(&f.processes);
	process_waits_release(&f.asynchronous);
	U64_MAPS_RELEASE(&f.process_wait_of, &f.async_wait_of, &f.waited_of);
	use_table_release(&f.uses);
	extent_pool_release(&f.extents);
	ret = ret ? ret : edges_reduce(out, l, &order, e);
	linear_release(&order);
	return ret;
}
