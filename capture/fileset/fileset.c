/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/statvfs.h>

#include "capture/fileset/fileset_private.h"
#include "common/confine.h"
#include "common/payload.h"
#include "common/units.h"
#include "common/files.h"

#define CHUNK (1u << 20)
/* for more files, one sync of the file system is cheaper than an fsync of each file */
#define SYNC_EACH_MAX 64u

void fileset_state_release(struct fileset_state *state)
{
	free(state->stamp);
	*state = (struct fileset_state)FILESET_STATE_INIT;
}

static int stamp_of(int fd, const char *path, uint64_t key, struct fileset_stamp *stamp,
		    struct err *e)
{
	struct statx x; /* FORCE_SYNC: network and FUSE file systems must not answer from a cache */
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &x))
		return err_sys(e, errno, "cannot examine %s", path);
	*stamp = (struct fileset_stamp){
	    .key = key,
	    .device = (uint64_t)x.stx_dev_major << 32 | x.stx_dev_minor,
	    .inode = x.stx_ino,
	    .size = x.stx_size,
	    .blocks = x.stx_blocks,
	    .mtime_ns = x.stx_mtime.tv_sec * 1000000000 + x.stx_mtime.tv_nsec,
	    .ctime_ns = x.stx_ctime.tv_sec * 1000000000 + x.stx_ctime.tv_nsec,
	};
	return 0;
}

/* --- space --------------------------------------------------------------- */

static int set_check(const struct fileset *s, struct err *e)
{
	for (size_t i = 0; i < s->n; i++) {
		int ret = confined_path_check(s->entry[i].path, e);
		if (!ret && s->entry[i].size > INT64_MAX)
			ret = err_set(e, EFBIG,
				      "%s: %llu bytes exceed the largest possible file size",
				      s->entry[i].path, (unsigned long long)s->entry[i].size);
		if (ret)
			return ret;
	}
	return 0;
}

/* Bytes that existing files of the set occupy. */
static uint64_t bytes_there(int dir_fd, const char *path)
{
	struct stat st = {0};
	int fd = confined_open(dir_fd, path, O_PATH, 0, NULL);
	if (fd >= 0 && fstat(fd, &st))
		st.st_blocks = 0;
	fd_close(fd);
	return (uint64_t)st.st_blocks * 512;
}

/* Bytes that the files need. With `more`, in addition to what existing files occupy. */
static uint64_t bytes_needed(const struct fileset *s, const uint32_t *first, int dir_fd, bool more)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (s->entry[i].directory || fileset_link(s, i) || first[i] != i)
			continue;
		const uint64_t size = s->entry[i].size - fileset_holes_kept(s, i),
			       there = more ? bytes_there(dir_fd, s->entry[i].path) : 0;
		if (size > there && __builtin_add_overflow(sum, size - there, &sum))
			sum = UINT64_MAX;
	}
	return sum;
}

/* Refuses to begin if the disk is too small, instead of failing after filling it. Looks at existing
 * files only if there is too little space for new files. */
static int space_check(const struct fileset *s, const uint32_t *first, int dir_fd, struct err *e)
{
	struct statvfs v;
	if (fstatvfs(dir_fd, &v) || !v.f_blocks)
		return 0; /* free space is unknown: a write would fail */
	uint64_t free_bytes = (geteuid() ? v.f_bavail : v.f_bfree) * v.f_frsize;
	uint64_t missing = bytes_needed(s, first, dir_fd, false);
	if (missing > free_bytes)
		missing = bytes_needed(s, first, dir_fd, true);
	if (missing > free_bytes)
		return err_set(e, ENOSPC,
			       "the files need %s of additional space, but only %s are free in "
			       "their file system",
			       size_text(missing).s, size_text(free_bytes).s);
	return 0;
}

/* --- restoring ----------------------------------------------------------- */

struct restore {
	const struct fileset *set;
	int dir_fd;
	uint64_t seed;
	bool rewrite;
	struct fileset_state *state;
	unsigned char *buffer; /* CHUNK */
	bool sync_each;
	const struct payload *payload; /* generator of the content; NULL: content_make */
	uint32_t *first;	       /* from fileset_first_names */
	uint32_t *n_names;	       /* from names_there, before the restore */
	bool keeps_state;	       /* the caller keeps `state` for the next restore */
	bool is_root;		       /* the effective user is root */
	/* the directory of the last file that was created; fd -1: none */
	struct kept_directory {
		int fd;
		char *path; /* begins with the name of the directory, `len` bytes */
		size_t len;
	} *directory;
};

/* Checks `code`, the result of creating a file of type `type` (0: created now). An existing file of
 * that type is accepted. `what` is the name of the type. */
