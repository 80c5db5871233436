/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>

#include "capture/op.h"
#include "commands/slice.h"
#include "common/sort.h"
#include "common/u64_map.h"

struct slice_listed {
	const char *path;
	uint32_t entry; /* index in the list of the traces */
};
ORDER_BY_TEXT(by_path, struct slice_listed, path)

enum { UNCHANGED, CHANGED_LATER, CHANGED };

struct slice_state {
	struct fileset files;  /* of the traces */
	struct slice_listed *listed; /* listed[files.n], sorted */
	/* state[files.n]: CHANGED: before a kept request; CHANGED_LATER: after the last one */
	unsigned char *state;
	uint32_t *later; /* later[n_later]: entries with state CHANGED_LATER */
	size_t n_later, cap;
	bool any_left_out, any_before; /* requests were left out; before a kept request */
	struct fileset kept;
};

struct slice_state *slice_state_open(const struct fileset *files)
{
	struct slice_state *s = xcalloc(1, sizeof *s);
	s->files = *files;
	s->listed = xcalloc(files->n + 1, sizeof *s->listed);
	s->state = xcalloc(files->n + 1, sizeof *s->state);
	for (size_t i = 0; i < files->n; i++)
		s->listed[i] = (struct slice_listed){files->entry[i].path, (uint32_t)i};
	qsort(s->listed, files->n, sizeof *s->listed, by_path);
	return s;
}

void slice_state_close(struct slice_state *s)
{
	if (s)
		FREE_EACH(s->listed, s->state, s->later, s->kept.entry, s->kept.detail, s);
}

/* Whether the request changes the length of its file, or the file that its name refers to. `size`:
 * length of the file before the first request. */
static bool changes_file(const struct trace_record *r, uint64_t size)
{
	const uint64_t n = op_bytes_moved(r);
	switch (r->op) {
	case OP_OPEN:
	case OP_FOPEN:
	case OP_FREOPEN:
		return r->flags & O_TRUNC;
	case OP_UNLINK:
	case OP_RMDIR:
	case OP_FWRITE:
	case OP_FPUTS:
	case OP_FPUTC:
	case OP_FPRINTF:
		return true;
	default:
		break;
	}
	if (op_info(r->op)->family == FAMILY_WRITE)
		return n && (r->offset == OFFSET_NONE || n > size || r->offset > size - n);
	return op_info(r->op)->family == FAMILY_SIZE;
}

static void entry_note(struct slice_state *s, uint32_t entry)
{
	if (s->state[entry] != UNCHANGED)
		return;
	s->state[entry] = CHANGED_LATER;
	APPEND(s->later, s->n_later, s->cap, entry);
}

/* Notes that the request changes the file `path`, if it does. */
static void change_note(struct slice_state *s, const char *path, const struct trace_record *r)
{
	size_t at = 0;
	BISECT(at, s->files.n, i, strcmp(s->listed[i].path, path) < 0)
	if (at < s->files.n && !strcmp(s->listed[at].path, path) &&
	    changes_file(r, s->files.entry[s->listed[at].entry].size))
		entry_note(s, s->listed[at].entry);
}

/* Notes that `path` and everything below it has changed. */
static void rename_note(struct slice_state *s, const char *path, size_t len)
{
	size_t at = 0;
	BISECT(at, s->files.n, i, strncmp(s->listed[i].path, path, len) < 0)
	for (; at < s->files.n && !strncmp(s->listed[at].path, path, len); at++)
		if (!s->listed[at].path[len] || s->listed[at].path[len] == '/')
			entry_note(s, s->listed[at].entry);
}

void slice_state_left_out(struct slice_state *s, const struct trace *t,
			  const struct trace_record *r)
{
	const enum op_family family = op_info(r->op)->family;
	const struct trace_object *o = trace_object(t, r->object);
	const void *data = NULL;
	struct op_peer peer;
	size_t len = 0;
	s->any_left_out |= family != FAMILY_CAUSE && family != FAMILY_PAGE;
	if (!s->files.n || r->error)
		return;
	const bool copies = family == FAMILY_COPY;
	if ((r->op == OP_RENAME || copies) && trace_heap(t, r->heap, &data, &len, NULL))
		data = NULL;
	if (r->op == OP_RENAME) {
		if (o)
			rename_note(s, o->name, strlen(o->name));
		if (data)
			rename_note(s, data, len);
	} else if (copies && data && len == sizeof peer) {
		memcpy(&peer, data, sizeof peer);
		const struct trace_record written = {.op = OP_PWRITE, .offset = peer.offset,
						     .rvalue = r->rvalue};
		o = trace_object(t, peer.object);
		if (o)
			change_note(s, o->name, &written);
	} else if (o) {
		change_note(s, o->name, r);
	}
}

void slice_state_kept(struct slice_state *s)
{
	while (s->n_later)
		s->state[s->later[--s->n_later]] = CHANGED;
	s->any_before |= s->any_left_out;
}

bool slice_state_is_whole(const struct slice_state *s)
{
	return !s->any_before;
}

void slice_state_finish(struct slice_state *s, struct fileset *files)
{
	struct u64_map other_names = {.cell = NULL};
	const struct fileset_detail *detail = files->detail;
	for (size_t i = 0; i < files->n && detail; i++)
		if (s->state[i] == CHANGED && detail[i].same_file)
			u64_map_at(&other_names, detail[i].same_file, 1);
	s->kept.entry = xcalloc(files->n + 1, sizeof *s->kept.entry);
	s->kept.detail = detail ? xcalloc(files->n + 1, sizeof *s->kept.detail) : NULL;
	for (size_t i = 0; i < files->n; i++) {
		if (s->state[i] == CHANGED || (detail && detail[i].same_file &&
				      u64_map_find(&other_names, detail[i].same_file)))
			continue;
		s->kept.entry[s->kept.n] = files->entry[i];
		if (detail)
			s->kept.detail[s->kept.n] = detail[i];
		s->kept.n++;
	}
	u64_map_release(&other_names);
	*files = s->kept;
}
