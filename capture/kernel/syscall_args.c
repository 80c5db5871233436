/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the arguments of a system call to the fields of a record. */
#include <linux/fs.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "capture/kernel/syscalls_private.h"

struct args_state {
	struct syscall_done *d;
	const struct syscall_memory *memory, *end;
	int dir;
};

/* The memory of the next pointer argument. NULL: unknown. */
static const struct syscall_memory *memory_next(struct args_state *k)
{
	const struct syscall_memory *m = k->memory < k->end ? k->memory++ : NULL;
	return m && m->data ? m : NULL;
}

static void text_arg(struct args_state *k, char letter, const struct syscall_memory *m)
{
	struct syscall_done *d = k->d;
	if (letter == 'p') {
		d->has_path = true;
		d->path_unknown = !m;
		d->l.dir = k->dir;
		d->m.path = m ? m->data : NULL;
		d->m.path_len = m ? m->len : 0;
		k->dir = AT_FDCWD;
		return;
	}
	d->has_extra = m != NULL;
	d->m.extra = m ? m->data : NULL;
	d->m.extra_len = m ? m->len : 0;
	d->m.second_dir = k->dir;
}

/* Stores the lengths of the buffers. If some are unknown, only the result is used. */
static void vector_arg(struct args_state *k, const struct syscall_memory *m, uint64_t n)
{
	struct syscall_done *d = k->d;
	struct strbuf *to = &d->c->heap;
	strbuf_reset(to);
	d->l.length = d->l.result > 0 ? (uint64_t)d->l.result : 0;
	if (!m || m->len / sizeof(struct iovec) < n)
		return;
	d->l.length = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct iovec v;
		memcpy(&v, (const char *)m->data + i * sizeof v, sizeof v);
		const uint64_t len = v.iov_len;
		strbuf_add(to, &len, sizeof len);
		d->l.length += len;
	}
	d->has_extra = true;
	d->m.extra = to->s;
	d->m.extra_len = to->len;
}

static uint64_t word_of(const struct syscall_memory *m, size_t i, uint64_t otherwise)
{
	uint64_t v;
	if (!m || m->len < (i + 1) * sizeof v)
		return otherwise;
	memcpy(&v, (const char *)m->data + i * sizeof v, sizeof v);
	return v;
}

/* Stores the value (`size` bytes) of the attribute that the previous argument names. */
static void acl_arg(struct syscall_done *d, const struct syscall_memory *m, uint64_t size)
{
	const size_t len = strlen(OP_ACL_NAME);
	if (m && m->len >= size && d->has_extra && d->m.extra_len == len &&
	    !memcmp(d->m.extra, OP_ACL_NAME, len))
		d->l.flags |= op_acl_flags(m->data, size);
}

/* Stores the argument of fcntl or ioctl, with its memory if the command takes a pointer. */
static void argument_arg(struct syscall_done *d, const struct syscall_memory *m, uint64_t v)
{
	struct log_record *l = &d->l;
	struct flock wanted;
	l->offset = v;
	d->argument = m && m->len >= SYSCALL_ARGUMENT_BYTES ? m->data : NULL;
	if (l->op == OP_IOCTL && l->flags == FS_IOC_SETFLAGS && d->argument) {
		uint32_t flags;
		memcpy(&flags, d->argument, sizeof flags);
		l->offset = OP_IOCTL_VALUE | flags;
	}
	if (l->op != OP_FCNTL || !op_is_lock(l->flags) || !d->argument)
		return;
	memcpy(&wanted, d->argument, sizeof wanted);
	const struct op_lock lock = {wanted.l_type, wanted.l_whence, wanted.l_start, wanted.l_len};
	strbuf_reset(&d->c->heap);
	strbuf_add(&d->c->heap, (const char *)&lock, sizeof lock);
	d->has_extra = true;
	d->m.extra = d->c->heap.s;
	d->m.extra_len = d->c->heap.len;
}

/* bind() of a UNIX socket creates a file, and is recorded as mknod of a socket. Other address
 * families and abstract names create no file. */
static void address_arg(struct syscall_done *d, const struct syscall_memory *m)
{
	const size_t at = offsetof(struct sockaddr_un, sun_path);
	sa_family_t family = AF_UNSPEC;
	const char *path = m && m->len > at ? (const char *)m->data + at : "";
	if (m && m->len > at)
		memcpy(&family, m->data, sizeof family);
	d->no_request = family != AF_UNIX || !*path;
	if (d->no_request)
		return;
	d->has_path = true;
	d->l.dir = AT_FDCWD;
	d->m.path = path;
	d->m.path_len = strnlen(path, m->len - at);
	d->l.length = S_IFSOCK | 0777;
	if (d->l.error == EADDRINUSE) /* the name exists; mknod returns EEXIST for this */
		d->l.error = EEXIST;
}

