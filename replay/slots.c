/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "capture/op.h"
#include "common/xalloc.h"
#include "replay/u64_map.h"

struct finder {
	struct slots *s;
	struct load *l;
	const struct trace *t;
	json_t *extra, *table;	/* table borrowed from extra; NULL without one */
	struct u64_map row_of_fd, row_of_pid_fd; /* rows of the table without and with a pid */
	struct u64_map bound;	/* (pid, fd) -> slot */
	struct u64_map nameless; /* (file, thread) -> slot, for requests that tell their file and no descriptor */
	struct u64_map file_of_name; /* hash -> file */
	uint32_t *file_of_object;    /* file_of_object[n_objects] */
	uint32_t n_objects;
	struct flight flight; /* opens and closes under way */
};

/* --- names -------------------------------------------------------------------------------------------------------- */

/* Two spellings of a path inside the root, as far as can be told without looking: "/a", "./a" and "a" are one file. */
static const char *plain_name(const char *path)
{
	for (;;) {
		if (path[0] == '/')
			path++;
		else if (path[0] == '.' && path[1] == '/')
			path += 2;
		else
			return *path ? path : ".";
	}
}

static uint32_t file_of(struct finder *f, const char *path)
{
	struct slots *s = f->s;
	const char *name = plain_name(path);
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	for (;; hash++) {
		uint32_t *known = u64_map_at(&f->file_of_name, hash, s->n_files);
		if (*known < s->n_files) {
			if (!strcmp(s->file[*known].name, name))
				return *known;
			continue; /* another name of the same hash */
		}
		GROW(s->file, s->n_files, s->files_cap);
		s->file[s->n_files] = (struct slot_file){.name = xstrdup(name)};
		return s->n_files++;
	}
}

/* The file a request's object names, or NONE32. */
static uint32_t file_of_request(struct finder *f, const struct load_request *r)
{
	const struct trace_object *o = r->object < f->n_objects ? trace_object(f->t, r->object) : NULL;
	if (!o || o->kind != OBJECT_PATH || !o->name)
		return NONE32;
	uint32_t *known = &f->file_of_object[r->object];
	if (*known == NONE32)
		*known = file_of(f, o->name);
	return *known;
}

/* --- the descriptor table ----------------------------------------------------------------------------------------- */

static int table_read(struct finder *f, struct err *e)
{
	const char *text = trace_meta(f->t)->extra_json;
	json_error_t why;
	if (!text || !*text)
		return 0;
	f->extra = json_loads(text, 0, &why);
	if (!f->extra)
		return err_set(e, EINVAL, "the trace's extra metadata is no JSON: %s", why.text);
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
			     *flags = json_object_get(row, "flags"), *pid = json_object_get(row, "pid");
		if (!json_is_integer(fd) || json_integer_value(fd) < 0 || json_integer_value(fd) > INT32_MAX ||
		    !json_is_string(path) || (flags && !json_is_integer(flags)) || (pid && !json_is_integer(pid)))
			return err_set(e, EINVAL, "the trace's \"descriptors\", entry %zu: it needs an integer \"fd\" and a text "
				       "\"path\"; \"flags\" and \"pid\" are integers", i);
		uint32_t number = (uint32_t)json_integer_value(fd);
		if (pid)
			u64_map_at(&f->row_of_pid_fd, u64_pair((uint32_t)json_integer_value(pid), number), (uint32_t)i);
		else
			u64_map_at(&f->row_of_fd, number, (uint32_t)i);
	}
	return 0;
}

