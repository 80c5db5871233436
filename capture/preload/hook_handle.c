/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files by handle. name_to_handle_at is recorded as the equivalent stat. open_by_handle_at is
 * recorded as an open of the name that /proc shows for the new descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/op.h"
#include "capture/preload/core.h"

EXPORT int name_to_handle_at(int dir, const char *path, struct file_handle *handle, int *mount,
			     int flags)
{
	uint32_t stat_flags = (flags & AT_SYMLINK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW) |
			      (uint32_t)(flags & AT_EMPTY_PATH);
	capture_look(dir, path);
	TIMED_OF(CAUSE_PATH(dir, path), int, name_to_handle_at, dir, path, handle, mount, flags);
	/* The name exists, but the buffer was too small or the file system has no handles. */
	const bool found = !got || errno == EOVERFLOW || errno == EOPNOTSUPP;
	NOTE_RESULT(found ? 0 : -1, .op = OP_STAT, .dir = dir, .path = path, .flags = stat_flags);
	return got;
}

/* Returns NULL if the path is unknown; the descriptor's file is then unknown. */
static const char *name_of(int fd, char *name, size_t room)
{
	static const char in[] = "/proc/self/fd/";
	char link[sizeof in + 12], digits[12];
	size_t n = 0, at = sizeof in - 1;
	if (fd < 0 || capture_confined)
		return NULL;
	memcpy(link, in, at);
	for (unsigned int rest = (unsigned int)fd; !n || rest; rest /= 10)
		digits[n++] = (char)('0' + rest % 10);
	while (n)
		link[at++] = digits[--n];
	link[at] = 0;
	/* suffix that the kernel shows for deleted names */
	static const char deleted[] = " (deleted)";
	const long tail = sizeof deleted - 1;
	long len = RAW(SYS_readlinkat, AT_FDCWD, link, name, room - 1);
	if (len <= 0 || name[0] != '/')
		return NULL;
	if (len > tail && !memcmp(name + len - tail, deleted, sizeof deleted - 1))
		len -= tail;
	name[len] = 0;
	return name;
}

EXPORT int open_by_handle_at(int mount, struct file_handle *handle, int flags)
{
	char name[4097];
	TIMED(int, open_by_handle_at, mount, handle, flags);
	NOTE(.op = OP_OPEN, .fd = got, .dir = AT_FDCWD, .path = name_of(got, name, sizeof name),
	     .flags = (uint32_t)flags);
	return got;
}
