/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The size of each file at each instant, and before the first request.
 *
 * Let s be the unknown initial size. Requests at known offsets make the size max(s + shifted,
 * least): a write raises `least` to its end, and an append of n bytes adds n to both numbers. If a
 * later call shows a size above `least`, s is that size minus `shifted`. If it shows `least`, every
 * s up to least - shifted is possible, but the size is known from then on.
 *
 * Names of one file (hard links, links that the name of an open file shows) share an element. */
#include "capture/formats/strace_parsed.h"

#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "capture/number.h"
#include "common/fnv1a.h"

/* values of the map of names instead of index + 1 */
#define NEVER_USED 0u
#define NO_FILE UINT32_MAX

struct strace_file {
	int64_t now; /* present size; -1: unknown */
	int64_t shifted, least;
	int64_t changed_ns; /* end of the last change of the size */
	/* the initial size by a call that ended at this instant (TIME_NONE: there is none), or -1
	 * if the call did not show it; valid unless a change begins earlier */
	int64_t initial, initial_ns;
	uint64_t read_end;  /* bytes up to this offset were read */
	char *name;	    /* until the first change; owned */
	uint32_t entry;	    /* its entry in the list of initial files + 1; 0: none */
	uint32_t n_names;
	bool changed;	    /* data, size or name */
	bool data_changed;
	bool settled; /* no later call can show the initial size */
	bool shown;   /* the size was known at some instant */
};

static uint32_t *cell_of(struct strace *t, const char *name)
{
	return u64_map_at(&t->sizes.at, fnv1a_text(name), NEVER_USED);
}

/* Adds a file. Returns its index + 1. */
static uint32_t file_add(struct strace *t, const char *name)
{
	struct strace_sizes *z = &t->sizes;
	GROW(z->file, z->n, z->cap);
	z->file[z->n] = (struct strace_file){.now = -1,
					     .initial_ns = TIME_NONE,
					     .name = name ? xstrdup(name) : NULL,
					     .n_names = 1};
	return ++z->n;
}

/* The file at a name, as index + 1. If a directory above it was renamed, the file is found by the
 * first name. */
static uint32_t file_at(struct strace *t, const char *name)
{
	uint32_t id = *cell_of(t, name);
	if (id == NEVER_USED && !t->before_listed) {
		SCOPED_FREE char *first = files_first_path(&t->before, name);
		id = strcmp(first, name) ? *cell_of(t, first) : NEVER_USED;
	}
	if (id == NEVER_USED || id == NO_FILE)
		id = file_add(t, name);
	return *cell_of(t, name) = id;
}

static void name_drop(struct strace *t, const char *name)
{
	uint32_t *cell = cell_of(t, name);
	if (*cell != NEVER_USED && *cell != NO_FILE)
		t->sizes.file[*cell - 1].n_names--;
	*cell = NO_FILE;
}

/* The request changes the file. Its initial state becomes unknown, unless it is known already.
 * `is_uncertain`: the change may have preceded the call that showed the present size. */
static void file_change(struct strace *t, struct strace_file *z, bool is_uncertain)
{
	if (!z->changed && z->name && !t->before_listed) {
		z->entry = files_changed(&t->before, z->name);
		if (z->entry && z->now >= 0 && !is_uncertain) {
			files_size_known(&t->before, z->entry, (uint64_t)z->now);
			z->settled = true;
		}
	}
	z->changed = true;
	free(z->name);
	z->name = NULL;
}

/* A file that the request created, with this size (-1: unknown). Returns its index + 1. */
static uint32_t file_make(struct strace *t, const char *name, int64_t size)
{
	if (name)
		name_drop(t, name);
	const uint32_t id = file_add(t, NULL);
	struct strace_file *z = &t->sizes.file[id - 1];
	z->now = size;
	z->changed = z->settled = z->shown = true;
	if (name)
		*cell_of(t, name) = id;
	return id;
}

/* --- changes of the size ------------------------------------------------- */

