/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process that inspects files while calls wait. One thread waits for the next call, and many
 * threads inspect files. An inspection may itself wait for a watched program (a file system in user
 * space), whose calls must then also be inspected. */
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "capture/kernel/snapshot_private.h"
#include "capture/look.h"
#include "common/clock.h"
#include "common/descriptor_pass.h"
#include "common/proc_text.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#define SYNC_WAKE_UP 1UL /* SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP */

enum { THREADS_MAX = 1024, STACK_BYTES = 256 << 10, NOTIFICATION_MAX = 512, PATH_ROOM = 4097 };
enum { BELOW_ROOT = INT_MIN }; /* value of a directory number: the root of the thread */
enum { CHANNEL_FD = 3, FILE_FD, FREE_FD };
enum { WAYS = 4096 };

struct snapshot_looker {
	int listener, channel, file;
	pthread_mutex_t waiting;
	_Atomic int n_idle, n_threads;
	_Atomic bool over; /* the capture has ended: calls continue without inspection */
	struct statx root;
	_Atomic uint64_t way_noted[WAYS]; /* hashes of directories that were inspected */
};

struct snapshot_call { /* a waiting call */
	struct snapshot_looker *k;
	const struct seccomp_notif *n;
	bool elsewhere; /* the thread is in another mount namespace */
};

/* --- an inspection ------------------------------------------------------ */

static long call_kernel(long number, long a, long b, long c, long d, long e, long f)
{
	const long got = syscall(number, a, b, c, d, e, f);
	return got < 0 ? -errno : got;
}

static void record_write(const struct snapshot_call *a, struct snapshot_record *r, const char *path,
	const void *extra)
{
	static const char zeros[8];
	const size_t slash = r->dir == BELOW_ROOT, name_len = r->path_len;
	r->path_len = (uint16_t)(name_len + slash);
	const size_t len = sizeof *r + r->path_len + r->extra_len;
	const struct iovec v[] = {{r, sizeof *r},
				  {(char *)(uintptr_t)"/", slash},
				  {(char *)(uintptr_t)path, name_len},
				  {(void *)(uintptr_t)extra, r->extra_len},
				  {(char *)(uintptr_t)zeros, -len & 7}};
	r->ns = clock_monotonic_ns();
	r->tid = a->n->pid;
	r->dir = slash ? AT_FDCWD : r->dir;
	/* checked after reading: the number of a process that has ended may belong to another
	 * process */
	if (!atomic_load(&a->k->over) &&
	    ioctl(a->k->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &a->n->id) == 0 &&
	    writev(a->k->file, v, 5) < 0)
		atomic_store(&a->k->over, true);
}

static void look_write(void *context, const struct look *l)
{
	const size_t len = strlen(l->shown);
	/* targets of links, and names from the kernel, are absolute */
	const bool absolute = l->shown[0] == '/';
	struct snapshot_record r = {.dir = absolute ? AT_FDCWD : l->shown_dir,
				    .path_len = (uint16_t)len,
				    .extra_len = (uint16_t)l->extra_len,
				    .device = l->device,
				    .inode = l->inode,
				    .what = l->what};
	if (l->x) {
		r.mode = l->x->stx_mode;
		r.size = l->x->stx_size;
	}
	record_write(context, &r, l->shown, l->extra);
}

/* False also if the slot has another hash: such a directory is inspected again. */
static bool path_is_noted(void *context, uint64_t hash)
{
	struct snapshot_looker *k = ((const struct snapshot_call *)context)->k;
	return atomic_exchange(&k->way_noted[hash >> 20 & (WAYS - 1)], hash) == hash;
}

static void unseen_write(void *context)
{
	struct snapshot_record r = {.unseen = 1};
	record_write(context, &r, "", "");
}