static int made_or_there(const struct restore *r, int parent, const char *name, const char *path,
			 int code, mode_t type, const char *what, struct err *e)
{
	struct stat st;
	if (!code)
		r->state->n_files_written++;
	else if (code != EEXIST)
		return err_sys(e, code, "%s: cannot create the %s", path, what);
	else if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) || (st.st_mode & S_IFMT) != type)
		return err_set(e, EPERM, "%s: refused: it exists, but is not a %s", path, what);
	return 0;
}

/* Permissions of an entry; 0: unknown. Set-user-ID is omitted, and also set-group-ID of files. For
 * an ordinary user, the permissions that the next restore needs are added. */
static mode_t mode_of(const struct restore *r, size_t i)
{
	const struct fileset *s = r->set;
	const mode_t kept = s->entry[i].directory ? 03777 : 0777,
		     needed = s->entry[i].directory ? S_IRWXU : S_IRUSR | S_IWUSR;
	if (!s->detail || !s->detail[i].mode)
		return 0;
	return (s->detail[i].mode & kept) | (r->is_root ? 0 : needed);
}

static int make_directory(const struct restore *r, size_t i, struct err *e)
{
	const struct fileset_entry *f = &r->set->entry[i];
	const mode_t mode = mode_of(r, i);
	const char *name;
	SCOPED_FD int parent = confined_parent(r->dir_fd, f->path, true, &name, e);
	if (parent < 0)
		return parent;
	int code = mkdirat(parent, name, 0777) ? errno : 0;
	int ret = made_or_there(r, parent, name, f->path, code, S_IFDIR, "directory", e);
	struct stat st;
	SCOPED_FD int fd = ret || !mode
		     ? -1
		     : openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!ret && mode &&
	    (fd < 0 || fstat(fd, &st) || ((st.st_mode & 07777) != mode && fchmod(fd, mode))))
		ret = err_sys(e, errno, "%s: cannot set its permissions", f->path);
	return ret;
}

static int make_link(const struct restore *r, size_t i, struct err *e)
{
	const struct fileset_entry *f = &r->set->entry[i];
	const char *name;
	SCOPED_FD int parent = confined_parent(r->dir_fd, f->path, true, &name, e);
	if (parent < 0)
		return parent;
	int code = symlinkat(fileset_link(r->set, i), parent, name) ? errno : 0;
	return made_or_there(r, parent, name, f->path, code, S_IFLNK, "link", e);
}

/* Makes the name of a new file durable. If a file system cannot sync directories, this is not
 * necessary. */
static int sync_name(int parent, const char *path, struct err *e)
{
	SCOPED_FD int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || (fsync(fd) && errno != EINVAL && errno != EROFS)
		   ? err_sys(e, errno, "%s: cannot sync its directory", path)
		   : 0;
}

/* As confined_parent(), which creates missing directories. The descriptor stays open for the next
 * file, because the files of a directory mostly follow each other. */
static int directory_of(const struct restore *r, const char *path, const char **name,
			struct err *e)
{
	struct kept_directory *d = r->directory;
	const char *slash = strrchr(path, '/');
	const size_t len = slash ? (size_t)(slash - path) : 0;
	if (d->fd >= 0 && len && len == d->len && !memcmp(path, d->path, len)) {
		*name = slash + 1;
		return d->fd;
	}
	const int fd = confined_parent(r->dir_fd, path, true, name, e);
	if (fd < 0)
		return fd;
	fd_close(d->fd);
	free(d->path);
	*d = (struct kept_directory){fd, xstrdup(path), len};
	return fd;
}

