/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/confine.h"

#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define N_TRIES 100

/* Copies the next component of *path to `name`; false at the end. Skips "." and repeated slashes.
 */
static bool next_component(const char **path, char name[NAME_MAX + 1], bool *too_long)
{
	for (;;) {
		*path += strspn(*path, "/");
		size_t len = strcspn(*path, "/");
		if (!len)
			return false;
		bool dot = len == 1 && **path == '.';
		*too_long = len > NAME_MAX;
		if (!dot && !*too_long) {
			memcpy(name, *path, len);
			name[len] = 0;
		}
		*path += len;
		if (!dot)
			return true;
	}
}

int confined_path_check(const char *path, struct err *e)
{
	char name[NAME_MAX + 1];
	bool too_long;
	if (!*path)
		return err_set(e, EINVAL, "the path of a file is empty");
	if (*path == '/')
		return err_set(
		    e, EINVAL,
		    "path \"%s\" is absolute: only paths below the target directory are allowed",
		    path);
	for (const char *p = path; next_component(&p, name, &too_long);) {
		if (too_long)
			return err_set(e, ENAMETOOLONG,
				       "path \"%s\" contains a name longer than %d bytes", path,
				       NAME_MAX);
		if (!strcmp(name, ".."))
			return err_set(e, EINVAL,
				       "path \"%s\" leaves the target directory by \"..\"", path);
	}
	return 0;
}

/* Opens all components of the path one after the other, each relative to the descriptor of its
 * directory, without following links. */
static int path_walk(int dir_fd, const char *path, int flags, mode_t mode)
{
	char name[NAME_MAX + 1], following[NAME_MAX + 1];
	bool too_long;
	int fd = dir_fd;
	if (!next_component(&path, name, &too_long))
		return openat(dir_fd, ".", flags, mode);
	while (next_component(&path, following, &too_long)) {
		int next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int code = errno;
		struct stat st;
		/* O_DIRECTORY gives ENOTDIR also for a symbolic link */
		if (next < 0 && code == ENOTDIR && !fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISLNK(st.st_mode))
			code = ELOOP;
		if (fd != dir_fd)
			close(fd);
		errno = code;
		if (next < 0)
			return -1;
		fd = next;
		strcpy(name, following);
	}
	int got = openat(fd, name, flags, mode), code = errno;
	if (fd != dir_fd)
		close(fd);
	errno = code;
	return got;
}

/* Whether `path` itself is a link, for which O_DIRECTORY gives ENOTDIR. */
static bool is_link(int dir_fd, const char *path)
{
	struct stat st;
	SCOPED_FD int fd = confined_open(dir_fd, path, O_PATH, 0, NULL);
	return fd >= 0 && !fstat(fd, &st) && S_ISLNK(st.st_mode);
}

/* --- inspecting before opening ------------------------------------------- */

const char *confined_kind_name(mode_t mode)
{
	return S_ISLNK(mode)    ? "a link"
	       : S_ISDIR(mode)  ? "a directory"
	       : S_ISBLK(mode)  ? "a block device"
	       : S_ISCHR(mode)  ? "a character device"
	       : S_ISFIFO(mode) ? "a FIFO"
				: "a socket";
}

int confined_open_found(int name, int flags, mode_t *refused)
{
	char self[40];
	struct stat st;
	int fd = -1, code = fstat(name, &st) ? errno : 0;
	*refused = 0;
	if (!code && S_ISLNK(st.st_mode)) {
		code = ELOOP;
	} else if (!code && S_ISDIR(st.st_mode) && flags & O_CREAT) {
		code = EISDIR;
	} else if (!code && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		*refused = st.st_mode & S_IFMT;
		code = EPERM;
	} else if (!code) {
		snprintf(self, sizeof self, "/proc/self/fd/%d", name);
		fd = open(self, flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW));
		code = fd < 0 ? errno : 0;
	}
	close(name);
	errno = code;
	return fd;
}

