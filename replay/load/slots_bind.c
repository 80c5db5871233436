/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which slot a descriptor number means at a moment. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "capture/op.h"
#include "common/xalloc.h"
#include "replay/load/slots_private.h"

/* --- the descriptor table ------------------------------------------------ */

int descriptor_table_read(struct finder *f, struct err *e)
{
	const char *text = trace_meta(f->t)->extra_json;
	json_error_t why;
	if (!text || !*text)
		return 0;
	f->extra = json_loads(text, 0, &why);
	if (!f->extra)
		return err_set(e, EINVAL, "the trace's extra metadata is not JSON: %s", why.text);
	int ret = process_table_read(f, e);
	if (ret)
		return ret;
	f->table = json_object_get(f->extra, "descriptors");
	if (!f->table)
		return 0;
	if (!json_is_array(f->table))
		return err_set(e, EINVAL, "the trace's \"descriptors\" are not a list");
	size_t i;
	json_t *row;
	json_array_foreach(f->table, i, row)
	{
		const json_t *fd = json_object_get(row, "fd"), *path = json_object_get(row, "path"),
			     *flags = json_object_get(row, "flags"),
			     *pid = json_object_get(row, "pid");
		if (!json_is_integer(fd) || json_integer_value(fd) < 0 ||
		    json_integer_value(fd) > INT32_MAX || !json_is_string(path) ||
		    (flags && !json_is_integer(flags)) || (pid && !json_is_integer(pid)))
			return err_set(e, EINVAL,
				       "the trace's \"descriptors\", entry %zu: it needs an "
				       "integer \"fd\" and a text "
				       "\"path\"; \"flags\" and \"pid\" are integers",
				       i);
		uint32_t number = (uint32_t)json_integer_value(fd);
		if (pid)
			u64_map_at(&f->row_of_pid_fd,
				   u64_pair((uint32_t)json_integer_value(pid), number),
				   (uint32_t)i);
		else
			u64_map_at(&f->row_of_fd, number, (uint32_t)i);
	}
	return 0;
}

static const uint32_t *table_row(const struct finder *f, uint32_t pid, int32_t fd)
{
	const uint32_t *row = u64_map_find(&f->row_of_pid_fd, u64_pair(pid, (uint32_t)fd));
	return row ? row : u64_map_find(&f->row_of_fd, (uint32_t)fd);
}

/* Of the nearest ancestor that the table knows, which may have no requests on it. */
static const uint32_t *ancestors_row(const struct finder *f, uint32_t pid, int32_t fd)
{
	const uint32_t *row = NULL;
	for (int i = 0; i < GENERATIONS_MAX && !row && (pid = process_parent(f, pid)) != 0; i++)
		row = table_row(f, pid, fd);
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
	s->process[s->n_processes] = (struct slot_process){.pid = pid, .birth_ns = r->begin_ns};
	process_told(f, &s->process[s->n_processes]);
	return s->n_processes++;
}

uint32_t slot_add(struct finder *f, struct slot what, bool at_known)
{
	struct slots *s = f->s;
	GROW(s->slot, s->n, s->cap);
	GROW(f->walk, s->n, f->walk_cap);
	if (!what.origin)
		what.origin = s->n;
	if (what.file != NONE32 && s->file[what.file].passed)
		what.passed = s->file[what.file].passed;
	if (what.file != NONE32 && s->file[what.file].fifo)
		what.passed = PASS_OBJECT;
	f->walk[s->n] = (struct slot_walk){.closed_ns = INT64_MAX, .at_known = at_known, .stream_known = at_known};
	s->slot[s->n] = what;
	return s->n++;
}

static void opened(struct finder *f)
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
	f->n_open -= f->n_open > 0 && !b->passed;
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
	if (!s->slot[slot].passed)
		opened(f);
	if (!f->several)
		return;
	uint32_t *latest = u64_map_at(&f->latest, u64_pair(s->slot[slot].file, (uint32_t)fd), 0);
	if (*latest != slot)
		s->slot[slot].earlier = *latest;
	*latest = slot;
}

