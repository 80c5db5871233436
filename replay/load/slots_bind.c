/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slot that a descriptor number refers to at a time. */

#include "replay/load/slots_private.h"

#define EARLIER_MAX 1024 /* largest number of slots that are examined to find an inherited slot */

/* --- processes: the metadata "processes", otherwise inherited descriptors - */

static const struct kin *kin_of(const struct finder *f, uint32_t pid)
{
	const uint32_t *row = u64_map_find(&f->row_of_pid, pid);
	return row ? &f->processes[*row] : NULL;
}

/* Returns the nearest ancestor of a process that has requests, or NONE32. */
static uint32_t ancestor_find(const struct finder *f, uint32_t pid)
{
	for (int i = 0; i < GENERATIONS_MAX; i++) {
		const struct kin *k = kin_of(f, pid);
		if (!k)
			return NONE32;
		pid = k->parent;
		const uint32_t *known = u64_map_find(&f->process_of, pid);
		if (known)
			return *known;
	}
	return NONE32;
}

static uint32_t thread_of(const struct u64_map *of_tid, uint32_t tid)
{
	const uint32_t *thread = u64_map_find(of_tid, tid);
	return thread ? *thread : NONE32;
}

/* Adds births of a process, its parent and so on, until an ancestor has requests. */
static void spawns_find(struct finder *f, uint32_t process, const struct u64_map *of_tid)
{
	struct slot_process *p = &f->s->process[process];
	struct slot_spawn b = {process, p->parent_pid, p->birth_ns, p->waited, p->waited_ns};
	if (p->waited) {
		p->knows = thread_of(of_tid, p->waiter_tid);
		p->knows_ns = p->waited_ns;
	}
	for (int i = 0; i < GENERATIONS_MAX && b.parent; i++) {
		APPEND(f->s->spawn, f->s->n_spawns, f->s->spawns_cap, b);
		const struct kin *k =
		    u64_map_find(&f->process_of, b.parent) ? NULL : kin_of(f, b.parent);
		if (!k)
			return;
		b.parent = k->parent;
		b.birth_ns = k->begin_ns;
		b.ended_ns = k->waited_ns;
		b.ended = b.ended && p->knows == NONE32 && k->waited;
		if (b.ended) {
			p->knows = thread_of(of_tid, k->waited_by);
			p->knows_ns = b.ended_ns;
		}
	}
}

static void threads_settle(struct finder *f, const struct u64_map *of_tid)
{
	struct slots *s = f->s;
	s->thread = xcalloc((size_t)f->n_threads + 1, sizeof *s->thread);
	for (uint32_t i = 0; i < f->n_threads; i++) {
		const struct kin *k = &f->threads[i];
		const struct slot_thread x = {
		    .thread = thread_of(of_tid, k->number),
		    .creator = thread_of(of_tid, k->parent),
		    .joiner = k->waited ? thread_of(of_tid, k->waited_by) : NONE32,
		    .created_ns = k->begin_ns,
		    .joined_ns = k->waited_ns,
		};
		if (x.thread != NONE32)
			s->thread[s->n_threads++] = x;
	}
}

/* Sets the parents of all processes and threads. Call it after the walk. */
void processes_settle(struct finder *f)
{
	struct slots *s = f->s;
	SCOPED(u64_map_release) struct u64_map of_tid = {.cell = NULL};
	for (uint32_t i = 0; i < f->l->n_threads; i++)
		u64_map_at(&of_tid, f->l->thread[i].tid, i);
	for (uint32_t i = 0; i < s->n_processes; i++) {
		struct slot_process *p = &s->process[i];
		p->parent = ancestor_find(f, p->pid);
		p->parent_known = p->parent != NONE32;
		spawns_find(f, i, &of_tid);
	}
	threads_settle(f, &of_tid);
	for (uint32_t i = 1; i < s->n; i++) {
		struct slot_process *p = &s->process[s->slot[i].process];
		if (s->slot[i].inherited && !s->slot[i].received && p->parent == NONE32 &&
		    s->slot[s->slot[i].source].process != s->slot[i].process)
			p->parent = s->slot[s->slot[i].source].process;
	}
}

