/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The caches of the set: eviction, loading, and residency. */

#include <linux/openat2.h>
#include <sys/syscall.h>

#include "capture/fileset/fileset_private.h"
#include "common/confine.h"
#include "common/drop_caches.h"

#define CHUNK (1u << 20)
#define DROP_TRIES 5

int fileset_open_file(int dir_fd, const char *path, int flags, struct err *e)
{
	struct stat st;
	int fd = confined_open(dir_fd, path, flags, 0, e);
	if (fd == -EISDIR)
		return err_set(e, EPERM, "%s: refused: expected a regular file, found a directory",
			       path);
	if (fd < 0)
		return fd;
	int ret = fstat(fd, &st) ? err_sys(e, errno, "cannot examine %s", path) : 0;
	if (!ret && !S_ISREG(st.st_mode))
		ret = err_set(e, EPERM, "%s: refused: expected a regular file, found %s", path,
			      confined_kind_name(st.st_mode));
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

/* Calls `action` with every file of the set, open for reading. Stops at the first error. */
static int each_file(const struct fileset *s, int dir_fd,
		     int (*action)(const struct fileset_entry *f, int fd, void *ctx, struct err *e),
		     void *ctx, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < s->n && !ret; i++) {
		if (s->entry[i].directory || fileset_link(s, i))
			continue;
		SCOPED_FD int fd = fileset_open_file(dir_fd, s->entry[i].path, O_RDONLY, e);
		if (fd < 0)
			return fd;
		ret = action(&s->entry[i], fd, ctx, e);
	}
	return ret;
}

static int evict_file(const struct fileset_entry *f, int fd, void *ctx, struct err *e)
{
	(void)ctx;
	if (fdatasync(fd)) /* dirty pages cannot be dropped */
		return err_sys(e, errno, "cannot sync %s", f->path);
	int code = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return code ? err_sys(e, code, "%s: cannot drop its cached pages", f->path) : 0;
}

int fileset_evict(const struct fileset *s, int dir_fd, struct err *e)
{
	return each_file(s, dir_fd, evict_file, NULL, e);
}

/* Whether the dentry cache has a name of the set. Reads nothing from storage. Never true before
 * Linux 5.12 (RESOLVE_CACHED). */
static bool names_cached(const struct fileset *s, int dir_fd)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
			       .resolve = RESOLVE_BENEATH | RESOLVE_CACHED};
	for (size_t i = 0; i < s->n; i++) {
		const char *path = s->entry[i].path;
		SCOPED_FD int fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
		if (fd >= 0)
			return true;
	}
	return false;
}

int fileset_drop(const struct fileset *s, int dir_fd, struct err *e)
{
	int ret = caches_drop(DROP_ALL, e);
	for (int i = 1; !ret && i < DROP_TRIES && names_cached(s, dir_fd); i++)
		ret = caches_drop(DROP_ALL, e);
	return ret;
}

static int warm_file(const struct fileset_entry *f, int fd, void *ctx, struct err *e)
{
	ssize_t got;
	while ((got = TEMP_FAILURE_RETRY(read(fd, ctx, CHUNK))) > 0)
		;
	return got ? err_sys(e, errno, "cannot read %s", f->path) : 0;
}

int fileset_warm(const struct fileset *s, int dir_fd, struct err *e)
{
	SCOPED_FREE void *buffer = xmalloc(CHUNK);
	return each_file(s, dir_fd, warm_file, buffer, e);
}

/* --- residency ----------------------------------------------------------- */

static int residency_of(const struct fileset_entry *f, int fd, void *ctx, struct err *e)
{
	struct fileset_residency *r = ctx;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct residency now;
	struct stat st;
	if (fstat(fd, &st))
		return err_sys(e, errno, "cannot examine %s", f->path);
	int ret = residency_get(fd, 0, 0, r->by_cachestat, &now);
	if (ret)
		return err_sys(e, -ret, "%s: cannot determine its cached pages", f->path);
	if (!now.by_cachestat) { /* one file measured by mincore: the sum has its precision */
		r->by_cachestat = false;
		r->dirty_bytes = 0;
	}
	/* the last page may extend beyond the end */
	uint64_t size = (uint64_t)st.st_size, cached = now.n_cached * page;
	r->total_bytes += size;
	r->cached_bytes += cached < size ? cached : size;
	r->dirty_bytes += r->by_cachestat ? now.n_dirty * page : 0;
	return 0;
}

int fileset_residency(const struct fileset *s, int dir_fd, struct fileset_residency *r,
		      struct err *e)
{
	*r = (struct fileset_residency){.by_cachestat = true};
	return each_file(s, dir_fd, residency_of, r, e);
}