uint32_t slot_copy(struct finder *f, uint32_t of, uint32_t process)
{
	struct slots *s = f->s;
	const struct slot *from = &s->slot[of];
	struct slot made = {.file = from->file, .flags = from->flags, .mode = from->mode, .origin = from->origin,
			    .process = process, .passed = from->passed, .placed = true};
	return slot_add(f, made, false);
}

static uint32_t slot_infer(struct finder *f, const struct load_request *r, uint32_t file)
{
	struct slot made = {.file = file, .flags = O_RDONLY, .at_setup = true, .inferred = true};
	made.process = process_of(f, r);
	return slot_add(f, made, true);
}

/* A request that tells its file and no descriptor number: each thread has one of its own for each
 * file. */
static uint32_t slot_of_nameless(struct finder *f, const struct load_request *r, uint32_t file)
{
	if (file == NONE32 || r->rvalue == -EBADF)
		return 0;
	uint32_t *slot = u64_map_at(&f->nameless, u64_pair(file, r->thread), 0);
	if (*slot == 0 || (f->walk[*slot].closed && r->rvalue >= 0))
		*slot = slot_infer(f, r, file);
	return *slot;
}

/* The first row of the same process, file, flags and position: standard output and standard error
 * of one redirection (`>file 2>&1`) are one open file. */
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

/* What a row of the table tells. `shared`: the processes that have it from a common ancestor
 * share the open file. */
static uint32_t slot_of_row(struct finder *f, const uint32_t *number, bool shared,
		uint32_t process, uint32_t file)
{
	const json_t *row = number ? json_array_get(f->table, *number) : NULL;
	const json_t *flags = json_object_get(row, "flags");
	uint32_t named =
	    row ? name_find(f, json_string_value(json_object_get(row, "path"))) : NONE32;
	if (!row || (file != NONE32 && file != named))
		return 0;
	uint32_t *slot = u64_map_at(&f->slot_of_row, first_alike(f, *number), 0);
	if (*slot && (shared || f->s->slot[*slot].process == process))
		return slot_inherit(f, *slot, process);
	struct slot made = {.file = named, .at_setup = true, .process = process};
	made.flags = flags ? (uint32_t)json_integer_value(flags) : O_RDWR;
	const uint32_t added = slot_add(f, made, true);
	*slot = *slot ? *slot : added;
	return added;
}

/* Nothing shows where standard output or standard error was opened: if both are one file, they are
 * one open file. */
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

uint32_t slot_of_number(struct finder *f, const struct load_request *r, int32_t fd, uint32_t file)
{
	struct slots *s = f->s;
	uint32_t process = process_of(f, r), slot = 0;
	const uint32_t *bound = u64_map_find(&f->bound, u64_pair(process, (uint32_t)fd));
	if (bound && !f->walk[*bound].closed && r->object == OBJECT_NONE && r->rvalue == -EBADF)
		return 0; /* an exec, or a call that the trace does not have, closed it */
	if (bound) {
		const bool closed = f->walk[*bound].closed;
		/* another name: the trace missed an open, or the file was renamed meanwhile */
		bool other =
		    file != NONE32 && s->slot[*bound].file != file && (!f->renamed || closed);
		if (!other && !(closed && r->rvalue >= 0))
			return *bound;
	} else {
		slot = slot_of_row(f, table_row(f, f->l->thread[r->thread].pid, fd), false,
			process, file);
	}
	if (!slot && (file == NONE32 || r->rvalue == -EBADF))
		return 0;
	if (!slot && !bound)
		slot = slot_inherited(f, process, fd, file);
	if (!slot && !bound)
		slot = slot_of_row(f, ancestors_row(f, f->l->thread[r->thread].pid, fd), true,
			process, file);
	if (!slot && !bound)
		slot = slot_of_output(f, process, fd, file);
	if (!slot)
		slot = slot_infer(f, r, file);
	slot_bind(f, process, fd, slot,
		  s->slot[slot].inherited ? s->process[process].birth_ns : INT64_MIN);
	return slot;
}

uint32_t slot_of_request(struct finder *f, const struct load_request *r)
{
	uint32_t file = name_of_request(f, r);
	return r->fd < 0 ? slot_of_nameless(f, r, file) : slot_of_number(f, r, r->fd, file);
}
