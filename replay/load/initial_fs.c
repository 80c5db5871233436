/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of initial.h that access the file system. */
#include <sys/xattr.h>

#include "common/files.h"
#include "replay/load/initial.h"

enum { FOUND, MISSING, OTHER, NOT_CACHED };

typedef int look_up(int dir_fd, const char *path, uint32_t flags);

static int entry_check(const struct initial_entry *i, int dir_fd, look_up *look)
{
	struct stat st;
	int fd = look(dir_fd, i->path, O_NOFOLLOW);
	int error = fd < 0 ? errno : fstat(fd, &st) < 0 ? errno : 0;
	fd_close(fd);
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

/* Looks up the first name of the path that is not in the dentry cache, and no other. */
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

bool initial_seems_there(const struct initial *i, int dir_fd)
{
	const char *not_cached = NULL;
	for (uint32_t k = 0; i && k < i->n; k++) {
		int what = entry_check(&i->entry[k], dir_fd, rooted_look_cached);
		if (what == MISSING || what == OTHER)
			return false;
		if (what == NOT_CACHED && !not_cached)
			not_cached = i->entry[k].path;
	}
	return !not_cached || !first_name_is_missing(not_cached, dir_fd);
}

int initial_check(const struct initial *i, int dir_fd, struct err *e)
{
	const char *first = NULL;
	uint32_t n_missing = 0;
	for (uint32_t k = 0; i && k < i->n; k++) {
		int what = entry_check(&i->entry[k], dir_fd, rooted_look);
		if (what == OTHER)
			return err_set(e, ENOTDIR,
				       "%s: not a directory, but the trace uses it as one",
				       i->entry[k].path);
		if (what == MISSING && !first)
			first = i->entry[k].path;
		n_missing += what == MISSING;
	}
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
	char *parent = slash ? xstrdup(path) : xstrdup(".");
	if (slash)
		parent[slash - path] = '\0';
	int ret = 0, at = rooted_look(dir_fd, parent, O_DIRECTORY);
	free(parent);
	if (at < 0)
		return 0; /* without its parent the file does not exist either */
	if (unlinkat(at, last, 0) < 0 && errno != ENOENT) {
		ret = errno == EISDIR || errno == EPERM ? dir_remove_at(at, last, path, e)
							: err_sys(e, errno, "%s", path);
		if (ret)
			err_context(e, "cannot remove a file that the trace creates");
	}
	close(at);
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
