/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors without a file (pipes, sockets, event descriptors), and descriptors that another
 * process passed. These calls are not requests. The library records the type of the descriptor, so
 * that later requests on it can be assigned to an object. */
#include <pty.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/op.h"
#include "capture/preload/core.h"
#include "capture/preload/uring.h"

/* Name of a numbered object such as "pipe:[123]". All processes share the counter. Reading the
 * inode number would need a system call that the program did not make. */
static void descriptor_name(char *to, const char *end, const char *kind, bool numbered)
{
	struct log_control *c = capture_control();
	to = capture_text_add(to, end, kind);
	if (!numbered || !c)
		return;
	to = capture_number_add(capture_text_add(to, end, ":["), end,
				atomic_fetch_add_explicit(&c->n_made, 1, memory_order_relaxed) + 1);
	capture_text_add(to, end, "]");
}

void descriptor_made(int fd, const char *kind, bool numbered, uint64_t at)
{
	char name[80] = "";
	const uint64_t begin = at, end = at;
	descriptor_name(name, name + sizeof name - 1, kind, numbered);
	NOTE_RESULT(0, .op = LOG_DESCRIPTOR, .fd = fd, .path = name);
}

static int descriptor_note(int fd, const char *kind, bool numbered)
{
	const int saved = errno;
	if (fd >= 0 && capture_is_on())
		descriptor_made(fd, kind, numbered, clock_now(&capture_clock));
	errno = saved;
	return fd;
}

static int made_two(int got, const int fd[2], const char *kind)
{
	for (int i = 0; !got && i < 2; i++)
		descriptor_note(fd[i], kind, true);
	return got;
}

/* --- pipes and sockets ---------------------------------------------------- */

HOOK(int, pipe, (int fd[2]), return made_two(REAL(pipe)(fd), fd, "pipe"))
ALIAS(__pipe, pipe);
HOOK(int, pipe2, (int fd[2], int flags), return made_two(REAL(pipe2)(fd, flags), fd, "pipe"))
HOOK(int, socket, (int domain, int type, int protocol),
     return descriptor_note(REAL(socket)(domain, type, protocol), "socket", true))
HOOK(int, socketpair, (int domain, int type, int protocol, int fd[2]),
     return made_two(REAL(socketpair)(domain, type, protocol, fd), fd, "socket"))

static int socket_note(int fd)
{
	return descriptor_note(fd, "socket", true);
}

EXPORT int accept(int fd, __SOCKADDR_ARG address, socklen_t *restrict len)
{
	__typeof__(&accept) real = REAL(accept);
	CAUSE_WAIT(CAUSE_WAITING);
	return socket_note(real(fd, address, len));
}

EXPORT int accept4(int fd, __SOCKADDR_ARG address, socklen_t *restrict len, int flags)
{
	__typeof__(&accept4) real = REAL(accept4);
	CAUSE_WAIT(CAUSE_WAITING);
	return socket_note(real(fd, address, len, flags));
}

/* --- event descriptors and memory ----------------------------------------- */

#define EVENTS(kind) "anon_inode:[" kind "]"

HOOK(int, eventfd, (unsigned int count, int flags),
     return descriptor_note(REAL(eventfd)(count, flags), EVENTS("eventfd"), false))
HOOK(int, epoll_create, (int size),
     return descriptor_note(REAL(epoll_create)(size), EVENTS("eventpoll"), false))
HOOK(int, epoll_create1, (int flags),
     return descriptor_note(REAL(epoll_create1)(flags), EVENTS("eventpoll"), false))
HOOK(int, timerfd_create, (clockid_t clock, int flags),
     return descriptor_note(REAL(timerfd_create)(clock, flags), EVENTS("timerfd"), false))
HOOK(int, signalfd, (int fd, const sigset_t *mask, int flags),
     return descriptor_note(REAL(signalfd)(fd, mask, flags), EVENTS("signalfd"), false))
HOOK(int, inotify_init, (void),
     return descriptor_note(REAL(inotify_init)(), "anon_inode:inotify", false))
HOOK(int, inotify_init1, (int flags),
     return descriptor_note(REAL(inotify_init1)(flags), "anon_inode:inotify", false))
HOOK(int, fanotify_init, (unsigned int flags, unsigned int event_flags),
     return descriptor_note(REAL(fanotify_init)(flags, event_flags), EVENTS("fanotify"), false))
HOOK(int, memfd_create, (const char *name, unsigned int flags),
     return descriptor_note(REAL(memfd_create)(name, flags), "memfd", true))

int pidfd_open(pid_t pid, unsigned int flags); /* since glibc 2.36 */
HOOK(int, pidfd_open, (pid_t pid, unsigned int flags),
     return descriptor_note(REAL(pidfd_open)(pid, flags), EVENTS("pidfd"), false))

/* --- terminals ------------------------------------------------------------ */

HOOK(int, posix_openpt, (int flags),
     return descriptor_note(REAL(posix_openpt)(flags), "/dev/ptmx", false))
HOOK(int, getpt, (void), return descriptor_note(REAL(getpt)(), "/dev/ptmx", false))

EXPORT int openpty(int *master, int *slave, char *name, const struct termios *how,
		   const struct winsize *size)
{
	const int got = REAL(openpty)(master, slave, name, how, size);
	descriptor_note(got ? -1 : *master, "/dev/ptmx", false);
	descriptor_note(got ? -1 : *slave, "/dev/pts", false);
	return got;
}

