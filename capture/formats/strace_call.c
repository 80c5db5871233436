/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a call's arguments to a request: doc/formats/strace.md. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "capture/app_private.h"
#include "capture/formats/number.h"
#include "capture/formats/strace_private.h"

const struct strace_call strace_calls[] = {
    {"read", OP_READ, "f_s", 0}, {"write", OP_WRITE, "f_s", 0}, {"pread64", OP_PREAD, "f_so", 0},
    {"pwrite64", OP_PWRITE, "f_so", 0}, {"pread", OP_PREAD, "f_so", 0}, {"pwrite", OP_PWRITE, "f_so", 0},
    {"readv", OP_READV, "fi", 0}, {"writev", OP_WRITEV, "fi", 0}, {"preadv", OP_PREADV, "fi_o", 0},
    {"pwritev", OP_PWRITEV, "fi_o", 0}, {"preadv2", OP_PREADV2, "fi_ov", 0}, {"pwritev2", OP_PWRITEV2, "fi_ov", 0},
    {"openat", OP_OPEN, "DpOm", 0}, {"open", OP_OPEN, "pOm", 0}, {"creat", OP_OPEN, "pm", 0}, {"openat2", OP_OPEN, "DpH", 0},
    {"close", OP_CLOSE, "f", 0}, {"lseek", OP_LSEEK, "fow", 0}, {"fsync", OP_FSYNC, "f", 0},
    {"fdatasync", OP_FDATASYNC, "f", 0}, {"syncfs", OP_SYNCFS, "f", 0}, {"sync", OP_SYNC, "", 0},
    {"sync_file_range", OP_SYNC_FILE_RANGE, "fosv", 0}, {"readahead", OP_READAHEAD, "fos", 0},
    {"fadvise64", OP_FADVISE, "fosv", 0}, {"truncate", OP_TRUNCATE, "ps", 0}, {"ftruncate", OP_FTRUNCATE, "fs", 0},
    {"fallocate", OP_FALLOCATE, "fvos", 0}, {"dup", OP_DUP, "f", 0}, {"dup2", OP_DUP2, "fn", 0}, {"dup3", OP_DUP2, "fnO", 0},
    {"fcntl", OP_FCNTL, "fc", 0}, {"flock", OP_FLOCK, "fv", 0},
    {"stat", OP_STAT, "p", 0}, {"lstat", OP_STAT, "p", 0}, {"newfstatat", OP_STAT, "Dp_A", 0},
    {"fstatat64", OP_STAT, "Dp_A", 0}, {"fstat", OP_FSTAT, "f", 0}, {"statx", OP_STATX, "DpA_", 0},
    {"statfs", OP_STATFS, "p", 0}, {"fstatfs", OP_FSTATFS, "f", 0},
    {"access", OP_ACCESS, "pa", 0}, {"faccessat", OP_ACCESS, "Dpa", 0}, {"faccessat2", OP_ACCESS, "DpaA", 0},
    {"chmod", OP_CHMOD, "pm", 0}, {"fchmod", OP_FCHMOD, "fm", 0}, {"fchmodat", OP_CHMOD, "Dpm", 0},
    {"chown", OP_CHOWN, "pug", 0}, {"lchown", OP_CHOWN, "pug", 0}, {"fchown", OP_FCHOWN, "fug", 0},
    {"fchownat", OP_CHOWN, "DpugA", 0}, {"utimensat", OP_UTIMENS, "Dp_A", 0},
    {"getxattr", OP_GETXATTR, "pN_s", 0}, {"lgetxattr", OP_GETXATTR, "pN_s", 0}, {"fgetxattr", OP_FGETXATTR, "fN_s", 0},
    {"setxattr", OP_SETXATTR, "pN_sv", 0}, {"lsetxattr", OP_SETXATTR, "pN_sv", 0}, {"fsetxattr", OP_FSETXATTR, "fN_sv", 0},
    {"listxattr", OP_LISTXATTR, "p_s", 0}, {"llistxattr", OP_LISTXATTR, "p_s", 0}, {"flistxattr", OP_FLISTXATTR, "f_s", 0},
    {"removexattr", OP_REMOVEXATTR, "pN", 0}, {"fremovexattr", OP_FREMOVEXATTR, "fN", 0},
    {"rename", OP_RENAME, "pP", 0}, {"renameat", OP_RENAME, "DpdP", 0}, {"renameat2", OP_RENAME, "DpdPv", 0},
    {"link", OP_LINK, "pP", 0}, {"linkat", OP_LINK, "DpdPA", 0}, {"symlink", OP_SYMLINK, "Tp", 0},
    {"symlinkat", OP_SYMLINK, "TDp", 0}, {"readlink", OP_READLINK, "p_s", 0}, {"readlinkat", OP_READLINK, "Dp_s", 0},
    {"unlink", OP_UNLINK, "p", 0}, {"unlinkat", OP_UNLINK, "DpA", 0}, {"mkdir", OP_MKDIR, "pm", 0},
    {"mkdirat", OP_MKDIR, "Dpm", 0}, {"rmdir", OP_RMDIR, "p", 0}, {"mknod", OP_MKNOD, "pm", 0}, {"mknodat", OP_MKNOD, "Dpm", 0},
    {"chdir", OP_CHDIR, "p", 0}, {"fchdir", OP_FCHDIR, "f", 0}, {"chroot", OP_CHROOT, "p", 0},
    {"getdents64", OP_GETDENTS, "f_s", 0}, {"getdents", OP_GETDENTS, "f_s", 0}, {"mmap", OP_MMAP, "_sRMfo", 0},
    {"sendfile", OP_SENDFILE, "Xf@s", 0}, {"sendfile64", OP_SENDFILE, "Xf@s", 0},
    {"copy_file_range", OP_COPY_FILE_RANGE, "f@X#sv", 0}, {"splice", OP_SPLICE, "f@X#sv", 0}, {"tee", OP_TEE, "fXsv", 0},
    {"clone", 0, "", CALL_CLONE}, {"clone3", 0, "", CALL_CLONE}, {"fork", 0, "", CALL_CLONE}, {"vfork", 0, "", CALL_CLONE},
    {"execve", 0, "", CALL_EXEC}, {"execveat", 0, "", CALL_EXEC}, {"close_range", 0, "nn", CALL_CLOSE_RANGE},
    {"getcwd", 0, "", CALL_GETCWD},
    {NULL, 0, NULL, 0},
};

