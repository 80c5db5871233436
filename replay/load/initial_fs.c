/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of initial.h and slots.h that access the file system. */
#include <sys/resource.h>
#include <sys/xattr.h>

#include "common/files.h"
#include "replay/load/initial.h"

#define SPARE_DESCRIPTORS 64 /* of the program itself */
#define EXECUTABLE 0755u

enum { FOUND, MISSING, OTHER, NOT_CACHED };

typedef int look_up(int dir_fd, const char *path, uint32_t flags);

static int entry_check(const struct initial_entry *i, int dir_fd, look_up *look)
{
	struct stat st;
	SCOPED_FD int fd = look(dir_fd, i->path, O_NOFOLLOW);
	int error = fd < 0 ? errno : fstat(fd, &st) < 0 ? errno : 0;
	if (error == EAGAIN || error == EOPNOTSUPP)
		return NOT_CACHED;
	if (error)
		/* the request itself reports another error */
		return error == ENOENT || error == ENOTDIR ? MISSING : FOUND;
	if (S_ISLNK(st.st_mode))
		return FOUND; /* its target may be anything */
	if (i->kind == INITIAL_DIRECTORY)
		return S_ISDIR(st.st_mode) ? FOUND : OTHER;
	return FOUND;
}

/* Looks up the first name of the path that is not in the dentry cache, and no further name. */
static bool first_name_is_missing(const char *path, int dir_fd)
{
	SCOPED_FREE char *part = xstrdup(path);
	int fd = -1;
	for (size_t end = 0; path[end] && fd < 0;) {
		end += strspn(path + end, "/");
		end += strcspn(path + end, "/");
		memcpy(part, path, end);
		part[end] = '\0';
		fd = rooted_look_cached(dir_fd, part, O_NOFOLLOW);
		if (fd < 0)
			break;
		close(fd);
		fd = -1;
	}
	fd = rooted_look(dir_fd, part, O_NOFOLLOW);
	bool missing = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
	fd_close(fd);
	return missing;
}

int initial_check(const struct initial *i, int dir_fd, bool cached, struct err *e)
{
	const char *first = NULL, *not_cached = NULL;
	uint32_t n_missing = 0;
	for (uint32_t k = 0; i && k < i->n; k++) {
		const char *path = i->entry[k].path;
		const int what = entry_check(&i->entry[k], dir_fd,
					     cached ? rooted_look_cached : rooted_look);
		if (cached && (what == MISSING || what == OTHER))
			return initial_check(i, dir_fd, false, e);
		if (what == OTHER)
			return err_set(e, ENOTDIR,
				       "%s: not a directory, but the trace uses it as a directory",
				       path);
		if (what == MISSING && !first)
			first = path;
		if (what == NOT_CACHED && !not_cached)
			not_cached = path;
		n_missing += what == MISSING;
	}
	if (cached && not_cached && first_name_is_missing(not_cached, dir_fd))
		return initial_check(i, dir_fd, false, e);
	if (!n_missing)
		return 0;
	if (n_missing == 1)
		return err_set(e, ENOENT, "%s: missing; --prepare creates the files of a trace",
			       first);
	return err_set(e, ENOENT,
		       "%s and %u more are missing; --prepare creates the files of a trace", first,
		       n_missing - 1);
}

static int name_remove(int dir_fd, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	SCOPED_FREE char *parent =
	    slash ? xasprintf("%.*s", (int)(slash - path), path) : xstrdup(".");
	SCOPED_FD int at = rooted_look(dir_fd, parent, O_DIRECTORY);
	int ret = 0;
	if (at < 0)
		return 0; /* without its parent directory the file does not exist either */
	if (unlinkat(at, last, 0) < 0 && errno != ENOENT) {
		ret = errno == EISDIR || errno == EPERM
			  ? dir_remove_at(at, last, path, e)
			  : err_sys(e, errno, "cannot remove %s", path);
		if (ret)
			err_context(e, "a file that the trace creates already exists");
	}
	return ret;
}

int initial_absent_remove(const struct initial *i, int dir_fd, struct err *e)
{
	int ret = 0;
	for (uint32_t k = 0; i && k < i->n_absent && !ret; k++)
		ret = name_remove(dir_fd, i->absent[k], e);
	return ret;
}

