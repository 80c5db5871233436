/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/residency.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

/* bytes mapped at a time: 256 Ki pages, for which mincore() writes one byte each */
#define MINCORE_SPAN (UINT64_C(1) << 30)

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

struct cachestat_span { /* the kernel's structs, which older headers lack */
	uint64_t offset, len;
};
struct cachestat_pages {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static int by_mincore(int fd, uint64_t offset, uint64_t end, uint64_t *n_pages)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t most = end - offset < MINCORE_SPAN ? end - offset : MINCORE_SPAN;
	SCOPED_FREE unsigned char *present = xmalloc(most / page + 2);
	int ret = 0;
	*n_pages = 0;
	for (uint64_t at = offset / page * page; at < end && !ret; at += MINCORE_SPAN) {
		uint64_t len = end - at < MINCORE_SPAN ? end - at : MINCORE_SPAN;
		void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)at);
		if (map == MAP_FAILED || mincore(map, len, present))
			ret = -errno;
		for (uint64_t i = 0; i < (len + page - 1) / page && !ret; i++)
			*n_pages += present[i] & 1;
		if (map != MAP_FAILED)
			munmap(map, len);
	}
	return ret;
}

/* On overlayfs, cachestat() examines the inode of the overlay, which has no pages, and returns 0. A
 * mapping shows the pages of the lower file. */
static bool is_overlay(int fd)
{
	struct statfs s;
	return fstatfs(fd, &s) == 0 && s.f_type == OVERLAYFS_SUPER_MAGIC;
}

int residency_get(int fd, uint64_t offset, uint64_t n_bytes, bool by_cachestat, struct residency *r)
{
	/* 0 bytes mean "to the end" for the kernel, too */
	struct cachestat_span span = {offset, n_bytes};
	struct cachestat_pages pages = {0};
	struct stat st;
	*r = (struct residency){.by_cachestat = by_cachestat && !is_overlay(fd)};
	if (r->by_cachestat && syscall(SYS_cachestat, fd, &span, &pages, 0)) {
		if (errno != ENOSYS && errno != EPERM && errno != EOPNOTSUPP)
			return -errno;
		r->by_cachestat = false;
	}
	r->n_cached = pages.cached;
	r->n_dirty = pages.dirty + pages.writeback;
	if (r->by_cachestat)
		return 0;
	if (fstat(fd, &st))
		return -errno;
	uint64_t size = (uint64_t)st.st_size,
		 end = !n_bytes || offset + n_bytes > size ? size : offset + n_bytes;
	return offset < end ? by_mincore(fd, offset, end, &r->n_cached) : 0;
}
