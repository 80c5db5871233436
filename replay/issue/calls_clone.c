/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clones: copies within the kernel that share blocks (FICLONE, FICLONERANGE). Source:
 * ioctl_ficlonerange(2). */
#include <errno.h>
#include <limits.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "replay/issue/calls_private.h"

/* What a file system answers that cannot share these blocks: no such operation, two file systems,
 * or blocks of another size. */
static bool cannot_share(int error)
{
	return error == EOPNOTSUPP || error == ENOTTY || error == EXDEV || error == EINVAL;
}

/* Bytes copied, up to the end of the source, or -1. */
static int64_t copy_instead(struct caller *k, int from_fd, int to_fd)
{
	const uint64_t wanted = k->c->length ? k->c->length : UINT64_MAX;
	off_t from = (off_t)k->c->offset, to = (off_t)k->c->to;
	uint64_t n = 0;
	atomic_fetch_add_explicit(&k->calls->common->counts.n_clones_copied, 1,
				  memory_order_relaxed);
	while (n < wanted) {
		const uint64_t left = wanted - n < SSIZE_MAX ? wanted - n : SSIZE_MAX;
		const ssize_t got = copy_file_range(from_fd, &from, to_fd, &to, left, 0);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (uint64_t)got;
	}
	return (int64_t)n;
}

static int64_t clone_range(struct caller *k, int from_fd, int to_fd)
{
	const struct call *c = k->c;
	struct file_clone_range range = {.src_fd = from_fd,
					 .src_offset = c->offset,
					 .src_length = c->length,
					 .dest_offset = c->to};
	int64_t n = (int64_t)c->length;
	if (ioctl(to_fd, FICLONERANGE, &range) < 0) {
		if (c->traced < 0 || !cannot_share(errno))
			return -1;
		n = copy_instead(k, from_fd, to_fd);
	}
	return n >= 0 && !c->length && c->traced >= 0
		   ? c->traced
		   : n; /* up to the end of the source: the number is not compared */
}

void call_clone(struct caller *k)
{
	int from_fd = call_fd(k, k->c->slot), to_fd = call_fd(k, k->c->other);
	CALL(k, clone_range(k, from_fd, to_fd));
}
