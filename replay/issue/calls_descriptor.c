/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on descriptors: closing, copying, flags. */
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "replay/issue/calls_private.h"

/* --- closing and copying ------------------------------------------------- */

/* close, fclose and closedir close whatever the slot has: a descriptor, stream or directory. So no
 * stream keeps a number that refers to another file. */
void call_close(struct caller *k)
{
	uint32_t slot = k->c->slot;
	struct call_stream *s = atomic_exchange(&k->calls->stream[slot], NULL);
	int fd = atomic_exchange(&k->p->fds[slot], -1);
	call_locks_drop(&k->calls->process[k->c->process], fd);
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

/* dup, dup2, and F_DUPFD of fcntl. dup2 to a number in use replaces its file, but the stream on
 * that number stays. */
void call_dup(struct caller *k)
{
	const struct call *c = k->c;
	uint32_t made = c->other, old = made ? k->calls->slot[made].replaces : 0;
	int fd = call_fd(k, c->slot), number = old ? atomic_exchange(&k->p->fds[old], -1) : -1;
	const bool control = c->op == OP_FCNTL;
	const int how =
	    control ? (c->flags == F_DUPFD_CLOEXEC ? O_CLOEXEC : 0) : (int)(c->flags & O_CLOEXEC);
	call_locks_drop(&k->calls->process[k->c->process], number);
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

/* --- flags --------------------------------------------------------------- */

void call_fcntl(struct caller *k)
{
	const struct call *c = k->c;
	int fd = call_fd(k, c->slot);
	const int command = (int)c->flags;
	const int status = (int)c->offset & (O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME);
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
		call_record_lock(k, fd);
	}
}

void call_ioctl(struct caller *k)
{
	char answer[256]; /* no ioctl that call_refusal() permits writes more bytes */
	const int flags = (int)k->c->offset; /* argument of FS_IOC_SETFLAGS */
	int fd = call_fd(k, k->c->slot);
	if (k->c->flags == FS_IOC_SETFLAGS)
		CALL_SUCCESS(k, ioctl(fd, FS_IOC_SETFLAGS, &flags));
	else
		CALL_SUCCESS(k, ioctl(fd, (unsigned long)k->c->flags, answer));
}