/* Opens a thread's working directory, root or descriptor; -1 on failure. */
static int thread_directory(const struct snapshot_call *a, int dir)
{
	char name[64];
	if (dir == AT_FDCWD || dir == BELOW_ROOT)
		snprintf(name, sizeof name, "/proc/%u/%s", a->n->pid,
			 dir == AT_FDCWD ? "cwd" : "root");
	else
		snprintf(name, sizeof name, "/proc/%u/fd/%d", a->n->pid, dir);
	return open(name, O_PATH | O_CLOEXEC);
}

/* Whether the thread's root is the root directory of this process. In another mount namespace,
 * names are resolved through the thread's root, because other file systems may be mounted there. */
static bool shares_root(struct snapshot_call *a)
{
	char name[40];
	struct statx x;
	snprintf(name, sizeof name, "/proc/%u/root/", a->n->pid);
	const struct statx *r = &a->k->root;
	if (statx(AT_FDCWD, name, 0, STATX_INO | STATX_MNT_ID, &x) < 0 || x.stx_ino != r->stx_ino ||
	    x.stx_dev_major != r->stx_dev_major || x.stx_dev_minor != r->stx_dev_minor)
		return false;
	a->elsewhere = x.stx_mnt_id != r->stx_mnt_id;
	return true;
}

