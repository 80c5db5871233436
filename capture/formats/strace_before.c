/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What requests show about files: their sizes at each instant, and their initial state (type,
 * permissions and size), from the first result of stat and similar calls. If a name was changed or
 * created before that, its initial state is unknown. */

#include "capture/formats/blanks.h"
#include "capture/formats/strace_parsed.h"
#include "capture/number.h"

/* limit of the total length of names, because the size of metadata is limited */
#define FILES_BYTES_MAX (UINT64_C(4) << 20)

/* Reads the number after `key` in a structure. False: there is no `key`. */
static bool key_number(const struct part *a, const char *key, uint64_t *v)
{
	const char *s = memmem(a->s, a->len, key, strlen(key));
	return s && (s += strlen(key), scan_c_u64(&s, a->s + a->len, v));
}

/* Reads a mode such as "S_IFREG|S_ISUID|0755" after `key`. */
static uint32_t mode_of(const struct part *a, const char *key)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} words[] = {{"S_IFREG", S_IFREG}, {"S_IFDIR", S_IFDIR}, {"S_IFLNK", S_IFLNK},
		     {"S_ISUID", S_ISUID}, {"S_ISGID", S_ISGID}, {"S_ISVTX", S_ISVTX}};
	const char *end = a->s + a->len, *s = memmem(a->s, a->len, key, strlen(key));
	uint32_t mode = 0;
	uint64_t octal = 0;
	if (!s)
		return 0;
	for (s += strlen(key); s < end && *s == 'S';) {
		const size_t len = strcspn(s, "|,}");
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (len == strlen(words[i].name) && !memcmp(s, words[i].name, len))
				mode |= words[i].bits;
		s += len;
		s += s < end && *s == '|';
	}
	return scan_c_u64(&s, end, &octal) && mode & S_IFMT ? mode | (octal & 07777) : 0;
}

/* Reads "st_dev=makedev(0xfe, 0x1)" or "stx_dev_major=254, stx_dev_minor=1", which strace -v
 * prints. */
static bool device_of(const struct part *a, uint64_t *device)
{
	const char *s = memmem(a->s, a->len, "st_dev=makedev(", 15), *end = a->s + a->len;
	uint64_t major = 0, minor = 0;
	const bool found = s ? (s += 15, scan_c_u64(&s, end, &major)) && starts(s, end, ", ") &&
				   (s += 2, scan_c_u64(&s, end, &minor))
			     : key_number(a, "stx_dev_major=", &major) &&
				   key_number(a, "stx_dev_minor=", &minor);
	*device = major << 20 | minor;
	return found;
}

/* Stores the state of a file from a result of stat or a similar call. */
static void stat_seen(struct strace_parsed *p, const struct trace_record *r, const char *name)
{
	const bool follows = r->op == OP_FSTAT || !(r->flags & AT_SYMLINK_NOFOLLOW);
	for (unsigned int i = 0; i < p->n; i++) {
		const struct part *a = &p->arg[i];
		struct found_file f = {.mode = a->len && *a->s == '{' ? mode_of(a, "_mode=") : 0};
		if (!f.mode || (!key_number(a, "_size=", &f.size) && S_ISREG(f.mode)))
			continue;
		if (key_number(a, "_ino=", &f.inode) && device_of(a, &f.device))
			key_number(a, "_nlink=", &f.n_names);
		if (!follows && !S_ISLNK(f.mode))
			strace_links_none(&p->t->links, &p->t->before, name);
		if (!S_ISLNK(f.mode))
			files_found(&p->t->before, name, &f, follows);
		else if (f.size && f.size < PATH_MAX) /* links in /sys and /proc have size 0 */
			files_link(&p->t->before, name, f.size);
	}
}

/* If the opened file (in the decoration) differs from the requested path, that path contains a
 * symbolic link. */
