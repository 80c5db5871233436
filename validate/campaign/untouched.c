/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/untouched.h"

#include <fts.h>

#include "capture/fileset/fileset.h"
#include "common/confine.h"
#include "common/files.h"
#include "common/fnv1a.h"

/* --- the files of a run
 * ------------------------------------------------------------------------------------------- */

static const char *kind_name(mode_t mode)
{
	return S_ISLNK(mode)   ? "a symbolic link"
	       : S_ISDIR(mode) ? "a directory"
	       : S_ISFIFO(mode) ? "a named pipe"
	       : S_ISSOCK(mode) ? "a socket"
	       : S_ISREG(mode)  ? "a file"
				: "a device node";
}

/* Returns 1 if entry i is as it was prepared, 0 if not. Errors: from the system, if this cannot be
 * determined. */
static int entry_is_whole(const struct place_dir *dir, size_t i, struct strbuf *reason,
			  struct err *e)
{
	const struct fileset_entry *f = &dir->files.entry[i];
	const struct fileset_stamp *was =
	    i < dir->state.n && dir->state.stamp[i].key ? &dir->state.stamp[i] : NULL;
	struct stat st;
	int fd = confined_open(dir->fd, f->path, O_PATH, 0, NULL);
	if (fd == -ENOENT && dir->sole)
		return 1;
	if (fd == -ENOENT || fd == -ENOTDIR) {
		strbuf_addf(reason, "removed '%s'", f->path);
		return 0;
	}
	/* confined_open() reports a link with this error */
	if (fd == -EPERM) {
		strbuf_addf(reason, "put a link into the path of '%s'", f->path);
		return 0;
	}
	int ret = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : 0;
	fd_close(fd);
	if (ret)
		return err_sys(e, -ret, "cannot examine %s/%s", dir->path, f->path);
	if (f->directory ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		strbuf_addf(reason, "replaced '%s' by %s", f->path, kind_name(st.st_mode));
	else if (!f->directory && st.st_nlink > 1)
		strbuf_addf(reason, "gave '%s' a second name (hard link)", f->path);
	else if (!dir->sole && was && was->inode != st.st_ino)
		strbuf_addf(reason, "replaced '%s' by another file", f->path);
	else
		return 1;
	return 0;
}

static bool is_in_set(const struct place_dir *dir, const char *name)
{
	const size_t len = strlen(name);
	for (size_t i = 0; i < dir->files.n; i++)
		if (!strncmp(dir->files.entry[i].path, name, len) &&
		    (!dir->files.entry[i].path[len] || dir->files.entry[i].path[len] == '/'))
			return true;
	return false;
}

/* Removes files that a run added, because they take space from the next run. Returns the number of
 * names that do not belong to the set. */
static int more_remove(struct place_dir *dir, struct err *e)
{
	int code = 0, fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	SCOPED_DIR DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	int ret = d ? 0 : err_sys(e, errno, "cannot read directory %s", dir->path);
	if (!d && fd >= 0)
		close(fd);
	while (!ret && (entry = dir_next(d, &code))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    is_in_set(dir, entry->d_name))
			continue;
		SCOPED_FREE char *path = xasprintf("%s/%s", dir->path, entry->d_name);
		ret = path_remove(path, e);
	}
	return ret || !code ? ret : err_sys(e, code, "cannot read directory %s", dir->path);
}

/* --- entries beside the files -------------------------------------------- */

static bool is_dir_of(const struct place *place, const char *name)
{
	for (size_t i = 0; i < place->n_dirs; i++)
		if (place->dir[i].path && !strcmp(strrchr(place->dir[i].path, '/') + 1, name))
			return true;
	return false;
}

