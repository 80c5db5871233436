/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ioctl(2) and its copies: FICLONE and FICLONERANGE share the extents of another file. Source:
 * ioctl_ficlonerange(2). FS_IOC_SETFLAGS is recorded with its flags. */
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "capture/op.h"
#include "capture/preload/core.h"

/* Number of bytes from `offset` to the end of the file; 0: unknown. */
static uint64_t bytes_from(int fd, uint64_t offset)
{
	struct stat st;
	if (capture_confined || RAW(SYS_fstat, fd, &st) < 0 || (uint64_t)st.st_size < offset)
		return 0;
	return (uint64_t)st.st_size - offset;
}

/* A successful clone is a copy in the kernel. Its result is the number of bytes, as for
 * copy_file_range. */
static void clone_note(uint64_t begin, uint64_t end, int to, unsigned long request, long argument)
{
	struct file_clone_range range = {.src_fd = argument};
	if (request == FICLONERANGE)
		memcpy(&range, (const void *)(intptr_t)argument,
		       sizeof range); /* the argument is readable, because the call succeeded */
	if (!range.src_length)
		range.src_length = bytes_from((int)range.src_fd, range.src_offset);
	const struct op_peer peer = {to, OBJECT_NONE, range.dest_offset};
	NOTE_RESULT((int64_t)range.src_length, .op = OP_COPY_FILE_RANGE, .fd = (int)range.src_fd,
		    .offset = range.src_offset, .length = range.src_length, .flags = OP_COPY_CLONES,
		    .extra = &peer, .extra_len = sizeof peer);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	va_start(ap, request);
	const long argument = va_arg(ap, long);
	va_end(ap);
	TIMED(int, ioctl, fd, request, argument);
	if (unlikely(request == FICLONE || request == FICLONERANGE) && got == 0) {
		clone_note(begin, end, fd, request, argument);
		return got;
	}
	uint64_t value = (uint64_t)argument;
	if (unlikely(request == FS_IOC_SETFLAGS) &&
	    capture_given((const void *)(intptr_t)argument, sizeof(uint32_t), got))
		value = OP_IOCTL_VALUE | *(const uint32_t *)(intptr_t)argument;
	IO(OP_IOCTL, fd, value, 0, (uint32_t)request);
	if (unlikely(request == TIOCGPTPEER))
		terminal_made(got);
	return got;
}