static int holes_punch(const char *path, const struct fileset_hole *hole, size_t n,
		       const struct rooted *root, struct err *e)
{
	struct stat st;
	int ret = 0, fd = n ? rooted_open(root, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0) : -1;
	if (fd < 0)
		return 0; /* the request itself reports the error */
	if (fstat(fd, &st) < 0)
		ret = -errno;
	for (size_t k = 0; k < n && !ret; k++) {
		const off_t from = (off_t)hole[k].offset;
		const off_t len =
		    hole[k].length == UINT64_MAX ? st.st_size - from : (off_t)hole[k].length;
		if (len > 0 &&
		    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, len) < 0)
			ret = -errno;
	}
	close(fd);
	return !ret || ret == -EOPNOTSUPP ? 0
					  : err_sys(e, -ret, "%s: cannot punch its holes", path);
}

int initial_holes_make(const struct initial *i, const struct fileset *f, const struct rooted *root,
		       struct err *e)
{
	size_t at = 0;
	int ret = 0;
	for (uint32_t k = 0; i && k < i->n && !ret; k++) {
		const struct initial_entry *entry = &i->entry[k];
		if (!entry->data_sought)
			continue;
		ret = holes_punch(entry->path, entry->hole, entry->n_holes, root, e);
		for (at = 0; at < f->n && strcmp(f->entry[at].path, entry->path); at++)
			;
		if (!ret && at < f->n && f->detail)
			ret = holes_punch(entry->path, f->detail[at].hole, f->detail[at].n_holes,
					  root, e);
	}
	return ret;
}

int initial_attributes_set(const struct initial *i, const struct rooted *root, struct err *e)
{
	for (uint32_t k = 0; i && k < i->n_attributes; k++) {
		const struct initial_attribute *a = &i->attribute[k];
		size_t n_bytes = a->n_bytes > 65536 ? 65536 : (size_t)a->n_bytes;
		int fd = rooted_open(root, a->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
		if (fd < 0)
			/* a link or a missing file: the request itself reports the error */
			continue;
		char *value = xmalloc(n_bytes + 1);
		memset(value, 'v', n_bytes);
		int ret = fsetxattr(fd, a->name, value, n_bytes, 0) < 0 ? -errno : 0;
		free(value);
		close(fd);
		if (ret)
			return err_sys(e, -ret, "%s: extended attribute %s cannot be set", a->path,
				       a->name);
	}
	return 0;
}

/* --- the files before the first request ---------------------------------- */

void slots_files(const struct slots *s, struct fileset *f)
{
	const struct initial *initial = s->initial;
	uint32_t n = initial ? initial->n : 0, n_shown = 0;
	*f = (struct fileset){
		.entry = xcalloc((size_t)n + 1, sizeof *f->entry),
		.detail = xcalloc((size_t)n + 1, sizeof *f->detail),
	};
	for (uint32_t i = 0; i < n; i++) {
		const struct initial_entry *from = &initial->entry[i];
		if (from->listed)
			continue;
		f->entry[n_shown] = (struct fileset_entry){xstrdup(from->path), from->size,
							   from->kind == INITIAL_DIRECTORY};
		if (from->kind == INITIAL_FILE && from->executable)
			f->detail[n_shown].mode = EXECUTABLE;
		if (from->link)
			f->detail[n_shown].link = xstrdup(from->link);
		n_shown++;
	}
	f->n = n_shown;
}

void slots_files_release(struct fileset *f)
{
	for (size_t i = 0; i < f->n; i++)
		free((char *)(uintptr_t)f->entry[i].path);
	for (size_t i = 0; f->detail && i < f->n; i++)
		free((char *)(uintptr_t)f->detail[i].link);
	FREE_EACH(f->entry, f->detail);
	*f = (struct fileset){.entry = NULL};
}

/* --- opening ------------------------------------------------------------- */

int descriptors_allow(uint64_t n_wanted, uint64_t n_needed, uint64_t n_of_trace, struct err *e)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return err_sys(e, errno, "cannot read the limit of open files");
	if (r.rlim_max < n_needed)
		return err_set(e, EMFILE, "the replay needs %llu descriptors (the trace has %llu "
			"open at one time), but only %llu are permitted: raise the hard limit as "
			"root (ulimit -n %llu)", (unsigned long long)n_needed,
			(unsigned long long)n_of_trace,
			(unsigned long long)r.rlim_max, (unsigned long long)n_needed);
	if (r.rlim_cur >= n_wanted)
		return 0;
	r.rlim_cur = r.rlim_max < n_wanted ? r.rlim_max : n_wanted;
	if (setrlimit(RLIMIT_NOFILE, &r) < 0)
		return err_sys(e, errno, "cannot raise the limit of open files to %llu",
			       (unsigned long long)r.rlim_cur);
	return 0;
}

