/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/no_devices.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Clones the mounts at and below the directory; -1 with errno. */
static int clone_here(int at, const char *path)
{
	struct mount_attr nodev = {.attr_set = MOUNT_ATTR_NODEV, .propagation = MS_PRIVATE};
	const unsigned int how = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH;
	int tree = (int)syscall(SYS_open_tree, at, path, how);
	if (tree < 0 || syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &nodev,
				sizeof nodev) == 0)
		return tree;
	int error = errno;
	close(tree);
	errno = error;
	return -1;
}

enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

/* The child process. Its working directory stays the same directory when it enters its own
 * namespaces. */
static _Noreturn void child(int dir_fd, int place)
{
	int tree = clone_here(dir_fd, ".");
	if (tree < 0 && !fchdir(dir_fd) && !unshare(CLONE_NEWUSER | CLONE_NEWNS))
		tree = clone_here(AT_FDCWD, ".");
	int inside = tree < 0 ? -1 : openat(tree, ".", FLAGS);
	bool set = inside >= 0 && dup3(tree, place, O_CLOEXEC) >= 0 &&
		   dup3(inside, dir_fd, O_CLOEXEC) >= 0;
	fd_close(tree);
	fd_close(inside);
	_exit(!set);
}

int no_devices_open(const char *dir, int *tree, struct err *e)
{
	int fd = open(dir, FLAGS), status = 1;
	*tree = -1;
	if (fd < 0)
		return err_sys(e, errno, "%s", dir);
	int place = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (place < 0)
		return fd;
	pid_t pid = (pid_t)syscall(SYS_clone, (unsigned long)CLONE_FILES, NULL, NULL, NULL, NULL);
	if (pid == 0)
		child(fd, place);
	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	if (pid > 0 && status == 0)
		*tree = place;
	else
		close(place);
	return fd;
}
