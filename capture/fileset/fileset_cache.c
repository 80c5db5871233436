/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set and the page cache: out of it, into it, and how much is there. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/confine.h"
#include "capture/fileset/fileset_private.h"
#include "common/xalloc.h"

#define CHUNK (1u << 20)
#define MINCORE_SPAN (UINT64_C(1) << 30) /* mapped at a time: 256 Ki pages, one byte of answer each */

static const char *type_name(mode_t mode)
{
	return S_ISLNK(mode)    ? "a link"
	       : S_ISDIR(mode)  ? "a directory"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

int fileset_open_file(int dir_fd, const char *path, int flags, struct err *e)
{
	struct stat st;
	int probe = confined_open(dir_fd, path, O_PATH, 0, e);
	if (probe < 0)
		return probe;
	int rc = fstat(probe, &st) ? err_sys(e, errno, "%s", path) : 0;
	close(probe);
	if (!rc && !S_ISREG(st.st_mode))
		rc = err_set(e, EPERM, "%s: refused: %s is in the way of a file", path, type_name(st.st_mode));
	if (rc)
		return rc;
	int fd = confined_open(dir_fd, path, flags | O_NONBLOCK, 0, e);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) { /* exchanged between the two */
		close(fd);
		fd = err_set(e, EPERM, "%s: refused: something else took the file's place", path);
	}
	return fd;
}

/* Calls `action` with every file of the set, open for reading, and stops at the first error. */
static int each_file(const struct fileset *s, int dir_fd,
		     int (*action)(const struct fileset_entry *f, int fd, void *ctx, struct err *e), void *ctx,
		     struct err *e)
{
	int rc = 0;
	for (size_t i = 0; i < s->n && !rc; i++) {
		if (s->entry[i].directory || fileset_link(s, i))
			continue;
		int fd = fileset_open_file(dir_fd, s->entry[i].path, O_RDONLY, e);
		if (fd < 0)
			return fd;
		rc = action(&s->entry[i], fd, ctx, e);
		close(fd);
	}
	return rc;
}

static int evict_file(const struct fileset_entry *f, int fd, void *ctx, struct err *e)
{
	(void)ctx;
	if (fdatasync(fd)) /* dirty pages would stay */
		return err_sys(e, errno, "%s: sync", f->path);
	int code = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return code ? err_sys(e, code, "%s: dropping its cached pages", f->path) : 0;
}

int fileset_evict(const struct fileset *s, int dir_fd, struct err *e)
{
	return each_file(s, dir_fd, evict_file, NULL, e);
}

static int warm_file(const struct fileset_entry *f, int fd, void *ctx, struct err *e)
{
	ssize_t got;
	while ((got = read(fd, ctx, CHUNK)) != 0)
		if (got < 0 && errno != EINTR)
			return err_sys(e, errno, "%s: reading", f->path);
	return 0;
}

int fileset_warm(const struct fileset *s, int dir_fd, struct err *e)
{
	void *buffer = xmalloc(CHUNK);
	int rc = each_file(s, dir_fd, warm_file, buffer, e);
	free(buffer);
	return rc;
}

/* --- residency ---------------------------------------------------------------------------------------------------- */

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

struct cachestat_span { /* the kernel's structs; older headers lack them */
	uint64_t offset, len;
};
struct cachestat_pages {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static int by_mincore(const struct fileset_entry *f, int fd, uint64_t size, uint64_t *n_pages, struct err *e)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned char *present = xmalloc(MINCORE_SPAN / page);
	int rc = 0;
	*n_pages = 0;
	for (uint64_t at = 0; at < size && !rc; at += MINCORE_SPAN) {
		uint64_t len = size - at < MINCORE_SPAN ? size - at : MINCORE_SPAN;
		void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)at);
		if (map == MAP_FAILED || mincore(map, len, present))
			rc = err_sys(e, errno, "%s: asking which pages are cached", f->path);
		for (uint64_t i = 0; i < (len + page - 1) / page && !rc; i++)
			*n_pages += present[i] & 1;
		if (map != MAP_FAILED)
			munmap(map, len);
	}
	free(present);
	return rc;
}

/* cachestat looks at the overlay's own inode, which never has pages, and answers 0; a mapping shows the file below. */
static bool is_overlay(int fd)
{
	struct statfs s;
	return fstatfs(fd, &s) == 0 && s.f_type == OVERLAYFS_SUPER_MAGIC;
}

static int residency_of(const struct fileset_entry *f, int fd, void *ctx, struct err *e)
{
	struct fileset_residency *r = ctx;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct cachestat_span all = {0, 0}; /* to the end */
	struct cachestat_pages pages = {0};
	struct stat st;
	if (fstat(fd, &st))
		return err_sys(e, errno, "%s", f->path);
	uint64_t size = (uint64_t)st.st_size;
	if (r->by_cachestat && is_overlay(fd)) {
		r->by_cachestat = false;
		r->dirty_bytes = 0;
	}
	if (r->by_cachestat && syscall(SYS_cachestat, fd, &all, &pages, 0)) {
		if (errno != ENOSYS && errno != EPERM && errno != EOPNOTSUPP)
			return err_sys(e, errno, "%s: asking which pages are cached", f->path);
		r->by_cachestat = false; /* one file by mincore: the sum must not claim more */
		r->dirty_bytes = 0;
	}
	if (!r->by_cachestat) {
		int rc = by_mincore(f, fd, size, &pages.cached, e);
		if (rc)
			return rc;
		pages.dirty = pages.writeback = 0;
	}
	uint64_t cached = pages.cached * page; /* the last page may reach beyond the end */
	r->total_bytes += size;
	r->cached_bytes += cached < size ? cached : size;
	r->dirty_bytes += (pages.dirty + pages.writeback) * page;
	return 0;
}

int fileset_residency(const struct fileset *s, int dir_fd, struct fileset_residency *r, struct err *e)
{
	*r = (struct fileset_residency){.by_cachestat = true};
	return each_file(s, dir_fd, residency_of, r, e);
}
