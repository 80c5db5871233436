/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/slots.h"

#include "replay/load/initial.h"
#include "replay/load/slots_private.h"

/* --- positions ----------------------------------------------------------- */

/* Infers the initial position of a descriptor that was open before the trace, from the first
 * request that depends on the position. */
static void position_infer(struct slot *b, struct slot_walk *w, const struct load_request *r)
{
	if (b->placed || r->appends)
		return;
	b->placed = true;
	int64_t first = 0;
	if (r->op != OP_LSEEK && r->offset != OFFSET_NONE)
		first = (int64_t)r->offset;
	else if (r->op == OP_LSEEK && r->flags == SEEK_CUR && r->rvalue >= 0 &&
		 __builtin_sub_overflow(r->rvalue, (int64_t)r->offset, &first))
		first = 0;
	b->position = w->at = first > 0 ? (uint64_t)first : 0;
}

/* Follows the file position through a sequential request. `origin`: the slot that created the open
 * file. */
static void position_follow(struct finder *f, uint32_t origin, struct load_request *r)
{
	struct slot *b = &f->s->slot[origin];
	struct slot_walk *w = &f->walk[origin];
	bool sequential = r->op != OP_LSEEK;
	if (b->at_setup)
		position_infer(b, w, r);
	if (sequential && r->offset == OFFSET_NONE && w->at_known && !r->appends)
		r->offset = w->at;
	if (r->rvalue < 0)
		return;
	w->stream_known &= r->op == OP_LSEEK && r->flags == SEEK_CUR && r->offset == 0;
	w->at_known = r->op == OP_LSEEK || r->offset != OFFSET_NONE;
	w->at = r->op == OP_LSEEK ? (uint64_t)r->rvalue : r->offset + (uint64_t)r->rvalue;
}

/* Decides whether a copy, preadv2 or pwritev2 used the file position. The trace has the offset, but
 * not whether it was an argument or the file position. If it equals the position, it is taken as
 * the position. Returns true if the call moved the position. */
static bool either_follow(struct finder *f, uint32_t slot, uint64_t *offset, int64_t rvalue)
{
	const uint32_t origin = f->s->slot[slot].origin;
	struct slot_walk *w = &f->walk[origin];
	if (*offset != OFFSET_NONE && !(w->at_known && w->at == *offset))
		return false;
	w->stream_known = false;
	if (w->at_known && !w->appends)
		*offset = w->at;
	if (rvalue > 0 && w->at_known)
		w->at += (uint64_t)rvalue;
	return true;
}

static void file_follow(struct slot_file *file, const struct load_request *r)
{
	if (r->rvalue < 0 || file->touched)
		return;
	file->touched = true;
	file->created = (r->op == OP_OPEN || r->op == OP_FOPEN) && r->flags & O_CREAT;
}

/* Infers the access mode of a file that the trace does not open: a mode that permits all successful
 * requests on its descriptors. It is write-only if a read failed with EBADF. `origin`: the slot
 * that opened the file. */
static void access_follow(struct slot *b, struct slot *origin, const struct load_request *r)
{
	const struct op_info *o = op_info(r->op);
	bool writes = o->family == FAMILY_WRITE || r->op == OP_FTRUNCATE || r->op == OP_FALLOCATE ||
		r->op == OP_FWRITE || r->op == OP_FPUTS || r->op == OP_FPUTC || r->op == OP_FPRINTF;
	b->stream |= o->family == FAMILY_STREAM;
	b->directory |= o->family == FAMILY_DIRECTORY || r->op == OP_FCHDIR;
	if (origin->inferred && r->rvalue >= 0 && writes && origin->flags != O_WRONLY)
		origin->flags = b->flags = O_RDWR;
	if (origin->inferred && r->rvalue == -EBADF && o->family == FAMILY_READ)
		origin->flags = b->flags = O_WRONLY;
}

/* --- one request --------------------------------------------------------- */

static bool makes_path_slot(const struct load_request *r)
{
	return r->op == OP_OPEN || r->op == OP_FOPEN || r->op == OP_FREOPEN || r->op == OP_OPENDIR;
}

static bool copies_descriptor(const struct load_request *r)
{
	return r->op == OP_DUP || r->op == OP_DUP2 ||
	       (r->op == OP_FCNTL && (r->flags == F_DUPFD || r->flags == F_DUPFD_CLOEXEC));
}