static uint64_t entry_hash(const FTSENT *entry, size_t skip)
{
	const struct stat *st = entry->fts_statp;
	const uint64_t words[] = {st->st_ino, st->st_mode, (uint64_t)st->st_size,
				  (uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec};
	const char *path = entry->fts_path + skip;
	return fnv1a(fnv1a(FNV1A_START, path, strlen(path)), words, sizeof words);
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Sums over the entries beside the directories of the place: *sum changes if any entry changes, and
 * is 0 if there is none. *name: the entry that was changed last. */
static int beside_look(const struct place *place, uint64_t *sum, struct strbuf *name, struct err *e)
{
	char *const roots[] = {place->path, NULL};
	const size_t skip = strlen(place->path) + 1;
	struct timespec newest = {0};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int ret = 0;
	*sum = 0;
	if (!fts)
		return err_sys(e, errno, "cannot read directory %s", place->path);
	for (FTSENT *f; !ret && (errno = 0, f = fts_read(fts));) {
		const bool failed = f->fts_info == FTS_DNR || f->fts_info == FTS_ERR ||
				    f->fts_info == FTS_NS;
		/* skip an entry that has vanished or that this user cannot see */
		if (failed && f->fts_errno != ENOENT && f->fts_errno != EACCES)
			ret = err_sys(e, f->fts_errno, "cannot read directory %s", f->fts_path);
		if (f->fts_info == FTS_DP || f->fts_level == 0 || f->fts_info == FTS_NS)
			continue;
		if (f->fts_level == 1 && is_dir_of(place, f->fts_name)) {
			fts_set(fts, f, FTS_SKIP);
			continue;
		}
		*sum += entry_hash(f, skip);
		if (name->len && !is_later(&f->fts_statp->st_ctim, &newest))
			continue;
		newest = f->fts_statp->st_ctim;
		name->len = 0;
		strbuf_addstr(name, f->fts_path + skip);
	}
	if (!ret && errno)
		ret = err_sys(e, errno, "cannot read directory %s", place->path);
	fts_close(fts);
	return ret;
}

int untouched_note(struct place *place, struct err *e)
{
	SCOPED_STRBUF name = STRBUF_INIT;
	return beside_look(place, &place->beside, &name, e);
}

static int beside_check(const struct place *place, struct strbuf *reason, struct err *e)
{
	SCOPED_STRBUF name = STRBUF_INIT;
	uint64_t sum;
	int ret = beside_look(place, &sum, &name, e);
	if (!ret && name.len && sum != place->beside && !reason->len)
		strbuf_addf(reason,
			    "or another program created or changed '%s', which is outside the "
			    "directory of the run's files", name.s);
	return ret;
}

int untouched_check(struct place *place, struct place_dir *dir, struct strbuf *reason,
		    struct err *e)
{
	if (!place->path || dir->fd < 0)
		return 0;
	int ret = beside_check(place, reason, e);
	if (dir->program)
		return ret;
	int whole = 1;
	SCOPED_STRBUF changed = STRBUF_INIT;
	for (size_t i = 0; whole > 0 && i < dir->files.n; i++)
		whole = entry_is_whole(dir, i, &changed, ret ? NULL : e);
	if (!whole && !reason->len)
		strbuf_addstr(reason, changed.s);
	if (whole < 0)
		return ret ? ret : whole;
	if (!ret && !whole)
		ret = place_dir_anew(place, dir, e);
	else if (!ret && !dir->sole)
		ret = more_remove(dir, e);
	return ret;
}

/* --- listings ------------------------------------------------------------ */

struct listed {
	char *name;
	struct stat st;
	bool seen;
};

int listing_make(struct listing *l, const char *dir, const char *leave_out, struct err *e)
{
	SCOPED_DIR DIR *d = opendir(dir);
	const struct dirent *entry;
	int code = d ? 0 : errno;
	*l = (struct listing){.dir = xstrdup(dir)};
	while (d && !code && (entry = dir_next(d, &code))) {
		struct listed one = {.name = NULL};
		if (entry->d_name[0] == '.' ||
		    !strncmp(entry->d_name, leave_out, strlen(leave_out)))
			continue;
		if (fstatat(dirfd(d), entry->d_name, &one.st, AT_SYMLINK_NOFOLLOW) < 0) {
			code = errno == ENOENT ? 0 : errno;
			continue;
		}
		one.name = xstrdup(entry->d_name);
		APPEND(l->v, l->n, l->cap, one);
	}
	if (!code || code == ENOENT)
		return 0;
	listing_release(l);
	return err_sys(e, code, "cannot read directory %s", dir);
}

static struct listed *listed_find(const struct listing *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return &l->v[i];
	return NULL;
}

static bool is_as_listed(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_mode == b->st_mode && a->st_nlink == b->st_nlink &&
	       a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int listing_compare(const struct listing *l, const char *leave_out, struct strbuf *reason,
		    struct err *e)
{
	struct listing now;
	bool whole = true;
	int ret = l->dir ? listing_make(&now, l->dir, leave_out, e) : 1;
	if (ret)
		return ret;
	for (size_t i = 0; i < now.n; i++) {
		struct listed *was = listed_find(l, now.v[i].name);
		if (was)
			was->seen = true;
		if (was && is_as_listed(&was->st, &now.v[i].st))
			continue;
		if (whole)
			strbuf_addf(reason, "%s '%s' in the scratch directory of the campaign",
				    was ? "changed" : "created", now.v[i].name);
		whole = false;
		SCOPED_FREE char *path = xasprintf("%s/%s", l->dir, now.v[i].name);
		path_remove(path, NULL);
	}
	for (size_t i = 0; i < l->n; i++)
		if (!l->v[i].seen) {
			if (whole)
				strbuf_addf(reason,
					    "removed '%s' in the scratch directory of the campaign",
					    l->v[i].name);
			whole = false;
		}
	listing_release(&now);
	return whole;
}

void listing_release(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].name);
	FREE_EACH(l->v, l->dir);
	*l = (struct listing){.dir = NULL};
}
