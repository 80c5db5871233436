/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/no_devices.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The clone of the mounts at and below the directory; -1 with errno. */
static int clone_here(int at, const char *path)
{
	struct mount_attr nodev = {.attr_set = MOUNT_ATTR_NODEV, .propagation = MS_PRIVATE};
	const unsigned int how = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH;
	int tree = (int)syscall(SYS_open_tree, at, path, how);
	if (tree < 0 || syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &nodev, sizeof nodev) == 0)
		return tree;
	int error = errno;
	close(tree);
	errno = error;
	return -1;
}

/* The child process: its working directory stays the same directory when it enters namespaces of its own. */
static _Noreturn void child(int dir_fd, int place)
{
	if (fchdir(dir_fd) || unshare(CLONE_NEWUSER | CLONE_NEWNS))
		_exit(1);
	int tree = clone_here(AT_FDCWD, ".");
	_exit(tree < 0 || dup3(tree, place, O_CLOEXEC) < 0 || close(tree));
}

/* The same by a child process that shares this process's descriptors, and no signal tells that it ended. */
static int clone_by_child(int dir_fd)
{
	int status = 1, place = fcntl(dir_fd, F_DUPFD_CLOEXEC, 3);
	if (place < 0)
		return -1;
	pid_t pid = (pid_t)syscall(SYS_clone, (unsigned long)CLONE_FILES, NULL, NULL, NULL, NULL);
	if (pid == 0)
		child(dir_fd, place);
	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	if (pid > 0 && status == 0)
		return place;
	close(place);
	return -1;
}

int no_devices_open(const char *dir, int *tree, struct err *e)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = open(dir, flags);
	*tree = -1;
	if (fd < 0)
		return err_sys(e, errno, "%s", dir);
	*tree = clone_here(fd, "");
	if (*tree < 0)
		*tree = clone_by_child(fd);
	int inside = *tree < 0 ? -1 : openat(*tree, ".", flags);
	if (inside >= 0) {
		close(fd);
		return inside;
	}
	if (*tree >= 0)
		close(*tree);
	*tree = -1;
	return fd;
}