static void copy_slots(struct finder *f, struct load_request *r)
{
	struct load_more *m = load_more(f->l, r);
	struct op_peer peer;
	uint32_t len;
	const char *item = load_heap(f->l, r, &len);
	if (!m || len != sizeof peer) {
		r->skipped = SKIP_MISSING;
		return;
	}
	memcpy(&peer, item, sizeof peer);
	struct load_request to = *r;
	to.object = peer.object;
	m->from = peer.offset;
	m->slot = peer.fd < 0 ? 0 : slot_of_number(f, &to, peer.fd, name_of_request(f, &to));
	/* a clone neither uses nor moves the file position */
	const bool clones = r->op == OP_COPY_FILE_RANGE && r->flags & OP_COPY_CLONES;
	struct slots *s = f->s;
	if (m->slot && !s->slot[m->slot].skipped) {
		if (s->slot[s->slot[m->slot].origin].inferred && r->rvalue >= 0)
			s->slot[s->slot[m->slot].origin].flags = s->slot[m->slot].flags = O_RDWR;
		m->to_position = !clones && either_follow(f, m->slot, &m->from, r->rvalue);
	}
	if (r->slot && !s->slot[r->slot].skipped && !clones)
		m->at_position = either_follow(f, r->slot, &r->offset, r->rvalue);
	/* the failure may depend on the other file of the copy, which the replay replaces */
	const uint8_t from = s->slot[r->slot].skipped, to_skipped = s->slot[m->slot].skipped;
	if (r->rvalue < 0)
		r->skipped = from ? from : to_skipped;
	else if ((!r->slot || from) && (!m->slot || to_skipped))
		r->skipped = SKIP_OBJECT;
}

static void lock_follow(struct finder *f, const struct load_request *r)
{
	struct slots *s = f->s;
	struct slot *b = &s->slot[r->slot];
	const bool may = r->op == OP_FCNTL || r->op == OP_FLOCK || r->op == OP_LOCKF;
	bool of_process;
	if (!may || lock_act(f->l, r, &of_process) == LOCK_NONE)
		return;
	s->file[b->file].locked = true;
	if (!of_process)
		return;
	s->n_locked += !b->locked;
	b->locked = s->process[process_of(f, r)].locks = true;
}

static void descriptor_request(struct finder *f, struct load_request *r)
{
	struct slots *s = f->s;
	const struct op_info *o = op_info(r->op);
	if (copies_descriptor(r) && r->more)
		load_more(f->l, r)->itself = r->rvalue == r->fd;
	const uint32_t file = name_of_request(f, r);
	r->slot = r->fd < 0 ? slot_of_nameless(f, r, file) : slot_of_number(f, r, r->fd, file);
	if (o->family == FAMILY_COPY && r->op != OP_VMSPLICE)
		copy_slots(f, r);
	if (r->slot == 0) {
		/* an empty buffer is not written, so the descriptor of the stream may be closed */
		if (r->op == OP_FFLUSH && r->rvalue >= 0)
			r->skipped = SKIP_MISSING;
		else
			s->n_unknown += r->rvalue >= 0;
		return;
	}
	const uint32_t origin = s->slot[r->slot].origin;
	r->appends = f->walk[origin].appends &&
		     (o->family == FAMILY_WRITE || o->family == FAMILY_STREAM ||
		      r->op == OP_AIO_WRITE || r->op == OP_AIO_WRITEV);
	bool at_position =
	    o->uses & OP_MOVES_POSITION && (o->uses & OP_RETURNS_BYTES || r->op == OP_LSEEK);
	if (at_position)
		position_follow(f, origin, r);
	else if (r->op == OP_PREADV2 || r->op == OP_PWRITEV2)
		load_more(f->l, r)->at_position = either_follow(f, r->slot, &r->offset, r->rvalue);
	else if (o->family == FAMILY_STREAM)
		stream_follow(f, r);
	access_follow(&s->slot[r->slot], &s->slot[origin], r);
	file_follow(&s->file[s->slot[r->slot].file], r);
	lock_follow(f, r);
	if (copies_descriptor(r) && r->more)
		load_more(f->l, r)->slot = slot_copy(f, r->slot, process_of(f, r));
	if (r->op == OP_FCNTL && r->flags == F_SETFL && r->rvalue >= 0)
		f->walk[origin].appends = r->offset & O_APPEND;
}

/* Returns the number in the name of a descriptor in /proc; -1 for another name. */
static int32_t descriptor_named(const char *name)
{
	static const char in[] = "proc/self/fd/";
	char *end;
	name += *name == '/';
	if (strncmp(name, in, sizeof in - 1) != 0)
		return -1;
	const unsigned long fd = strtoul(name + sizeof in - 1, &end, 10);
	return *end || fd > INT32_MAX ? -1 : (int32_t)fd;
}