/* --- the descriptor table ------------------------------------------------ */

static const uint32_t *table_row(const struct finder *f, uint32_t pid, int32_t fd)
{
	const uint32_t *row = u64_map_find(&f->row_of_pid_fd, u64_pair(pid, (uint32_t)fd));
	return row ? row : u64_map_find(&f->row_of_fd, (uint32_t)fd);
}

/* The row of the nearest ancestor in the table for this number. The ancestor may have no requests
 * on it. */
static const uint32_t *ancestors_row(const struct finder *f, uint32_t pid, int32_t fd)
{
	const uint32_t *row = NULL;
	for (int i = 0; f->processes && i < GENERATIONS_MAX && !row; i++) {
		const struct kin *k = kin_of(f, pid);
		if (!k || !k->parent)
			break;
		pid = k->parent;
		row = table_row(f, pid, fd);
	}
	return row;
}

/* --- processes and slots ------------------------------------------------- */

uint32_t process_of(struct finder *f, const struct load_request *r)
{
	struct slots *s = f->s;
	if (f->process_at[r->thread] != NONE32)
		return f->process_at[r->thread];
	uint32_t pid = f->l->thread[r->thread].pid;
	uint32_t *known = u64_map_at(&f->process_of, pid, s->n_processes);
	f->process_at[r->thread] = *known;
	if (*known < s->n_processes)
		return *known;
	uint32_t cap = s->processes_cap;
	GROW(s->process, s->n_processes, s->processes_cap);
	if (cap != s->processes_cap) {
		f->maps = xreallocarray(f->maps, s->processes_cap, sizeof *f->maps);
		memset(f->maps + cap, 0, (s->processes_cap - cap) * sizeof *f->maps);
	}
	const struct kin *k = f->processes ? kin_of(f, pid) : NULL;
	struct slot_process *p = &s->process[s->n_processes];
	*p = (struct slot_process){
	    .pid = pid, .birth_ns = r->begin_ns, .parent = NONE32, .knows = NONE32};
	if (k) {
		p->birth_ns = k->begin_ns < r->begin_ns ? k->begin_ns : r->begin_ns;
		p->parent_pid = k->parent;
		p->waited = k->waited;
		p->waiter_tid = k->waited_by;
		p->waited_ns = k->waited_ns;
	}
	return s->n_processes++;
}

uint32_t slot_add(struct finder *f, struct slot what, bool at_known)
{
	struct slots *s = f->s;
	GROW(s->slot, s->n, s->cap);
	GROW(f->walk, s->n, f->walk_cap);
	if (!what.origin)
		what.origin = s->n;
	if (what.file != NONE32 && s->file[what.file].skipped)
		what.skipped = s->file[what.file].skipped;
	else if (what.file != NONE32 && s->file[what.file].to_system)
		what.skipped = SKIP_SYSTEM;
	if (what.file != NONE32 && s->file[what.file].fifo)
		what.skipped = SKIP_OBJECT;
	f->walk[s->n] = (struct slot_walk){
	    .closed_ns = INT64_MAX, .at_known = at_known, .stream_known = at_known,
	    .appends = what.flags & O_APPEND};
	s->slot[s->n] = what;
	return s->n++;
}

static void open_count(struct finder *f)
{
	if (++f->n_open > f->s->n_open_max)
		f->s->n_open_max = f->n_open;
}

void slot_close(struct finder *f, uint32_t slot, int64_t now_ns)
{
	struct slot *b = &f->s->slot[slot];
	if (!slot || f->walk[slot].closed)
		return;
	f->walk[slot].closed = b->ends = true;
	f->walk[slot].closed_ns = now_ns;
	f->n_open -= f->n_open > 0 && !b->skipped;
}

