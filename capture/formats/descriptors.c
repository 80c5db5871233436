/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/descriptors.h"

#include "capture/app/app_private.h"
#include "common/xalloc.h"

/* --- open files ---------------------------------------------------------- */

struct open_file *open_file_new(uint32_t object, int64_t position, bool append)
{
	struct open_file *f = xcalloc(1, sizeof *f);
	*f =
	    (struct open_file){.refs = 1, .object = object, .position = position, .append = append};
	return f;
}

void open_file_put(struct open_file *f)
{
	if (!f || --f->refs)
		return;
	free(f->shown);
	free(f->now);
	free(f->renamed_last);
	free(f);
}

bool traced_room_take(size_t *n_slots, size_t more)
{
	if (more > TRACED_SLOTS_MAX - *n_slots)
		return false;
	*n_slots += more;
	return true;
}

static struct descriptor_table *table_copy(const struct descriptor_table *from, size_t *n_slots)
{
	struct descriptor_table *t = xcalloc(1, sizeof *t);
	t->refs = 1;
	t->n_slots = n_slots;
	t->n = from && traced_room_take(n_slots, from->n) ? from->n : 0;
	t->file = xcalloc(t->n ? t->n : 1, sizeof(struct open_file *));
	t->cloexec = xcalloc(t->n ? t->n : 1, sizeof *t->cloexec);
	for (size_t i = 0; i < t->n; i++) {
		t->file[i] = from->file[i];
		t->cloexec[i] = from->cloexec[i];
		if (t->file[i])
			t->file[i]->refs++;
	}
	return t;
}

static void table_put(struct descriptor_table *t)
{
	if (--t->refs)
		return;
	*t->n_slots -= t->n;
	for (size_t i = 0; i < t->n; i++)
		open_file_put(t->file[i]);
	free(t->file);
	free(t->cloexec);
	free(t);
}

struct open_file *descriptor_get(const struct traced_thread *t, int64_t fd)
{
	const struct descriptor_table *d = t->process->table;
	return fd >= 0 && (uint64_t)fd < d->n ? d->file[fd] : NULL;
}

void descriptor_set(struct traced_thread *t, int64_t fd, struct open_file *f, bool cloexec)
{
	struct descriptor_table *d = t->process->table;
	if (fd < 0 || fd >= DESCRIPTOR_MAX || (!f && (uint64_t)fd >= d->n))
		return;
	if ((uint64_t)fd >= d->n) {
		size_t n = (size_t)fd + 16;
		if (!traced_room_take(d->n_slots, n - d->n))
			return;
		d->file = xreallocarray(d->file, n, sizeof(struct open_file *));
		d->cloexec = xreallocarray(d->cloexec, n, sizeof *d->cloexec);
		memset(d->file + d->n, 0, (n - d->n) * sizeof(struct open_file *));
		memset(d->cloexec + d->n, 0, (n - d->n) * sizeof *d->cloexec);
		d->n = n;
	}
	if (f)
		f->refs++;
	open_file_put(d->file[fd]);
	d->file[fd] = f;
	d->cloexec[fd] = cloexec;
}

void descriptors_exec(struct traced_thread *t)
{
	struct descriptor_table *copy = table_copy(t->process->table, t->process->table->n_slots);
	table_put(t->process->table);
	t->process->table = copy;
	map_list_put(t->process->maps);
	t->process->maps = NULL;
	for (size_t i = 0; i < copy->n; i++)
		if (copy->cloexec[i])
			descriptor_set(t, (int64_t)i, NULL, false);
}

/* --- processes and threads ----------------------------------------------- */

/* `from`: the process whose directories it inherits; NULL: unknown. */
static struct traced_process *process_new(uint32_t pid, struct descriptor_table *table,
					  const struct traced_process *from)
{
	struct traced_process *p = xcalloc(1, sizeof *p);
	p->pid = pid;
	p->table = table;
	strbuf_init(&p->cwd);
	strbuf_init(&p->root);
	if (from) {
		strbuf_add(&p->cwd, from->cwd.s, from->cwd.len);
		strbuf_add(&p->root, from->root.s, from->root.len);
	}
	return p;
}

static void process_put(struct traced_process *p)
{
	if (--p->refs)
		return;
	table_put(p->table);
	map_list_put(p->maps);
	strbuf_release(&p->cwd);
	strbuf_release(&p->root);
	free(p);
}

static struct traced_thread **find(struct traced_system *s, uint32_t tid)
{
	struct traced_thread **t = &s->slot[tid * 2654435761u >> 20];
	while (*t && (*t)->tid != tid)
		t = &(*t)->next;
	return t;
}

static struct traced_thread *thread_new(struct traced_system *s, uint32_t tid,
					struct traced_process *p)
{
	struct traced_thread *t = xcalloc(1, sizeof *t), **slot = find(s, tid);
	t->tid = tid;
	t->process = p;
	p->refs++;
	strbuf_init(&t->text);
	*slot = t;
	return t;
}

static struct traced_process *process_for_clone(struct traced_thread *parent, uint32_t tid,
						bool same, bool share)
{
	struct descriptor_table *table = parent->process->table;
	if (same)
		return parent->process;
	if (share)
		table->refs++;
	struct traced_process *p = process_new(
	    tid, share ? table : table_copy(table, table->n_slots), parent->process);
	p->parent = parent->process->pid;
	p->umask = parent->process->umask;
	p->maps = parent->process->maps;
	if (p->maps)
		p->maps->refs++;
	return p;
}