/* No change began before the end of the call that showed the initial size. */
static void initial_confirm(struct strace *t, struct strace_file *z)
{
	if (z->initial_ns == TIME_NONE || z->settled)
		return;
	if (z->entry && z->initial >= 0)
		files_size_known(&t->before, z->entry, (uint64_t)z->initial);
	z->settled = true;
}

static void data_change(struct strace_parsed *p, struct strace_file *z)
{
	file_change(p->t, z, false);
	if (p->r.begin_ns >= z->initial_ns)
		initial_confirm(p->t, z);
	z->initial_ns = TIME_NONE;
	z->data_changed = true;
	z->changed_ns = p->r.end_ns == TIME_NONE ? p->r.begin_ns : p->r.end_ns;
}

static void size_set(struct strace_file *z, int64_t size)
{
	z->now = size;
	z->settled = z->shown = true;
}

static void size_lost(struct strace_file *z)
{
	z->now = -1;
	z->settled = true;
}

static void size_reach(struct strace_file *z, uint64_t offset, uint64_t length)
{
	if (offset > INT64_MAX || length > INT64_MAX - offset) {
		size_lost(z);
		return;
	}
	const int64_t end = (int64_t)(offset + length);
	z->now = z->now >= 0 && end > z->now ? end : z->now;
	z->least = end > z->least ? end : z->least;
}

static void size_shift(struct strace_file *z, int64_t by)
{
	int64_t now = 0;
	if (__builtin_add_overflow(z->shifted, by, &z->shifted) ||
	    __builtin_add_overflow(z->least, by, &z->least) ||
	    (z->now >= 0 && (__builtin_add_overflow(z->now, by, &now) || now < 0))) {
		z->shifted = z->least = 0;
		size_lost(z);
		return;
	}
	z->now = z->now >= 0 ? now : -1;
}

static void write_follow(struct strace_file *z, const struct trace_record *r, bool appends)
{
	if (r->rvalue <= 0)
		return;
	if (appends)
		size_shift(z, r->rvalue);
	else if (r->offset == OFFSET_NONE)
		size_lost(z);
	else
		size_reach(z, r->offset, (uint64_t)r->rvalue);
}

static void allocate_follow(struct strace_file *z, const struct trace_record *r)
{
	const uint32_t collapses = FALLOC_FL_COLLAPSE_RANGE, inserts = FALLOC_FL_INSERT_RANGE;
	if (r->length > INT64_MAX)
		size_lost(z);
	else if (r->flags & (collapses | inserts))
		size_shift(z, r->flags & collapses ? -(int64_t)r->length : (int64_t)r->length);
	else if (!(r->flags & FALLOC_FL_KEEP_SIZE))
		size_reach(z, r->offset, r->length);
}

/* The open file in the argument of this letter. NULL: unknown, or not a path. *at: its argument. */
static struct app_open_file *file_of(struct strace_parsed *p, char letter, size_t *at)
{
	const char *s = strchr(p->call->args, letter);
	*at = s ? (size_t)(s - p->call->args) : 0;
	struct app_open_file *f =
	    s ? syscalls_file(p->t->calls_made, p->tid, (int64_t)p->value[*at]) : NULL;
	return f && f->is_path && !(f->unnamed && !f->size_of) && f->path[1] ? f : NULL;
}

static struct strace_file *file_of_open(struct strace *t, const struct app_open_file *f)
{
	const uint32_t id = f->size_of ? f->size_of : file_at(t, f->path + 1); /* may move them */
	return &t->sizes.file[id - 1];
}

/* Follows the file that a copy writes. The position of its descriptor has not moved yet. The kernel
 * refuses copies to files with O_APPEND. */