void slot_bind(struct finder *f, uint32_t process, int32_t fd, uint32_t slot, int64_t now_ns)
{
	struct slots *s = f->s;
	uint32_t *bound = u64_map_at(&f->bound, u64_pair(process, (uint32_t)fd), 0);
	if (*bound && *bound != slot && !f->walk[*bound].closed) {
		s->slot[slot].replaces = *bound;
		slot_close(f, *bound, now_ns);
	}
	*bound = slot;
	s->slot[slot].process = process;
	f->walk[slot].open_ns = now_ns;
	if (!s->slot[slot].skipped)
		open_count(f);
	if (!f->several)
		return;
	uint32_t *latest = u64_map_at(&f->latest, u64_pair(s->slot[slot].file, (uint32_t)fd), 0);
	if (*latest != slot)
		s->slot[slot].earlier = *latest;
	*latest = slot;
	uint32_t *last = u64_map_at(&f->bound_last, s->slot[slot].file, 0);
	if (!f->walk[slot].before && *last != slot)
		f->walk[slot].before = *last;
	*last = slot;
}

uint32_t slot_copy(struct finder *f, uint32_t of, uint32_t process)
{
	struct slots *s = f->s;
	const struct slot *from = &s->slot[of];
	struct slot made = {.file = from->file,
			    .flags = from->flags,
			    .mode = from->mode,
			    .origin = from->origin,
			    .process = process,
			    .skipped = from->skipped,
			    .placed = true};
	return slot_add(f, made, false);
}

/* --- inheritance --------------------------------------------------------- */

static bool process_descends(const struct finder *f, uint32_t pid, uint32_t from)
{
	for (int i = 0; i < GENERATIONS_MAX && pid != from; i++) {
		const struct kin *k = kin_of(f, pid);
		if (!k)
			return false;
		pid = k->parent;
	}
	return pid == from;
}

/* Returns the slot that was open under the number when the process began. If the trace names
 * parents, the slot of an ancestor is preferred. The start of a process may be recorded late: then
 * the slot that an ancestor closed last is returned. */
static uint32_t inherited_from(const struct finder *f, uint32_t process, uint32_t latest)
{
	const struct slots *s = f->s;
	const struct slot_process *p = &s->process[process];
	uint32_t any = 0, closed = 0;
	for (uint32_t slot = latest, n = 0; slot && n < EARLIER_MAX;
	     slot = s->slot[slot].earlier, n++) {
		const struct slot *b = &s->slot[slot];
		if (b->process == process || f->walk[slot].open_ns > p->birth_ns)
			continue;
		const bool own = f->processes &&
				 process_descends(f, p->pid, s->process[b->process].pid),
			   open = f->walk[slot].closed_ns >= p->birth_ns;
		if (open && (own || !f->processes))
			return slot;
		if (open && !any)
			any = slot;
		if (own && !closed)
			closed = slot;
	}
	return closed ? closed : any;
}

static uint32_t slot_inherit(struct finder *f, uint32_t from, uint32_t process)
{
	struct slots *s = f->s;
	if (s->slot[from].inherited)
		from = s->slot[from].source;
	uint32_t copy = slot_copy(f, from, process);
	s->slot[copy].inherited = true;
	s->slot[copy].source = from;
	s->slot[copy].next_heir = s->slot[from].heir;
	s->slot[from].heir = copy;
	return copy;
}

static uint32_t slot_inherited(struct finder *f, uint32_t process, int32_t fd, uint32_t file)
{
	const uint32_t *latest = u64_map_find(&f->latest, u64_pair(file, (uint32_t)fd));
	uint32_t from = latest ? inherited_from(f, process, *latest) : 0;
	return from ? slot_inherit(f, from, process) : 0;
}

/* Returns the descriptor of the parent with this number, if it was open when the process began. Its
 * file may have been renamed since it was opened, but a pipe or socket is no file. */
static uint32_t slot_of_parent(struct finder *f, uint32_t process, int32_t fd, uint32_t file)
{
	const struct slot_process *p = &f->s->process[process];
	const uint32_t parent = f->processes ? ancestor_find(f, p->pid) : NONE32;
	const uint32_t *bound =
	    parent == NONE32 ? NULL : u64_map_find(&f->bound, u64_pair(parent, (uint32_t)fd));
	return bound && f->walk[*bound].open_ns <= p->birth_ns &&
			       f->walk[*bound].closed_ns >= p->birth_ns &&
			       (f->s->slot[*bound].skipped == SKIP_OBJECT) ==
				       (f->s->file[file].skipped == SKIP_OBJECT)
		       ? slot_inherit(f, *bound, process)
		       : 0;
}

