/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads with --reads original and --reads none.
 *
 * original: a read consists of parts. Pages that were not in the cache at capture are dropped from
 * the cache before the first stamp and read between the stamps. Only pages that the kernel read
 * ahead at capture are read ahead. Pages that were in the cache at capture are read if all of them
 * are cached now, and otherwise not read; this is checked before the first stamp. */
#include <sys/uio.h>

#include "common/residency.h"
#include "replay/issue/calls_private.h"

#define PAGE_BYTES 4096u
#define FOLIO_BYTES_MAX (2u << 20)

static uint64_t cached_pages(int fd, uint64_t offset, uint64_t n_bytes)
{
	struct residency now;
	return residency_get(fd, offset, n_bytes, true, &now) ? 0 : now.n_cached;
}

static uint64_t down_to(uint64_t x, uint64_t align)
{
	return x / align * align;
}

/* Drops pages. The kernel drops the pages of a folio only together, so the range grows until all
 * pages are gone. */
static void call_pages_drop(struct caller *k, int fd, uint64_t offset, uint64_t n_bytes)
{
	struct call_counts *n = &k->calls->common->counts;
	const uint64_t from = down_to(offset, PAGE_BYTES),
		       to = down_to(offset + n_bytes + PAGE_BYTES - 1, PAGE_BYTES);
	uint64_t left = 1;
	for (uint64_t align = PAGE_BYTES; left && align <= FOLIO_BYTES_MAX; align *= 8) {
		const uint64_t start = down_to(from, align);
		posix_fadvise(fd, (off_t)start, (off_t)(down_to(to + align - 1, align) - start),
			      POSIX_FADV_DONTNEED);
		left = cached_pages(fd, from, to - from);
	}
	atomic_fetch_add_explicit(&n->n_pages_stayed, left, memory_order_relaxed);
	atomic_fetch_add_explicit(&n->n_pages_read, ((to - from) + PAGE_BYTES - 1) / PAGE_BYTES,
				  memory_order_relaxed);
}

/* Prepares a part. Returns whether the part is to be read. */
static bool part_settle(struct caller *k, int fd, const struct call_part *part)
{
	struct call_counts *n = &k->calls->common->counts;
	const uint64_t pages = (part->offset + part->n_bytes + PAGE_BYTES - 1) / PAGE_BYTES -
			       part->offset / PAGE_BYTES;
	if (part->kind != PART_FOUND) {
		call_pages_drop(k, fd, part->offset, part->n_bytes);
		return true;
	}
	const uint64_t from = part->offset / PAGE_BYTES * PAGE_BYTES;
	const bool there = cached_pages(fd, from, part->offset + part->n_bytes - from) >= pages;
	atomic_fetch_add_explicit(there ? &n->n_pages_touched : &n->n_pages_left, pages,
				  memory_order_relaxed);
	return there;
}

/* Returns the number of bytes that a part moved, or -1. A part that was in the cache at capture
 * counts even if it is not read now. */
INLINE int64_t part_move(const struct caller *k, int fd, const struct call_part *part, bool wanted)
{
	char *to = k->buffer + part->at;
	struct iovec v = {to, part->n_bytes};
	if (part->kind == PART_AHEAD)
		return readahead(fd, (off_t)part->offset, part->n_bytes) < 0 ? -1 : 0;
	if (part->kind == PART_MISSED)
		return pread(fd, to, part->n_bytes, (off_t)part->offset);
	if (wanted && preadv2(fd, &v, 1, (off_t)part->offset, RWF_NOWAIT) < 0)
		errno = 0; /* evicted in the meantime, or not supported by the file system */
	return part->n_bytes;
}

static int64_t parts_move(const struct caller *k, int fd, const struct call_part *part,
			  const bool *wanted)
{
	int64_t all = 0;
	for (uint32_t i = 0; i < k->c->n_parts; i++) {
		const int64_t got = part_move(k, fd, &part[i], wanted[i]);
		if (got < 0)
			return -1;
		all += got;
		if (part[i].kind == PART_MISSED && (uint64_t)got < part[i].n_bytes)
			break; /* the file is shorter now */
	}
	return all;
}

void call_cached(struct caller *k)
{
	const struct call_part *part = k->calls->part + k->c->first_part;
	const int fd = call_fd(k, k->c->slot);
	const bool sequential =
	    op_info(k->c->op)->uses & OP_MOVES_POSITION || k->c->offset == OFFSET_NONE;
	bool wanted[PARTS_MAX];
	if (fd < 0) {
		CALL(k, call_error(EBADF));
		return;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (uint32_t i = 0; i < k->c->n_parts; i++)
		wanted[i] = part_settle(k, fd, &part[i]);
	CALL(k, parts_move(k, fd, part, wanted));
	if (sequential && k->out->rvalue > 0 && lseek(fd, k->out->rvalue, SEEK_CUR) < 0)
		k->out->rvalue = -errno;
}

/* Skips a read, but moves the file position if later requests depend on it. */
void call_skipped(struct caller *k)
{
	const int fd = call_fd(k, k->c->slot);
	CALL(k, lseek(fd, k->c->traced, SEEK_CUR));
	if (k->out->rvalue >= 0)
		k->out->rvalue = k->c->traced;
}

/* --- mapped files -------------------------------------------------------- */

void call_map_settle(struct caller *k, struct call_map *m, int fd)
{
	if (k->calls->reads != READS_CURRENT) /* read only the touched pages */
		madvise(m->base, m->n_bytes, MADV_RANDOM);
	if (k->calls->reads != READS_ORIGINAL)
		return;
	fd_close(m->fd);
	/* the program may close its descriptor once the file is mapped */
	m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	for (uint32_t i = 0; i < k->c->n_parts; i++) { /* MAP_POPULATE */
		const struct call_part *part = k->calls->part + k->c->first_part + i;
		call_pages_drop(k, m->fd, part->offset, part->n_bytes);
		(void)!readahead(m->fd, (off_t)part->offset, part->n_bytes);
	}
}

bool call_touch_settle(struct caller *k, struct call_map *m, char *at)
{
	struct call_counts *n = &k->calls->common->counts;
	char *page = at - (uintptr_t)at % PAGE_BYTES;
	unsigned char there = 0;
	for (uint32_t i = 0; i < k->c->n_parts; i++) {
		const struct call_part *part = k->calls->part + k->c->first_part + i;
		if (part->kind == PART_MISSED && !m->is_private)
			madvise(page, PAGE_BYTES, MADV_DONTNEED); /* mapped pages stay cached */
		call_pages_drop(k, m->fd, part->offset, part->n_bytes);
	}
	/* a write must change the file, whether or not its pages are cached */
	if (k->c->n_parts || k->c->flags & PAGE_WRITTEN)
		return true;
	const bool cached = mincore(page, PAGE_BYTES, &there) == 0 && there & 1;
	atomic_fetch_add_explicit(cached ? &n->n_pages_touched : &n->n_pages_left, 1,
				  memory_order_relaxed);
	return cached;
}

void call_touch_ahead(struct caller *k, struct call_map *m)
{
	for (uint32_t i = 0; i < k->c->n_parts; i++) {
		const struct call_part *part = k->calls->part + k->c->first_part + i;
		if (part->kind == PART_AHEAD || part->n_bytes > PAGE_BYTES)
			(void)!readahead(m->fd, (off_t)part->offset, part->n_bytes);
	}
}
