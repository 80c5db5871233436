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
	const bool found = s ? (s += 15, scan_c_u64(&s, end, &major)) &&
				   begins_with(s, end, ", ") &&
				   (s += 2, scan_c_u64(&s, end, &minor))
			     : key_number(a, "stx_dev_major=", &major) &&
				   key_number(a, "stx_dev_minor=", &minor);
	*device = major << 20 | minor;
	return found;
}

/* Reads a result of stat or a similar call. False: the call shows no file. */
static bool stat_result(const struct strace_parsed *p, struct found_file *f)
{
	for (unsigned int i = 0; i < p->n; i++) {
		const struct part *a = &p->arg[i];
		*f = (struct found_file){.mode = a->len && *a->s == '{' ? mode_of(a, "_mode=") : 0};
		if (!f->mode || (!key_number(a, "_size=", &f->size) && S_ISREG(f->mode)))
			continue;
		if (key_number(a, "_ino=", &f->inode) && device_of(a, &f->device))
			key_number(a, "_nlink=", &f->n_names);
		return true;
	}
	return false;
}

/* Stores the state of a file from a result of stat or a similar call. `id`: of strace_sizes.c. */
static void stat_seen(struct strace_parsed *p, const struct trace_record *r, const char *name,
		      uint32_t id, const struct found_file *f)
{
	struct strace *t = p->t;
	const bool follows = r->op == OP_FSTAT || !(r->flags & AT_SYMLINK_NOFOLLOW);
	bool changed;
	const uint32_t entry = strace_size_entry(t, id, &changed);
	if (!follows && !S_ISLNK(f->mode))
		strace_links_none(&t->links, &t->before, name);
	if (!S_ISLNK(f->mode) && changed) {
		if (entry)
			files_changed_found(&t->before, entry, f);
		if (follows)
			files_followed(&t->before, name);
	} else if (!S_ISLNK(f->mode)) {
		files_found(&t->before, name, f, follows);
	} else if (f->size && f->size < PATH_MAX) { /* links in /sys and /proc have size 0 */
		files_link(&t->before, name, f->size);
	}
}

const char *strace_opened_real(const struct strace_parsed *p, const struct trace_record *r)
{
	struct strace *t = p->t;
	struct part d;
	if (r->op != OP_OPEN || !strace_result_decoration(p, &d) || *d.s != '/' ||
	    strace_rename_under_way(t))
		return NULL;
	/* ".." after a link is not resolved here */
	for (unsigned int i = 0; i < p->n && i < 2; i++)
		if (memmem(p->arg[i].s, p->arg[i].len, "..", 2))
			return NULL;
	const struct part whole = strace_without_deleted(d.s, d.len);
	return whole.len == d.len && strace_decoration_text(t, &d) && t->path.s[1] ? t->path.s + 1
										   : NULL;
}

/* If the opened file (in the decoration) differs from the requested path, that path contains a
 * symbolic link. */
static void link_shown(struct strace_parsed *p, const struct trace_record *r, const char *requested)
{
	struct strace *t = p->t;
	const char *real = strace_opened_real(p, r);
	if (real && strncmp(requested, "proc/", 5) && strncmp(requested, "dev/", 4) &&
	    strncmp(requested, "sys/", 4))
		strace_links_see(&t->links, &t->before, requested, real,
				 r->flags & O_CREAT && r->flags & O_EXCL);
}

/* Finds the initial state of the request's file. `second`: text of the record's heap item. `id`: of
 * strace_sizes.c, which finds the files whose state becomes unknown. `found`: result of stat, or
 * NULL. */
static void state_find(struct strace_parsed *p, const struct trace_record *r, const char *name,
		       const char *second, uint32_t id, const struct found_file *found)
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
	if (found)
		stat_seen(p, r, name, id, found);
	else if (makes)
		files_made(&t->before, name);
	else if (r->op == OP_READLINK)
		files_link_read(&t->before, name, second);
	else if (uses & OP_HAS_PATH && !(r->flags & AT_SYMLINK_NOFOLLOW) && !second &&
		 r->op != OP_UNLINK && r->op != OP_RMDIR)
		files_followed(&t->before, name);
	/* afterwards, the second name has the state of the first */
	if (second && r->op == OP_RENAME)
		files_renamed(&t->before, name, second, r->flags & RENAME_EXCHANGE);
	else if (second && r->op == OP_LINK)
		files_made(&t->before, second);
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
	const struct trace_object *o = trace_object(&t->base.base, r->object);
	const char *name = o && o->kind == OBJECT_PATH && !(f && f->unnamed) ? o->name : NULL;
	struct found_file found;
	const bool stats = (r->op == OP_STAT || r->op == OP_STATX || r->op == OP_FSTAT) &&
			   r->rvalue >= 0 && stat_result(p, &found);
	const uint32_t id = strace_size_follow(p, r, f, name, second, stats ? &found : NULL);
	if (name && !t->before_listed)
		state_find(p, r, name, second, id, stats ? &found : NULL);
}

void strace_before_list(struct strace *t)
{
	uint64_t n_bytes = 0;
	if (t->before_listed)
		return;
	t->before_listed = true;
	t->missing.n_parents = syscalls_links_unclear(t->calls_made, &t->links.real);
	t->missing.n_sizes = strace_sizes_settle(t);
	strace_links_settle(&t->links, &t->before);
	for (size_t i = 0; i < t->before.n; i++) {
		const struct known_file *k = &t->before.file[i];
		t->missing.n_targets += k->no_target;
		t->missing.n_links += k->unknown ? k->several_names
						 : S_ISREG(k->mode) && !k->counted;
	}
	files_list(&t->before, &t->listed);
	for (size_t i = 0; i < t->listed.n; i++)
		n_bytes += strlen(t->listed.entry[i].path);
	if (n_bytes > FILES_BYTES_MAX)
		t->listed.n = 0;
	t->base.base.meta.meta.files = t->listed;
}