static void copy_follow(struct strace_parsed *p, const struct trace_record *r)
{
	size_t at;
	const bool clones = p->call->op == OP_IOCTL;
	const struct app_open_file *f = file_of(p, clones ? 'f' : 'X', &at);
	if (!f)
		return;
	struct strace_file *z = file_of_open(p->t, f);
	/* "[5000]": the offset in the file */
	const struct part *a =
	    p->call->args[at + 1] == '#' && at + 1 < p->n ? &p->arg[at + 1] : NULL;
	const bool has_offset = a && a->len > 1 && *a->s == '[';
	const char *s = a ? a->s + 1 : NULL;
	uint64_t offset = f->position;
	data_change(p, z);
	if (clones || (has_offset ? !scan_u64(&s, a->s + a->len, &offset) : !f->position_known))
		size_lost(z);
	else
		size_reach(z, offset, (uint64_t)r->rvalue);
}

void strace_size_async(struct strace_parsed *p, const struct trace_record *r)
{
	const struct app_open_file *f = syscalls_file(p->t->calls_made, p->tid, r->fd);
	if ((r->op != OP_AIO_WRITE && r->op != OP_AIO_WRITEV) || !f || !f->is_path || !f->path[1] ||
	    (f->unnamed && !f->size_of))
		return;
	struct strace_file *z = file_of_open(p->t, f);
	data_change(p, z);
	size_reach(z, r->offset, r->length);
}

/* --- sizes that calls show ----------------------------------------------- */

/* Whether an unfinished call may be changing the size of file `id`. */
static bool changes_now(struct strace *t, uint32_t id)
{
	for (uint32_t i = 0; i < t->n_threads; i++) {
		const struct strace_thread *th = &t->thread[i];
		if (!th->pending || !th->call || th->call->kind != SYSCALL_REQUEST)
			continue;
		const enum trace_op op = th->call->op;
		const enum op_family family = op_info(op)->family;
		const char *text = th->text.s, *end = text + th->text.len;
		if (family == FAMILY_COPY || op == OP_TRUNCATE || op == OP_IOCTL ||
		    (op == OP_OPEN && memmem(text, th->text.len, "O_TRUNC", 7)))
			return true;
		if (family != FAMILY_WRITE && op != OP_FTRUNCATE && op != OP_FALLOCATE)
			continue;
		const struct app_open_file *f =
		    syscalls_file(t->calls_made, th->tid, strace_first_fd(text, end));
		if (!f || (f->is_path && (!f->size_of || f->size_of == id)))
			return true;
	}
	return false;
}

/* A call shows the present size. The initial size follows from it, unless another call changed the
 * size at the same time. */
static void size_seen(struct strace_parsed *p, uint32_t id, int64_t size)
{
	struct strace *t = p->t;
	struct strace_file *z = &t->sizes.file[id - 1];
	z->now = size;
	z->shown = true;
	if (z->settled || z->initial_ns != TIME_NONE || p->r.begin_ns < z->changed_ns)
		return;
	if (changes_now(t, id)) {
		file_change(t, z, true);
		return;
	}
	if (!z->changed)
		return;
	z->initial = size > z->least && size >= z->shifted ? size - z->shifted : -1;
	z->initial_ns = p->r.end_ns == TIME_NONE ? p->r.begin_ns : p->r.end_ns;
}

/* A short read shows the end of the file. The replay infers the initial size from the bytes that
 * were read. */
static void read_seen(struct strace_file *z, const struct trace_record *r)
{
	const uint64_t end = r->offset + (uint64_t)r->rvalue;
	const uint64_t known = z->least > 0 ? (uint64_t)z->least : 0;
	if (r->offset == OFFSET_NONE || r->offset > INT64_MAX)
		return;
	z->shown |= r->rvalue ? (uint64_t)r->rvalue < r->length
			      : r->offset <= (z->read_end > known ? z->read_end : known);
	z->read_end = end > z->read_end ? end : z->read_end;
}

/* --- names --------------------------------------------------------------- */

