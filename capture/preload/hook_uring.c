/* SPDX-License-Identifier: GPL-3.0-or-later */
/* liburing. Most functions that work on a ring are inline in the program. The program calls the
 * library only to submit and to wait. At each such call, the hooks inspect the queues
 * (hook_ring.c). */
#include "capture/preload/uring.h"

/* --- the functions -------------------------------------------------------- */

struct __kernel_timespec;

/* The program may have loaded the library by dlopen with RTLD_LOCAL. Then RTLD_NEXT does not find
 * it. */
static void *real_of(const char *name)
{
	void *found = capture_real(name), *library;
	int saved = errno;
	if (!found && (library = dlopen("liburing.so.2", RTLD_LAZY | RTLD_NOLOAD)))
		found = dlsym(library, name);
	errno = saved;
	return found;
}

#define REAL_URING(name)									   \
	static __typeof__(&name) real;								   \
	if (unlikely(!real) && !(real = (__typeof__(&name))real_of(#name)))			   \
	return -ENOSYS

#define WATCHED(submits, length, name, ...)                                                        \
	REAL_URING(name);                                                                          \
	if (!capture_is_on())                                                                      \
		return real(__VA_ARGS__);                                                          \
	struct uring_watch w;                                                                      \
	uring_watch_begin(&w, u, submits);                                                         \
	uint64_t begin = clock_begin(&capture_clock);                                              \
	int got = real(__VA_ARGS__);                                                               \
	const uint32_t tail = uring_tail(u);                                                       \
	uint64_t end = clock_end(&capture_clock);                                                  \
	uring_watch_end(&w, u, begin, end, tail, length, got);                                     \
	return got

HOOK(int, io_uring_submit, (struct io_uring *u), WATCHED(true, w.n, io_uring_submit, u))

HOOK(int, io_uring_submit_and_wait, (struct io_uring *u, unsigned int least),
     WATCHED(true, w.n, io_uring_submit_and_wait, u, least))

HOOK(int, io_uring_submit_and_wait_timeout,
     (struct io_uring *u, struct io_uring_cqe **to, unsigned int least,
      struct __kernel_timespec *timeout, sigset_t *mask),
     WATCHED(true, w.n, io_uring_submit_and_wait_timeout, u, to, least, timeout, mask))

HOOK(int, io_uring_submit_and_get_events, (struct io_uring *u),
     WATCHED(true, w.n, io_uring_submit_and_get_events, u))

HOOK(int, io_uring_get_events, (struct io_uring *u), WATCHED(false, 0, io_uring_get_events, u))

/* io_uring_wait_cqe and similar functions call it if no result is available. */
HOOK(int, __io_uring_get_cqe,
     (struct io_uring *u, struct io_uring_cqe **to, unsigned int n, unsigned int least,
      sigset_t *mask),
     WATCHED(n > 0, least, __io_uring_get_cqe, u, to, n, least, mask))

/* Older kernels have no timeout argument. There, the library submits a timeout entry. */
static bool waiting_submits(const struct io_uring *u)
{
	return !(u->features & IORING_FEAT_EXT_ARG);
}

HOOK(int, io_uring_wait_cqes,
     (struct io_uring *u, struct io_uring_cqe **to, unsigned int least,
      struct __kernel_timespec *timeout, sigset_t *mask),
     WATCHED(waiting_submits(u), least, io_uring_wait_cqes, u, to, least, timeout, mask))

HOOK(int, io_uring_wait_cqe_timeout,
     (struct io_uring *u, struct io_uring_cqe **to, struct __kernel_timespec *timeout),
     WATCHED(waiting_submits(u), 1, io_uring_wait_cqe_timeout, u, to, timeout))

/* Usually makes no system call, so it is not recorded. */
unsigned int io_uring_peek_batch_cqe(struct io_uring *u, struct io_uring_cqe **to, unsigned int n);
EXPORT unsigned int io_uring_peek_batch_cqe(struct io_uring *u, struct io_uring_cqe **to,
					    unsigned int n)
{
	static __typeof__(&io_uring_peek_batch_cqe) real;
	if (unlikely(!real) &&
	    !(real = (__typeof__(&io_uring_peek_batch_cqe))real_of("io_uring_peek_batch_cqe")))
		return 0;
	unsigned int got = real(u, to, n);
	if (capture_is_on()) {
		const uint32_t tail = uring_tail(u);
		uring_completions_note(u, tail, clock_now(&capture_clock));
	}
	return got;
}

void io_uring_queue_exit(struct io_uring *u);
EXPORT void io_uring_queue_exit(struct io_uring *u)
{
	static __typeof__(&io_uring_queue_exit) real;
	if (capture_is_on()) {
		const uint32_t tail = uring_tail(u);
		uring_completions_note(u, tail, clock_now(&capture_clock));
		uring_forget(u);
	}
	if (!real)
		real = (__typeof__(&io_uring_queue_exit))real_of("io_uring_queue_exit");
	if (real)
		real(u);
}

/* --- registered files: requests name them by their index ------------------ */

#define REGISTERED(at, fd, n, n_files, name, ...)                                                  \
	REAL_URING(name);                                                                          \
	int got = real(__VA_ARGS__);                                                               \
	if (got >= 0)                                                                              \
		uring_files_register(u, at, fd, n, n_files);                                       \
	return got

HOOK(int, io_uring_register_files, (struct io_uring *u, const int *fd, unsigned int n),
     REGISTERED(0, fd, n, n, io_uring_register_files, u, fd, n))

HOOK(int, io_uring_register_files_tags,
     (struct io_uring *u, const int *fd, const uint64_t *tag, unsigned int n),
     REGISTERED(0, fd, n, n, io_uring_register_files_tags, u, fd, tag, n))

HOOK(int, io_uring_register_files_sparse, (struct io_uring *u, unsigned int n),
     REGISTERED(0, NULL, n, n, io_uring_register_files_sparse, u, n))

HOOK(int, io_uring_register_files_update,
     (struct io_uring *u, unsigned int at, const int *fd, unsigned int n),
     REGISTERED(at, fd, n, UINT32_MAX, io_uring_register_files_update, u, at, fd, n))

HOOK(int, io_uring_register_files_update_tag,
     (struct io_uring *u, unsigned int at, const int *fd, const uint64_t *tag, unsigned int n),
     REGISTERED(at, fd, n, UINT32_MAX, io_uring_register_files_update_tag, u, at, fd, tag, n))

HOOK(int, io_uring_unregister_files, (struct io_uring *u),
     REGISTERED(0, NULL, 0, 0, io_uring_unregister_files, u))