/* Handles linkat of /proc/self/fd/N or of a descriptor, which gives a name to a file made by
 * O_TMPFILE: the file is that of the slot. */
static void link_by_descriptor(struct finder *f, struct load_request *r)
{
	const int32_t fd = r->op == OP_LINK && r->rvalue >= 0 &&
					   r->flags & (AT_SYMLINK_FOLLOW | AT_EMPTY_PATH) &&
					   r->name != NONE32
			       ? descriptor_named(f->s->file[r->name].name)
			       : -1;
	const uint32_t slot = fd < 0 ? 0 : slot_of_number(f, r, fd, NONE32);
	if (!slot || f->s->slot[slot].skipped)
		return;
	r->slot = slot;
	r->name = NONE32;
}

static void path_request(struct finder *f, struct load_request *r)
{
	const struct op_info *o = op_info(r->op);
	struct load_more *m = load_more(f->l, r);
	uint32_t len;
	r->name = name_of_request(f, r);
	if (r->name == NONE32 && r->rvalue != -EFAULT)
		r->skipped = SKIP_MISSING;
	if (m && o->uses & OP_HEAP_PATH && r->op != OP_SYMLINK) {
		const char *second = load_heap(f->l, r, &len);
		if (second && strlen(second) == len)
			m->name = name_of_text(f, r, second);
		else if (r->rvalue != -EFAULT)
			r->skipped = SKIP_MISSING;
	}
	if (r->op == OP_MKNOD && call_refusal(f->l, r) && r->name != NONE32 && r->rvalue >= 0)
		f->s->file[r->name].skipped = SKIP_OBJECT;
	if (r->name != NONE32 && r->rvalue >= 0 && (r->op == OP_MKNOD || r->op == OP_UNLINK))
		f->s->file[r->name].fifo = r->op == OP_MKNOD && S_ISFIFO(r->length);
	if (r->name != NONE32 && r->rvalue >= 0 && (r->op == OP_UNLINK || r->op == OP_RENAME))
		f->s->file[r->name].to_system = false;
	if (m && m->name != NONE32 && r->rvalue >= 0 && r->op == OP_RENAME) {
		f->s->file[m->name].to_system = false;
		f->s->file[m->name].renamed = true;
		if (r->name != NONE32)
			f->s->file[r->name].renamed |= (r->flags & RENAME_EXCHANGE) != 0;
	}
	link_by_descriptor(f, r);
	if (r->op == OP_CHDIR)
		directory_change(f, r, r->name);
	f->renamed |= r->rvalue >= 0 && (r->op == OP_RENAME || r->op == OP_LINK ||
					 r->op == OP_UNLINK || r->op == OP_RMDIR);
	if (makes_path_slot(r) && r->name != NONE32) {
		struct slot made = {.file = r->name,
				    .flags = r->flags,
				    .mode = (uint32_t)r->length,
				    .stream = o->family == FAMILY_STREAM,
				    .directory = o->family == FAMILY_DIRECTORY,
				    .placed = true};
		if (r->op == OP_OPENDIR)
			made.flags = O_RDONLY | O_DIRECTORY;
		made.process = process_of(f, r);
		f->s->file[made.file].opened = true;
		r->slot = slot_add(f, made, true);
		file_follow(&f->s->file[r->name], r);
	}
}

/* Replaces the object and descriptor number of a request by its name and slot (load.h). */
static void request_resolve(struct finder *f, struct load_request *r)
{
	const struct op_info *o = op_info(r->op);
	const bool paged = load_is_touch(r), mapped = o->family == FAMILY_MAP && r->op != OP_MMAP;
	const bool named = !paged && !mapped && o->uses & OP_HAS_PATH;
	if (o->family != FAMILY_PAGE)
		f->touch[r->thread].any = false;
	if (!paged && !mapped && !named && o->uses & OP_HAS_FD &&
	    (o->family != FAMILY_ASYNC || r->has_fd)) {
		descriptor_request(f, r);
		if (r->op == OP_MMAP)
			map_follow(f, r);
		if (r->op == OP_FCHDIR && r->slot)
			directory_change(f, r, f->s->slot[r->slot].file);
	} else {
		r->slot = 0;
	}
	if (mapped)
		map_follow(f, r);
	else if (paged)
		touch_follow(f, r);
	else if (named)
		path_request(f, r);
	if (!paged && !named)
		r->name = NONE32;
	/* skip a request if its file is skipped */
	const struct load_more *m = load_more(f->l, r);
	const struct slots *s = f->s;
	bool copy = op_info(r->op)->family == FAMILY_COPY;
	if (r->name != NONE32 && s->file[r->name].skipped)
		r->skipped = s->file[r->name].skipped;
	if (r->name != NONE32 && s->file[r->name].to_system && load_follows_link(r))
		r->skipped = SKIP_SYSTEM;
	if (m && m->name != NONE32 && s->file[m->name].skipped)
		r->skipped = s->file[m->name].skipped;
	if (r->slot && s->slot[r->slot].skipped && !copy)
		r->skipped = s->slot[r->slot].skipped;
	if (!r->skipped)
		r->skipped = (uint8_t)call_refusal(f->l, r);
}

