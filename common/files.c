/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/files.h"

#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "common/file_beside.h"
#include "common/leftovers.h"

int file_put_text(const char *path, const char *text)
{
	SCOPED_FD int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;
}

int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;
	while (len) {
		ssize_t n =
		    TEMP_FAILURE_RETRY(write(fd, p, len < INT32_MAX ? len : INT32_MAX));
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int write_all_at(int fd, const void *data, size_t len, uint64_t offset)
{
	for (const char *p = data; len;) {
		ssize_t n = TEMP_FAILURE_RETRY(pwrite(fd, p, len, (off_t)offset));
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

ssize_t read_all_at(int fd, void *to, size_t len, uint64_t offset)
{
	size_t done = 0;
	for (ssize_t n = 1; n && done < len; done += (size_t)n) {
		n = TEMP_FAILURE_RETRY(
		    pread(fd, (char *)to + done, len - done, (off_t)(offset + done)));
		if (n < 0)
			return -errno;
	}
	return (ssize_t)done;
}

/* A rename is durable only after a sync of the directory. Some file systems do not support that,
 * which is no error. */
static int sync_parent(const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	SCOPED_FREE char *dir = !slash          ? xstrdup(".")
				: slash == path ? xstrdup("/")
						: xasprintf("%.*s", (int)(slash - path), path);
	int ret = 0;
	SCOPED_FD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		ret = err_sys(e, errno, "cannot open directory %s", dir);
	else if (fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
		ret = err_sys(e, errno, "cannot sync directory %s", dir);
	return ret;
}

int file_is_in_place(const char *path, struct err *e)
{
	static const char process[] = "/proc/";
	char link[sizeof process];
	struct stat st;
	if (stat(path, &st) < 0)
		return 0; /* creating the file will report the error */
	if (S_ISBLK(st.st_mode))
		return err_set(e, EINVAL,
			       "%s is a block device: name a regular file for the output", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 1;
	ssize_t n = readlink(path, link, sizeof link);
	return n >= (ssize_t)sizeof process - 1 && !memcmp(link, process, sizeof process - 1);
}

static int write_in_place(const char *path, const void *data, size_t len, struct err *e)
{
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "cannot open %s", path);
	int ret = write_all(fd, data, len);
	if (ret)
		ret = err_sys(e, -ret, "cannot write %s", path);
	if (close(fd) < 0 && !ret)
		ret = err_sys(e, errno, "cannot close %s", path);
	return ret;
}

int file_write_atomic(const char *path, const void *data, size_t len, struct err *e)
{
	int ret = file_is_in_place(path, e);
	if (ret)
		return ret < 0 ? ret : write_in_place(path, data, len, e);
	char *name;
	int fd = file_beside(path, 0666, &name, e);
	if (fd < 0)
		return fd;
	ret = write_all(fd, data, len);
	if (ret)
		ret = err_sys(e, -ret, "cannot write %s", path);
	else if (fsync(fd) < 0)
		ret = err_sys(e, errno, "cannot sync %s", path);
	if (close(fd) < 0 && !ret)
		ret = err_sys(e, errno, "cannot close %s", path);
	ret = file_beside_keep(name, path, ret, e);
	return ret ? ret : sync_parent(path, e);
}

int file_open_regular(const char *path, int flags, struct err *e)
{
	struct stat st;
	int fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "cannot open %s", path);
	int ret = fstat(fd, &st) < 0 ? err_sys(e, errno, "cannot examine %s", path) : 0;
	if (!ret && S_ISDIR(st.st_mode))
		ret = err_sys(e, EISDIR, "cannot read %s", path);
	else if (!ret && !S_ISREG(st.st_mode))
		ret = err_set(e, EINVAL, "%s is not a regular file but a %s", path,
			      S_ISFIFO(st.st_mode) ? "pipe" : "device or socket");
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int file_read(const char *path, struct strbuf *out, size_t max_bytes, struct err *e)
{
	int fd = file_open_regular(path, O_RDONLY, e);
	if (fd < 0)
		return fd;
	size_t before = out->len;
	int ret = 0;
	char chunk[16384];
	for (;;) {
		ssize_t n = TEMP_FAILURE_RETRY(read(fd, chunk, sizeof chunk));
		if (n < 0)
			ret = err_sys(e, errno, "cannot read %s", path);
		if (n <= 0)
			break;
		if (max_bytes && (size_t)n > max_bytes - (out->len - before)) {
			ret = err_set(e, EFBIG,
				      "%s is larger than the limit of %zu bytes for this file",
				      path, max_bytes);
			break;
		}
		strbuf_add(out, chunk, (size_t)n);
	}
	close(fd);
	if (ret && out->cap) {
		out->len = before;
		out->s[before] = 0;
	}
	return ret;
}

char *file_read_line(const char *path)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	if (file_read(path, &text, 1 << 16, NULL))
		return NULL;
	strbuf_addch(&text, '\n'); /* gives an empty file memory, too */
	char *line = text.s + strspn(text.s, " \t\n");
	line[strcspn(line, "\n")] = 0;
	size_t len = strlen(line);
	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r'))
		line[--len] = 0;
	return xstrdup(line);
}

bool path_exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

int path_is_there(const char *path, struct err *e)
{
	struct stat st;
	if (lstat(path, &st) == 0)
		return 1;
	return errno == ENOENT || errno == ENOTDIR ? 0
						   : err_sys(e, errno, "cannot examine %s", path);
}

struct dirent *dir_next(DIR *d, int *code)
{
	errno = 0;
	struct dirent *entry = readdir(d);
	*code = entry ? 0 : errno;
	return entry;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int output_check_input(const char *output, const char *input, struct err *e)
{
	struct stat st;
	bool lost = output && input && strcmp(output, "-") && is_same_file(output, input) &&
		    stat(output, &st) == 0 && S_ISREG(st.st_mode);
	return lost ? err_set(e, EINVAL, "%s: the output would overwrite the input", output) : 0;
}

int file_lock(int fd)
{
	int ret;
	for (int n = 0; (ret = flock(fd, LOCK_EX | LOCK_NB)) < 0 && errno == EWOULDBLOCK && n < 100;
	     n++)
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	return ret;
}

int dir_create(const char *path, struct err *e)
{
	SCOPED_FREE char *copy = xstrdup(path);
	int ret = 0;
	if (!*copy)
		return err_set(e, EINVAL, "cannot create a directory: the name is empty");
	for (char *p = copy + 1;; p++) {
		if (*p && *p != '/')
			continue;
		char end = *p;
		*p = 0;
		struct stat st;
		if (mkdir(copy, 0777) < 0) {
			int code = errno;
			/* for an existing parent that is read-only or of another user, mkdir() may
			 * fail with EROFS or EACCES instead of EEXIST */
			if (stat(copy, &st) < 0)
				ret = err_sys(e, code, "cannot create directory %s", copy);
			else if (!S_ISDIR(st.st_mode))
				ret = err_set(e, ENOTDIR, "%s exists and is not a directory", copy);
		}
		*p = end;
		if (ret || !end)
			return ret;
	}
}

#define MAX_TREE_DEPTH 256
#define MOUNTED "cannot remove %s: another file system is mounted there"

/* Opens directory `name` below `dir`. Follows no link and enters no other mount. */
static int open_below(int dir, const char *name)
{
	struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
			       .resolve = RESOLVE_NO_XDEV | RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
	long fd = syscall(SYS_openat2, dir, name, &how, sizeof how);
	/* an old kernel or a sandbox does not have openat2(); the check of the device number
	 * remains */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* Makes the directory accessible to its owner, because a replay may have made a directory without
 * these permissions. Does not follow a link. */
static void make_enterable(int dir, const char *name, const struct stat *st)
{
	char self[64];
	if ((st->st_mode & 0700) == 0700 || st->st_uid != geteuid())
		return;
	int fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	(void)!chmod(self, 0700); /* if it fails, the next call reports the failure */
	close(fd);
}

struct removing {
	int top; /* the directory that is removed */
	dev_t device;
	bool moved; /* a directory too deep to enter was moved below the top */
};

/* `code`: the errno of unlinkat(). */
static int remove_entry(struct removing *r, int fd, const char *name, const char *path, int depth,
			int code, struct err *e);

/* Empties the directory open at `fd`, and closes it. `path` is for messages. */
static int remove_content(struct removing *r, int fd, const char *path, int depth, struct err *e)
{
	DIR *d = fdopendir(fd);
	if (!d) {
		int ret = err_sys(e, errno, "cannot read directory %s", path);
		close(fd);
		return ret;
	}
	int ret = 0, code = 0;
	struct dirent *entry;
	while (!ret && (entry = dir_next(d, &code))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT)
			continue;
		const int why = errno;
		SCOPED_FREE char *below = xasprintf("%s/%s", path, entry->d_name);
		ret = remove_entry(r, fd, entry->d_name, below, depth, why, e);
	}
	if (!ret && code)
		ret = err_sys(e, code, "cannot read directory %s", path);
	closedir(d);
	return ret;
}

static int remove_entry(struct removing *r, int fd, const char *name, const char *path, int depth,
			int code, struct err *e)
{
	struct stat st;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
		return err_sys(e, code, "cannot remove %s", path);
	make_enterable(fd, name, &st);
	if (depth >= MAX_TREE_DEPTH) {
		char up[40];
		snprintf(up, sizeof up, ".deep-%llu", (unsigned long long)st.st_ino);
		r->moved = true;
		return renameat(fd, name, r->top, up) < 0
			   ? err_sys(e, errno, "cannot move %s before its removal", path)
			   : 0;
	}
	const int sub = st.st_dev != r->device ? -EXDEV : open_below(fd, name);
	if (sub == -EXDEV)
		return err_set(e, EXDEV, MOUNTED, path);
	if (sub < 0)
		return err_sys(e, -sub, "cannot open directory %s", path);
	int ret = remove_content(r, sub, path, depth + 1, e);
	if (!ret && unlinkat(fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		ret = err_sys(e, errno, "cannot remove directory %s", path);
	return ret;
}

/* Removes `name` in `parent`. The directory `name` is open at `top`, which is closed. */
static int remove_opened(int top, int parent, const char *name, const char *path, struct err *e)
{
	struct removing r = {.top = top};
	struct stat st = {0};
	int ret = fstat(top, &st) < 0 ? err_sys(e, errno, "cannot examine directory %s", path) : 0;
	r.device = st.st_dev;
	do {
		r.moved = false;
		const int fd = ret ? -1 : openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (!ret)
			ret = fd < 0 ? err_sys(e, errno, "cannot open directory %s", path)
				     : remove_content(&r, fd, path, 0, e);
	} while (!ret && r.moved);
	close(top);
	if (!ret && unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		ret = err_sys(e, errno, "cannot remove directory %s", path);
	return ret;
}

int dir_remove_at(int parent, const char *name, const char *path, struct err *e)
{
	const int top = open_below(parent, name);
	if (top == -EXDEV)
		return err_set(e, EXDEV, MOUNTED, path);
	if (top < 0)
		return top == -ENOENT ? 0 : err_sys(e, -top, "cannot open directory %s", path);
	return remove_opened(top, parent, name, path, e);
}

int dir_remove_tree(const char *path, struct err *e)
{
	SCOPED_FREE char *name = xstrdup(path);
	for (size_t len = strlen(name); len > 1 && name[len - 1] == '/'; len--)
		name[len - 1] = 0; /* otherwise, "link/" would follow the link */
	int ret = 0;
	/* rmdir() first: an empty directory can be removed even if no descriptor is free */
	if (rmdir(name) < 0) {
		const int top = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (top >= 0)
			ret = remove_opened(top, AT_FDCWD, name, name, e);
		else if (errno != ENOENT)
			ret = err_sys(e, errno, "cannot open directory %s", name);
	}
	leftover_drop(path);
	return ret;
}

int path_remove(const char *path, struct err *e)
{
	struct stat st;
	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return dir_remove_tree(path, e);
	return unlink(path) == 0 || errno == ENOENT ? 0
						    : err_sys(e, errno, "cannot remove %s", path);
}

char *command_path(const char *name)
{
	const char *path = getenv("PATH");
	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : xstrdup(name);
	for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *path;
	     path += strspn(path, ":")) {
		size_t len = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)len, path, name);
		struct stat st;
		if (!access(file, X_OK) && !stat(file, &st) && S_ISREG(st.st_mode))
			return file;
		free(file);
		path += len;
	}
	errno = ENOENT;
	return NULL;
}

char *program_path(struct err *e)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	if (n < 0) {
		err_sys(e, errno, "cannot find the file of this program (is /proc mounted?)");
		return NULL;
	}
	path[n] = 0;
	return xstrdup(path);
}
