/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bind(2) of a UNIX socket to a path creates a file. It is recorded as mknod of a socket with mode
 * 0777 less the umask. Source: unix(7). */
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "capture/op.h"
#include "capture/preload/core.h"

/* Copies the path of the address and a NUL to `to`. Returns false if the address has no path
 * (another family, or an abstract name). */
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
	if (got < 0 && saved == EADDRINUSE) /* the name exists: EEXIST of mknod */
		errno = EEXIST;
	NOTE(.op = OP_MKNOD, .dir = AT_FDCWD, .path = path, .length = S_IFSOCK | 0777);
	errno = saved;
	return got;
}