/* Whether the open file permits the request at its position, as far as these are known. */
static bool may_be_of(const struct finder *f, const struct load_request *r, uint32_t slot)
{
	const uint32_t origin = f->s->slot[slot].origin;
	const struct slot_walk *w = &f->walk[origin];
	const struct op_info *o = op_info(r->op);
	const uint32_t access = f->s->slot[origin].flags & O_ACCMODE;
	if (r->rvalue >= 0 && ((o->family == FAMILY_READ && access == O_WRONLY) ||
			       (o->family == FAMILY_WRITE && access == O_RDONLY)))
		return false;
	return !(o->uses & OP_MOVES_POSITION) || r->op == OP_LSEEK || r->offset == OFFSET_NONE ||
	       !w->at_known || w->at == r->offset || w->appends;
}

/* Returns a slot that shares the open file of another process, which sent its descriptor through a
 * socket, or from which pidfd_getfd() took it. 0: the descriptor may be older than the trace, or no
 * other process opened the file. With `closed`, also a descriptor that the other process has
 * closed since. */
static uint32_t slot_received(struct finder *f, const struct load_request *r, uint32_t process,
			      uint32_t file, bool closed)
{
	struct slots *s = f->s;
	const struct kin *k = f->processes ? kin_of(f, s->process[process].pid) : NULL;
	const uint32_t *last = u64_map_find(&f->bound_last, file);
	uint32_t from = 0;
	/* a process of several that strace attached to may have opened the file before the trace */
	const bool seen = k && (k->parent || f->table || f->n_roots == 1);
	if (!seen || !last || s->file[file].skipped || r->rvalue < 0)
		return 0;
	for (uint32_t slot = *last, n = 0; slot && n < EARLIER_MAX;
	     slot = f->walk[slot].before, n++) {
		const struct slot *b = &s->slot[slot];
		if (b->process != process && !s->slot[b->origin].inferred &&
		    (closed || !f->walk[slot].closed) && may_be_of(f, r, slot)) {
			from = slot;
			break;
		}
	}
	const uint32_t copy = from ? slot_inherit(f, from, process) : 0;
	s->slot[copy].received = copy != 0;
	return copy;
}

/* --- numbers ------------------------------------------------------------- */

static uint32_t slot_infer(struct finder *f, const struct load_request *r, uint32_t file)
{
	struct slot made = {.file = file, .flags = O_RDONLY, .at_setup = true, .inferred = true};
	made.process = process_of(f, r);
	return slot_add(f, made, true);
}

uint32_t slot_of_nameless(struct finder *f, const struct load_request *r, uint32_t file)
{
	if (file == NONE32 || r->rvalue == -EBADF)
		return 0;
	uint32_t *slot = u64_map_at(&f->nameless, u64_pair(file, r->thread), 0);
	if (*slot == 0 || (f->walk[*slot].closed && r->rvalue >= 0))
		*slot = slot_infer(f, r, file);
	return *slot;
}

/* Returns the first row with the same process, file, flags and position. Standard output and
 * standard error of one redirection (`>file 2>&1`) share one open file. */
static uint32_t first_alike(const struct finder *f, uint32_t number)
{
	static const char *const alike[] = {"pid", "path", "flags", "position"};
	const json_t *row = json_array_get(f->table, number), *other;
	if (!json_object_get(row, "flags") || !json_object_get(row, "position"))
		return number;
	for (uint32_t i = 0; i < number; i++) {
		size_t k = 0;
		other = json_array_get(f->table, i);
		while (k < sizeof alike / sizeof *alike &&
		       json_equal(json_object_get(row, alike[k]), json_object_get(other, alike[k])))
			k++;
		if (k == sizeof alike / sizeof *alike)
			return i;
	}
	return number;
}

/* Returns the slot of a row of the table. A row with a process (`pid`) is one open file, which the
 * process shares with its descendants, whichever process uses it first. */