/* --- the walk ------------------------------------------------------------ */

/* Handles the end of a request: a descriptor exists from the end of the call that created it to the
 * end of its close. */
static void end_follow(struct finder *f, const struct load_request *q)
{
	uint32_t process = process_of(f, q), made = q->slot;
	if (load_closes(q)) {
		slot_close(f, q->slot, load_end_ns(f->l, q));
		return;
	}
	if (copies_descriptor(q))
		made = load_more(f->l, q)->slot;
	if (copies_descriptor(q) && load_more(f->l, q)->itself)
		return;
	if (q->rvalue <= INT32_MAX && made)
		slot_bind(f, process, (int32_t)q->rvalue, made, load_end_ns(f->l, q));
}

static void requests_walk(struct finder *f)
{
	struct load *l = f->l;
	for (uint32_t i = 0, q; i < l->n; i++) {
		struct load_request *r = &l->request[i];
		while (f->flight.n &&
		       (q = flight_pop_ended(&f->flight, l, r->begin_ns)) != NONE32)
			end_follow(f, &l->request[q]);
		request_resolve(f, r);
		bool makes = makes_path_slot(r) ||
			     (copies_descriptor(r) && load_more(l, r) && load_more(l, r)->slot);
		if (r->slot && (makes || load_closes(r)) && r->rvalue >= 0)
			flight_push(&f->flight, l, i);
	}
}

static void threads_count(struct finder *f)
{
	for (uint32_t i = 0; i < f->l->n_threads; i++) {
		const uint32_t *p = u64_map_find(&f->process_of, f->l->thread[i].pid);
		if (p)
			f->s->process[*p].n_threads++;
	}
}

/* Whether the trace has absolute paths. The path "/" alone does not count: traces of a whole
 * machine may have it beside relative paths. */
static bool any_absolute(const struct trace *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_object *o = trace_object(t, i);
		if (o && o->kind == OBJECT_PATH && o->name && o->name[0] == '/' &&
		    o->name[strspn(o->name, "/")])
			return true;
	}
	return false;
}

/* --- the metadata: descriptors and processes that existed before the trace - */

/* Reads "processes" and "threads". */
static int kin_read(struct finder *f, struct err *e)
{
	static const char *const names[] = {"processes", "threads"}, *const keys[] = {"pid", "tid"};
	size_t i;
	json_t *row;
	for (int kind = 0; kind < 2; kind++) {
		const json_t *rows = json_object_get(f->extra, names[kind]);
		struct kin *k = rows ? xcalloc(json_array_size(rows) + 1, sizeof *k) : NULL;
		*(kind ? &f->threads : &f->processes) = k;
		if (rows && !json_is_array(rows))
			return err_set(e, EINVAL, "metadata \"%s\" is not a list", names[kind]);
		json_array_foreach(rows, i, row)
		{
			json_int_t number, parent, begin_ns, waited_by, waited_ns;
			if (json_unpack(row, "{s:I,s:I,s:I}", keys[kind], &number, "parent",
					&parent, "begin_ns", &begin_ns))
				return err_set(e, EINVAL, "metadata \"%s\": entry %zu needs "
					"integers \"%s\", \"parent\" and \"begin_ns\"",
					names[kind], i, keys[kind]);
			k[i] = (struct kin){.number = (uint32_t)number,
					    .parent = (uint32_t)parent,
					    .begin_ns = begin_ns,
					    .waited = !json_unpack(row, "{s:I,s:I}", "waited_by",
								   &waited_by, "waited_ns",
								   &waited_ns)};
			if (k[i].waited) {
				k[i].waited_by = (uint32_t)waited_by;
				k[i].waited_ns = waited_ns;
			}
			f->n_roots += !kind && !parent;
			if (!kind)
				u64_map_at(&f->row_of_pid, k[i].number, (uint32_t)i);
		}
		f->n_threads = (uint32_t)json_array_size(rows);
	}
	return 0;
}

