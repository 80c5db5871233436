/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/target/rooted.h"

#include <linux/openat2.h>
#include <sys/syscall.h>

#define TEMPORARY (O_TMPFILE & ~O_DIRECTORY) /* the bit of its own */
#define PAGE_BYTES 4096u
#define N_TRIES 100
#define N_LINKS 40 /* as the kernel */

/* --- refusing ------------------------------------------------------------ */

static bool may_be_opened(mode_t mode)
{
	return S_ISREG(mode) || S_ISDIR(mode);
}

int rooted_refuse(const struct rooted *r, const char *path, uint32_t mode)
{
	uint32_t none = 0;
	if (r->refused) {
		atomic_fetch_add(&r->refused->n, 1);
		if (atomic_compare_exchange_strong(&r->refused->mode, &none, mode & S_IFMT))
			snprintf(r->refused->path, sizeof r->refused->path, "%s", path);
	}
	errno = EPERM;
	return -1;
}

/* --- opening ------------------------------------------------------------- */

/* Linux has openat2 since 5.6, and RESOLVE_CACHED since 5.12. */
int rooted_look_cached(int dir_fd, const char *path, uint32_t flags)
{
	struct open_how how = {
		.flags = flags | O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED,
	};
	int fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL))
		errno = EOPNOTSUPP;
	return fd;
}

int rooted_call(int dir_fd, const char *path, uint32_t flags, uint32_t mode)
{
	struct open_how how = {
		.flags = flags,
		/* set-user-ID and set-group-ID are not replayed */
		.mode = flags & (O_CREAT | TEMPORARY) ? mode & 01777 : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;
	int n_tries = 0;
	/* open takes less time than openat2. The system call takes less than the C library's
	 * function, which is a cancellation point */
	if (flags & O_NOFOLLOW && (uintptr_t)path >= PAGE_BYTES && !strchr(path, '/') &&
	    strcmp(path, "..") != 0)
		return (int)syscall(SYS_openat, dir_fd, path, flags, how.mode);
	/* EAGAIN: a rename elsewhere happened during the look-up of a ".."; the kernel asks the
	 * caller to try again */
	do {
		fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
	} while (fd < 0 && errno == EAGAIN && ++n_tries < N_TRIES);
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return (int)fd;
	/* a request that failed with EFAULT: confine.h would read the invalid path */
	if ((uintptr_t)path < PAGE_BYTES) {
		errno = EFAULT;
		return -1;
	}
	path += *path == '/';
	int plain = confined_open(dir_fd, path, (int)flags, (mode_t)how.mode, NULL);
	errno = plain < 0 ? -plain : 0;
	return plain < 0 ? -1 : plain;
}

/* Returns the target path of a dangling link, relative to the root. Errors: NULL with errno. The
 * caller frees. */
static char *behind_link(int dir_fd, const char *path)
{
	char text[PATH_MAX];
	int fd = rooted_look(dir_fd, path, O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	ssize_t n = readlinkat(fd, "", text, sizeof text - 1);
	int error = n < 0 ? EEXIST : 0;
	close(fd);
	errno = error;
	if (n < 0)
		return NULL;
	text[n] = '\0';
	const char *slash = strrchr(path, '/');
	return *text == '/' || !slash ? xstrdup(text)
				      : xasprintf("%.*s/%s", (int)(slash - path), path, text);
}

static bool ends_in_slash(const char *path)
{
	const size_t n = strlen(path);
	return n && path[n - 1] == '/';
}

/* Looks the path up before it opens it. Creates a missing file with O_EXCL; if another process
 * creates the file in the meantime, looks that file up. */
static int open_looked_at(const struct rooted *r, const char *given, uint32_t flags, uint32_t mode)
{
	const char *path = given;
	char *owned = NULL;
	mode_t refused = 0;
	int fd = -1;
	for (int n = 0; n < N_LINKS; n++) {
		int name = rooted_look(r->fd, path, flags & O_NOFOLLOW);
		if (name >= 0) {
			fd = confined_open_found(name, (int)flags, &refused);
			if (refused)
				rooted_refuse(r, given, refused);
			break;
		}
		/* with O_CREAT, a name that ends in a slash gives EISDIR and not ENOTDIR */
		if (!(flags & O_CREAT) ||
		    (errno != ENOENT && !(errno == ENOTDIR && ends_in_slash(path))))
			break;
		fd = rooted_call(r->fd, path, flags | O_EXCL, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
		char *behind = behind_link(r->fd, path);
		if (!behind && errno != EEXIST && errno != ENOENT)
			break;
		if (behind) {
			free(owned);
			path = owned = behind;
		}
	}
	int error = errno;
	free(owned);
	errno = error;
	return fd;
}

/* Handles a failed open: refuses it if its path names a device, FIFO or socket. Otherwise keeps
 * errno. */
static int failure_check(const struct rooted *r, const char *path, uint32_t flags)
{
	struct stat st;
	int error = errno, name = rooted_look(r->fd, path, flags & O_NOFOLLOW);
	bool is = name >= 0 && fstat(name, &st) == 0;
	fd_close(name);
	if (is && !may_be_opened(st.st_mode) && !S_ISLNK(st.st_mode))
		return rooted_refuse(r, path, st.st_mode);
	errno = error;
	return -1;
}

int rooted_open_timed(const struct rooted *r, const char *path, uint32_t flags, uint32_t mode)
{
	if (confined_harmless((int)flags))
		return rooted_call(r->fd, path, flags, mode);
	if (!r->no_devices)
		return open_looked_at(r, path, flags, mode);
	int fd = rooted_call(r->fd, path, flags | O_NONBLOCK, mode);
	if (fd >= 0)
		return fd;
	/* EAGAIN: the file has a lease; an open without O_NONBLOCK waits for it */
	if (errno == EAGAIN)
		return open_looked_at(r, path, flags, mode);
	return errno == EACCES || errno == ENXIO ? failure_check(r, path, flags) : -1;
}

int rooted_settle(const struct rooted *r, int fd, const char *path, uint32_t flags)
{
	struct stat st = {0};
	if (fd < 0 || !r->no_devices || confined_harmless((int)flags))
		return fd;
	if (fstat(fd, &st) == 0 && may_be_opened(st.st_mode)) {
		if (!(flags & O_NONBLOCK))
			(void)fcntl(
			    fd, F_SETFL,
			    /* the call accepts no flags other than those of the open */
			    (int)flags);
		return fd;
	}
	close(fd);
	return rooted_refuse(r, path, st.st_mode);
}

int rooted_kind(const struct rooted *r, const char *path, struct err *e)
{
	struct stat st;
	SCOPED_FD int fd = rooted_look_cached(r->fd, path, 0);
	if (fd < 0) /* the request itself fails if the path cannot be opened */
		return 0;
	if (fstat(fd, &st) < 0)
		return err_sys(e, errno, "%s: cannot examine it", path);
	if (!may_be_opened(st.st_mode))
		return err_set(e, EPERM, "%s: refused: it is %s; a replay opens only regular files "
			"and directories", path, confined_kind_name(st.st_mode));
	return 1;
}