#define PARTS_MAX 8

struct parsed {
	struct strace *t;
	struct traced_thread *th;
	const struct strace_call *call;
	struct part arg[PARTS_MAX];
	unsigned int n;
	const char *ret, *end; /* behind "= " */
	struct trace_record r;
	struct open_file *file; /* of f */
	struct op_peer peer;
	bool has_peer, has_path, nameless_path, has_at_offset;
	struct strbuf heap;
	bool has_heap;
};

/* --- taking the text apart ---------------------------------------------------------------------------------------- */

/* Behind a string's closing quote. */
static const char *past_string(const char *s, const char *end)
{
	for (s++; s < end && *s != '"'; s++)
		s += *s == '\\' && s + 1 < end;
	return s < end ? s + 1 : end;
}

/* Behind the decoration that begins with '<': "</a/b>", "<TCP:[1->2]>", "</dev/pts/0<char 136:0>>". */
static const char *past_decoration(const char *s, const char *end)
{
	unsigned int depth = 0;
	for (; s < end; s++) {
		depth += *s == '<';
		if (*s == '>' && s[-1] != '-' && !--depth)
			return s + 1;
	}
	return end;
}

/* Splits at commas outside of everything; *s behind the closing parenthesis, or NULL where there is none. */
static unsigned int split(const char **s, const char *end, struct part *arg)
{
	const char *p = *s, *first = p;
	unsigned int n = 0, depth = 0;
	while (p < end) {
		char c = *p;
		if (c == '"') {
			p = past_string(p, end);
			continue;
		}
		if (c == '<' && p > first && p[-1] > ' ') {
			p = past_decoration(p, end);
			continue;
		}
		if (c == '(' || c == '[' || c == '{')
			depth++;
		if (!depth && (c == ',' || c == ')')) {
			while (first < p && *first == ' ')
				first++;
			if (n < PARTS_MAX && (p > first || c == ','))
				arg[n++] = (struct part){first, (size_t)(p - first)};
			first = p + 1;
			if (c == ')') {
				*s = p + 1;
				return n;
			}
		}
		if ((c == ')' || c == ']' || c == '}') && depth)
			depth--;
		p++;
	}
	*s = NULL;
	return n;
}