static int open_below(int dir_fd, const char *path, int flags, mode_t mode)
{
	mode = flags & (O_CREAT | __O_TMPFILE) ? mode : 0;
	struct open_how how = {.flags = (uint64_t)(unsigned int)flags,
			       .mode = mode,
			       .resolve =
				   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
	long fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
	/* some containers return EPERM for a missing system call; if the EPERM is real, the walk
	 * gets it again */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = path_walk(dir_fd, path, flags, mode);
	return (int)fd;
}

/* Inspects the file before opening it. Creates a missing file with O_EXCL. If a file appears
 * meanwhile, the next try inspects it. */
static int open_looked_at(int dir_fd, const char *path, int flags, mode_t mode, mode_t *refused)
{
	int fd = -1;
	for (int n_tries = 0; n_tries < N_TRIES; n_tries++) {
		int name = open_below(dir_fd, path, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
		if (name >= 0)
			return confined_open_found(name, flags, refused);
		if (errno != ENOENT || !(flags & O_CREAT))
			return -1;
		fd = open_below(dir_fd, path, flags | O_EXCL, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

int confined_open(int dir_fd, const char *path, int flags, mode_t mode, struct err *e)
{
	mode_t refused = 0;
	int ret = confined_path_check(path, e);
	if (ret)
		return ret;
	flags |= O_CLOEXEC | O_NOFOLLOW | (flags & O_PATH ? 0 : O_NOCTTY);
	int fd = confined_harmless(flags) ? open_below(dir_fd, path, flags, mode)
					  : open_looked_at(dir_fd, path, flags, mode, &refused);
	if (fd >= 0)
		return fd;
	int code = errno;
	if (refused)
		return err_set(e, EPERM, "%s: refused: it is %s, not a regular file or a directory",
			       path, confined_kind_name(refused));
	if (code == ENOTDIR && flags & O_DIRECTORY && is_link(dir_fd, path))
		code = ELOOP;
	if (code == ELOOP || code == EXDEV)
		return err_set(e, EPERM, "%s: refused: its path has a symbolic link", path);
	return err_sys(e, code, "cannot open %s", path);
}

static int open_directory(int dir_fd, const char *path, bool create, struct err *e)
{
	const int flags = O_PATH | O_DIRECTORY;
	int fd = confined_open(dir_fd, path, flags, 0, create ? NULL : e);
	if (fd >= 0 || !create)
		return fd;
	if (fd != -ENOENT)
		return confined_open(dir_fd, path, flags, 0, e); /* repeats it for the message */
	const char *name;
	SCOPED_FD int parent = confined_parent(dir_fd, path, true, &name, e);
	if (parent < 0)
		return parent;
	int ret = mkdirat(parent, name, 0777) && errno != EEXIST
		     ? err_sys(e, errno, "%s: cannot create the directory", path)
		     : 0;
	return ret ? ret : confined_open(dir_fd, path, flags, 0, e);
}

int confined_parent(int dir_fd, const char *path, bool create, const char **name, struct err *e)
{
	int ret = confined_path_check(path, e);
	if (ret)
		return ret;
	const char *slash = strrchr(path, '/');
	*name = slash ? slash + 1 : path;
	if (!**name || !strcmp(*name, "."))
		return err_set(e, EINVAL, "path \"%s\" does not end in a name", path);
	SCOPED_FREE char *parent = slash ? xstrdup(path) : xstrdup(".");
	size_t len = slash ? (size_t)(slash - path) : 1;
	while (len > 1 &&
	       (parent[len - 1] == '/' || (parent[len - 1] == '.' && parent[len - 2] == '/')))
		len--; /* the parent of "a//b" and "a/./b" is "a" */
	parent[len] = 0;
	return open_directory(dir_fd, parent, create, e);
}

/* --- a directory without devices ----------------------------------------- */

/* Clones the mounts at and below the directory. Returns a descriptor, or -1 with errno. */
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

/* Runs in the child process. The working directory remains the same when the child enters its own
 * namespaces. */
static _Noreturn void child_run(int dir_fd, int place)
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
		return err_sys(e, errno, "cannot open directory %s", dir);
	int place = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (place < 0)
		return fd;
	pid_t pid = (pid_t)syscall(SYS_clone, (unsigned long)CLONE_FILES, NULL, NULL, NULL, NULL);
	if (pid == 0)
		child_run(fd, place);
	if (pid > 0)
		TEMP_FAILURE_RETRY(waitpid(pid, &status, __WALL));
	if (pid > 0 && status == 0)
		*tree = place;
	else
		close(place);
	return fd;
}