static void pointer_arg(struct args_state *k, char letter, uint64_t v, uint64_t following)
{
	struct syscall_done *d = k->d;
	const struct syscall_memory *m = memory_next(k);
	switch (letter) {
	case 'i':
		vector_arg(k, m, following);
		return;
	case 'H':
		d->l.flags = (uint32_t)word_of(m, 0, 0);
		d->l.length = word_of(m, 1, 0);
		while (word_of(m, 2, 0) & SYSCALL_RESOLVE_IN_ROOT && d->m.path_len &&
		       *d->m.path == '/') {
			d->m.path++;
			d->m.path_len--;
		}
		return;
	case 't':
		k->d->has_extra = m && m->len == 4 * sizeof(int64_t);
		k->d->m.extra = k->d->has_extra ? m->data : NULL;
		k->d->m.extra_len = k->d->has_extra ? m->len : 0;
		return;
	case '@':
		d->l.offset = word_of(m, 0, OFFSET_NONE);
		return;
	case 'q':
		d->has_pair = m && m->len >= sizeof d->pair;
		if (d->has_pair)
			memcpy(d->pair, m->data, sizeof d->pair);
		return;
	case 'L':
		acl_arg(d, m, following);
		return;
	case '#':
		d->peer.offset = word_of(m, 0, OFFSET_NONE);
		return;
	case '*':
		argument_arg(d, m, v);
		return;
	case 'k':
		address_arg(d, m);
		return;
	case 'E': /* the results end other requests */
		return;
	default:
		if (letter == 'p' && !v) { /* utimensat on the descriptor itself */
			d->l.fd = k->dir;
			return;
		}
		text_arg(k, letter, m);
	}
}

static void number_arg(struct args_state *k, char letter, uint64_t v)
{
	struct syscall_done *d = k->d;
	struct log_record *l = &d->l;
	switch (letter) {
	case 'f':
		l->fd = (int32_t)v;
		return;
	case 'D':
	case 'd':
		k->dir = (int32_t)v;
		return;
	case 's':
	case 'm':
	case 'l':
		l->length = letter == 's' ? v : (uint32_t)v;
		return;
	case 'o':
	case '1':
	case 'B':
	case 'V':
		l->offset = letter == '1' ? (uint32_t)v : v;
		return;
	case 'O':
	case 'w':
	case 'v':
	case 'A':
	case 'c':
		l->flags |= (uint32_t)v;
		return;
	case 'R':
		l->flags |= ((uint32_t)v & 7) << 29;
		return;
	case 'M':
		l->flags |= (uint32_t)v & 0x1fffffff;
		return;
	case 'u':
	case 'g':
		l->offset |= letter == 'u' ? (uint32_t)v : (uint64_t)(uint32_t)v << 32;
		return;
	case 'n':
	case 'X':
		d->peer = (struct op_peer){(int32_t)v, OBJECT_NONE, OFFSET_NONE};
		d->has_peer = true;
		return;
	default:
		return;
	}
}

/* newfstatat(fd, "", AT_EMPTY_PATH) and similar calls refer to the descriptor. */
static void empty_path(struct syscall_done *d)
{
	struct log_record *l = &d->l;
	if (!d->has_path || d->m.path_len || !(l->flags & AT_EMPTY_PATH) || l->dir == AT_FDCWD)
		return; /* an unknown path is almost certainly empty */
	const struct app_open_file *f = state_file(d->t->process, l->dir);
	if (l->op == OP_LINK && f && f->unnamed)
		return; /* a name for a file made by O_TMPFILE: state_path_asked() */
	d->path_unknown = true;
	l->fd = l->dir;
	if (l->op == OP_STAT || l->op == OP_STATX)
		l->op = OP_FSTAT;
	else if (l->op == OP_CHOWN)
		l->op = OP_FCHOWN;
	if (l->op == OP_FSTAT || l->op == OP_FCHOWN)
		l->flags = 0;
	if (l->op == OP_FSTAT)
		l->length = 0;
}

/* Reads ioctl(to, FICLONE, from), or FICLONERANGE with a structure. */
static void clone_take(struct syscall_done *d)
{
	struct log_record *l = &d->l;
	struct file_clone_range range = {.src_fd = (int64_t)l->offset};
	if (l->flags == FICLONERANGE)
		memcpy(&range, d->argument, sizeof range);
	d->peer = (struct op_peer){l->fd, OBJECT_NONE, range.dest_offset};
	d->has_peer = true;
	l->op = OP_COPY_FILE_RANGE;
	l->fd = (int32_t)range.src_fd;
	l->offset = range.src_offset;
	l->length = range.src_length;
	l->result = (int64_t)range.src_length;
	l->flags = OP_COPY_CLONES;
}

void syscall_args_take(struct syscall_done *d, const struct syscall_memory memory[SYSCALL_MEMORIES])
{
	const char *args = d->t->row->args;
	struct args_state k = {d, memory, memory ? memory + SYSCALL_MEMORIES : NULL, AT_FDCWD};
	for (unsigned int i = 0; args[i]; i++) {
		const uint64_t v = d->t->arg[i];
		if (strchr(SYSCALL_POINTERS, args[i]))
			pointer_arg(&k, args[i], v, i + 1 < SYSCALL_ARGS ? d->t->arg[i + 1] : 0);
		else
			number_arg(&k, args[i], v);
	}
	empty_path(d);
	struct log_record *l = &d->l;
	const bool clones = l->flags == FICLONE || (l->flags == FICLONERANGE && d->argument);
	if (l->op == OP_IOCTL && clones && l->result == 0)
		clone_take(d);
	if (l->op == OP_UNLINK && l->flags & AT_REMOVEDIR) {
		l->op = OP_RMDIR;
		l->flags = 0;
	} else if (l->op == OP_UTIMENS && !d->has_path) {
		l->op = OP_FUTIMENS;
		l->flags = 0;
	} else if ((l->op == OP_PREADV2 || l->op == OP_PWRITEV2) && l->offset == UINT64_MAX) {
		l->offset = OFFSET_NONE; /* at the current position */
	}
	/* the mode is an argument only if a file may be created */
	if (l->op == OP_OPEN && !(l->flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))))
		l->length = 0;
}