int64_t strace_first_fd(const char *s, const char *end)
{
	int64_t fd;
	return scan_i64(&s, end, &fd) ? fd : -1;
}

/* The string's bytes, with C's escapes undone; false where it is no string. NULs in it make it none. */
static bool unquote(struct strbuf *to, const struct part *a)
{
	const char *s = a->s, *end = s + a->len;
	strbuf_reset(to);
	if (s == end || *s != '"')
		return false;
	for (s++; s < end && *s != '"'; s++) {
		char c = *s;
		if (c == '\\' && s + 1 < end) {
			static const char from[] = "ntrvfab\"\\", into[] = "\n\t\r\v\f\a\b\"\\";
			const char *simple = strchr(from, *++s);
			if (simple) {
				c = into[simple - from];
			} else if (*s == 'x') {
				unsigned int v = 0, k = 0;
				for (; k < 2 && s + 1 < end; k++, s++) {
					char d = s[1];
					unsigned int digit = d >= '0' && d <= '9' ? (unsigned int)(d - '0')
							     : (d | 32) >= 'a' && (d | 32) <= 'f' ? (unsigned int)((d | 32) - 'a' + 10) : 16;
					if (digit == 16)
						break;
					v = v * 16 + digit;
				}
				c = (char)v;
			} else if (*s >= '0' && *s <= '7') {
				unsigned int v = 0, k = 0;
				for (; k < 3 && s < end && *s >= '0' && *s <= '7'; k++)
					v = v * 8 + (unsigned int)(*s++ - '0');
				s--;
				c = (char)v;
			} else {
				c = *s;
			}
		}
		if (!c)
			return false;
		strbuf_addch(to, c);
	}
	return s < end;
}

static bool is_null(const struct part *a)
{
	return a->len >= 4 && !memcmp(a->s, "NULL", 4);
}

/* --- descriptors and names ---------------------------------------------------------------------------------------- */

/* What strace shows beside a descriptor, without the brackets and what it says of the device. */
static bool decoration(const char *s, const char *end, struct part *d)
{
	if (s == end || *s != '<')
		return false;
	const char *stop = past_decoration(s, end) - 1;
	d->s = s + 1;
	for (const char *p = d->s; p < stop; p++)
		if (*p == '<') {
			stop = p;
			break;
		}
	d->len = (size_t)(stop - d->s);
	return d->len > 0;
}

static int object_of_decoration(struct strace *t, const struct part *d, uint32_t *id, struct err *e)
{
	struct strbuf *b = &t->joined;
	strbuf_reset(b);
	strbuf_addch(b, '"');
	strbuf_add(b, d->s, d->len);
	strbuf_addch(b, '"');
	if (d->len > 10 && !memcmp(d->s + d->len - 10, " (deleted)", 10))
		b->s[b->len - 11] = '"';
	struct part p = {b->s, b->len};
	if (!unquote(&t->path, &p))
		return foreign_at(&t->base, d->s, e, "\"%.*s\" is no name", (int)(d->len < 60 ? d->len : 60), d->s);
	bool is_path = t->path.s[0] == '/';
	size_t skip = is_path && t->path.len > 1;
	return foreign_object(&t->base, is_path ? OBJECT_PATH : OBJECT_FD, t->path.s + skip, t->path.len - skip, id, e);
}