static void link_shown(struct strace_parsed *p, const struct trace_record *r, const char *requested)
{
	struct strace *t = p->t;
	const char *s = p->ret;
	struct part d;
	uint64_t fd;
	if (r->op != OP_OPEN || !scan_u64(&s, p->end, &fd) || !strace_decoration(s, p->end, &d) ||
	    *d.s != '/' || strace_rename_under_way(t))
		return;
	/* ".." after a link is not resolved here */
	for (unsigned int i = 0; i < p->n && i < 2; i++)
		if (memmem(p->arg[i].s, p->arg[i].len, "..", 2))
			return;
	const struct part whole = strace_without_deleted(d.s, d.len);
	if (whole.len == d.len && strace_decoration_text(t, &d) && t->path.s[1] &&
	    strncmp(requested, "proc/", 5) && strncmp(requested, "dev/", 4) &&
	    strncmp(requested, "sys/", 4))
		strace_links_see(&t->links, &t->before, requested, t->path.s + 1,
				 r->flags & O_CREAT);
}

/* Whether a later result of stat still shows the type and size of the file before the request. A
 * request that changes attributes also changes them in the replay, so a replay may begin with the
 * later attributes. */
static bool keeps_state(const struct trace_record *r)
{
	switch (r->op) {
	case OP_OPEN:
		return !(r->flags & (O_CREAT | O_TRUNC));
	case OP_ACCESS:
	case OP_CHDIR:
	case OP_STATFS:
		return true;
	default: /* calls with a path that change data or names */
		return op_info(r->op)->family == FAMILY_ATTRIBUTE ||
		       (!(op_info(r->op)->uses & OP_HAS_PATH) &&
			op_info(r->op)->family != FAMILY_WRITE && r->op != OP_FTRUNCATE &&
			r->op != OP_FALLOCATE);
	}
}

/* Finds the initial state of the request's file. `second`: text of the record's heap item. */
static void before(struct strace_parsed *p, const struct trace_record *r, const char *name,
		   const char *second)
{
	struct strace *t = p->t;
	const unsigned int uses = op_info(r->op)->uses;
	const bool makes = r->op == OP_MKDIR || r->op == OP_SYMLINK || r->op == OP_MKNOD ||
			   (r->op == OP_OPEN && r->flags & O_CREAT && r->flags & O_EXCL);
	if (r->rvalue < 0) {
		if (r->error == ENOENT && uses & OP_HAS_PATH && !(uses & OP_HEAP_PATH) && !makes)
			files_made(&t->before, name);
		else if (r->op == OP_READLINK && r->error == EINVAL)
			strace_links_none(&t->links, &t->before, name);
		return;
	}
	link_shown(p, r, name);
	if (r->op == OP_MKDIR ||
	    (r->op == OP_OPEN && r->flags & O_NOFOLLOW && !(r->flags & O_PATH)))
		strace_links_none(&t->links, &t->before, name);
	if (r->op == OP_STAT || r->op == OP_STATX || r->op == OP_FSTAT)
		stat_seen(p, r, name);
	else if (makes)
		files_made(&t->before, name);
	else if (r->op == OP_READLINK)
		files_link_read(&t->before, name, second);
	else if (!keeps_state(r))
		files_unknown(&t->before, name);
	else if (uses & OP_HAS_PATH && !(r->flags & AT_SYMLINK_NOFOLLOW))
		files_followed(&t->before, name);
	/* afterwards, the second name has the state of the first */
	if (second && r->op == OP_RENAME)
		files_renamed(&t->before, name, second, r->flags & RENAME_EXCHANGE);
	else if (second && r->op == OP_LINK)
		files_made(&t->before, second);
}

/* --- sizes at each instant ---------------------------------------------- */

int64_t strace_size(void *context, uint32_t object)
{
	const struct strace *t = context;
	return object < t->n_sizes ? t->size[object] : -1;
}

static void size_set(struct strace *t, uint32_t object, int64_t size)
{
	if (object == OBJECT_NONE || (size < 0 && object >= t->n_sizes))
		return;
	while (object >= t->n_sizes) {
		GROW(t->size, t->n_sizes, t->sizes_cap);
		t->size[t->n_sizes++] = -1;
	}
	t->size[object] = size;
}

static void written(struct strace *t, const struct trace_record *r)
{
	const int64_t size = strace_size(t, r->object);
	int64_t end;
	if (r->offset == OFFSET_NONE)
		size_set(t, r->object, -1);
	else if (size >= 0 && !__builtin_add_overflow((int64_t)r->offset, r->rvalue, &end) &&
		 end > size)
		size_set(t, r->object, end);
}

