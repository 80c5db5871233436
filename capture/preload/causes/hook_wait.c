/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that sleep until an event, which another thread may cause, and calls that sleep for a
 * time. */
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <threads.h>

#include "capture/preload/core.h"

#define CALL_AS(how, type, name, parameters, ...)						   \
	EXPORT type name parameters								   \
	{											   \
		__typeof__(&name) real = REAL(name);						   \
		CAUSE_WAIT(how);								   \
		return real(__VA_ARGS__);							   \
	}
#define WAITS(type, name, parameters, ...)                                                         \
	CALL_AS(CAUSE_WAITING, type, name, parameters, __VA_ARGS__)
#define SLEEPS(type, name, parameters, ...)                                                        \
	CALL_AS(CAUSE_SLEEPING, type, name, parameters, __VA_ARGS__)
/* With a timeout of 0, the call returns at once. Libraries make such calls when they poll.
 * `sleeps`: only the timeout can end the call. */
#define WAITS_OR_SLEEPS(looks, sleeps, type, name, parameters, ...)				   \
	EXPORT type name parameters								   \
	{											   \
		__typeof__(&name) real = REAL(name);						   \
		if (looks) {									   \
			cause_idle();								   \
			return real(__VA_ARGS__);						   \
		}										   \
		CAUSE_WAIT((sleeps) ? CAUSE_SLEEPING : CAUSE_WAITING);				   \
		return real(__VA_ARGS__);							   \
	}
#define WAITS_UNLESS(looks, type, name, parameters, ...)					   \
	WAITS_OR_SLEEPS(looks, false, type, name, parameters, __VA_ARGS__)
/* A call that can wake another thread. It may wait, unless `looks` is true. */
#define SENDS(looks, type, name, parameters, ...)						   \
	EXPORT type name parameters								   \
	{											   \
		__typeof__(&name) real = REAL(name);						   \
		cause_message();								   \
		if (looks) {									   \
			cause_idle();								   \
			return real(__VA_ARGS__);						   \
		}										   \
		CAUSE_WAIT(CAUSE_WAITING);							   \
		return real(__VA_ARGS__);							   \
	}

/* --- sockets -------------------------------------------------------------- */

ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict to, size_t n, size_t room, int flags,
		       struct sockaddr *restrict a, socklen_t *restrict len);

WAITS_UNLESS(flags &MSG_DONTWAIT, ssize_t, recv, (int fd, void *to, size_t n, int flags), fd, to, n,
	     flags)
WAITS_UNLESS(flags &MSG_DONTWAIT, ssize_t, __recv_chk,
	     (int fd, void *to, size_t n, size_t room, int flags), fd, to, n, room, flags)
WAITS_UNLESS(flags &MSG_DONTWAIT, ssize_t, recvfrom,
	     (int fd, void *restrict to, size_t n, int flags, struct sockaddr *restrict a,
	      socklen_t *restrict len),
	     fd, to, n, flags, a, len)
WAITS_UNLESS(flags &MSG_DONTWAIT, ssize_t, __recvfrom_chk,
	     (int fd, void *restrict to, size_t n, size_t room, int flags,
	      struct sockaddr *restrict a, socklen_t *restrict len),
	     fd, to, n, room, flags, a, len)
SENDS(flags &MSG_DONTWAIT, ssize_t, send, (int fd, const void *from, size_t n, int flags), fd,
      from, n, flags)
SENDS(flags &MSG_DONTWAIT, ssize_t, sendto,
      (int fd, const void *from, size_t n, int flags, const struct sockaddr *a, socklen_t len), fd,
      from, n, flags, a, len)
SENDS(flags &MSG_DONTWAIT, ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m,
      flags)
SENDS(flags &MSG_DONTWAIT, int, sendmmsg,
      (int fd, struct mmsghdr *m, unsigned int n, int flags), fd, m, n, flags)
WAITS(int, connect, (int fd, const struct sockaddr *a, socklen_t len), fd, a, len)

/* --- descriptors that become ready ---------------------------------------- */

/* since glibc 2.35 */
int epoll_pwait2(int fd, struct epoll_event *to, int n, const struct timespec *limit,
		 const sigset_t *mask);
int __poll_chk(struct pollfd *fds, nfds_t n, int limit, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask,
		size_t room);

static bool is_zero(const struct timespec *t)
{
	return t && !t->tv_sec && !t->tv_nsec;
}