static uint64_t hash_of(const struct part *d)
{
	uint64_t h = 0xcbf29ce484222325u, v;
	size_t i = 0;
	for (; i + 8 <= d->len; i += 8) {
		memcpy(&v, d->s + i, 8);
		h = (h ^ v) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	for (; i < d->len; i++)
		h = (h ^ (unsigned char)d->s[i]) * 0x100000001b3u;
	return h | 1;
}

/* The open file behind a descriptor argument; made up where it was opened before the trace began and strace names it. */
static int file_of(struct parsed *p, const struct part *a, int64_t *fd, struct open_file **f, struct err *e)
{
	const char *s = a->s, *end = s + a->len;
	struct strace *t = p->t;
	struct part d;
	if (!scan_i64(&s, end, fd))
		return foreign_at(&t->base, a->s, e, "\"%.*s\" is no descriptor", (int)(a->len < 60 ? a->len : 60), a->s);
	*f = descriptor_get(p->th, *fd);
	if (!decoration(s, end, &d)) {
		t->base.base.notes.n_unknown_fd += !*f && *fd > 2;
		return 0;
	}
	uint64_t h = hash_of(&d);
	if (*f && ((*f)->name_hash == h || !(*f)->name_hash || (*f)->n_renames != t->system.n_renames)) {
		(*f)->name_hash = h;
		(*f)->n_renames = t->system.n_renames;
		return 0;
	}
	uint32_t object;
	int rc = object_of_decoration(t, &d, &object, e);
	if (rc)
		return rc;
	struct open_file *made = open_file_new(object, -1, false);
	made->name_hash = h;
	made->n_renames = t->system.n_renames;
	descriptor_set(p->th, *fd, made, false);
	open_file_put(made);
	*f = *fd < DESCRIPTOR_MAX && *fd >= 0 ? made : NULL;
	if (!*f)
		p->r.object = object;
	return 0;
}

/* Into t->base_path: the directory that a path is relative to. Empty where it is not known. */
static void base_of(struct parsed *p, const struct part *dir)
{
	struct strace *t = p->t;
	struct strbuf *b = &t->base_path;
	struct part d;
	strbuf_reset(b);
	if (dir && !(dir->len >= 8 && !memcmp(dir->s, "AT_FDCWD", 8))) {
		const char *s = dir->s;
		int64_t fd;
		const struct open_file *f = scan_i64(&s, dir->s + dir->len, &fd) ? descriptor_get(p->th, fd) : NULL;
		const struct trace_object *o = f ? trace_object(&t->base.base, f->object) : NULL;
		if (o && o->kind == OBJECT_PATH) {
			strbuf_addch(b, '/');
			strbuf_addstr(b, o->name);
			return;
		}

	}
	const char *mark = dir ? memchr(dir->s, '<', dir->len) : NULL;
	uint32_t object;
	if (mark && decoration(mark, dir->s + dir->len, &d) && *d.s == '/' && !object_of_decoration(t, &d, &object, NULL)) {
		strbuf_add(b, t->path.s, t->path.len);
		if (!memcmp(dir->s, "AT_FDCWD", 8)) {
			strbuf_reset(&p->th->process->cwd);
			strbuf_add(&p->th->process->cwd, b->s, b->len);
		}
	} else if (!dir || !memcmp(dir->s, "AT_", 3)) {
		strbuf_add(b, p->th->process->cwd.s, p->th->process->cwd.len);
	}
}

/* The full path of an argument, without the slash at its front, in t->joined. */
static int path_of(struct parsed *p, const struct part *a, const struct part *dir, struct err *e)
{
	struct strace *t = p->t;
	base_of(p, dir);
	if (!unquote(&t->path, a))
		return foreign_at(&t->base, a->s, e, "\"%.*s\" is no path", (int)(a->len < 60 ? a->len : 60), a->s);
	p->nameless_path = !t->path.len;
	path_join(&t->joined, t->base_path.s, t->path.s, t->path.len);
	if (t->joined.len > 1) {
		memmove(t->joined.s, t->joined.s + 1, t->joined.len); /* with the NUL */
		t->joined.len--;
	}
	return 0;
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static int number(struct parsed *p, const struct part *a, bool is_signed, uint64_t *v, struct err *e)
{
	const char *s = a->s, *end = s + a->len;
	int64_t i = 0;
	bool good = is_signed && *s == '-' ? scan_i64(&s, end, &i) : scan_c_u64(&s, end, v);
	if (i)
		*v = (uint64_t)i;
	if (good && s == end)
		return 0;
	return foreign_at(&p->t->base, a->s, e, "\"%.*s\" is no number", (int)(a->len < 60 ? a->len : 60), a->s);
}

static uint64_t flags(struct parsed *p, const struct part *a)
{
	bool all;
	return names_or(&p->t->names, a->s, a->len, &all);
}

static uint64_t key_value(const struct part *a, const char *key, const struct name_table *names)
{
	const char *s = memmem(a->s, a->len, key, strlen(key)), *end = a->s + a->len;
	bool all;
	if (!s)
		return 0;
	s += strlen(key);
	const char *stop = s;
	while (stop < end && *stop != ',' && *stop != '}' && *stop != ' ')
		stop++;
	return names_or(names, s, (size_t)(stop - s), &all);
}

/* The lengths of the buffers: [{iov_base="..."..., iov_len=4096}, ...]. More than a few are cut by strace: "...". */
static void buffers(struct parsed *p, const struct part *a)
{
	const char *s = a->s, *end = s + a->len;
	while (s < end && (s = memmem(s, (size_t)(end - s), "iov_len=", 8))) {
		uint64_t v;
		s += 8;
		if (!scan_u64(&s, end, &v))
			break;
		strbuf_add(&p->heap, &v, sizeof v);
		p->r.length += v;
		p->has_heap = true;
	}
}

static void at_offset(const struct part *a, uint64_t *offset)
{
	const char *s = a->s + (a->len && *a->s == '['), *end = a->s + a->len;
	uint64_t v;
	*offset = !is_null(a) && scan_u64(&s, end, &v) ? v : OFFSET_NONE;
}

static int descriptor_arg(struct parsed *p, const struct part *a, struct err *e)
{
	int64_t fd;
	struct open_file *f = NULL;
	int rc = file_of(p, a, &fd, &f, e);
	if (rc)
		return rc;
	if (f)
		f->refs++; /* another argument may put another file in its place */
	open_file_put(p->file);
	p->file = f;
	p->r.fd = fd >= INT32_MIN && fd <= INT32_MAX ? (int32_t)fd : -1;
	if (p->file)
		p->r.object = p->file->object;
	return 0;
}

static int peer_arg(struct parsed *p, const struct part *a, struct err *e)
{
	int64_t fd;
	struct open_file *f;
	int rc = file_of(p, a, &fd, &f, e);
	p->peer.fd = (int32_t)fd;
	p->peer.object = f ? f->object : OBJECT_NONE;
	p->has_peer = true;
	return rc;
}

static int path_arg(struct parsed *p, const struct part *a, const struct part *dir, struct err *e)
{
	int rc = path_of(p, a, dir, e);
	if (rc)
		return rc;
	p->has_path = true;
	if (p->nameless_path && dir) /* AT_EMPTY_PATH: about the descriptor */
		return dir->len && *dir->s >= '0' && *dir->s <= '9' ? descriptor_arg(p, dir, e) : 0;
	return foreign_object(&p->t->base, OBJECT_PATH, p->t->joined.s, p->t->joined.len, &p->r.object, e);
}

static int heap_text(struct parsed *p, const struct part *a, const struct part *dir, char letter, struct err *e)
{
	struct strace *t = p->t;
	int rc = letter == 'P' ? path_of(p, a, dir, e) : 0;
	if (letter != 'P' && !unquote(&t->path, a))
		rc = foreign_at(&t->base, a->s, e, "\"%.*s\" is no text", (int)(a->len < 60 ? a->len : 60), a->s);
	if (rc)
		return rc;
	const struct strbuf *from = letter == 'P' ? &t->joined : &t->path;
	strbuf_reset(&p->heap);
	strbuf_add(&p->heap, from->s, from->len);
	p->has_heap = true;
	return 0;
}

static int fcntl_args(struct parsed *p, unsigned int i)
{
	p->r.flags = (uint32_t)flags(p, &p->arg[i]);
	if (i + 1 < p->n && *p->arg[i + 1].s != '{')
		p->r.offset = flags(p, &p->arg[i + 1]);
	return 0;
}

static int take_arg(struct parsed *p, char letter, unsigned int i, const struct part **dir, struct err *e)
{
	const struct part *a = &p->arg[i];
	uint64_t v = 0;
	int rc = 0;
	switch (letter) {
	case 'f':
		return descriptor_arg(p, a, e);
	case 'D':
	case 'd':
		*dir = a;
		return 0;
	case 'p':
		return path_arg(p, a, *dir, e);
	case 'P':
	case 'T':
	case 'N':
		return heap_text(p, a, *dir, letter, e);
	case 's':
		return number(p, a, false, &p->r.length, e);
	case 'o':
		return number(p, a, true, &p->r.offset, e);
	case 'i':
		buffers(p, a);
		return 0;
	case 'O':
	case 'A':
	case 'w':
	case 'v':
		p->r.flags |= (uint32_t)flags(p, a);
		return 0;
	case 'H':
		p->r.flags = (uint32_t)key_value(a, "flags=", &p->t->names);
		p->r.length = key_value(a, "mode=", &p->t->names);
		return 0;
	case 'm':
	case 'a':
		p->r.length = flags(p, a);
		return 0;
	case 'n':
		p->peer = (struct op_peer){(int32_t)strace_first_fd(a->s, a->s + a->len), OBJECT_NONE, OFFSET_NONE};
		p->has_peer = true;
		return rc;
	case 'X':
		return peer_arg(p, a, e);
	case '@':
		at_offset(a, &p->r.offset);
		p->has_at_offset = p->r.offset != OFFSET_NONE;
		return 0;
	case '#':
		at_offset(a, &p->peer.offset);
		return 0;
	case 'u':
	case 'g':
		rc = number(p, a, true, &v, e);
		p->r.offset |= letter == 'u' ? (uint32_t)v : (uint64_t)(uint32_t)v << 32;
		return rc;
	case 'c':
		return fcntl_args(p, i);
	case 'R':
		p->r.flags |= (uint32_t)(flags(p, a) & 7) << 29;
		return 0;
	case 'M':
		p->r.flags |= (uint32_t)flags(p, a) & 0x1fffffff;
		return 0;
	default:
		return 0;
	}
}

/* --- the result --------------------------------------------------------------------------------------------------- */

/* Cuts "<0.000021>" off the end: how long it took, or -1. */
static int64_t take_duration(struct parsed *p)
{
	const char *open = p->end;
	int64_t ns;
	if (p->end - p->ret < 3 || p->end[-1] != '>')
		return -1;
	while (open > p->ret && *open != '<')
		open--;
	const char *s = open + 1;
	if (*open != '<' || !scan_decimal(&s, p->end, 1000000000, &ns, NULL) || s != p->end - 1)
		return -1;
	p->end = open;
	return ns;
}

static int take_result(struct parsed *p, struct err *e)
{
	const char *s = p->ret, *end = p->end;
	uint64_t u = 0;
	int64_t code = 0;
	if (s < end && *s == '?') { /* it did not return */
		p->r.rvalue = -1;
		p->r.error = EINTR;
		return 0;
	}
	bool good = s < end && *s == '-' ? scan_i64(&s, end, &p->r.rvalue) : scan_c_u64(&s, end, &u);
	if (!good)
		return foreign_at(&p->t->base, p->ret, e, "no result of the call");
	if (*p->ret != '-')
		p->r.rvalue = (int64_t)u;
	if (p->r.rvalue >= 0)
		return 0;
	while (s < end && *s == ' ')
		s++;
	const char *stop = s;
	while (stop < end && *stop != ' ')
		stop++;
	if (!name_table_find(&p->t->names, s, (size_t)(stop - s), &code))
		code = stop - s > 7 && !memcmp(s, "ERESTART", 8) ? EINTR : 0;
	p->r.error = (uint16_t)code;
	p->r.rvalue = -1;
	return 0;
}

/* --- what the call did to files ----------------------------------------------------------------------------------- */

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
			f->position = at >= 0 ? at + p->r.rvalue : -1;
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
	bool shown = scan_u64(&s, p->end, &fd) && decoration(s, p->end, &d);
	if (shown && !t->base_path.len && t->path.s[0] != '/') { /* relative to nobody knows what: strace tells */
		int rc = object_of_decoration(t, &d, &p->r.object, e);
		if (rc)
			return rc;
	}
	struct open_file *f = open_file_new(p->r.object, 0, how & O_APPEND);
	f->name_hash = shown ? hash_of(&d) : 0;
	f->n_renames = t->system.n_renames;
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
	if (p->r.rvalue != p->r.fd)
		descriptor_set(p->th, p->r.rvalue, p->file, cloexec);
}

static void sought(struct parsed *p)
{
	if (p->r.rvalue < 0 || !p->file)
		return;
	p->file->position = p->r.rvalue;
	if (p->r.flags == SEEK_END && (int64_t)p->r.offset <= p->r.rvalue)
		file_size_set(&p->t->system, p->file->object, p->r.rvalue - (int64_t)p->r.offset);
}

/* stat and its kin tell the size. */
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
	struct strbuf *cwd = &p->th->process->cwd;
	const struct trace_object *o = trace_object(&p->t->base.base, p->r.object);
	if (p->r.rvalue < 0 || p->r.op == OP_CHROOT)
		return;
	bool known = o && o->kind == OBJECT_PATH && (p->r.op == OP_FCHDIR || p->t->base_path.len || p->t->path.s[0] == '/');
	strbuf_reset(cwd);
	if (known) {
		strbuf_addch(cwd, '/');
		strbuf_addstr(cwd, o->name[0] == '/' ? o->name + 1 : o->name);
	}
}

