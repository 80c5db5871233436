/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The initial state of files: kind, permissions and size, as the first result of stat and similar
 * calls shows them. A name that was changed or created before that is unknown. */
#include <limits.h>
#include <sys/stat.h>

#include "capture/formats/blanks.h"
#include "capture/formats/number.h"
#include "capture/formats/strace_parsed.h"
#include "common/xalloc.h"

#define FILES_BYTES_MAX (UINT64_C(4) << 20) /* total length of names: metadata are limited */

/* Reads the number after `key` in a structure; false: the key does not occur. */
static bool key_number(const struct part *a, const char *key, uint64_t *v)
{
	const char *s = memmem(a->s, a->len, key, strlen(key));
	return s && (s += strlen(key), scan_c_u64(&s, a->s + a->len, v));
}

/* Reads "S_IFREG|S_ISUID|0755" after `key`. */
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

/* "st_dev=makedev(0xfe, 0x1)", "stx_dev_major=254, stx_dev_minor=1": shown by -v. */
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

/* Takes the state of a file from a result of stat or a similar call. */
static void stat_seen(struct parsed *p, const char *name)
{
	const bool follows = p->r.op == OP_FSTAT || !(p->r.flags & AT_SYMLINK_NOFOLLOW);
	for (unsigned int i = 0; i < p->n; i++) {
		const struct part *a = &p->arg[i];
		struct found_file f = {.mode = a->len && *a->s == '{' ? mode_of(a, "_mode=") : 0};
		if (!f.mode || (!key_number(a, "_size=", &f.size) && S_ISREG(f.mode)))
			continue;
		if (key_number(a, "_ino=", &f.inode) && device_of(a, &f.device))
			key_number(a, "_nlink=", &f.n_names);
		if (!S_ISLNK(f.mode))
			files_found(&p->t->before, name, &f, follows);
		else if (f.size && f.size < PATH_MAX) /* links in /sys and /proc have size 0 */
			files_link(&p->t->before, name, f.size);
	}
}

/* If the decoration of the opened file differs from the requested path, that path led through a
 * symbolic link. */
static void link_shown(struct parsed *p, const char *requested)
{
	struct strace *t = p->t;
	const char *s = p->ret;
	struct part d;
	uint64_t fd;
	if (p->r.op != OP_OPEN || !scan_u64(&s, p->end, &fd) || !strace_decoration(s, p->end, &d) ||
	    *d.s != '/' || strace_rename_under_way(&t->system))
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
				 p->r.flags & O_CREAT);
}

static bool changes_nothing(const struct parsed *p)
{
	switch (p->r.op) {
	case OP_OPEN:
		return !(p->r.flags & (O_CREAT | O_TRUNC));
	case OP_ACCESS:
	case OP_CHDIR:
	case OP_STATFS:
	case OP_GETXATTR:
	case OP_LISTXATTR:
		return true;
	default: /* calls with a path change data, names or attributes */
		return !(op_info(p->r.op)->uses & OP_HAS_PATH) &&
		       op_info(p->r.op)->family != FAMILY_WRITE && p->r.op != OP_FTRUNCATE &&
		       p->r.op != OP_FALLOCATE && p->r.op != OP_FCHMOD;
	}
}

/* After rename or link the second name has the state of the first. */
static void second_made(struct parsed *p, const char *first)
{
	struct strbuf name = STRBUF_INIT;
	strbuf_add(&name, p->heap.s, p->heap.len);
	if (p->r.op == OP_RENAME)
		files_renamed(&p->t->before, first, name.s, p->r.flags & RENAME_EXCHANGE);
	else
		files_made(&p->t->before, name.s);
	strbuf_release(&name);
}

void strace_before(struct parsed *p)
{
	struct strace *t = p->t;
	const struct trace_object *o =
	    t->before_listed ? NULL : trace_object(&t->base.base, p->r.object);
	const unsigned int uses = op_info(p->r.op)->uses;
	const bool makes = p->r.op == OP_MKDIR || p->r.op == OP_SYMLINK || p->r.op == OP_MKNOD ||
			   (p->r.op == OP_OPEN && p->r.flags & O_CREAT && p->r.flags & O_EXCL);
	if (!o || o->kind != OBJECT_PATH || (p->file && p->file->unnamed))
		return;
	if (p->r.rvalue < 0) {
		if (p->r.error == ENOENT && uses & OP_HAS_PATH && !(uses & OP_HEAP_PATH) && !makes)
			files_made(&t->before, o->name);
		return;
	}
	link_shown(p, o->name);
	if (p->r.op == OP_STAT || p->r.op == OP_STATX || p->r.op == OP_FSTAT)
		stat_seen(p, o->name);
	else if (makes)
		files_made(&t->before, o->name);
	else if (p->r.op == OP_READLINK)
		files_link_read(&t->before, o->name, p->has_heap ? p->heap.s : NULL);
	else if (!changes_nothing(p))
		files_unknown(&t->before, o->name);
	else if (uses & OP_HAS_PATH && !(p->r.flags & AT_SYMLINK_NOFOLLOW))
		files_followed(&t->before, o->name);
	if (p->has_heap && (p->r.op == OP_RENAME || p->r.op == OP_LINK))
		second_made(p, o->name);
}

void strace_before_list(struct strace *t)
{
	uint64_t n_bytes = 0;
	if (t->before_listed)
		return;
	t->before_listed = true;
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