int descriptor_open(const struct rooted *root, const char *name, const struct slot *b, int *fd,
		    struct err *e)
{
	const uint32_t never = O_CREAT | O_EXCL | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
	*fd = rooted_open(root, name, rooted_flags(b->flags & ~never), 0);
	if (*fd < 0 && errno == ENOENT)
		return err_set(e, ENOENT,
			       "%s: missing; --prepare creates the files of a trace", name);
	/* the open has cached its name */
	if (*fd < 0 && errno == EPERM && rooted_kind(root, name, e) == -EPERM)
		return -EPERM;
	if (*fd < 0 && errno == EINVAL && b->flags & O_DIRECT)
		return err_set(
		    e, EINVAL,
		    "%s: the trace uses direct I/O, which this file system does not support; "
		    "choose another file system with --dir", name);
	if (*fd < 0)
		return err_sys(e, errno, "cannot open %s", name);
	if (b->position && lseek(*fd, (off_t)b->position, SEEK_SET) < 0)
		return err_sys(e, errno, "%s: cannot seek to %llu", name,
			       (unsigned long long)b->position);
	return 0;
}

/* Copies the descriptor of a slot to the slots that inherit it. */
static int inheritors_open(const struct slots *s, uint32_t slot, int *fds, struct err *e)
{
	for (uint32_t heir = s->slot[slot].heir; heir; heir = s->slot[heir].next_heir) {
		fds[heir] = fcntl(fds[slot], F_DUPFD_CLOEXEC, 3);
		if (fds[heir] < 0)
			return err_sys(e, errno, "%s: cannot duplicate its descriptor",
				       s->file[s->slot[slot].file].name);
	}
	return 0;
}

int slots_allow(const struct slots *s, uint32_t n_more, struct err *e)
{
	/* each locked slot needs a second open file (calls_lock.c) */
	const uint32_t n_locks = s->n_locked < s->n_open_max ? s->n_locked : s->n_open_max;
	return descriptors_allow((uint64_t)s->n + n_locks + n_more + SPARE_DESCRIPTORS,
		(uint64_t)s->n_open_max + n_locks + n_more + SPARE_DESCRIPTORS, s->n_open_max, e);
}

int slots_open(const struct slots *s, const struct rooted *root, uint32_t n_more, int *fds,
	       struct err *e)
{
	for (uint32_t i = 0; i < s->n; i++)
		fds[i] = -1;
	int ret = slots_allow(s, n_more, e);
	for (uint32_t i = 0; !ret && i < s->n_files; i++) {
		int kind = s->file[i].opened && !s->file[i].skipped
			       ? rooted_kind(root, s->file[i].name, e)
			       : 0;
		ret = kind < 0 ? kind : 0;
	}
	for (uint32_t i = 1; !ret && i < s->n; i++)
		if (s->slot[i].at_setup && !s->slot[i].skipped)
			ret = descriptor_open(root, s->file[s->slot[i].file].name, &s->slot[i],
					      &fds[i], e);
	for (uint32_t i = 1; !ret && i < s->n; i++)
		if (fds[i] >= 0 && !s->slot[i].inherited)
			ret = inheritors_open(s, i, fds, e);
	for (uint32_t i = 0; ret && i < s->n; i++)
		if (fds[i] >= 0) {
			close(fds[i]);
			fds[i] = -1;
		}
	return ret;
}