static uint32_t open_follow(struct strace_parsed *p, const struct trace_record *r, const char *name)
{
	struct strace *t = p->t;
	const bool creates = r->flags & O_CREAT;
	if ((r->flags & O_TMPFILE) == O_TMPFILE)
		return file_make(t, NULL, 0);
	if (creates && (r->flags & O_EXCL || *cell_of(t, name) == NO_FILE))
		return file_make(t, name, 0);
	const char *real = strace_opened_real(p, r); /* no function below changes it */
	uint32_t id = real ? *cell_of(t, real) : NEVER_USED;
	if (!real || (id == NEVER_USED && *cell_of(t, name) != NEVER_USED)) {
		id = file_at(t, name);
	} else {
		id = file_at(t, real);
	}
	if (real && *cell_of(t, real) != id) {
		*cell_of(t, real) = id;
		t->sizes.file[id - 1].n_names++;
	}
	if (*cell_of(t, name) != id) {
		name_drop(t, name);
		*cell_of(t, name) = id;
		t->sizes.file[id - 1].n_names++;
	}
	struct strace_file *z = &t->sizes.file[id - 1];
	if (creates || r->flags & O_TRUNC)
		data_change(p, z);
	if (r->flags & O_TRUNC)
		size_set(z, 0);
	return id;
}

static void rename_follow(struct strace *t, const char *name, const char *second, bool exchange)
{
	const uint32_t from = file_at(t, name), to = exchange ? file_at(t, second) : NO_FILE;
	file_change(t, &t->sizes.file[from - 1], false);
	if (exchange)
		file_change(t, &t->sizes.file[to - 1], false);
	else if (from != *cell_of(t, second))
		name_drop(t, second);
	*cell_of(t, name) = to;
	*cell_of(t, second) = from;
}

/* A link of an open file in /proc is a link of a file without a name (O_TMPFILE). */
static void link_follow(struct strace_parsed *p, const char *name, const char *second)
{
	struct strace *t = p->t;
	const bool by_descriptor =
	    memmem(p->arg[0].s, (size_t)(p->end - p->arg[0].s), "/proc/", 6) ||
	    memmem(p->arg[0].s, (size_t)(p->end - p->arg[0].s), "AT_EMPTY_PATH", 13);
	if (by_descriptor) {
		file_make(t, second, -1);
		return;
	}
	const uint32_t id = file_at(t, name);
	file_change(t, &t->sizes.file[id - 1], false);
	t->sizes.file[id - 1].n_names++;
	*cell_of(t, second) = id;
}

/* --- the interface ------------------------------------------------------- */

/* A call that never returned may have changed the size of its file. */
static void unfinished_follow(struct strace_parsed *p, const struct trace_record *r,
			      const struct app_open_file *f, const char *name)
{
	size_t at;
	const enum op_family family = op_info(r->op)->family;
	if (family == FAMILY_COPY) {
		f = file_of(p, p->call->op == OP_IOCTL ? 'f' : 'X', &at);
		name = f ? f->path + 1 : NULL;
	} else if (family != FAMILY_WRITE && family != FAMILY_SIZE &&
		   !(r->op == OP_OPEN && r->flags & O_TRUNC)) {
		return;
	}
	if (!name && !(f && f->size_of))
		return;
	const uint32_t id = f && f->size_of ? f->size_of : file_at(p->t, name);
	struct strace_file *z = &p->t->sizes.file[id - 1];
	data_change(p, z);
	size_lost(z);
	z->shown = false;
}

static void path_follow(struct strace_parsed *p, const struct trace_record *r, const char *name,
			const char *second)
{
	struct strace *t = p->t;
	const bool looks_up = !(op_info(r->op)->uses & OP_HEAP_PATH) && r->op != OP_MKDIR &&
			      r->op != OP_MKNOD;
	uint32_t id;
	if (r->rvalue < 0) {
		if (r->error == ENOENT && looks_up && !(r->op == OP_OPEN && r->flags & O_EXCL))
			name_drop(t, name);
		return;
	}
	switch (r->op) {
	case OP_OPEN:
		t->sizes.opened = open_follow(p, r, name);
		return;
	case OP_MKDIR:
	case OP_MKNOD:
	case OP_SYMLINK:
		file_make(t, name, 0);
		return;
	case OP_RENAME:
		if (second)
			rename_follow(t, name, second, r->flags & RENAME_EXCHANGE);
		return;
	case OP_LINK:
		if (second)
			link_follow(p, name, second);
		return;
	case OP_UNLINK:
	case OP_RMDIR:
		id = file_at(t, name); /* may move the files */
		file_change(t, &t->sizes.file[id - 1], false);
		name_drop(t, name);
		return;
	default:
		return;
	}
}