/* Reads the descriptors and processes that existed before the trace from its metadata. Errors:
 * EINVAL for wrong metadata. */
static int descriptor_table_read(struct finder *f, struct err *e)
{
	const char *text = trace_meta(f->t)->extra_json;
	json_error_t why;
	if (!text || !*text)
		return 0;
	f->extra = json_loads(text, 0, &why);
	if (!f->extra)
		return err_set(e, EINVAL, "the trace's extra metadata is not JSON: %s", why.text);
	int ret = kin_read(f, e);
	if (ret)
		return ret;
	f->table = json_object_get(f->extra, "descriptors");
	if (!f->table)
		return 0;
	if (!json_is_array(f->table))
		return err_set(e, EINVAL, "metadata \"descriptors\" is not a list");
	size_t i;
	json_t *row;
	json_array_foreach(f->table, i, row)
	{
		const json_t *fd = json_object_get(row, "fd"), *path = json_object_get(row, "path"),
			*flags = json_object_get(row, "flags"), *pid = json_object_get(row, "pid");
		if (!json_is_integer(fd) || json_integer_value(fd) < 0 ||
		    json_integer_value(fd) > INT32_MAX || !json_is_string(path) ||
		    (flags && !json_is_integer(flags)) || (pid && !json_is_integer(pid)))
			return err_set(e, EINVAL, "metadata \"descriptors\": entry %zu needs "
				"an integer \"fd\" and a string \"path\"; \"flags\" and \"pid\" "
				"must be integers", i);
		uint32_t number = (uint32_t)json_integer_value(fd);
		if (pid)
			u64_map_at(&f->row_of_pid_fd,
				u64_pair((uint32_t)json_integer_value(pid), number), (uint32_t)i);
		else
			u64_map_at(&f->row_of_fd, number, (uint32_t)i);
	}
	return 0;
}

/* --- all steps ----------------------------------------------------------- */

static void finder_release(struct finder *f)
{
	json_decref(f->extra);
	U64_MAPS_RELEASE(&f->row_of_pid, &f->row_of_fd, &f->row_of_pid_fd, &f->slot_of_row,
			 &f->process_of, &f->bound, &f->nameless, &f->latest, &f->bound_last,
			 &f->file_of_name);
	free(f->flight.item);
	for (uint32_t i = 0; f->maps && i < f->s->n_processes; i++)
		free(f->maps[i].item);
	FREE_EACH(f->processes, f->threads, f->maps, f->touch, f->scan, f->walk, f->file_of_object,
		  f->process_at);
}

int slots_find(struct slots *s, struct load *l, const struct trace *t, struct err *e)
{
	*s = (struct slots){.before = &trace_meta(t)->files};
	struct finder f = {.s = s, .l = l, .t = t, .n_objects = trace_n_objects(t)};
	slot_add(&f, (struct slot){.file = NONE32}, false);
	f.touch = xcalloc((size_t)l->n_threads + 1, sizeof *f.touch);
	f.process_at = xmalloc(((size_t)l->n_threads + 1) * sizeof *f.process_at);
	memset(f.process_at, 0xff, ((size_t)l->n_threads + 1) * sizeof *f.process_at);
	for (uint32_t i = 1; i < l->n_threads; i++)
		f.several |= l->thread[i].pid != l->thread[0].pid;
	f.absolute = any_absolute(t, f.n_objects);
	f.root = trace_meta(t)->root ? trace_meta(t)->root : f.absolute ? "/" : "unknown";
	f.file_of_object = xmalloc((f.n_objects + 1) * sizeof *f.file_of_object);
	memset(f.file_of_object, 0xff, (f.n_objects + 1) * sizeof *f.file_of_object);
	int ret = descriptor_table_read(&f, e);
	if (!ret) {
		names_of_system(&f);
		requests_walk(&f);
		free(f.walk);
		f.walk = NULL;
		threads_count(&f);
		if (f.processes || f.threads || s->n_processes > 1)
			processes_settle(&f);
		s->initial = initial_find(l, s, trace_meta(t));
		names_mark(&f);
	}
	finder_release(&f);
	if (ret)
		slots_release(s);
	return ret;
}

void slots_release(struct slots *s)
{
	for (uint32_t i = 0; i < s->n_files; i++)
		free(s->file[i].name);
	for (uint32_t i = 0; i < s->n_processes; i++)
		free(s->process[i].directory);
	initial_free(s->initial);
	FREE_EACH(s->file, s->slot, s->map, s->process, s->spawn, s->thread);
	*s = (struct slots){.slot = NULL};
}
