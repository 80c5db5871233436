/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effects of calls on open files, their positions, sizes, and the working directory. */
#include <sys/mman.h>

#include "capture/formats/number.h"
#include "capture/formats/strace_parsed.h"

static int64_t position_behind(int64_t at, int64_t n_bytes)
{
	int64_t behind;
	return at < 0 || __builtin_add_overflow(at, n_bytes, &behind) ? -1 : behind;
}

/* The file that a copy writes, at its position unless the call gives an offset. */
static void copied_to(struct parsed *p)
{
	struct open_file *to = descriptor_get(p->th, p->peer.fd);
	const bool clones = p->r.op == OP_COPY_FILE_RANGE &&
			    p->r.flags & OP_COPY_CLONES; /* its length may be unknown */
	if (!to || p->r.rvalue < !clones)
		return;
	if (p->peer.offset == OFFSET_NONE)
		to->position = to->append ? -1 : position_behind(to->position, p->r.rvalue);
	file_size_set(&p->t->system, to->object, -1);
}

static void moved(struct parsed *p)
{
	struct open_file *f = p->file;
	struct traced_system *s = &p->t->system;
	const struct op_info *o = op_info(p->r.op);
	bool is_write = o->family == FAMILY_WRITE;
	if (f && (o->uses & OP_KNOWS_OFFSET) && !p->has_at_offset) {
		int64_t at = is_write && f->append ? file_size_get(s, f->object) : f->position;
		p->r.offset = at >= 0 ? (uint64_t)at : OFFSET_NONE;
		if (p->r.rvalue >= 0)
			f->position = position_behind(at, p->r.rvalue);
	}
	int64_t size = f ? file_size_get(s, f->object) : -1;
	int64_t end = 0;
	if (is_write && f && p->r.rvalue > 0 && size >= 0 && p->r.offset != OFFSET_NONE &&
	    !__builtin_add_overflow((int64_t)p->r.offset, p->r.rvalue, &end) && end > size)
		file_size_set(s, f->object, end);
	else if (is_write && f && p->r.rvalue > 0 && p->r.offset == OFFSET_NONE)
		file_size_set(s, f->object, -1);
}

