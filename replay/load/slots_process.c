/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who started which process: what the trace's extra metadata say ("processes"), and else what
 * inherited descriptors show. */
#include <errno.h>
#include <string.h>

#include "common/xalloc.h"
#include "replay/load/slots_private.h"

#define EARLIER_MAX 1024 /* slots looked at for one that is inherited */

int process_table_read(struct finder *f, struct err *e)
{
	f->processes = json_object_get(f->extra, "processes");
	if (!f->processes)
		return 0;
	if (!json_is_array(f->processes))
		return err_set(e, EINVAL, "the trace's \"processes\" are not a list");
	size_t i;
	json_t *row;
	json_array_foreach(f->processes, i, row)
	{
		static const char *const members[] = {"pid", "parent", "begin_ns"};
		for (size_t k = 0; k < sizeof members / sizeof *members; k++)
			if (!json_is_integer(json_object_get(row, members[k])))
				return err_set(e, EINVAL,
					       "the trace's \"processes\", entry %zu: it needs "
					       "integers \"pid\", \"parent\" and "
					       "\"begin_ns\"",
					       i);
		u64_map_at(&f->row_of_pid,
			   (uint32_t)json_integer_value(json_object_get(row, "pid")), (uint32_t)i);
	}
	return 0;
}

static const json_t *row_of(const struct finder *f, uint32_t pid)
{
	const uint32_t *row = u64_map_find(&f->row_of_pid, pid);
	return row ? json_array_get(f->processes, *row) : NULL;
}

uint32_t process_parent(const struct finder *f, uint32_t pid)
{
	return (uint32_t)json_integer_value(json_object_get(row_of(f, pid), "parent"));
}

void process_told(const struct finder *f, struct slot_process *p)
{
	const json_t *row = row_of(f, p->pid), *waited = json_object_get(row, "waited_ns"),
		     *by = json_object_get(row, "waited_by");
	p->parent = p->knows = NONE32;
	if (!row)
		return;
	int64_t begin_ns = json_integer_value(json_object_get(row, "begin_ns"));
	p->birth_ns = begin_ns < p->birth_ns ? begin_ns : p->birth_ns;
	p->told_parent = (uint32_t)json_integer_value(json_object_get(row, "parent"));
	if (json_is_integer(waited) && json_is_integer(by)) {
		p->waiter_tid = (uint32_t)json_integer_value(by);
		p->waited_ns = json_integer_value(waited);
		p->waited = true;
	}
}

/* The traced ancestor nearest to a process that issues requests, or NONE32. */
static uint32_t parent_told(const struct finder *f, uint32_t pid)
{
	for (int i = 0; i < GENERATIONS_MAX; i++) {
		const json_t *row = row_of(f, pid);
		if (!row)
			return NONE32;
		pid = (uint32_t)json_integer_value(json_object_get(row, "parent"));
		const uint32_t *known = u64_map_find(&f->process_of, pid);
		if (known)
			return *known;
	}
	return NONE32;
}

static void birth_add(struct slots *s, struct slot_birth b)
{
	GROW(s->birth, s->n_births, s->births_cap);
	s->birth[s->n_births++] = b;
}

static void end_known(struct slot_process *p, const struct u64_map *of_tid, uint32_t tid,
		      int64_t ns)
{
	const uint32_t *thread = u64_map_find(of_tid, tid);
	p->knows = thread ? *thread : NONE32;
	p->knows_ns = ns;
}

/* From parent to parent, until one has requests of its own. */
static void births_find(struct finder *f, uint32_t process, const struct u64_map *of_tid)
{
	struct slot_process *p = &f->s->process[process];
	struct slot_birth b = {process, p->told_parent, p->birth_ns, p->waited, p->waited_ns};
	if (p->waited)
		end_known(p, of_tid, p->waiter_tid, p->waited_ns);
	for (int i = 0; i < GENERATIONS_MAX && b.parent; i++) {
		birth_add(f->s, b);
		const json_t *row =
		    u64_map_find(&f->process_of, b.parent) ? NULL : row_of(f, b.parent);
		const json_t *waited = json_object_get(row, "waited_ns"),
			     *by = json_object_get(row, "waited_by");
		if (!row)
			return;
		b.parent = (uint32_t)json_integer_value(json_object_get(row, "parent"));
		b.birth_ns = json_integer_value(json_object_get(row, "begin_ns"));
		b.ended_ns = json_integer_value(waited);
		b.ended =
		    b.ended && p->knows == NONE32 && json_is_integer(waited) && json_is_integer(by);
		if (b.ended)
			end_known(p, of_tid, (uint32_t)json_integer_value(by), b.ended_ns);
	}
}

/* Slots know their processes now, and processes their parents. */
void processes_settle(struct finder *f)
{
	struct slots *s = f->s;
	struct u64_map of_tid = {.cell = NULL};
	for (uint32_t i = 0; i < f->l->n_threads; i++)
		u64_map_at(&of_tid, f->l->thread[i].tid, i);
	for (uint32_t i = 0; i < s->n_processes; i++) {
		struct slot_process *p = &s->process[i];
		p->parent = parent_told(f, p->pid);
		p->parent_told = p->parent != NONE32;
		births_find(f, i, &of_tid);
	}
	u64_map_release(&of_tid);
	for (uint32_t i = 1; i < s->n; i++) {
		struct slot_process *p = &s->process[s->slot[i].process];
		if (s->slot[i].inherited && p->parent == NONE32 &&
		    s->slot[s->slot[i].source].process != s->slot[i].process)
			p->parent = s->slot[s->slot[i].source].process;
	}
}

/* --- inheritance --------------------------------------------------------- */

static bool descends(const struct finder *f, uint32_t pid, uint32_t from)
{
	for (int i = 0; i < GENERATIONS_MAX && pid != from; i++) {
		const json_t *row = row_of(f, pid);
		if (!row)
			return false;
		pid = (uint32_t)json_integer_value(json_object_get(row, "parent"));
	}
	return pid == from;
}

/* What was open under the number when the process began; an ancestor's where there are several and
 * the trace tells who they are. A process that was slow to begin may be told later than it was
 * forked: then it is what its ancestor had closed last. */
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
		const bool own = f->processes && descends(f, p->pid, s->process[b->process].pid),
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

uint32_t slot_inherited(struct finder *f, uint32_t process, int32_t fd, uint32_t file)
{
	const uint32_t *latest = u64_map_find(&f->latest, u64_pair(file, (uint32_t)fd));
	uint32_t from = latest ? inherited_from(f, process, *latest) : 0;
	return from ? slot_inherit(f, from, process) : 0;
}

uint32_t slot_inherit(struct finder *f, uint32_t from, uint32_t process)
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