static int effects(struct parsed *p, struct err *e)
{
	struct traced_system *s = &p->t->system;
	switch (p->r.op) {
	case OP_OPEN:
		return opened(p, e);
	case OP_CLOSE:
		if (p->th->closing && !p->file)
			p->r.object = p->th->closing->object;
		else
			descriptor_set(p->th, p->r.fd, NULL, false);
		open_file_put(p->th->closing);
		p->th->closing = NULL;
		return 0;
	case OP_LSEEK:
		sought(p);
		return 0;
	case OP_DUP:
	case OP_DUP2:
	case OP_FCNTL:
		duplicated(p);
		return 0;
	case OP_STAT:
		if (p->nameless_path && p->r.fd >= 0) {
			p->r.op = OP_FSTAT;
			p->r.flags = 0;
		}
		if (!strcmp(p->call->name, "lstat"))
			p->r.flags |= AT_SYMLINK_NOFOLLOW;
		looked_at(p);
		return 0;
	case OP_FSTAT:
		looked_at(p);
		return 0;
	case OP_FTRUNCATE:
	case OP_TRUNCATE:
		if (p->r.rvalue == 0)
			file_size_set(s, p->r.object, (int64_t)p->r.length);
		return 0;
	case OP_UNLINK:
		if (p->r.flags & AT_REMOVEDIR) {
			p->r.op = OP_RMDIR;
			p->r.flags = 0;
		}
		file_size_set(s, p->r.object, -1);
		return 0;
	case OP_RENAME:
		s->n_renames += p->r.rvalue == 0;
		file_size_set(s, p->r.object, -1);
		return 0;
	case OP_CHDIR:
	case OP_FCHDIR:
	case OP_CHROOT:
		changed_directory(p);
		return 0;
	case OP_FALLOCATE:
		file_size_set(s, p->r.object, -1);
		return 0;
	default:
		moved(p);
		return 0;
	}
}