static int opened(struct parsed *p, struct err *e)
{
	struct strace *t = p->t;
	uint32_t how = p->r.flags;
	if (p->r.rvalue < 0)
		return 0;
	if (!strcmp(p->call->name, "creat"))
		p->r.flags = how = O_WRONLY | O_CREAT | O_TRUNC;
	const char *s = p->ret;
	uint64_t fd;
	struct part d;
	p->r.fd = (int32_t)p->r.rvalue;
	bool shown = scan_u64(&s, p->end, &fd) && strace_decoration(s, p->end, &d);
	/* strace knows the name of a file whose directory is unknown */
	if (shown && !t->base_path.len && t->path.s[0] != '/') {
		int rc = strace_object(t, &d, &p->r.object, e);
		if (rc)
			return rc;
	}
	struct open_file *f = open_file_new(p->r.object, 0, how & O_APPEND);
	f->unnamed = (how & O_TMPFILE) == O_TMPFILE;
	f->opened = true;
	if (shown)
		strace_keep_shown(t, f, s, d.s + d.len + 1);
	strace_descriptor_opened(t, p->th, p->r.rvalue);
	descriptor_set(p->th, p->r.rvalue, f, how & O_CLOEXEC);
	open_file_put(f);
	if ((how & O_TRUNC) || (how & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		file_size_set(&t->system, p->r.object, 0);
	return 0;
}

static void duplicated(struct parsed *p)
{
	bool cloexec = (p->r.flags & O_CLOEXEC) != 0;
	if (p->r.rvalue < 0)
		return;
	if (p->r.op == OP_FCNTL) {
		bool dup = p->r.flags == F_DUPFD || p->r.flags == F_DUPFD_CLOEXEC;
		if (p->r.flags == F_SETFL && p->file)
			p->file->append = p->r.offset & O_APPEND;
		if (p->r.flags == F_SETFD && p->file && p->r.fd >= 0)
			p->th->process->table->cloexec[p->r.fd] = p->r.offset & FD_CLOEXEC;
		cloexec = p->r.flags == F_DUPFD_CLOEXEC;
		if (!dup)
			return;
		p->r.op = OP_DUP;
		p->r.flags = 0;
		p->r.offset = 0;
	}
	if (!p->file && p->r.fd >= 0 && p->r.fd <= 2) { /* a copy of a standard stream */
		p->file = open_file_new(OBJECT_NONE, -1, false);
		descriptor_set(p->th, p->r.fd, p->file, false);
	}
	if (p->r.rvalue != p->r.fd)
		descriptor_set(p->th, p->r.rvalue, p->file, cloexec);
}

static void seeked(struct parsed *p)
{
	if (p->r.rvalue < 0 || !p->file)
		return;
	p->file->position = p->r.rvalue;
	int64_t size;
	if (p->r.flags == SEEK_END &&
	    !__builtin_sub_overflow(p->r.rvalue, (int64_t)p->r.offset, &size))
		file_size_set(&p->t->system, p->file->object, size);
}

/* stat and similar calls show the size. */
static void looked_at(struct parsed *p)
{
	for (unsigned int i = 0; i < p->n && p->r.rvalue == 0 && p->r.object != OBJECT_NONE; i++) {
		const struct part *a = &p->arg[i];
		const char *s = a->len && *a->s == '{' ? memmem(a->s, a->len, "st_size=", 8) : NULL;
		uint64_t size;
		if (s && (s += 8, scan_u64(&s, a->s + a->len, &size)) && size <= INT64_MAX &&
		    !memmem(a->s, a->len, "S_IFDIR", 7))
			file_size_set(&p->t->system, p->r.object, (int64_t)size);
	}
}

static void changed_directory(struct parsed *p)
{
	struct traced_process *process = p->th->process;
	struct strbuf *to = p->r.op == OP_CHROOT ? &process->root : &process->cwd;
	if (p->r.rvalue < 0)
		return;
	struct strbuf buf = STRBUF_INIT;
	const struct open_file named = {.object = p->r.object};
	const bool by_fd = p->r.op == OP_FCHDIR && p->file;
	const char *path = open_file_path(by_fd ? p->file : &named, &p->t->base.base, &buf);
	strbuf_reset(to);
	strbuf_addstr(to, path ? path : "");
	strbuf_release(&buf);
}

/* After a rename the sizes of both names are unknown: the second name has the first one's file, and
 * with an exchange the first name has the second one's. */
static int renamed(struct parsed *p, struct err *e)
{
	struct traced_system *s = &p->t->system;
	uint32_t second;
	file_size_set(s, p->r.object, -1);
	if (p->r.rvalue)
		return 0;
	struct strbuf from = STRBUF_INIT, to = STRBUF_INIT;
	const struct open_file named = {.object = p->r.object};
	const char *path = open_file_path(&named, &p->t->base.base, &from);
	strbuf_addch(&to, '/');
	strbuf_add(&to, p->heap.s, p->heap.len);
	if (path)
		traced_system_renamed(s, &p->t->base.base, path, to.s,
				      p->r.flags & RENAME_EXCHANGE);
	strbuf_release(&from);
	strbuf_release(&to);
	int rc = foreign_object(&p->t->base, OBJECT_PATH, p->heap.s, p->heap.len, &second, e);
	if (!rc)
		file_size_set(s, second, -1);
	return rc;
}

/* The target of the link, if strace shows all of it (-s). */
static void link_read(struct parsed *p)
{
	const struct part *a = p->n > 2 ? &p->arg[p->n - 2] : NULL;
	struct strbuf *text = &p->t->path;
	if (p->r.rvalue <= 0 || !a || a->len < 2 || *a->s != '"' || a->s[a->len - 1] != '"' ||
	    !strace_unquote(text, a) || text->len != (uint64_t)p->r.rvalue)
		return;
	strbuf_reset(&p->heap);
	strbuf_add(&p->heap, text->s, text->len);
	p->has_heap = true;
}

/* An access control list that is equivalent to a mode, if strace shows all of it (-s). */
static void acl_taken(struct parsed *p)
{
	const size_t len = strlen(OP_ACL_NAME);
	struct strbuf *value = &p->t->path;
	if (p->r.rvalue == 0 && p->n > 2 && p->heap.len == len &&
		!memcmp(p->heap.s, OP_ACL_NAME, len) &&
	    strace_unquote_bytes(value, &p->arg[2]))
		p->r.flags |= op_acl_flags(value->s, value->len);
}

static void mapped(struct parsed *p)
{
	p->no_file = p->r.flags & MAP_ANONYMOUS; /* the descriptor is ignored then */
	if (p->r.rvalue != -1)
		traced_map_set(p->th->process, (uint64_t)p->r.rvalue, p->r.length,
			       p->no_file ? OBJECT_NONE : p->r.object);
}

/* A call on memory names an address; the file is the one mapped there. */
static void on_memory(struct parsed *p)
{
	struct traced_process *process = p->th->process;
	uint64_t old_len = 0;
	p->r.object = traced_map_find(process, p->r.offset, p->r.length);
	p->no_file = p->r.object == OBJECT_NONE;
	if (p->r.op == OP_MUNMAP && p->r.rvalue == 0)
		traced_map_set(process, p->r.offset, p->r.length, OBJECT_NONE);
	if (p->r.op == OP_MREMAP && p->r.rvalue != -1 && p->n > 1 &&
	    !strace_number(p, &p->arg[1], false, &old_len, NULL)) {
		traced_map_set(process, p->r.offset, old_len, OBJECT_NONE);
		traced_map_set(process, (uint64_t)p->r.rvalue, p->r.length, p->r.object);
	}
}

static void closed(struct parsed *p)
{
	if (!p->th->closed)
		descriptor_set(p->th, p->r.fd, NULL, false);
}

/* A call without a path concerns the descriptor, as operation `op`. */
static void on_descriptor(struct parsed *p, enum trace_op op)
{
	if (!p->nameless_path || p->r.fd < 0)
		return;
	p->r.op = (uint16_t)op;
	p->r.flags = 0;
}

static void timed(struct parsed *p)
{
	on_descriptor(p, OP_FUTIMENS);
}

static void looked_at_path(struct parsed *p)
{
	on_descriptor(p, OP_FSTAT);
	if (!strcmp(p->call->name, "lstat"))
		p->r.flags |= AT_SYMLINK_NOFOLLOW;
	looked_at(p);
}

/* lchown, llistxattr and others concern the link itself. */
static void on_attributes(struct parsed *p)
{
	if (*p->call->name == 'l' && strncmp(p->call->name, "list", 4))
		p->r.flags |= AT_SYMLINK_NOFOLLOW;
}

static void attribute_set(struct parsed *p)
{
	acl_taken(p);
	on_attributes(p);
}

static void truncated(struct parsed *p)
{
	if (p->r.rvalue == 0)
		file_size_set(&p->t->system, p->r.object, (int64_t)p->r.length);
}

static void size_unknown(struct parsed *p)
{
	file_size_set(&p->t->system, p->r.object, -1);
}

static void unlinked(struct parsed *p)
{
	if (p->r.flags & AT_REMOVEDIR) {
		p->r.op = OP_RMDIR;
		p->r.flags = 0;
	}
	size_unknown(p);
}

static void (*const effects[OP_N])(struct parsed *p) = {
    [OP_CLOSE] = closed,
    [OP_LSEEK] = seeked,
    [OP_DUP] = duplicated,
    [OP_DUP2] = duplicated,
    [OP_FCNTL] = duplicated,
    [OP_UTIMENS] = timed,
    [OP_STAT] = looked_at_path,
    [OP_FSTAT] = looked_at,
    [OP_CHOWN] = on_attributes,
    [OP_GETXATTR] = on_attributes,
    [OP_SETXATTR] = attribute_set,
    [OP_FSETXATTR] = acl_taken,
    [OP_LISTXATTR] = on_attributes,
    [OP_REMOVEXATTR] = on_attributes,
    [OP_READLINK] = link_read,
    [OP_FTRUNCATE] = truncated,
    [OP_TRUNCATE] = truncated,
    [OP_UNLINK] = unlinked,
    [OP_CHDIR] = changed_directory,
    [OP_FCHDIR] = changed_directory,
    [OP_CHROOT] = changed_directory,
    [OP_MMAP] = mapped,
    [OP_MUNMAP] = on_memory,
    [OP_MSYNC] = on_memory,
    [OP_MADVISE] = on_memory,
    [OP_MREMAP] = on_memory,
    [OP_FALLOCATE] = size_unknown,
};

int strace_effects(struct parsed *p, struct err *e)
{
	if (p->r.op == OP_OPEN)
		return opened(p, e);
	if (p->r.op == OP_RENAME)
		return renamed(p, e);
	if (effects[p->r.op]) {
		effects[p->r.op](p);
		return 0;
	}
	moved(p);
	if (p->has_peer)
		copied_to(p);
	return 0;
}
