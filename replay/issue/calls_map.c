/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mapped files. A mapping lies where the kernel puts it; requests on it say how far from its start
 * they are. A part that was unmapped stays reserved, so that nothing else can come to lie where
 * later requests of the trace reach. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/issue/calls_private.h"

#define MAP_BYTES_MAX (UINT64_C(1) << 40)
#define POPULATE_MAX (UINT64_C(1) << 30)
#define PAGE_BYTES 4096u

#ifndef MADV_COLD
#define MADV_COLD 20
#define MADV_PAGEOUT 21
#define MADV_POPULATE_READ 22
#endif

static struct call_map *map_of(const struct caller *k)
{
	return k->c->map < k->calls->n_maps ? &k->calls->map[k->c->map] : NULL;
}

/* Protection is in bits 29 to 31 of the flags. What is mapped is never run. */
void call_mmap(struct caller *k)
{
	const struct call *c = k->c;
	struct call_map *m = map_of(k);
	const int protection = (int)(c->flags >> 29 & (PROT_READ | PROT_WRITE));
	/* then an unknown flag is an error */
	const bool validates = (c->flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
	int flags = (int)(c->flags & (MAP_SHARED_VALIDATE | MAP_POPULATE | MAP_NORESERVE |
				      (validates ? MAP_SYNC : 0)));
	int fd = call_fd(k, c->slot);
	void *at = MAP_FAILED;
	if (!m || c->length > MAP_BYTES_MAX) {
		CALL(k, call_error(ENOMEM));
		return;
	}
	call_touch_ready();
	if (c->length > POPULATE_MAX || k->calls->reads != READS_CURRENT)
		flags &= ~MAP_POPULATE;
	pthread_rwlock_wrlock(&m->lock);
	CALL(k, (at = mmap(NULL, c->length, protection, flags, fd, (off_t)c->offset)) == MAP_FAILED
		    ? -1
		    : 0);
	if (at != MAP_FAILED && m->base)
		munmap(m->base, m->n_bytes); /* a mutant mapped it twice */
	if (at != MAP_FAILED) {
		m->base = at;
		m->n_bytes = (c->length + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
		m->is_private = (flags & MAP_TYPE) == MAP_PRIVATE;
		call_map_settle(k, m, fd);
	}
	pthread_rwlock_unlock(&m->lock);
}

struct call_map *call_map_take(struct caller *k, bool change, char **at, size_t *n_bytes)
{
	struct call_map *m = map_of(k);
	if (m && change)
		pthread_rwlock_wrlock(&m->lock);
	else if (m)
		pthread_rwlock_rdlock(&m->lock);
	if (m && m->base && k->c->to < m->n_bytes) {
		uint64_t left = m->n_bytes - k->c->to;
		*at = m->base + k->c->to;
		*n_bytes = k->c->length < left ? k->c->length : left;
		return m;
	}
	if (m)
		pthread_rwlock_unlock(&m->lock);
	CALL(k, call_error(ENOMEM));
	return NULL;
}

void call_map_give(struct call_map *m)
{
	pthread_rwlock_unlock(&m->lock);
}

void call_munmap(struct caller *k)
{
	char *at;
	size_t n;
	struct call_map *m = call_map_take(k, true, &at, &n);
	if (!m)
		return;
	if (at == m->base && n + PAGE_BYTES > m->n_bytes) {
		char *base = m->base;
		const size_t all = m->n_bytes;
		m->base = NULL;
		CALL(k, munmap(base, all));
	} else {
		const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
		CALL(k, mmap(at, n, PROT_NONE, flags, -1, 0) == MAP_FAILED ? -1 : 0);
	}
	call_map_give(m);
}

void call_msync(struct caller *k)
{
	char *at;
	size_t n;
	struct call_map *m = call_map_take(k, false, &at, &n);
	if (!m)
		return;
	const int flags = (int)(k->c->flags & (MS_ASYNC | MS_SYNC | MS_INVALIDATE));
	CALL(k, msync(at, n, flags));
	call_map_give(m);
}

static bool advice_is_harmless(uint32_t advice)
{
	return advice <= MADV_DONTNEED || (advice >= MADV_HUGEPAGE && advice <= MADV_NOHUGEPAGE) ||
	       advice == MADV_COLD || advice == MADV_PAGEOUT || advice == MADV_POPULATE_READ ||
	       advice == MADV_REMOVE;
}

void call_madvise(struct caller *k)
{
	char *at;
	size_t n;
	struct call_map *m = call_map_take(k, false, &at, &n);
	if (!m)
		return;
	if (advice_is_harmless(k->c->flags))
		CALL(k, madvise(at, n, (int)k->c->flags));
	else
		CALL(k, k->c->traced < 0 ? call_error((int)-k->c->traced) : 0);
	call_map_give(m);
}

/* It may always be moved, and always is the whole of it: the old length is not in the trace. */
void call_mremap(struct caller *k)
{
	char *at, *to = MAP_FAILED;
	size_t n;
	struct call_map *m = call_map_take(k, true, &at, &n);
	if (!m)
		return;
	char *base = m->base;
	const size_t was = m->n_bytes;
	const size_t wanted = k->c->to + k->c->length;
	if (wanted > MAP_BYTES_MAX || !k->c->length)
		CALL(k, call_error(EINVAL));
	else
		CALL(k, (to = mremap(base, was, wanted, MREMAP_MAYMOVE)) == MAP_FAILED ? -1 : 0);
	if (to != MAP_FAILED) {
		m->base = to;
		m->n_bytes = (wanted + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	}
	call_map_give(m);
}

void call_map_end(struct call_map *m)
{
	pthread_rwlock_wrlock(&m->lock);
	if (m->base)
		munmap(m->base, m->n_bytes);
	m->base = NULL;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	pthread_rwlock_unlock(&m->lock);
}
