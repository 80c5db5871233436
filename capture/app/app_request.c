/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_census.h"

#include "capture/op.h"

void request_maker_init(struct request_maker *m, const struct clock *clock, uint64_t start,
			const char *root, const char *given)
{
	*m = (struct request_maker){.clock = clock,
				    .root = root,
				    .epoch_ns = clock_ns_of_ticks(clock, start),
				    .second = STRBUF_INIT};
	m->root_len = strcmp(root, "/") ? strlen(root) : 0;
	if (*given == '/' && strcmp(given, root)) {
		m->link = given;
		m->link_len = strlen(given);
		while (m->link_len > 1 && m->link[m->link_len - 1] == '/')
			m->link_len--;
	}
	state_init(&m->state);
	m->state.links.reads = true;
}

void request_maker_release(struct request_maker *m)
{
	state_release(&m->state);
	strbuf_release(&m->second);
}

/* --- names --------------------------------------------------------------- */

static const char *name_below(const char *root, size_t len, const char *path)
{
	if (strncmp(path, root, len) || (path[len] && path[len] != '/'))
		return NULL;
	path += len;
	path += *path == '/';
	return *path ? path : ".";
}

const char *request_name(const struct request_maker *m, const char *path)
{
	const char *name = name_below(m->root, m->root_len, path);
	return name || !m->link ? name : name_below(m->link, m->link_len, path);
}

/* Returns 1: *id is the object; 0: the path is outside the root; or a negative errno. */
static int object_of(struct request_maker *m, const char *path, bool is_path, uint32_t *id,
		     struct err *e)
{
	const char *name = is_path ? request_name(m, path) : m->root_len ? NULL : path;
	if (!name)
		return 0;
	int ret = trace_writer_object(m->writer, is_path ? OBJECT_PATH : OBJECT_FD, name, id, e);
	return ret ? ret : 1;
}

/* The same for an open file, which keeps the number of its object. */
static int file_object(struct request_maker *m, struct app_open_file *f, uint32_t *id,
		       struct err *e)
{
	*id = f && f->object ? f->object - 1 : OBJECT_NONE;
	if (!f || f->object)
		return f || !m->root_len;
	int ret = object_of(m, f->path, f->is_path, id, e);
	if (ret == 1)
		f->object = *id + 1;
	return ret;
}

/* --- one request --------------------------------------------------------- */

static int64_t time_of(const struct request_maker *m, uint64_t ticks)
{
	return clock_ns_of_ticks(m->clock, ticks) - m->epoch_ns;
}

const char *request_second_path(struct request_maker *m, const struct process_state *p,
				const struct merge_record *r, size_t *len)
{
	*len = r->extra_len;
	if (r->r->op == OP_SYMLINK)
		return r->extra;
	struct strbuf keep = m->state.path;
	m->state.path = m->second;
	const char *path =
	    state_path_asked(&m->state, p, r->r, r->second_dir, r->extra, r->extra_len,
			     NULL);
	m->second = m->state.path;
	m->state.path = keep;
	const char *name = path ? request_name(m, path) : NULL;
	name = name ? name : path ? path : "";
	*len = strlen(name);
	return name;
}

static int heap_put(struct request_maker *m, const struct process_state *p,
		    const struct merge_record *r, struct trace_record *to, struct err *e)
{
	unsigned int uses = op_info(r->r->op)->uses;
	const char *data = r->extra;
	size_t len = r->extra_len;
	struct op_peer peer;
	if ((!(uses & OP_HEAP) && r->r->op != OP_READLINK) || !len)
		return 0;
	if (uses & OP_HEAP_PATH)
		data = request_second_path(m, p, r, &len);
	if (uses & OP_HEAP_PEER && len == sizeof peer) {
		memcpy(&peer, data, sizeof peer);
		struct app_open_file *f = state_file(p, peer.fd);
		int ret = r->r->op == OP_DUP2 ? 0 : file_object(m, f, &peer.object, e);
		if (ret < 0)
			return ret;
		if (peer.offset == OFFSET_NONE && f && f->position_known && !f->append &&
		    r->r->op != OP_DUP2)
			peer.offset = f->position;
		data = (const char *)&peer;
	}
	return trace_writer_heap(m->writer, data, len, &to->heap, e);
}

/* The position at which the request began to read or write. */
static uint64_t position_of(const struct process_state *p, const struct log_record *r,
			    unsigned int uses)
{
	const struct app_open_file *f = state_file(p, r->fd);
	bool writes = op_info(r->op)->family == FAMILY_WRITE;
	bool at_position = uses & OP_KNOWS_OFFSET || r->op == OP_PREADV2 || r->op == OP_PWRITEV2;
	if (r->offset != OFFSET_NONE || !at_position)
		return r->offset;
	return f && f->position_known && !(writes && f->append) ? f->position : OFFSET_NONE;
}

/* Finds the object of the request. Returns 1, 0 (outside the root) or a negative errno. */
static int request_object(struct request_maker *m, const struct process_state *p,
	const struct merge_record *r, const char *path, struct trace_record *to, struct err *e)
{
	unsigned int uses = op_info(r->r->op)->uses;
	/* a link to /proc/self/fd/N is inside the root if the file of that descriptor is */
	const struct app_open_file *linked =
	    r->r->op == OP_LINK && path ? state_file(p, path_descriptor(path)) : NULL;
	if (linked && linked->is_path && request_name(m, linked->path)) {
		int ret = trace_writer_object(m->writer, OBJECT_PATH, path + 1, &to->object, e);
		return ret ? ret : 1;
	}
	if (uses & OP_HAS_PATH && path)
		return object_of(m, path, true, &to->object, e);
	if (op_info(r->r->op)->family == FAMILY_MAP && r->r->op != OP_MMAP) {
		const struct app_mapping *at = state_mapping(p, r->r->offset, r->r->length);
		/* memory without a file is not recorded */
		return at ? file_object(m, at->file, &to->object, e) : 0;
	}
	if (uses & OP_HAS_FD)
		return file_object(m, state_file(p, r->r->fd), &to->object, e);
	return 1;
}

static void request_fill(const struct request_maker *m, const struct process_state *p,
			 const struct merge_record *r, struct trace_record *to)
{
	const struct log_record *l = r->r;
	unsigned int uses = op_info(l->op)->uses;
	*to = (struct trace_record){
	    .begin_ns = time_of(m, l->begin),
	    /* TIME_NONE: an asynchronous request whose result the program did not read */
	    .end_ns = l->end ? time_of(m, l->end) : TIME_NONE,
	    .intended_ns = TIME_NONE,
	    .dispatch_ns = TIME_NONE,
	    .offset = position_of(p, l, uses),
	    .length = l->length,
	    .rvalue = l->result,
	    .pid = r->pid,
	    .tid = r->tid,
	    .object = OBJECT_NONE,
	    .fd = uses & OP_HAS_FD                         ? l->fd
		  : uses & OP_RETURNS_FD && l->result >= 0 ? (int32_t)l->result
							   : -1,
	    .flags = l->op == OP_IO_URING_ENTER ? 0 : l->flags,
	    .heap = HEAP_NONE,
	    .op = l->op,
	    .error = l->error,
	};
}

int request_make(struct request_maker *m, const struct process_state *p,
	const struct merge_record *r, const char *path, struct trace_record *to, struct err *e)
{
	request_fill(m, p, r, to);
	int ret = request_object(m, p, r, path, to, e);
	if (ret <= 0)
		return ret;
	ret = heap_put(m, p, r, to, e);
	return ret ? ret : 1;
}