/* in the child, the terminal becomes the standard streams */
EXPORT pid_t forkpty(int *master, char *name, const struct termios *how, const struct winsize *size)
{
	const pid_t got = REAL(forkpty)(master, name, how, size);
	if (!got && capture_state == CAPTURE_ON)
		rings_forked();
	descriptor_note(got > 0 ? *master : -1, "/dev/ptmx", false);
	for (int fd = 0; !got && fd < 3; fd++)
		descriptor_note(fd, "/dev/pts", false);
	return got;
}

void terminal_made(int fd)
{
	descriptor_note(fd, "/dev/pts", false);
}

/* --- passed by another process; may be a file ----------------------------- */

static void message_note(struct msghdr *m)
{
	const int saved = errno;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
		    c->cmsg_len < CMSG_LEN(0))
			continue;
		for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			if (!capture_confined)
				process_descriptor_note(fd);
		}
	}
	errno = saved;
}

#ifdef CAPTURE_CAUSES
/* The call waits, unless it has MSG_DONTWAIT. */
#define CAUSE_RECEIVE(flags)                                                                       \
	CAUSE_SCOPE = (flags)&MSG_DONTWAIT ? (cause_idle(), (struct cause_call){CAUSE_NOTHING, 0}) \
					   : cause_wait_begin(CAUSE_WAITING)
#else
#define CAUSE_RECEIVE(flags)
#endif

EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	__typeof__(&recvmsg) real = REAL(recvmsg);
	CAUSE_RECEIVE(flags);
	ssize_t got = real(fd, m, flags);
	if (unlikely(got >= 0 && m->msg_controllen) && capture_is_on())
		message_note(m);
	return got;
}

EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags, struct timespec *limit)
{
	__typeof__(&recvmmsg) real = REAL(recvmmsg);
	CAUSE_RECEIVE(flags);
	int got = real(fd, m, n, flags, limit);
	for (int i = 0; i < got && capture_is_on(); i++)
		if (m[i].msg_hdr.msg_controllen)
			message_note(&m[i].msg_hdr);
	return got;
}

static int foreign_note(int fd)
{
	const int saved = errno;
	if (fd >= 0 && !capture_confined && capture_is_on())
		process_descriptor_note(fd);
	errno = saved;
	return fd;
}

int pidfd_getfd(int process, int fd, unsigned int flags); /* since glibc 2.36 */
HOOK(int, pidfd_getfd, (int process, int fd, unsigned int flags),
     return foreign_note(REAL(pidfd_getfd)(process, fd, flags)))

/* --- by number (hook_syscall.c) ------------------------------------------- */

long descriptor_by_number(long number, const long *a, long got)
{
	switch (number) {
	case SYS_socket:
	case SYS_accept:
	case SYS_accept4:
		descriptor_note((int)got, "socket", true);
		break;
#ifdef SYS_pipe
	case SYS_pipe:
#endif
	case SYS_pipe2:
		made_two((int)got, (const int *)a[0], "pipe");
		break;
	case SYS_socketpair:
		made_two((int)got, (const int *)a[3], "socket");
		break;
	case SYS_memfd_create:
#ifdef SYS_memfd_secret
	case SYS_memfd_secret:
#endif
		descriptor_note((int)got, "memfd", true);
		break;
#ifdef SYS_eventfd /* newer architectures lack calls with these names */
	case SYS_eventfd:
	case SYS_epoll_create:
	case SYS_signalfd:
	case SYS_inotify_init:
#endif
	case SYS_eventfd2:
	case SYS_epoll_create1:
	case SYS_timerfd_create:
	case SYS_signalfd4:
	case SYS_inotify_init1:
	case SYS_fanotify_init:
	case SYS_perf_event_open:
#ifdef SYS_userfaultfd
	case SYS_userfaultfd:
#endif
#ifdef SYS_pidfd_open
	case SYS_pidfd_open:
#endif
		descriptor_note((int)got, "anon_inode:by number", false);
		break;
	case SYS_io_uring_setup: /* the name that /proc shows */
		descriptor_note((int)got, "anon_inode:[io_uring]", false);
		break;
#ifdef SYS_pidfd_getfd
	case SYS_pidfd_getfd:
		foreign_note((int)got);
		break;
#endif
	default:
		break;
	}
	return got;
}

/* bind(2) of a UNIX socket to a path creates a file. It is recorded as mknod of a socket with mode
 * 0777 minus the umask. Source: unix(7). */

/* Copies the path of the address and a NUL to `to`. False: the address has no path (another address
 * family, or an abstract name). */
static bool path_of(const void *address, socklen_t len, char to[sizeof(struct sockaddr_un)])
{
	const size_t at = offsetof(struct sockaddr_un, sun_path);
	struct sockaddr_un a = {0};
	if (len <= at || len > sizeof a || !capture_readable(address, len))
		return false;
	memcpy(&a, address, len);
	memcpy(to, a.sun_path, len - at);
	to[len - at] = '\0';
	return a.sun_family == AF_UNIX && *to;
}

EXPORT int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	char path[sizeof(struct sockaddr_un)];
	const bool makes_file = capture_is_on() && path_of(address, len, path);
	if (makes_file)
		capture_look(AT_FDCWD, path);
	TIMED(int, bind, fd, address, len);
	if (!makes_file)
		return got;
	const int saved = errno;
	if (got < 0 && saved == EADDRINUSE) /* the name exists; mknod returns EEXIST for this */
		errno = EEXIST;
	NOTE(.op = OP_MKNOD, .dir = AT_FDCWD, .path = path, .length = S_IFSOCK | 0777);
	errno = saved;
	return got;
}
