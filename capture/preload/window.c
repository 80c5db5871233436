/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "capture/preload/core.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
	WAIT_MS = 10000, /* limit of a wait for the collector; after it, the record is lost */
	/* limit if no window is full: then the collector can free only windows of ended threads */
	WAIT_LIVE_MS = 200,
};

#define PART_BYTES ((size_t)PART_WINDOWS * LOG_WINDOW)

/* --- the file ------------------------------------------------------------- */

static bool is_error(long got)
{
	return got < 0 && got > -4096;
}

/* Reserves `n` bytes of address space, aligned to the window size. Returns NULL on failure. */
static char *space_reserve(size_t n)
{
	const size_t room = n + LOG_WINDOW;
	long at = RAW(SYS_mmap, NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	if (is_error(at))
		return NULL;
	const uintptr_t base = ((uintptr_t)at + LOG_WINDOW - 1) & ~(uintptr_t)(LOG_WINDOW - 1);
	if (base > (uintptr_t)at)
		RAW(SYS_munmap, at, base - (uintptr_t)at);
	if ((uintptr_t)at + room > base + n)
		RAW(SYS_munmap, base + n, (uintptr_t)at + room - base - n);
	return (char *)base;
}

/* Excludes the windows from children and core dumps. */
static char *part_settle(char *at)
{
	RAW(SYS_madvise, at, PART_BYTES, MADV_DONTFORK);
	RAW(SYS_madvise, at, PART_BYTES, MADV_DONTDUMP);
	return at;
}

static char *first_part_map(int fd)
{
	char *base = space_reserve(PART_BYTES);
	if (!base)
		return NULL;
	long got = RAW(SYS_mmap, base, PART_BYTES, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0);
	if (!is_error(got))
		return part_settle(base);
	RAW(SYS_munmap, base, PART_BYTES);
	return NULL;
}

/* Maps the part after `before` without a descriptor, because the program may have closed the
 * descriptor or reached its limit. mremap() with size 0 on a shared mapping maps the file again
 * from there. */
static char *next_part_map(char *before)
{
	char *base = space_reserve(2 * PART_BYTES);
	if (!base)
		return NULL;
	long got = RAW(SYS_mremap, before, 0, 2 * PART_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, base);
	if (is_error(got)) {
		RAW(SYS_munmap, base, 2 * PART_BYTES);
		return NULL;
	}
	RAW(SYS_munmap, base, PART_BYTES);
	return part_settle(base + PART_BYTES);
}

/* Maps the part that contains window `i` if necessary. Returns whether it is mapped. The previous
 * part must be mapped. */
static bool part_have(struct window_file *p, uint32_t i)
{
	const uint32_t k = i / PART_WINDOWS;
	char *none = NULL;
	if (atomic_load_explicit(&p->part[k], memory_order_acquire))
		return true;
	char *made =
	    capture_confined
		? NULL
		: next_part_map(atomic_load_explicit(&p->part[k - 1], memory_order_acquire));
	if (made && !atomic_compare_exchange_strong(&p->part[k], &none, made))
		RAW(SYS_munmap, made, PART_BYTES); /* another thread has mapped the part first */
	return made;
}

void window_file_map_all(struct window_file *p)
{
	for (uint32_t i = PART_WINDOWS; i < p->n_max && part_have(p, i); i += PART_WINDOWS)
		;
}

/* Number of windows of the file: the collector's limit, and at most a sixteenth of a limited
 * address space. */
static uint32_t windows_allowed(void)
{
	struct rlimit r;
	uint64_t n = capture_control()->windows_max;
	if (!RAW(SYS_prlimit64, 0, RLIMIT_AS, NULL, &r) && r.rlim_cur != RLIM_INFINITY &&
	    r.rlim_cur / 16 / LOG_WINDOW < n)
		n = r.rlim_cur / 16 / LOG_WINDOW;
	n = n < FILE_WINDOWS ? n / PART_WINDOWS * PART_WINDOWS : FILE_WINDOWS;
	return n > PART_WINDOWS ? (uint32_t)n : PART_WINDOWS;
}

/* Allocates the pages of a window, so that a later write causes no page fault, and no SIGBUS on a
 * full disk. */
static bool window_populate(char *at)
{
	long got =
	    capture_confined ? -EPERM : RAW(SYS_madvise, at, LOG_WINDOW, MADV_POPULATE_WRITE);
	/* before Linux 5.14, or if it is forbidden, pages are allocated on first use */
	return !got || got == -EINVAL || got == -EPERM || got == -ENOSYS;
}

/* Sets the size of the file. A size above RLIMIT_FSIZE raises SIGXFSZ, which is consumed here. */
static long file_size_set(int fd, size_t size)
{
	long got = RAW(SYS_ftruncate, fd, size);
	if (got == -EFBIG) {
		uint64_t xfsz = UINT64_C(1) << (SIGXFSZ - 1);
		struct timespec now = {0, 0};
		RAW(SYS_rt_sigtimedwait, &xfsz, NULL, &now, sizeof xfsz);
	}
	return got;
}

bool window_file_open(struct window_file *p, uint32_t pid)
{
	char path[600] = "", *end = path + sizeof path - 1;
	uint64_t ticks = clock_now(&capture_clock);
	char *to = capture_text_add(path, end, capture_directory);
	to = capture_text_add(to, end, "/");
	to = capture_number_add(to, end, pid);
	to = capture_text_add(to, end, "-");
	capture_number_add(to, end, ticks);
	long fd = RAW(SYS_openat, AT_FDCWD, path,
		      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	for (p->n_max = windows_allowed(); p->n_max >= PART_WINDOWS;
	     p->n_max = p->n_max / 2 / PART_WINDOWS * PART_WINDOWS)
		if (!file_size_set((int)fd, (size_t)p->n_max * LOG_WINDOW))
			break;
	char *first = p->n_max ? first_part_map((int)fd) : NULL;
	RAW(SYS_close, fd);
	if (!first || !window_populate(first)) {
		RAW(SYS_unlink, path);
		return false;
	}
	atomic_store_explicit(&p->part[0], first, memory_order_release);
	struct log_file *f = (struct log_file *)first;
	f->start = ticks;
	f->pid = pid;
	f->n_max = p->n_max;
	atomic_store_explicit(&f->n, 1, memory_order_relaxed);
	/* records the PID namespace if it is not that of the collector */
	struct stat st;
	long got = RAW(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &st, 0);
	f->pid_namespace = got ? 0 : st.st_ino;
	f->elsewhere = f->pid_namespace != capture_control()->pid_namespace;
	__atomic_store_n(&f->magic, LOG_MAGIC, __ATOMIC_RELEASE);
	return true;
}

/* --- windows -------------------------------------------------------------- */

static struct log_window *window_at(const struct window_file *p, uint32_t i)
{
	char *part = atomic_load_explicit(&p->part[i / PART_WINDOWS], memory_order_acquire);
	return (struct log_window *)(part + (size_t)(i % PART_WINDOWS) * LOG_WINDOW);
}

static bool window_take(struct window_file *p, uint32_t i, uint32_t pid, uint32_t tid)
{
	struct log_window *w = window_at(p, i);
	uint64_t use = atomic_load_explicit(&w->use, memory_order_relaxed);
	/* A new generation makes the old records in the window invalid. */
	uint32_t generation = log_generation(w) ? log_generation(w) + 1 : 0x5641c001u;
	if (log_state(use) != WINDOW_FREE || !atomic_compare_exchange_strong_explicit(
						 &w->use, &use, log_use(generation, WINDOW_TAKEN),
						 memory_order_acq_rel, memory_order_relaxed))
		return false;
	w->pid = pid;
	w->tid = tid;
	w->used = 0;
	w->sequence = atomic_fetch_add_explicit(&p->sequence, 1, memory_order_relaxed);
	atomic_store_explicit(&w->use, log_use(generation, WINDOW_ACTIVE), memory_order_release);
	return true;
}

/* Finds a free window, or adds a window to the file. 0: there is none. */
static uint32_t window_find(struct window_file *p, uint32_t pid, uint32_t tid)
{
	struct log_file *f = (struct log_file *)window_at(p, 0);
	uint32_t n = atomic_load_explicit(&f->n, memory_order_acquire);
	/* the number in the shared memory is not trusted */
	uint32_t from = n > 1 ? atomic_load_explicit(&f->hint, memory_order_relaxed) % (n - 1) : 0;
	for (uint32_t k = 0; k + 1 < n; k++) {
		uint32_t i = 1 + (from + k) % (n - 1);
		if (window_take(p, i, pid, tid)) {
			atomic_store_explicit(&f->hint, i, memory_order_relaxed);
			return i;
		}
	}
	while (n < p->n_max) {
		/* allocates the pages first, because another thread may use a window as soon as it
		 * is counted */
		if (!part_have(p, n) || !window_populate((char *)window_at(p, n)))
			return 0;
		if (atomic_compare_exchange_strong(&f->n, &n, n + 1)) {
			if (window_take(p, n, pid, tid))
				return n;
			n++;
		}
	}
	return 0;
}

static bool any_is_full(const struct window_file *p)
{
	const uint32_t n =
	    atomic_load_explicit(&((struct log_file *)window_at(p, 0))->n, memory_order_acquire);
	for (uint32_t i = 1; i < n; i++) {
		const enum log_window_state state =
		    log_state(atomic_load_explicit(&window_at(p, i)->use, memory_order_relaxed));
		if (state == WINDOW_FULL || state == WINDOW_ORPHAN)
			return true;
	}
	return false;
}

/* Waits only if the collector was too slow. */
struct log_window *window_acquire(struct window_file *p, uint32_t pid, uint32_t tid)
{
	const struct timespec nap = {0, 1000000};
	struct log_control *control = capture_control();
	for (int i = 0; i <= WAIT_MS; i++) {
		uint32_t found = window_find(p, pid, tid);
		if (found)
			return window_at(p, found);
		if (capture_confined || p->gave_up ||
		    atomic_load_explicit(&control->closed, memory_order_relaxed))
			return NULL;
		if (i >= WAIT_LIVE_MS && !any_is_full(p))
			break;
		atomic_store_explicit(&control->wanted, 1, memory_order_relaxed);
		RAW(SYS_nanosleep, &nap, NULL);
	}
	p->gave_up = true; /* the process does not wait again */
	return NULL;
}

void window_give(char *next, uint32_t generation, enum log_window_state how)
{
	if (!next)
		return;
	/* `next` is at the end of a full window, or inside a window, but never at its first
	 * unit. */
	struct log_window *w =
	    (struct log_window *)((uintptr_t)(next - 1) & ~(uintptr_t)(LOG_WINDOW - 1));
	uint64_t use = log_use(generation, WINDOW_ACTIVE);
	if (how == WINDOW_FULL)
		w->used = (uint32_t)(next - (char *)w);
	atomic_compare_exchange_strong_explicit(&w->use, &use, log_use(generation, how),
						memory_order_release, memory_order_relaxed);
}