uint32_t strace_size_follow(struct strace_parsed *p, const struct trace_record *r,
			    const struct app_open_file *f, const char *name, const char *second,
			    const struct found_file *found)
{
	struct strace *t = p->t;
	const bool by_path = op_info(r->op)->uses & OP_HAS_PATH && !f;
	t->sizes.opened = 0;
	if (p->unfinished) {
		unfinished_follow(p, r, f, name);
		return 0;
	}
	if (by_path && name)
		path_follow(p, r, name, second);
	if (r->rvalue < 0 || (!name && !(f && f->size_of)))
		return 0;
	if (op_info(r->op)->family == FAMILY_COPY) {
		copy_follow(p, r);
		return 0;
	}
	if (by_path && r->op != OP_TRUNCATE && r->op != OP_STAT && r->op != OP_STATX)
		return 0;
	const uint32_t id = f && f->size_of ? f->size_of : file_at(t, name);
	struct strace_file *z = &t->sizes.file[id - 1];
	int64_t size;
	switch (op_info(r->op)->family) {
	case FAMILY_WRITE:
		data_change(p, z);
		write_follow(z, r,
			     (f && f->append) || (r->op == OP_PWRITEV2 && r->flags & RWF_APPEND));
		return id;
	case FAMILY_READ:
		read_seen(z, r);
		return id;
	default:
		break;
	}
	if (r->op == OP_TRUNCATE || r->op == OP_FTRUNCATE) {
		data_change(p, z);
		size_set(z, (int64_t)r->length);
	} else if (r->op == OP_FALLOCATE) {
		data_change(p, z);
		allocate_follow(z, r);
	} else if (r->op == OP_MMAP && p->value[2] & PROT_WRITE &&
		   (p->value[3] & MAP_TYPE) != MAP_PRIVATE) {
		data_change(p, z); /* writes to the mapping do not change the size */
	} else if (found && S_ISREG(found->mode) && found->size <= INT64_MAX) {
		size_seen(p, id, (int64_t)found->size);
	} else if (r->op == OP_LSEEK && r->flags == SEEK_END &&
		   !__builtin_sub_overflow(r->rvalue, (int64_t)r->offset, &size)) {
		size_seen(p, id, size);
	}
	return id;
}

uint32_t strace_size_entry(const struct strace *t, uint32_t id, bool *is_changed)
{
	*is_changed = id && t->sizes.file[id - 1].changed;
	return id ? t->sizes.file[id - 1].entry : 0;
}

int64_t strace_size(void *context, const struct app_open_file *f)
{
	struct strace *t = context;
	const uint32_t id = !f || !f->is_path ? 0
			    : f->size_of      ? f->size_of
					      : *cell_of(t, f->path + 1);
	return id == NEVER_USED || id == NO_FILE ? -1 : t->sizes.file[id - 1].now;
}

uint64_t strace_sizes_settle(struct strace *t)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < t->sizes.n; i++) {
		struct strace_file *z = &t->sizes.file[i];
		initial_confirm(t, z);
		n += z->entry && z->data_changed && !z->shown && z->n_names &&
		     files_may_be_regular(&t->before, z->entry);
	}
	return n;
}

void strace_sizes_release(struct strace_sizes *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		free(s->file[i].name);
	free(s->file);
	u64_map_release(&s->at);
	*s = (struct strace_sizes){.n = 0};
}