static uint32_t slot_of_row(struct finder *f, const uint32_t *number, uint32_t process,
			    uint32_t file)
{
	const json_t *row = number ? json_array_get(f->table, *number) : NULL;
	const json_t *flags = json_object_get(row, "flags");
	uint32_t named =
	    row ? name_find(f, json_string_value(json_object_get(row, "path")), NAME_PATH) : NONE32;
	if (!row || (file != NONE32 && file != named))
		return 0;
	uint32_t *slot = u64_map_at(&f->slot_of_row, first_alike(f, *number), 0);
	if (*slot && (json_object_get(row, "pid") || f->s->slot[*slot].process == process))
		return slot_inherit(f, *slot, process);
	struct slot made = {.file = named, .at_setup = true, .process = process};
	made.flags = flags ? (uint32_t)json_integer_value(flags) : O_RDWR;
	const uint32_t added = slot_add(f, made, true);
	*slot = *slot ? *slot : added;
	return added;
}

/* Returns the common slot of standard output and standard error, if they are the same file and the
 * trace lacks their opens: then they share one open file. */
static uint32_t slot_of_output(struct finder *f, uint32_t process, int32_t fd, uint32_t file)
{
	const int32_t other = 3 - fd;
	if (fd != 1 && fd != 2)
		return 0;
	const uint32_t *bound = u64_map_find(&f->bound, u64_pair(process, (uint32_t)other));
	if (!bound)
		return slot_inherited(f, process, other, file);
	const uint32_t origin = f->s->slot[*bound].origin;
	const bool alike = f->s->slot[origin].at_setup && f->s->slot[origin].file == file;
	return alike ? slot_inherit(f, origin, process) : 0;
}

/* Whether the number now belongs to a pipe or socket instead of a file: an exec closed the file, or
 * the trace lacks its close. No rename has this effect. */
static bool is_replaced(const struct slots *s, uint32_t slot, uint32_t file)
{
	const uint32_t before = s->slot[slot].file;
	return s->file[file].skipped == SKIP_OBJECT && before != NONE32 &&
	       s->file[before].skipped == SKIP_NONE;
}

uint32_t slot_of_number(struct finder *f, const struct load_request *r, int32_t fd, uint32_t file)
{
	struct slots *s = f->s;
	uint32_t process = process_of(f, r), slot = 0;
	const uint32_t *bound = u64_map_find(&f->bound, u64_pair(process, (uint32_t)fd));
	if (bound && !f->walk[*bound].closed && r->object == OBJECT_NONE && r->rvalue == -EBADF)
		return 0; /* an exec closed it, or a call that the trace lacks */
	if (bound) {
		const bool closed = f->walk[*bound].closed;
		/* the file has another name: the trace lacks an open, or the file was renamed */
		bool other = file != NONE32 && s->slot[*bound].file != file &&
			     (!f->renamed || closed || is_replaced(s, *bound, file));
		if (!other && !(closed && r->rvalue >= 0))
			return *bound;
	} else {
		slot = slot_of_row(f, table_row(f, f->l->thread[r->thread].pid, fd), process, file);
	}
	if (!slot && (file == NONE32 || r->rvalue == -EBADF))
		return 0;
	if (!slot && !bound)
		slot = slot_inherited(f, process, fd, file);
	if (!slot && !bound)
		slot = slot_of_row(f, ancestors_row(f, f->l->thread[r->thread].pid, fd),
				   process, file);
	if (!slot && !bound)
		slot = slot_of_output(f, process, fd, file);
	if (!slot && !bound && s->file[file].renamed)
		slot = slot_of_parent(f, process, fd, file);
	if (!slot)
		slot = slot_received(f, r, process, file, false);
	if (!slot && !bound && f->renamed)
		slot = slot_of_parent(f, process, fd, file);
	if (!slot)
		slot = slot_received(f, r, process, file, true);
	if (!slot)
		slot = slot_infer(f, r, file);
	slot_bind(f, process, fd, slot,
		  s->slot[slot].inherited ? s->process[process].birth_ns : INT64_MIN);
	return slot;
}
