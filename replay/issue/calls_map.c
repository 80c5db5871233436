/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mapped files. The kernel chooses the address of a mapping; requests on it have an offset from its
 * start. An unmapped part stays reserved, so that no other mapping gets an address that later
 * requests of the trace use. */
#include <setjmp.h>

#include "replay/issue/calls_private.h"

#define MAP_BYTES_MAX (UINT64_C(1) << 40)
#define POPULATE_MAX (UINT64_C(1) << 30)
#define PAGE_BYTES 4096u

#ifndef MADV_COLD
#define MADV_COLD 20
#define MADV_PAGEOUT 21
#define MADV_POPULATE_READ 22
#endif

/* --- touches ------------------------------------------------------------- */

/* A touch replays an access to mapped memory, one page at a time: a single load or store between
 * the stamps. The kernel handles the page fault; if the page is present, there is none. A touch
 * beyond the end of the file, or of memory without such a mapping, raises a signal. Its outcome is
 * EFAULT, as for a system call with such an address. */
struct touching {
	sigjmp_buf back;
	volatile sig_atomic_t under_way;
};
static _Thread_local struct touching touching;

/* Whether siglongjmp() must restore the signal mask. The flags of the handler leave the mask
 * unchanged, except under ThreadSanitizer, whose own handler blocks all signals. */
#if defined(__SANITIZE_THREAD__)
enum { MASK_KEPT = 1 };
#else
enum { MASK_KEPT = 0 };
#endif

static struct sigaction before[2];

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	if (touching.under_way)
		siglongjmp(touching.back, number);
	/* the signal does not come from a touch: restore the previous handler, which gets the
	 * signal again */
	sigaction(number, &before[number == SIGBUS], NULL);
}

/* Installs the handlers: a touch beyond the end of a file is an outcome, not a crash. Called before
 * each mapping, because other code may have installed handlers since. */
static void signals_catch(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct sigaction now,
	    ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
	sigemptyset(&ours.sa_mask);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 2; i++) {
		const int number = i ? SIGBUS : SIGSEGV;
		if (sigaction(number, NULL, &now) == 0 && now.sa_sigaction != on_fault)
			sigaction(number, &ours, &before[i]);
	}
	pthread_mutex_unlock(&lock);
}

static void page_touch(const struct caller *k, volatile char *at, char value)
{
	const bool writes = k->c->flags & PAGE_WRITTEN;
	volatile uint64_t begin = 0;
	if (sigsetjmp(touching.back, MASK_KEPT)) {
		touching.under_way = 0;
		call_end(k, begin, call_error(EFAULT));
		return;
	}
	touching.under_way = 1;
	begin = call_begin(k);
	if (writes)
		*at = value;
	else
		(void)*at;
	touching.under_way = 0;
	call_end(k, begin, 0);
}

/* --- mappings ------------------------------------------------------------ */

static struct call_map *map_of(const struct caller *k)
{
	return k->c->map < k->calls->n_maps ? &k->calls->map[k->c->map] : NULL;
}

/* mmap. Bits 29 to 31 of the flags contain the protection. Mapped memory is never executable. */
void call_mmap(struct caller *k)
{
	const struct call *c = k->c;
	struct call_map *m = map_of(k);
	const int protection = (int)(c->flags >> 29 & (PROT_READ | PROT_WRITE));
	/* with MAP_SHARED_VALIDATE unknown flags are errors */
	const bool validates = (c->flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
	int flags = (int)(c->flags & (MAP_SHARED_VALIDATE | MAP_POPULATE | MAP_NORESERVE |
				      (validates ? MAP_SYNC : 0)));
	int fd = call_fd(k, c->slot);
	void *at = MAP_FAILED;
	if (!m || c->length > MAP_BYTES_MAX) {
		CALL(k, call_error(ENOMEM));
		return;
	}
	signals_catch();
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

static struct call_map *map_take(struct caller *k, bool change, char **at, size_t *n_bytes)
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

static void map_give(struct call_map *m)
{
	pthread_rwlock_unlock(&m->lock);
}

void call_munmap(struct caller *k)
{
	char *at;
	size_t n;
	struct call_map *m = map_take(k, true, &at, &n);
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
	map_give(m);
}

void call_msync(struct caller *k)
{
	char *at;
	size_t n;
	struct call_map *m = map_take(k, false, &at, &n);
	if (!m)
		return;
	const int flags = (int)(k->c->flags & (MS_ASYNC | MS_SYNC | MS_INVALIDATE));
	CALL(k, msync(at, n, flags));
	map_give(m);
}

void call_madvise(struct caller *k)
{
	char *at;
	size_t n;
	struct call_map *m = map_take(k, false, &at, &n);
	if (!m)
		return;
	if (k->c->flags <= MADV_DONTNEED ||
	    (k->c->flags >= MADV_HUGEPAGE && k->c->flags <= MADV_NOHUGEPAGE) ||
	    k->c->flags == MADV_COLD || k->c->flags == MADV_PAGEOUT ||
	    k->c->flags == MADV_POPULATE_READ || k->c->flags == MADV_REMOVE)
		CALL(k, madvise(at, n, (int)k->c->flags));
	else
		CALL(k, k->c->traced < 0 ? call_error((int)-k->c->traced) : 0);
	map_give(m);
}

/* mremap of the whole mapping, because the trace lacks the old length. The mapping may move. */
void call_mremap(struct caller *k)
{
	char *at, *to = MAP_FAILED;
	size_t n;
	struct call_map *m = map_take(k, true, &at, &n);
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
	map_give(m);
}

void call_map_end(struct call_map *m)
{
	pthread_rwlock_wrlock(&m->lock);
	if (m->base)
		munmap(m->base, m->n_bytes);
	m->base = NULL;
	fd_close(m->fd);
	m->fd = -1;
	pthread_rwlock_unlock(&m->lock);
}

void call_touch(struct caller *k)
{
	char *at;
	size_t n;
	struct call_map *m = map_take(k, false, &at, &n);
	if (!m)
		return;
	const bool by_pages = k->c->bits & CALL_BY_PAGES;
	if (by_pages && !call_touch_settle(k, m, at))
		CALL(k, 0);
	else
		page_touch(k, at, k->buffer[0]);
	if (by_pages)
		call_touch_ahead(k, m);
	map_give(m);
}