static void size_shown(struct strace_parsed *p, const struct trace_record *r)
{
	for (unsigned int i = 0; i < p->n; i++) {
		const struct part *a = &p->arg[i];
		uint64_t size;
		if (a->len && *a->s == '{' && key_number(a, "st_size=", &size) &&
		    size <= INT64_MAX && !memmem(a->s, a->len, "S_IFDIR", 7))
			size_set(p->t, r->object, (int64_t)size);
	}
}

/* Records the change of the file that a copy writes. */
static void copied_to(struct strace_parsed *p)
{
	struct syscalls *calls = p->t->calls_made;
	const char *at = strchr(p->call->args, p->call->op == OP_IOCTL ? 'f' : 'X');
	struct app_open_file *f =
	    at ? syscalls_file(calls, p->tid, (int64_t)p->value[at - p->call->args]) : NULL;
	uint32_t id;
	if (f && !syscalls_file_object(calls, f, &id, NULL))
		size_set(p->t, id, -1);
}

static void size_follow(struct strace_parsed *p, const struct trace_record *r, const char *second)
{
	struct strace *t = p->t;
	const uint32_t how = r->flags;
	int64_t size;
	if (r->op == OP_RENAME || r->op == OP_UNLINK || r->op == OP_RMDIR || r->op == OP_FALLOCATE)
		size_set(t, r->object, -1);
	if (r->op == OP_RENAME && !r->rvalue && second) {
		/* the new name now has another file or other content */
		uint32_t id;
		if (!foreign_object(&t->base, OBJECT_PATH, second, strlen(second), &id, NULL))
			size_set(t, id, -1);
	}
	if (r->rvalue < 0)
		return;
	switch (r->op) {
	case OP_OPEN:
		if (how & O_TRUNC || (how & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
			size_set(t, r->object, 0);
		return;
	case OP_LSEEK:
		if (how == SEEK_END &&
		    !__builtin_sub_overflow(r->rvalue, (int64_t)r->offset, &size))
			size_set(t, r->object, size);
		return;
	case OP_TRUNCATE:
	case OP_FTRUNCATE:
		size_set(t, r->object, (int64_t)r->length);
		return;
	case OP_STAT:
	case OP_FSTAT:
		size_shown(p, r);
		return;
	default:
		if (op_info(r->op)->family == FAMILY_WRITE && r->rvalue > 0)
			written(t, r);
		else if (op_info(r->op)->family == FAMILY_COPY)
			copied_to(p);
	}
}

void strace_made(void *context, const struct trace_record *r, const struct app_open_file *f,
		 const char *second)
{
	struct strace *t = context;
	struct strace_parsed *p = t->now;
	if (!p)
		return;
	t->base.base.notes.n_umask_unknown += op_makes_file(r->op, r->flags) && r->rvalue >= 0 &&
					      !syscalls_umask_of(t->calls_made, p->tid);
	t->moved |= (r->op == OP_CHDIR || r->op == OP_FCHDIR) && !r->rvalue;
	size_follow(p, r, second);
	const struct trace_object *o =
	    t->before_listed ? NULL : trace_object(&t->base.base, r->object);
	if (o && o->kind == OBJECT_PATH && !(f && f->unnamed))
		before(p, r, o->name, second);
}

void strace_before_list(struct strace *t)
{
	uint64_t n_bytes = 0;
	if (t->before_listed)
		return;
	t->before_listed = true;
	t->missing.n_parents = syscalls_links_unclear(t->calls_made, &t->links.real);
	strace_links_settle(&t->links, &t->before);
	for (size_t i = 0; i < t->before.n; i++) {
		const struct known_file *k = &t->before.file[i];
		t->missing.n_targets += k->no_target;
		t->missing.n_links +=
		    k->unlisted_name || (!k->unknown && S_ISREG(k->mode) && !k->counted);
	}
	files_list(&t->before, &t->listed);
	for (size_t i = 0; i < t->listed.n; i++)
		n_bytes += strlen(t->listed.entry[i].path);
	if (n_bytes > FILES_BYTES_MAX)
		t->listed.n = 0;
	t->base.base.meta.meta.files = t->listed;
}
