/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asynchronous requests, of the kernel's interface and of the C library. They are made at their
 * place, one after another: what one thread hands over another may fetch, by a call that begins
 * before. Made in place, no call waits for what another thread has yet to do. */
#include <unistd.h>

#include "replay/issue/calls_private.h"

/* The requests that it hands over stand behind it. */
void call_io_submit(struct caller *k)
{
	CALL(k, 0);
	k->out->rvalue = k->c->traced;
}

void call_io_getevents(struct caller *k)
{
	CALL(k, 0);
	k->out->rvalue = k->c->traced < 0 ? k->c->traced : 0;
}

/* A request of several buffers is made of one: how it was divided is not in the trace. */
void call_async(struct caller *k)
{
	const struct call *c = k->c;
	int fd = call_fd(k, c->slot);
	switch (c->op) {
	case OP_AIO_WRITE:
	case OP_AIO_WRITEV:
		CALL(k, pwrite(fd, k->memory, c->length, (off_t)c->offset));
		break;
	case OP_AIO_FSYNC:
		CALL(k, fsync(fd));
		break;
	case OP_AIO_FDATASYNC:
		CALL(k, fdatasync(fd));
		break;
	default:
		CALL(k, pread(fd, k->memory, c->length, (off_t)c->offset));
	}
}