static const json_t *table_row(const struct finder *f, uint32_t pid, int32_t fd)
{
	const uint32_t *row = u64_map_find(&f->row_of_pid_fd, u64_pair(pid, (uint32_t)fd));
	if (!row)
		row = u64_map_find(&f->row_of_fd, (uint32_t)fd);
	return row ? json_array_get(f->table, *row) : NULL;
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

static uint32_t slot_add(struct slots *s, struct slot what)
{
	GROW(s->slot, s->n, s->cap);
	s->slot[s->n] = what;
	return s->n++;
}

static uint32_t bind(struct finder *f, uint32_t pid, int32_t fd, uint32_t slot)
{
	return *u64_map_at(&f->bound, u64_pair(pid, (uint32_t)fd), slot) = slot;
}

static uint32_t slot_infer(struct slots *s, uint32_t file)
{
	return slot_add(s, (struct slot){.file = file, .flags = O_RDONLY, .at_setup = true, .inferred = true, .at_known = true});
}

/* A request that tells its file and no descriptor number: each thread has one of its own for each file. */
static uint32_t slot_of_nameless(struct finder *f, const struct load_request *r, uint32_t file)
{
	if (file == NONE32 || r->rvalue == -EBADF)
		return 0;
	uint32_t *slot = u64_map_at(&f->nameless, u64_pair(file, r->thread), 0);
	if (*slot == 0 || (f->s->slot[*slot].closed && r->rvalue >= 0))
		*slot = slot_infer(f->s, file);
	return *slot;
}

static uint32_t slot_of(struct finder *f, const struct load_request *r)
{
	struct slots *s = f->s;
	uint32_t pid = f->l->thread[r->thread].pid, file = file_of_request(f, r);
	if (r->fd < 0)
		return slot_of_nameless(f, r, file);
	const uint32_t *bound = u64_map_find(&f->bound, u64_pair(pid, (uint32_t)r->fd));
	if (bound) {
		const struct slot *b = &s->slot[*bound];
		bool other = file != NONE32 && b->file != file; /* the trace missed an open */
		if (!other && !(b->closed && r->rvalue >= 0))
			return *bound;
	} else if (f->table) {
		const json_t *row = table_row(f, pid, r->fd), *flags = json_object_get(row, "flags");
		uint32_t named = row ? file_of(f, json_string_value(json_object_get(row, "path"))) : NONE32;
		if (row && (file == NONE32 || file == named)) {
			struct slot made = {.file = named, .at_setup = true, .at_known = true};
			made.flags = flags ? (uint32_t)json_integer_value(flags) : O_RDWR;
			return bind(f, pid, r->fd, slot_add(s, made));
		}
	}
	if (file == NONE32 || r->rvalue == -EBADF)
		return 0;
	return bind(f, pid, r->fd, slot_infer(s, file));
}

static uint32_t slot_of_open(struct finder *f, const struct load_request *r)
{
	struct slot made = {.file = file_of_request(f, r), .flags = r->flags, .mode = r->length, .at_known = true, .placed = true};
	f->s->file[made.file].opened = true;
	return slot_add(f->s, made);
}

/* --- positions and sizes ------------------------------------------------------------------------------------------ */

static bool appends(const struct slot *b, const struct load_request *r)
{
	return op_info(r->op)->family == FAMILY_WRITE && b->flags & O_APPEND;
}

/* Where a descriptor from before the trace stood: the first request that depends on it shows. */
static void position_infer(struct slot *b, const struct load_request *r)
{
	if (b->placed || appends(b, r))
		return;
	b->placed = true;
	int64_t first = 0;
	if (r->op != OP_LSEEK && r->offset != OFFSET_NONE)
		first = (int64_t)r->offset;
	else if (r->op == OP_LSEEK && r->flags == SEEK_CUR && r->rvalue >= 0 &&
		 __builtin_sub_overflow(r->rvalue, (int64_t)r->offset, &first))
		first = 0;
	b->position = b->at = first > 0 ? (uint64_t)first : 0;
}

static void position_follow(struct slot *b, struct load_request *r)
{
	bool sequential = r->op == OP_READ || r->op == OP_WRITE;
	if (!(op_info(r->op)->uses & OP_MOVES_POSITION))
		return;
	if (b->at_setup)
		position_infer(b, r);
	if (sequential && r->offset == OFFSET_NONE && b->at_known && !appends(b, r))
		r->offset = b->at;
	if (r->rvalue < 0)
		return;
	b->at_known = r->op == OP_LSEEK || r->offset != OFFSET_NONE;
	b->at = r->op == OP_LSEEK ? (uint64_t)r->rvalue : r->offset + (uint64_t)r->rvalue;
}

static void size_follow(struct slot_file *file, const struct load_request *r)
{
	const struct op_info *info = op_info(r->op);
	if (r->rvalue < 0)
		return;
	if (!file->touched) {
		file->touched = true;
		file->created = r->op == OP_OPEN && r->flags & O_CREAT;
		file->needed = !file->created;
	}
	if (r->op == OP_OPEN && r->flags & O_TRUNC)
		file->truncated = true;
	uint64_t end = r->offset + (uint64_t)r->rvalue;
	if (!(info->uses & OP_RETURNS_BYTES) || r->offset == OFFSET_NONE || r->rvalue == 0 || end > INT64_MAX || end < r->offset)
		return;
	if (info->family == FAMILY_WRITE && end > file->written)
		file->written = end;
	if (info->family == FAMILY_READ && end > file->written && end > file->size && !file->truncated) {
		file->size = end;
		file->needed = true;
	}
}

static void access_follow(struct slot *b, const struct load_request *r)
{
	if (b->inferred && r->rvalue >= 0 && op_info(r->op)->family == FAMILY_WRITE)
		b->flags = O_RDWR;
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

static void ended(struct finder *f, const struct load_request *q)
{
	if (q->op == OP_CLOSE)
		f->s->slot[q->slot].closed = true;
	else if (q->rvalue <= INT32_MAX)
		bind(f, f->l->thread[q->thread].pid, (int32_t)q->rvalue, q->slot);
}

static void walk(struct finder *f)
{
	struct load *l = f->l;
	for (uint32_t i = 0, q; i < l->n; i++) {
		struct load_request *r = &l->request[i];
		while ((q = flight_pop_ended(&f->flight, l, r->begin_ns)) != NONE32)
			ended(f, &l->request[q]);
		r->slot = r->op == OP_OPEN ? slot_of_open(f, r) : slot_of(f, r);
		if (r->slot == 0) {
			f->s->n_unknown += r->rvalue >= 0;
			continue;
		}
		struct slot *b = &f->s->slot[r->slot];
		position_follow(b, r);
		access_follow(b, r);
		size_follow(&f->s->file[b->file], r);
		if ((r->op == OP_OPEN || r->op == OP_CLOSE) && r->rvalue >= 0)
			flight_push(&f->flight, l, i);
	}
}

/* What the trace's own table of files tells of those that are used. */
static void files_list(struct finder *f)
{
	const struct fileset *listed = &trace_meta(f->t)->files;
	uint32_t n_used = f->s->n_files;
	for (size_t i = 0; i < listed->n && n_used; i++) {
		if (listed->entry[i].directory)
			continue;
		uint32_t file = file_of(f, listed->entry[i].path);
		f->s->file[file].listed = true;
		f->s->file[file].listed_size = listed->entry[i].size;
	}
}

int slots_find(struct slots *s, struct load *l, const struct trace *t, struct err *e)
{
	*s = (struct slots){.slot = NULL};
	slot_add(s, (struct slot){.file = NONE32});
	struct finder f = {.s = s, .l = l, .t = t, .n_objects = trace_n_objects(t)};
	f.file_of_object = xmalloc((f.n_objects + 1) * sizeof *f.file_of_object);
	memset(f.file_of_object, 0xff, (f.n_objects + 1) * sizeof *f.file_of_object);
	int ret = table_read(&f, e);
	if (!ret) {
		walk(&f);
		files_list(&f);
	} else {
		slots_release(s);
	}
	json_decref(f.extra);
	u64_map_release(&f.row_of_fd);
	u64_map_release(&f.row_of_pid_fd);
	u64_map_release(&f.bound);
	u64_map_release(&f.nameless);
	u64_map_release(&f.file_of_name);
	flight_release(&f.flight);
	free(f.file_of_object);
	return ret;
}

void slots_release(struct slots *s)
{
	for (uint32_t i = 0; i < s->n_files; i++)
		free(s->file[i].name);
	free(s->file);
	free(s->slot);
	*s = (struct slots){.slot = NULL};
}
