/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks. A lock by F_SETLK or lockf belongs to a process and a file, independent of the descriptor.
 * The threads of a replay may replay several traced processes, which are a single process for the
 * kernel. So each traced process has a separate open file for each file that it locks, and its
 * locks belong to that open file (F_OFD_SETLK). They do not conflict with each other, and they
 * conflict with locks of other processes. They end when the process closes any descriptor of the
 * file. Source: fcntl_locking(2). */
#include <sys/file.h>

#include "replay/issue/calls_private.h"

struct lock_owner { /* the locks of one process on one file */
	struct lock_owner *next;
	dev_t device;
	ino_t inode;
	int fd;
	uint32_t n_users; /* calls in progress */
	bool dropped;	  /* its last user closes it */
};

static void owner_free(struct lock_owner *o)
{
	close(o->fd);
	free(o);
}

/* --- owners of locks ----------------------------------------------------- */

static struct lock_owner **owner_find(struct call_process *t, const struct stat *st)
{
	struct lock_owner **at = &t->owners;
	while (*at && ((*at)->device != st->st_dev || (*at)->inode != st->st_ino))
		at = &(*at)->next;
	return at;
}

/* Whether the access mode of the descriptor permits such a lock. If not, the call is made on the
 * descriptor itself and fails. */
static bool mode_allows(int fd, int type)
{
	const int flags = fcntl(fd, F_GETFL), mode = flags & O_ACCMODE;
	if (flags < 0 || flags & O_PATH)
		return false;
	return type == F_UNLCK || mode == O_RDWR || mode == (type == F_RDLCK ? O_RDONLY : O_WRONLY);
}

/* The open file that owns the process's locks on the file. NULL: use the open file of the
 * descriptor itself. */
static struct lock_owner *owner_take(struct caller *k, int fd, int type)
{
	struct call_process *t = &k->calls->process[k->c->process];
	struct stat st;
	if (!mode_allows(fd, type) || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	pthread_mutex_lock(&t->lock);
	struct lock_owner **at = owner_find(t, &st);
	const int made = *at ? -1 : open(proc_path(fd).text, O_RDWR | O_CLOEXEC |
		O_NONBLOCK | O_NOCTTY);
	if (made >= 0) {
		*at = xcalloc(1, sizeof **at);
		**at = (struct lock_owner){.device = st.st_dev, .inode = st.st_ino, .fd = made};
	}
	struct lock_owner *o = *at;
	if (o)
		o->n_users++;
	pthread_mutex_unlock(&t->lock);
	return o;
}

static void owner_give(struct caller *k, struct lock_owner *o)
{
	struct call_process *t = &k->calls->process[k->c->process];
	if (!o)
		return;
	pthread_mutex_lock(&t->lock);
	const bool last = --o->n_users == 0 && o->dropped;
	pthread_mutex_unlock(&t->lock);
	if (last)
		owner_free(o);
}

void call_locks_drop(struct call_process *t, int fd)
{
	const struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
	struct stat st;
	if (fd < 0)
		return;
	pthread_mutex_lock(&t->lock);
	struct lock_owner **at = t->owners && !fstat(fd, &st) ? owner_find(t, &st) : NULL;
	struct lock_owner *o = at ? *at : NULL;
	if (o) {
		*at = o->next;
		o->dropped = true;
		fcntl(o->fd, F_OFD_SETLK, &all);
	}
	const bool unused = o && !o->n_users;
	pthread_mutex_unlock(&t->lock);
	if (unused)
		owner_free(o);
}

void call_locks_free(struct call_process *t)
{
	for (struct lock_owner *o = t->owners, *next; o; o = next) {
		next = o->next;
		owner_free(o);
	}
	t->owners = NULL;
}

/* --- waiting ------------------------------------------------------------- */

static bool would_block(int ret)
{
	return ret < 0 && (errno == EAGAIN || errno == EACCES || errno == EWOULDBLOCK);
}

/* Waits between two attempts to get a lock. Returns false to give up. If the traced wait ended
 * without the lock (a signal, or a deadlock that the kernel found), the replayed wait ends at the
 * first attempt that fails, with the same error. */
static bool lock_pause(const struct caller *k)
{
	const struct timespec pause = {.tv_nsec = 20000};
	if (k->c->traced < 0 ||
	    atomic_load_explicit(&k->calls->common->give_up, memory_order_relaxed)) {
		errno = k->c->traced < 0 ? (int)-k->c->traced : ETIMEDOUT;
		return false;
	}
	nanosleep(&pause, NULL);
	return true;
}

/* --- fcntl and lockf ----------------------------------------------------- */

static int lock_set(const struct caller *k, int fd, struct flock *f, bool waits)
{
	int ret;
	do
		ret = fcntl(fd, F_OFD_SETLK, f);
	while (waits && would_block(ret) && lock_pause(k));
	return ret;
}

/* The range of the lock. SEEK_CUR refers to the file position of the descriptor, not to that of the
 * open file that owns the lock. */
static struct flock range_of(int fd, const struct op_lock *l)
{
	struct flock f = {.l_type = (short)l->type, .l_whence = (short)l->whence,
		.l_start = (off_t)l->start, .l_len = (off_t)l->length};
	const off_t at = l->whence == SEEK_CUR ? lseek(fd, 0, SEEK_CUR) : -1;
	if (at >= 0 && !__builtin_add_overflow(f.l_start, at, &f.l_start))
		f.l_whence = SEEK_SET;
	return f;
}

static bool command_waits(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

void call_record_lock(struct caller *k, int fd)
{
	const int command = (int)k->c->flags;
	const bool own = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
	struct op_lock l;
	memcpy(&l, k->c->text, sizeof l);
	struct flock f = range_of(fd, &l);
	struct lock_owner *o = own ?
		owner_take(k, fd, command == F_GETLK ? F_UNLCK : f.l_type) : NULL;
	const int at = o ? o->fd : fd;
	if (command == F_GETLK || command == F_OFD_GETLK)
		CALL_SUCCESS(k, fcntl(at, F_OFD_GETLK, &f));
	else
		CALL_SUCCESS(k, lock_set(k, at, &f, command_waits(command)));
	owner_give(k, o);
}

/* F_TEST fails if another process has the lock. */
static int lock_test(int fd, struct flock *f)
{
	int ret = fcntl(fd, F_OFD_GETLK, f);
	return ret < 0 || f->l_type == F_UNLCK ? ret : (int)call_error(EACCES);
}

/* lockf is a lock by fcntl that starts at the file position. */
void call_lockf(struct caller *k)
{
	const int fd = call_fd(k, k->c->slot), command = (int)k->c->flags;
	const struct op_lock l = {.type = command == F_ULOCK ? F_UNLCK : F_WRLCK,
				  .whence = SEEK_CUR,
				  .length = (int64_t)k->c->length};
	struct flock f = range_of(fd, &l);
	struct lock_owner *o = owner_take(k, fd, command == F_TEST ? F_UNLCK : f.l_type);
	const int at = o ? o->fd : fd;
	if (command == F_TEST)
		CALL(k, lock_test(at, &f));
	else
		CALL(k, lock_set(k, at, &f, command == F_LOCK));
	owner_give(k, o);
}

/* --- flock: locks of the open file --------------------------------------- */

static int whole_lock(const struct caller *k, int fd, int how)
{
	int ret;
	do
		ret = flock(fd, how | LOCK_NB);
	while (would_block(ret) && !(how & LOCK_NB) && lock_pause(k));
	return ret;
}

void call_flock(struct caller *k)
{
	int fd = call_fd(k, k->c->slot);
	CALL(k, whole_lock(k, fd, (int)k->c->flags));
}