/* Whether the name has another meaning in each process. */
static bool is_per_process(const char *path)
{
	static const char *const names[] = {"/proc/self", "/proc/thread-self", "/dev/fd",
					    "/dev/std"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(path, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Reads the string at `address` in the thread's memory page by page, because it may end before an
 * unreadable page. */
static bool text_read(const struct snapshot_call *a, uint64_t address, char to[PATH_ROOM])
{
	size_t n = 0;
	while (n < PATH_ROOM - 1) {
		const size_t page = 4096 - (size_t)((address + n) & 4095), most = PATH_ROOM - 1 - n;
		const struct iovec ours = {to + n, page < most ? page : most},
				   theirs = {(void *)(uintptr_t)(address + n), ours.iov_len};
		const ssize_t got = process_vm_readv((pid_t)a->n->pid, &ours, 1, &theirs, 1, 0);
		if (got <= 0)
			return false;
		if (memchr(to + n, 0, (size_t)got))
			return true;
		n += (size_t)got;
	}
	return false;
}

static void path_look(const struct snapshot_call *a, const struct look_sink *sink, int dir,
		      uint64_t address)
{
	char path[PATH_ROOM];
	if (!text_read(a, address, path) || !path[0] || is_per_process(path))
		return;
	const bool rooted = a->elsewhere && path[0] == '/';
	const char *name = rooted ? path + strspn(path, "/") : path;
	if (rooted)
		dir = BELOW_ROOT;
	const int fd = path[0] == '/' && !rooted ? AT_FDCWD : thread_directory(a, dir);
	if (fd != -1)
		look_path(sink, fd, *name ? name : ".", dir);
	fd_close(fd);
}

/* Inspects the files of a directory when its listing starts at the beginning. */
static void list_look(const struct snapshot_call *a, const struct look_sink *sink, int dir)
{
	char name[64], text[64];
	snprintf(name, sizeof name, "/proc/%u/fdinfo/%d", a->n->pid, dir);
	if (!proc_text_read(name, text, sizeof text) || strncmp(text, "pos:\t0\n", 7))
		return;
	const int fd = thread_directory(a, dir);
	if (fd >= 0) {
		look_list(sink, fd, dir);
		close(fd);
	}
}

static void call_look(struct snapshot_call *a)
{
	const struct look_sink sink = {call_kernel, look_write, unseen_write, path_is_noted, a};
	const struct syscall_row *row = syscall_row_of_number(a->n->data.nr);
	int dir = AT_FDCWD;
	if (!row || atomic_load(&a->k->over))
		return;
	if (!shares_root(a)) {
		unseen_write(a);
		return;
	}
	for (unsigned int i = 0; row->args[i]; i++) {
		const uint64_t v = a->n->data.args[i];
		if (row->args[i] == 'D' || row->args[i] == 'd') {
			dir = (int)v;
		} else if (row->args[i] == 'p' || row->args[i] == 'P') {
			path_look(a, &sink, dir, v);
			dir = AT_FDCWD;
		} else if (row->args[i] == 'f' && row->op == OP_GETDENTS) {
			list_look(a, &sink, (int)v);
		}
	}
}

/* --- the process --------------------------------------------------------- */

/* Waits for the next call. Ends the process when no program has the filter any more. */
static void call_take(struct snapshot_looker *k, struct seccomp_notif *n)
{
	struct pollfd p[] = {{.fd = k->listener, .events = POLLIN}, {.fd = k->channel}};
	for (;;) {
		p[1].fd = atomic_load(&k->over) ? -1 : k->channel;
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents)
			atomic_store(&k->over, true);
		memset(n, 0, NOTIFICATION_MAX);
		if (p[0].revents & POLLIN && ioctl(k->listener, SECCOMP_IOCTL_NOTIF_RECV, n) == 0)
			return;
		if (p[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			_exit(0);
	}
}

static void work_start(struct snapshot_looker *k);

static void *calls_serve(void *context)
{
	struct snapshot_looker *k = context;
	union {
		struct seccomp_notif n;
		char room[NOTIFICATION_MAX];
	} u;
	union {
		struct seccomp_notif_resp r;
		char room[NOTIFICATION_MAX];
	} answer;
	for (;;) {
		pthread_mutex_lock(&k->waiting);
		call_take(k, &u.n);
		pthread_mutex_unlock(&k->waiting);
		if (atomic_fetch_sub(&k->n_idle, 1) == 1)
			work_start(k);
		call_look(&(struct snapshot_call){k, &u.n});
		memset(&answer, 0, sizeof answer);
		answer.r.id = u.n.id;
		answer.r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(k->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer.r);
		atomic_fetch_add(&k->n_idle, 1);
	}
	return NULL;
}

static void work_start(struct snapshot_looker *k)
{
	pthread_t thread;
	pthread_attr_t how;
	if (atomic_load(&k->n_threads) >= THREADS_MAX)
		return;
	atomic_fetch_add(&k->n_idle, 1);
	atomic_fetch_add(&k->n_threads, 1);
	pthread_attr_init(&how);
	pthread_attr_setstacksize(&how, STACK_BYTES);
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &how, calls_serve, k)) {
		atomic_fetch_sub(&k->n_idle, 1);
		atomic_fetch_sub(&k->n_threads, 1);
	}
	pthread_attr_destroy(&how);
}

/* Closes all descriptors that are not needed, and detaches from the terminal's signals. */
static void process_detach(struct snapshot_looker *k)
{
	sigset_t all;
	setsid();
	sigfillset(&all);
	sigdelset(&all, SIGTERM);
	sigprocmask(SIG_SETMASK, &all, NULL);
	const int nothing = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < CHANNEL_FD; fd++)
		dup2(nothing, fd);
	const int channel = fcntl(k->channel, F_DUPFD, FREE_FD),
		  file = fcntl(k->file, F_DUPFD, FREE_FD);
	k->channel = dup2(channel, CHANNEL_FD);
	k->file = dup2(file, FILE_FD);
	fcntl(k->file, F_SETFL, O_APPEND);
	syscall(SYS_close_range, FREE_FD, ~0U, 0);
	if (chdir("/") < 0)
		_exit(1);
}

void snapshot_look(int channel, int file)
{
	struct snapshot_looker k = {.channel = channel, .file = file};
	const char answer = 0;
	uint32_t number;
	process_detach(&k);
	pthread_mutex_init(&k.waiting, NULL);
	if (!descriptor_receive(k.channel, &number, &k.listener) || k.listener < 0 ||
	    statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &k.root) < 0)
		_exit(0);
	ioctl(k.listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP);
	if (send(k.channel, &answer, 1, MSG_NOSIGNAL) != 1)
		_exit(0);
	atomic_store(&k.n_idle, 1);
	atomic_store(&k.n_threads, 1);
	calls_serve(&k);
	_exit(0);
}
