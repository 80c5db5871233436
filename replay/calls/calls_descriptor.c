/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on descriptors: closing, copying, flags, locks. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "capture/op.h"
#include "replay/calls/calls_private.h"

/* --- closing and copying ---------------------------------------------------------------------------------------------- */

/* close, fclose, closedir: whatever the slot has become, so that no stream is left with a number that means something else. */
void call_close(struct caller *k)
{
	uint32_t slot = k->c->slot;
	struct call_stream *s = atomic_exchange(&k->calls->stream[slot], NULL);
	int fd = atomic_exchange(&k->p->fds[slot], -1);
	if (!s) {
		CALL(k, close(fd));
		return;
	}
	pthread_mutex_lock(&s->lock);
	FILE *file = s->file;
	DIR *directory = s->directory;
	s->file = NULL;
	s->directory = NULL;
	if (file)
		CALL(k, fclose(file));
	else if (directory)
		CALL(k, closedir(directory));
	else
		CALL(k, call_error(EBADF));
	pthread_mutex_unlock(&s->lock);
}

/* dup, dup2, and F_DUPFD of fcntl. dup2 onto a number that is in use takes it over, with the stream that was on it. */
void call_dup(struct caller *k)
{
	const struct call *c = k->c;
	uint32_t made = c->other, old = made ? k->calls->slot[made].replaces : 0;
	int fd = call_fd(k, c->slot), number = old ? atomic_exchange(&k->p->fds[old], -1) : -1;
	const bool control = c->op == OP_FCNTL;
	const int how = control ? (c->flags == F_DUPFD_CLOEXEC ? O_CLOEXEC : 0) : (int)(c->flags & O_CLOEXEC);
	if (number >= 0 && number != fd)
		CALL(k, dup3(fd, number, how));
	else if (how)
		CALL(k, fcntl(fd, F_DUPFD_CLOEXEC, 0));
	else if (control)
		CALL(k, fcntl(fd, F_DUPFD, 0));
	else
		CALL(k, dup(fd));
	if (k->out->rvalue < 0) {
		if (number >= 0)
			atomic_store(&k->p->fds[old], number);
		return;
	}
	struct call_stream *s = old ? atomic_exchange(&k->calls->stream[old], NULL) : NULL;
	if (!made) {
		close((int)k->out->rvalue);
	} else {
		call_slot_set(k, made, (int)k->out->rvalue);
		atomic_store(&k->calls->stream[made], s);
	}
	k->out->rvalue = 0;
}

/* --- flags ------------------------------------------------------------------------------------------------------------ */

static bool gives_up(const struct caller *k)
{
	return atomic_load_explicit(&k->calls->common->give_up, memory_order_relaxed);
}

/* Waits between two attempts to get a lock. False: no longer. */
static bool lock_pause(const struct caller *k)
{
	const struct timespec pause = {.tv_nsec = 20000};
	if (gives_up(k)) {
		errno = ETIMEDOUT;
		return false;
	}
	nanosleep(&pause, NULL);
	return true;
}

static bool would_block(int ret)
{
	return ret < 0 && (errno == EAGAIN || errno == EACCES || errno == EWOULDBLOCK);
}

/* Locks by fcntl belong to a process; here they belong to the open file, so that traced processes stay apart. */
static int record_lock(const struct caller *k, int fd, int command, const struct op_lock *l)
{
	struct flock f = {.l_type = (short)l->type, .l_whence = (short)l->whence, .l_start = (off_t)l->start, .l_len = (off_t)l->length};
	if (command == F_GETLK || command == F_OFD_GETLK)
		return fcntl(fd, F_OFD_GETLK, &f);
	int ret;
	do
		ret = fcntl(fd, F_OFD_SETLK, &f);
	while (would_block(ret) && (command == F_SETLKW || command == F_OFD_SETLKW) && lock_pause(k));
	return ret;
}

void call_fcntl(struct caller *k)
{
	const struct call *c = k->c;
	int fd = call_fd(k, c->slot);
	const int command = (int)c->flags;
	const int status = (int)c->offset & (O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME);
	struct op_lock lock;
	switch (command) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		call_dup(k);
		break;
	case F_GETFD:
	case F_GETFL:
		CALL_SUCCESS(k, fcntl(fd, command));
		break;
	case F_SETFD:
		CALL_SUCCESS(k, fcntl(fd, F_SETFD, FD_CLOEXEC));
		break;
	case F_SETFL:
		CALL_SUCCESS(k, fcntl(fd, F_SETFL, status));
		break;
	default:
		memcpy(&lock, c->text, sizeof lock);
		CALL_SUCCESS(k, record_lock(k, fd, command, &lock));
	}
}

void call_ioctl(struct caller *k)
{
	char answer[256]; /* of TCGETS, FIGETBSZ, FS_IOC_GETFLAGS: no more than this */
	int fd = call_fd(k, k->c->slot);
	CALL_SUCCESS(k, ioctl(fd, (unsigned long)k->c->flags, answer));
}

/* --- locks ------------------------------------------------------------------------------------------------------------ */

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

/* lockf is a lock by fcntl from the position on. */
static int range_lock(const struct caller *k, int fd)
{
	const int command = (int)k->c->flags;
	struct op_lock l = {.type = command == F_ULOCK ? F_UNLCK : F_WRLCK, .whence = SEEK_CUR, .length = (int64_t)k->c->length};
	struct flock f = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = (off_t)k->c->length};
	if (command != F_TEST)
		return record_lock(k, fd, command == F_LOCK ? F_SETLKW : F_SETLK, &l);
	int ret = fcntl(fd, F_OFD_GETLK, &f);
	return ret < 0 || f.l_type == F_UNLCK ? ret : (int)call_error(EACCES);
}

void call_lockf(struct caller *k)
{
	int fd = call_fd(k, k->c->slot);
	CALL(k, range_lock(k, fd));
}
