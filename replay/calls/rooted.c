/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/calls/rooted.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/confine.h"

#define TEMPORARY (O_TMPFILE & ~O_DIRECTORY) /* the bit of its own */
#define N_TRIES 100

uint32_t rooted_flags(uint32_t traced)
{
	const uint32_t known = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC | O_DSYNC | O_DIRECT |
			       O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_TMPFILE | O_PATH | O_CLOEXEC;
	if (traced & O_PATH)
		return traced & (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return (traced & known) | O_NOCTTY;
}

int rooted_open(int dir_fd, const char *path, uint32_t flags, uint32_t mode)
{
	struct open_how how = {
		.flags = flags,
		.mode = flags & (O_CREAT | TEMPORARY) ? mode & 01777 : 0, /* set-user-ID and set-group-ID are not replayed */
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;
	int n_tries = 0;
	do { /* EAGAIN: a rename elsewhere raced with a ".."; the kernel asks to try again */
		fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
	} while (fd < 0 && errno == EAGAIN && ++n_tries < N_TRIES);
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return (int)fd;
	path += *path == '/';
	int plain = confined_open(dir_fd, path, (int)flags, (mode_t)how.mode, NULL);
	errno = plain < 0 ? -plain : 0;
	return plain < 0 ? -1 : plain;
}

int rooted_kind(int dir_fd, const char *path, struct err *e)
{
	struct stat st;
	int fd = rooted_open(dir_fd, path, O_PATH, 0);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG))
		return 0; /* the trace may have met the same: the request itself will tell */
	if (fd < 0)
		return err_sys(e, errno, "%s: cannot be looked up", path);
	int ret = fstat(fd, &st) < 0 ? err_sys(e, errno, "%s: cannot be looked at", path) : 1;
	if (ret > 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		ret = err_set(e, EPERM, "%s: neither a file nor a directory; a replay opens nothing else", path);
	close(fd);
	return ret;
}