/* --- calls that are no requests ----------------------------------------------------------------------------------- */

static void take_clone(struct parsed *p, const char *text, const char *end)
{
	size_t len = (size_t)(end - text);
	bool thread = memmem(text, len, "CLONE_THREAD", 12), share = memmem(text, len, "CLONE_FILES", 11);
	if (p->r.rvalue > 0 && p->r.rvalue <= UINT32_MAX)
		traced_thread_cloned(&p->t->system, p->th, (uint32_t)p->r.rvalue, thread, share);
	else if (p->t->system.cloning == p->th)
		p->t->system.cloning = NULL;
}

static void take_other(struct parsed *p, const struct call_line *l)
{
	struct strace *t = p->t;
	uint64_t from = 0, to = 0;
	t->base.base.notes.n_passed_over++;
	if (p->call->kind == CALL_CLONE) {
		take_clone(p, l->text, l->end);
	} else if (p->call->kind == CALL_EXEC && p->r.rvalue == 0) {
		descriptors_exec(p->th);
	} else if (p->call->kind == CALL_GETCWD && p->n && p->r.rvalue > 0 && unquote(&t->path, &p->arg[0])) {
		strbuf_reset(&p->th->process->cwd);
		strbuf_add(&p->th->process->cwd, t->path.s, t->path.len);
	} else if (p->call->kind == CALL_CLOSE_RANGE && p->n > 1 && p->r.rvalue == 0 && !number(p, &p->arg[0], false, &from, NULL) &&
		   !number(p, &p->arg[1], false, &to, NULL)) {
		const struct descriptor_table *d = p->th->process->table;
		for (uint64_t fd = from; fd <= to && fd < d->n; fd++)
			descriptor_set(p->th, (int64_t)fd, NULL, false);
	}
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int take_args(struct parsed *p, struct err *e)
{
	const struct part *dir = NULL;
	unsigned int i = 0;
	int rc = 0;
	for (const char *letter = p->call->args; *letter && !rc; letter++, i++) {
		bool optional = strchr("mAOv_c", *letter) || (*letter == 's' && p->r.rvalue < 0);
		if (i >= p->n && optional)
			return 0;
		if (i >= p->n)
			return foreign_at(&p->t->base, p->ret, e, "%s has %u arguments, more are needed", p->call->name, p->n);
		rc = take_arg(p, *letter, i, &dir, e);
		if (rc && p->r.rvalue < 0 && strchr("pPTN", *letter))
			rc = 0; /* a path that could not be read: the call failed for it */
	}
	return rc;
}

/* The time it ended: by -T, or the stamp of the resumed line. */
static void times(struct parsed *p, const struct call_line *l, int64_t duration_ns)
{
	p->r.begin_ns = l->begin_ns;
	if (duration_ns >= 0)
		p->r.end_ns = l->begin_ns + duration_ns;
	else if (l->resumed)
		p->r.end_ns = l->stamp_ns;
}

static int hand_over(struct parsed *p, bool resumed, struct err *e)
{
	struct strace *t = p->t;
	if (p->has_peer && (op_info(p->r.op)->uses & OP_HEAP_PEER)) {
		if (p->r.op == OP_DUP2)
			p->peer.object = OBJECT_NONE;
		p->r.heap = foreign_heap(&t->base, &p->peer, sizeof p->peer);
	} else if (p->has_heap && (op_info(p->r.op)->uses & OP_HEAP)) {
		p->r.heap = foreign_heap(&t->base, p->heap.s, p->heap.len);
	}
	p->r.pid = p->th->process->pid;
	p->r.tid = p->th->tid;
	int rc = foreign_check(&t->base, &p->r, e);
	struct trace_record *place = resumed && p->th->has_ticket ? record_queue_at(&t->base.queue, p->th->ticket) : NULL;
	if (rc || !place)
		return rc ? rc : foreign_add(&t->base, &p->r, e);
	p->r.commit = TRACE_COMMIT;
	*place = p->r;
	return 0;
}

int strace_take_call(struct strace *t, struct traced_thread *th, const struct call_line *l, struct err *e)
{
	struct parsed p = {.t = t, .th = th, .call = l->call, .end = l->end, .r = foreign_record(), .heap = STRBUF_INIT,
			   .peer = {-1, OBJECT_NONE, OFFSET_NONE}};
	const char *s = l->text;
	p.n = split(&s, l->end, p.arg);
	while (s && s < l->end && *s == ' ')
		s++;
	if (!s || l->end - s < 2 || *s != '=')
		return foreign_at(&t->base, s ? s : l->end, e, "the call has no result (cut off?)");
	for (s++; s < l->end && *s == ' '; s++)
		;
	p.ret = s;
	p.r.op = (uint16_t)l->call->op;
	if (op_info(p.r.op)->uses & OP_KNOWS_OFFSET)
		p.r.offset = OFFSET_NONE;
	int64_t duration_ns = take_duration(&p);
	int rc = take_result(&p, e);
	if (!rc && l->call->kind != CALL_REQUEST) {
		take_other(&p, l);
		return 0;
	}
	if (!rc && l->call->op == OP_MMAP && p.n > 4 && *p.arg[4].s == '-') { /* of no file */
		t->base.base.notes.n_passed_over++;
		if (l->resumed)
			record_queue_drop(&t->base.queue, th->ticket);
		return 0;
	}
	rc = rc ? rc : take_args(&p, e);
	times(&p, l, duration_ns);
	rc = rc ? rc : effects(&p, e);
	rc = rc ? rc : hand_over(&p, l->resumed, e);
	strbuf_release(&p.heap);
	open_file_put(p.file);
	return rc;
}