/* Whether no descriptor is registered: /proc/self/fdinfo would have a line "tfd:" for each. */
static bool epoll_is_empty(int fd)
{
	char path[40], text[256], digits[12];
	size_t n = sizeof digits - 1;
	unsigned int left = fd < 0 ? 0 : (unsigned int)fd;
	digits[n] = 0;
	do
		digits[--n] = (char)('0' + left % 10);
	while (left /= 10);
	memcpy(path, "/proc/self/fdinfo/", sizeof "/proc/self/fdinfo/" - 1);
	strcpy(path + sizeof "/proc/self/fdinfo/" - 1, digits + n);
	const long info = RAW(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (info < 0)
		return false;
	const long got = RAW(SYS_read, info, text, sizeof text);
	RAW(SYS_close, info);
	return got > 0 && !memmem(text, (size_t)got, "tfd:", 4);
}

WAITS_OR_SLEEPS(!limit, !n && limit > 0, int, poll, (struct pollfd * fds, nfds_t n, int limit), fds,
		n, limit)
WAITS_OR_SLEEPS(!limit, !n && limit > 0, int, __poll_chk,
		(struct pollfd * fds, nfds_t n, int limit, size_t room), fds, n, limit, room)
WAITS_OR_SLEEPS(is_zero(limit), !n && limit, int, ppoll,
		(struct pollfd * fds, nfds_t n, const struct timespec *limit, const sigset_t *mask),
		fds, n, limit, mask)
WAITS_OR_SLEEPS(is_zero(limit), !n && limit, int, __ppoll_chk,
		(struct pollfd * fds, nfds_t n, const struct timespec *limit, const sigset_t *mask,
		 size_t room),
		fds, n, limit, mask, room)
WAITS_OR_SLEEPS(limit && !limit->tv_sec && !limit->tv_usec, (!n || (!r && !w && !x)) && limit, int,
		select,
		(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
		 struct timeval *restrict limit),
		n, r, w, x, limit)
WAITS_OR_SLEEPS(is_zero(limit), (!n || (!r && !w && !x)) && limit, int, pselect,
		(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
		 const struct timespec *restrict limit, const sigset_t *restrict mask),
		n, r, w, x, limit, mask)
WAITS_OR_SLEEPS(!limit, limit > 0 && epoll_is_empty(fd), int, epoll_wait,
		(int fd, struct epoll_event *to, int n, int limit), fd, to, n, limit)
WAITS_OR_SLEEPS(!limit, limit > 0 && epoll_is_empty(fd), int, epoll_pwait,
		(int fd, struct epoll_event *to, int n, int limit, const sigset_t *mask), fd, to, n,
		limit, mask)
WAITS_OR_SLEEPS(is_zero(limit), limit && epoll_is_empty(fd), int, epoll_pwait2,
		(int fd, struct epoll_event *to, int n, const struct timespec *limit,
		 const sigset_t *mask),
		fd, to, n, limit, mask)

/* --- messages, semaphores of System V and POSIX queues, signals ----------- */

SENDS(false, int, semop, (int id, struct sembuf *list, size_t n), id, list, n)
SENDS(false, int, semtimedop,
      (int id, struct sembuf *list, size_t n, const struct timespec *limit), id, list, n, limit)
WAITS(ssize_t, msgrcv, (int id, void *to, size_t n, long type, int flags), id, to, n, type, flags)
SENDS(false, int, msgsnd, (int id, const void *from, size_t n, int flags), id, from, n, flags)
WAITS(ssize_t, mq_receive, (mqd_t q, char *to, size_t n, unsigned int *priority), q, to, n,
      priority)
WAITS(ssize_t, mq_timedreceive,
      (mqd_t q, char *restrict to, size_t n, unsigned int *restrict priority,
       const struct timespec *restrict limit),
      q, to, n, priority, limit)
SENDS(false, int, mq_send, (mqd_t q, const char *from, size_t n, unsigned int priority), q, from, n,
      priority)
SENDS(false, int, mq_timedsend,
      (mqd_t q, const char *from, size_t n, unsigned int priority, const struct timespec *limit), q,
      from, n, priority, limit)
WAITS(int, sigwait, (const sigset_t *restrict set, int *restrict to), set, to)
WAITS(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict to), set, to)
WAITS(int, sigtimedwait,
      (const sigset_t *restrict set, siginfo_t *restrict to, const struct timespec *restrict limit),
      set, to, limit)
WAITS(int, sigsuspend, (const sigset_t *set), set)

EXPORT int kill(pid_t pid, int number)
{
	__typeof__(&kill) real = REAL(kill);
	cause_message();
	return real(pid, number);
}

EXPORT int pause(void)
{
	__typeof__(&pause) real = REAL(pause);
	CAUSE_WAIT(CAUSE_WAITING);
	return real();
}

/* --- the clock ------------------------------------------------------------ */

SLEEPS(int, nanosleep, (const struct timespec *t, struct timespec *left), t, left)
SLEEPS(int, clock_nanosleep,
       (clockid_t clock, int flags, const struct timespec *t, struct timespec *left), clock, flags,
       t, left)
SLEEPS(int, usleep, (useconds_t us), us)
SLEEPS(unsigned int, sleep, (unsigned int seconds), seconds)
SLEEPS(int, thrd_sleep, (const struct timespec *t, struct timespec *left), t, left)

/* in a polling call, a yield means that there was no work */
EXPORT int sched_yield(void)
{
	cause_idle();
	return (int)RAW(SYS_sched_yield);
}