void traced_thread_cloned(struct traced_system *s, struct traced_thread *parent, uint32_t tid,
			  bool same_process, bool share_table)
{
	struct traced_thread **t = find(s, tid);
	if (s->cloning == parent)
		s->cloning = NULL;
	/* In a PID namespace the child's number may equal the parent's or that of a traced thread;
	 * the trace cannot tell them apart. */
	if (*t && (*t)->adopted && !(*t)->returned) {
		(*t)->returned = true;
		s->n_unreturned--;
	}
	if (*t && ((*t)->adopted || *t == parent))
		return;
	if (*t)
		traced_thread_exited(s, *t); /* the number is reused */
	thread_new(s, tid, process_for_clone(parent, tid, same_process, share_table));
}

struct traced_thread *traced_thread_of(struct traced_system *s, uint32_t tid)
{
	if (s->last && s->last->tid == tid)
		return s->last;
	struct traced_thread *t = *find(s, tid);
	struct traced_thread *parent = s->cloning;
	if (!t && parent) { /* the child runs before the parent's clone() returns */
		bool same = memmem(parent->text.s, parent->text.len, "CLONE_THREAD", 12) != NULL;
		bool share = memmem(parent->text.s, parent->text.len, "CLONE_FILES", 11) != NULL;
		t = thread_new(s, tid, process_for_clone(parent, tid, same, share));
		t->adopted = true;
		s->n_unreturned++;
		s->cloning = NULL;
	} else if (!t) {
		t = thread_new(s, tid, process_new(tid, table_copy(NULL, &s->n_slots), NULL));
		s->n_orphans++;
	}
	t->seen = true;
	s->last = t;
	return t;
}

void traced_thread_exited(struct traced_system *s, struct traced_thread *t)
{
	struct traced_thread **slot = find(s, t->tid);
	*slot = t->next;
	s->n_unseen += !t->seen;
	if (s->last == t)
		s->last = NULL;
	if (s->cloning == t)
		s->cloning = NULL;
	open_file_put(t->closing);
	process_put(t->process);
	strbuf_release(&t->text);
	free(t);
}

void traced_system_release(struct traced_system *s)
{
	for (size_t i = 0; i < THREAD_SLOTS; i++)
		while (s->slot[i])
			traced_thread_exited(s, s->slot[i]);
	free(s->size);
	memset(s, 0, sizeof *s);
}

/* --- renames ------------------------------------------------------------- */

const char *open_file_path(const struct open_file *f, const struct trace *names, struct strbuf *buf)
{
	const struct trace_object *o = f->now ? NULL : trace_object(names, f->object);
	if (f->now || !o || o->kind != OBJECT_PATH)
		return f->now;
	strbuf_reset(buf);
	strbuf_addch(buf, '/');
	strbuf_addstr(buf, strcmp(o->name, ".") ? o->name : "");
	return buf->s;
}

const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

struct renaming {
	const struct trace *names;
	const char *from, *to;
	bool exchange;
	uint64_t number;
	struct strbuf *buf;
};

static void open_file_renamed(struct open_file *f, const struct renaming *x)
{
	const char *path = f->n_renames < x->number ? open_file_path(f, x->names, x->buf) : NULL;
	if (!path)
		return;
	char *now = path_renamed(path, x->from, x->to, x->exchange);
	/* perhaps the same file, opened through a link */
	if (!now && !strcmp(path_last(path), path_last(x->from))) {
		free(f->renamed_last);
		f->renamed_last = xstrdup(path_last(x->to));
	}
	if (now) {
		free(f->now);
		f->now = now;
	}
	f->n_renames = x->number;
}

static void process_renamed(struct traced_process *p, const struct renaming *x)
{
	char *cwd = p->n_renames < x->number && p->cwd.len
			? path_renamed(p->cwd.s, x->from, x->to, x->exchange)
			: NULL;
	p->n_renames = x->number;
	if (cwd) {
		strbuf_reset(&p->cwd);
		strbuf_addstr(&p->cwd, cwd);
		free(cwd);
	}
	for (size_t i = 0; i < p->table->n; i++)
		if (p->table->file[i])
			open_file_renamed(p->table->file[i], x);
}

void traced_system_renamed(struct traced_system *s, const struct trace *names, const char *from,
			   const char *to, bool exchange)
{
	struct strbuf buf = STRBUF_INIT;
	const struct renaming x = {names, from, to, exchange, ++s->n_renames, &buf};
	for (size_t i = 0; i < THREAD_SLOTS; i++)
		for (struct traced_thread *t = s->slot[i]; t; t = t->next)
			if (t->process->n_renames < x.number)
				process_renamed(t->process, &x);
	strbuf_release(&buf);
}

/* --- sizes --------------------------------------------------------------- */

int64_t file_size_get(const struct traced_system *s, uint32_t object)
{
	return object < s->n_sizes ? s->size[object] : -1;
}

void file_size_set(struct traced_system *s, uint32_t object, int64_t size)
{
	if (object == OBJECT_NONE || (size < 0 && object >= s->n_sizes))
		return;
	while (object >= s->n_sizes) {
		GROW(s->size, s->n_sizes, s->cap_sizes);
		s->size[s->n_sizes++] = -1;
	}
	s->size[object] = size;
}