/* Opens the file for writing, or creates it. */
static int open_or_create(const struct restore *r, const char *path, struct err *e)
{
	const char *name;
	struct err first = ERR_INIT;
	int fd = fileset_open_file(r->dir_fd, path, O_RDWR, &first);
	if (fd < 0 && fd != -ENOENT)
		return err_set(e, first.code, "%s", first.msg);
	if (fd >= 0)
		return fd;
	int parent = directory_of(r, path, &name, e);
	if (parent < 0)
		return parent;
	fd = openat(parent, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	int ret = fd < 0         ? err_sys(e, errno, "%s: cannot create the file", path)
		 : r->sync_each ? sync_name(parent, path, e)
				: 0;
	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

static bool is_as_restored(const struct fileset_stamp *was, const struct fileset_stamp *is,
			   uint64_t size)
{
	return was->key == is->key && was->device == is->device && was->inode == is->inode &&
	       was->size == is->size && was->blocks == is->blocks &&
	       was->mtime_ns == is->mtime_ns && was->ctime_ns == is->ctime_ns && is->size == size;
}

/* Writes the range [at, end). */
static int write_range(const struct restore *r, const struct fileset_entry *f, int fd, uint64_t key,
		       uint64_t at, uint64_t end, struct err *e)
{
	while (at < end) {
		size_t len = end - at < CHUNK ? end - at : CHUNK;
		if (r->payload)
			payload_make(r->payload, key, at, r->buffer, len);
		else
			content_make(key, at, r->buffer, len);
		const int ret = write_all_at(fd, r->buffer, len, at);
		if (ret)
			return err_sys(e, -ret, "%s: cannot write at byte %llu of %llu", f->path,
				       (unsigned long long)at, (unsigned long long)f->size);
		at += len;
		r->state->n_bytes_written += len;
	}
	return 0;
}

static int write_content(const struct restore *r, size_t i, int fd, uint64_t key, struct err *e)
{
	const struct fileset_entry *f = &r->set->entry[i];
	const struct fileset_detail *d =
	    fileset_holes_kept(r->set, i) ? &r->set->detail[i] : NULL;
	uint64_t at = 0;
	int ret = 0;
	if (d && (ftruncate(fd, 0) || ftruncate(fd, (off_t)f->size)))
		ret = err_sys(e, errno, "%s: cannot truncate it to restore its holes", f->path);
	for (size_t k = 0; d && k < d->n_holes && !ret; k++) {
		ret = write_range(r, f, fd, key, at, d->hole[k].offset, e);
		at = d->hole[k].offset + d->hole[k].length;
	}
	return ret ? ret : write_range(r, f, fd, key, at, f->size, e);
}

static int restore_file(const struct restore *r, size_t i, struct err *e)
{
	const struct fileset_entry *f = &r->set->entry[i];
	struct fileset_stamp *stamp = &r->state->stamp[i], now;
	uint64_t key = content_key_of(r->set, i, r->seed);
	struct stat st;
	int fd = open_or_create(r, f->path, e);
	if (fd < 0)
		return fd;
	int ret = r->keeps_state ? stamp_of(fd, f->path, key, &now, e) : 0;
	if (ret || (r->keeps_state && !r->rewrite && is_as_restored(stamp, &now, f->size)))
		goto out;
	stamp->key = 0;
	if (fstat(fd, &st) || st.st_nlink > r->n_names[i]) {
		ret = err_set(e, EPERM, "%s: refused: the file has %llu hard links, and a write "
			"would change the file under all these names: remove this name, so that a "
			"new file replaces it", f->path, (unsigned long long)st.st_nlink);
		goto out;
	}
	if ((uint64_t)st.st_size > f->size && ftruncate(fd, (off_t)f->size)) {
		ret = err_sys(e, errno, "%s: cannot truncate it to %llu bytes", f->path,
			      (unsigned long long)f->size);
		goto out;
	}
	if (r->payload || !digest_matches(r->set, i, fd))
		ret = write_content(r, i, fd, key, e);
	mode_t mode = mode_of(r, i);
	if (!ret && mode && (st.st_mode & 07777) != mode && fchmod(fd, mode))
		ret = err_sys(e, errno, "%s: cannot set its permissions", f->path);
	if (!ret && r->sync_each && fdatasync(fd))
		ret = err_sys(e, errno, "cannot sync %s", f->path);
	r->state->n_files_written++;
out:
	close(fd);
	return ret;
}

static int make_further_name(const struct restore *r, size_t i, struct err *e)
{
	const struct fileset_entry *entry = r->set->entry;
	const int ret = name_make(r->dir_fd, entry[r->first[i]].path, entry[i].path, e);
	if (ret > 0) {
		r->state->n_files_written++;
		r->state->stamp[r->first[i]].key = 0; /* its ctime has changed */
		r->state->stamp[i].key = 0;
	}
	return ret < 0 ? ret : 0;
}

static int restore_entry(const struct restore *r, size_t i, struct err *e)
{
	const struct fileset_entry *f = &r->set->entry[i];
	return f->directory              ? make_directory(r, i, e)
	       : fileset_link(r->set, i) ? make_link(r, i, e)
	       : r->first[i] != i        ? make_further_name(r, i, e)
					 : restore_file(r, i, e);
}

/* Records the state of the files after all data are on disk, because blocks are allocated when
 * dirty pages are written. */
static int take_stamps(const struct restore *r, int64_t *latest_ns, struct err *e)
{
	for (size_t i = 0; i < r->set->n; i++) {
		const struct fileset_entry *f = &r->set->entry[i];
		if (f->directory || fileset_link(r->set, i) || r->state->stamp[i].key)
			continue; /* unchanged: the old stamp is valid */
		int fd = confined_open(r->dir_fd, f->path, O_PATH, 0, e);
		if (fd < 0)
			return fd;
		int ret = stamp_of(fd, f->path, content_key_of(r->set, i, r->seed),
				   &r->state->stamp[i], e);
		close(fd);
		if (ret)
			return ret;
		if (r->state->stamp[i].ctime_ns > *latest_ns)
			*latest_ns = r->state->stamp[i].ctime_ns;
	}
	return 0;
}

/* Waits until the clock of file times, with a resolution of 1 to 10 ms, has passed the recorded
 * times. */
static void wait_for_file_time(int64_t latest_ns)
{
	for (int i = 0; i < 40; i++) {
		struct timespec now, nap = {0, 500000};
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		if (now.tv_sec * INT64_C(1000000000) + now.tv_nsec > latest_ns)
			return;
		nanosleep(&nap, NULL);
	}
}

/* Many files: syncs the whole file system. */
static int sync_together(const struct restore *r, struct err *e)
{
	SCOPED_FD int fd = openat(r->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || syncfs(fd) ? err_sys(e, errno, "cannot sync the target's file system")
				    : 0;
}

int fileset_restore(const struct fileset *s, int dir_fd, uint64_t seed, bool rewrite,
		    const struct payload *payload, struct fileset_state *state, struct err *e)
{
	struct fileset_state own = FILESET_STATE_INIT;
	struct kept_directory directory = {.fd = -1};
	struct restore r = {.set = s,
			    .dir_fd = dir_fd,
			    .seed = seed,
			    .rewrite = rewrite || payload,
			    .state = state ? state : &own,
			    .sync_each = s->n <= SYNC_EACH_MAX,
			    .payload = payload,
			    .first = fileset_first_names(s),
			    .keeps_state = state,
			    .is_root = !geteuid(),
			    .directory = &directory};
	int64_t latest_ns = INT64_MIN;
	if (r.state->n != s->n) {
		fileset_state_release(r.state);
		r.state->stamp = xcalloc(s->n ? s->n : 1, sizeof *r.state->stamp);
		r.state->n = s->n;
	}
	r.state->n_files_written = r.state->n_bytes_written = 0;
	r.buffer = xmalloc(CHUNK);
	int ret = set_check(s, e);
	r.n_names = ret ? NULL : names_there(s, r.first, dir_fd);
	ret = ret ? ret : space_check(s, r.first, dir_fd, e);
	for (size_t i = 0; i < s->n && !ret; i++)
		ret = restore_entry(&r, i, e);
	if (!ret && r.state->n_files_written) {
		ret = r.sync_each ? 0 : sync_together(&r, e);
		if (!ret && state)
			ret = take_stamps(&r, &latest_ns, e);
		if (!ret && state)
			wait_for_file_time(latest_ns);
	}
	if (ret) /* files may be incomplete: the next restore writes everything */
		memset(r.state->stamp, 0, s->n * sizeof *r.state->stamp);
	fd_close(directory.fd);
	FREE_EACH(r.buffer, r.first, r.n_names, directory.path);
	fileset_state_release(&own);
	return ret;
}

/* --- removing ------------------------------------------------------------ */

static int remove_one(const struct fileset *s, const struct fileset_entry *f, int dir_fd,
		      struct err *e)
{
	const char *name;
	struct stat st;
	bool link = fileset_link(s, (size_t)(f - s->entry));
	int parent = confined_parent(dir_fd, f->path, false, &name, e);
	if (parent == -ENOENT)
		return 0;
	if (parent < 0)
		return parent;
	int ret = 0;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		ret = errno == ENOENT ? 0 : err_sys(e, errno, "cannot examine %s", f->path);
	else if (f->directory ? !S_ISDIR(st.st_mode)
		 : link       ? !S_ISLNK(st.st_mode)
			      : !S_ISREG(st.st_mode))
		ret = err_set(e, EPERM, "%s: not removed: it is not a %s", f->path,
			      f->directory ? "directory" : link ? "link" : "file");
	else if (unlinkat(parent, name, f->directory ? AT_REMOVEDIR : 0) && errno != ENOENT &&
		 errno != ENOTEMPTY && errno != EEXIST)
		ret = err_sys(e, errno, "%s: cannot remove it", f->path);
	close(parent);
	return ret;
}

static int longest_first(const void *a, const void *b)
{
	size_t x = strlen((*(const struct fileset_entry *const *)a)->path);
	size_t y = strlen((*(const struct fileset_entry *const *)b)->path);
	return x < y ? 1 : x > y ? -1 : 0;
}

int fileset_remove(const struct fileset *s, int dir_fd, struct err *e)
{
	/* the names in a directory are longer than the name of the directory, so sorting by length
	 * empties it before its removal */
	const struct fileset_entry **order = xmalloc((s->n ? s->n : 1) * sizeof *order);
	int first_rc = 0;
	for (size_t i = 0; i < s->n; i++)
		order[i] = &s->entry[i];
	qsort(order, s->n, sizeof *order, longest_first);
	for (size_t i = 0; i < s->n; i++) {
		struct err one = ERR_INIT;
		int ret = remove_one(s, order[i], dir_fd, &one);
		if (ret && !first_rc) {
			first_rc = ret;
			err_set(e, -ret, "%s", one.msg);
		}
	}
	free(order);
	return first_rc;
}
