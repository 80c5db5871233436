/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file system (FUSE) that shows a directory and makes the n-th request of a family fail
 * (inject.h).
 *
 * usage: eio_fs DIR MOUNTPOINT STATE      runs until it is unmounted
 *
 * A file whose read failed stays unreadable until the next plan, because the kernel repeats the
 * request for a page that it could not read ahead. */
#define FUSE_USE_VERSION 35
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "inject.h"

static int root = -1;
static struct inject_state *state;
static char broken[4096]; /* the file whose read failed */

/* Returns the fault that the request must have, as a negative errno, or 0. */
static int due(enum family f, const char *path)
{
	uint64_t n = atomic_fetch_add(&state->count[f], 1) + 1;
	if (!path) /* a file that was removed while it is open */
		path = "";
	if (state->log_sites && n <= MAX_LOGGED)
		state->site[f][n - 1] = (uint32_t)n; /* every request is a site of its own */
	if (state->hit == HIT_NONE)
		*broken = 0;
	if (f == READ && *broken && !strcmp(broken, path) && state->nth)
		return -(int)state->fault;
	if (state->family != (uint32_t)f || state->nth != n || state->fault == FAULT_SHORT)
		return 0;
	if (f == READ)
		snprintf(broken, sizeof broken, "%s", path);
	atomic_store(&state->hit, HIT_FAILED);
	return -(int)state->fault;
}

static const char *below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static int result(int ret)
{
	return ret < 0 ? -errno : 0;
}

static int fs_getattr(const char *path, struct stat *st, struct fuse_file_info *i)
{
	int fault = due(STAT, path);
	return fault ? fault
		     : result(i ? fstat((int)i->fh, st)
				: fstatat(root, below(path), st, AT_SYMLINK_NOFOLLOW));
}

static int fs_readlink(const char *path, char *to, size_t n)
{
	ssize_t len = readlinkat(root, below(path), to, n - 1);
	if (len < 0)
		return -errno;
	to[len] = 0;
	return 0;
}

static int fs_opendir(const char *path, struct fuse_file_info *i)
{
	int fault = due(OPENDIR, path),
	    fd = fault ? -1 : openat(root, below(path), O_RDONLY | O_DIRECTORY);
	i->fh = (uint64_t)fd;
	return fault ? fault : fd < 0 ? -errno : 0;
}

static int fs_readdir(const char *path, void *to, fuse_fill_dir_t fill, off_t at,
		      struct fuse_file_info *i, enum fuse_readdir_flags how)
{
	(void)at;
	(void)how;
	int fault = due(READDIR, path),
	    fd = fault ? -1 : openat((int)i->fh, ".", O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	if (!d)
		return fault ? fault : -errno;
	while ((e = readdir(d)))
		fill(to, e->d_name, NULL, 0, 0);
	closedir(d);
	return 0;
}

static int fs_open(const char *path, struct fuse_file_info *i)
{
	int fault = due(OPEN, path);
	int fd = fault ? -1 : openat(root, below(path), i->flags & ~O_NOFOLLOW);
	i->fh = (uint64_t)fd;
	return fault ? fault : fd < 0 ? -errno : 0;
}

static int fs_create(const char *path, mode_t mode, struct fuse_file_info *i)
{
	int fault = due(OPEN, path);
	int fd = fault ? -1 : openat(root, below(path), i->flags | O_CREAT, mode);
	i->fh = (uint64_t)fd;
	return fault ? fault : fd < 0 ? -errno : 0;
}

static int fs_read(const char *path, char *to, size_t n, off_t at, struct fuse_file_info *i)
{
	int fault = due(READ, path);
	ssize_t got = fault ? 0 : pread((int)i->fh, to, n, at);
	return fault ? fault : got < 0 ? -errno : (int)got;
}

static int fs_write(const char *path, const char *from, size_t n, off_t at,
		    struct fuse_file_info *i)
{
	int fault = due(WRITE, path);
	ssize_t put = fault ? 0 : pwrite((int)i->fh, from, n, at);
	return fault ? fault : put < 0 ? -errno : (int)put;
}

static int fs_flush(const char *path, struct fuse_file_info *i)
{
	(void)i;
	return due(CLOSE, path);
}

static int fs_fsync(const char *path, int data_only, struct fuse_file_info *i)
{
	(void)i;
	(void)data_only;
	return due(SYNC, path);
}

static int fs_release(const char *path, struct fuse_file_info *i)
{
	(void)path;
	return result(close((int)i->fh));
}

static int fs_truncate(const char *path, off_t n, struct fuse_file_info *i)
{
	int fault = due(TRUNCATE, path);
	if (fault)
		return fault;
	if (i)
		return result(ftruncate((int)i->fh, n));
	int fd = openat(root, below(path), O_WRONLY),
	    ret = fd < 0 ? -errno : result(ftruncate(fd, n));
	if (fd >= 0)
		close(fd);
	return ret;
}

static int fs_mkdir(const char *path, mode_t mode)
{
	int fault = due(MKDIR, path);
	return fault ? fault : result(mkdirat(root, below(path), mode));
}

static int fs_unlink(const char *path)
{
	int fault = due(UNLINK, path);
	return fault ? fault : result(unlinkat(root, below(path), 0));
}

static int fs_rmdir(const char *path)
{
	int fault = due(UNLINK, path);
	return fault ? fault : result(unlinkat(root, below(path), AT_REMOVEDIR));
}

static int fs_rename(const char *a, const char *b, unsigned int flags)
{
	int fault = due(RENAME, a);
	return fault ? fault : result(renameat2(root, below(a), root, below(b), flags));
}

static int fs_symlink(const char *target, const char *path)
{
	return result(symlinkat(target, root, below(path)));
}

static int fs_link(const char *a, const char *b)
{
	int fault = due(RENAME, a);
	return fault ? fault : result(linkat(root, below(a), root, below(b), 0));
}

static int fs_chmod(const char *path, mode_t mode, struct fuse_file_info *i)
{
	if (i)
		return result(fchmod((int)i->fh, mode));
	return result(fchmodat(root, below(path), mode, 0));
}

static int fs_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *i)
{
	if (i)
		return result(fchown((int)i->fh, uid, gid));
	return result(fchownat(root, below(path), uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int fs_utimens(const char *path, const struct timespec t[2], struct fuse_file_info *i)
{
	if (i)
		return result(futimens((int)i->fh, t));
	return result(utimensat(root, below(path), t, AT_SYMLINK_NOFOLLOW));
}

static int fs_statfs(const char *path, struct statvfs *s)
{
	(void)path;
	return result(fstatvfs(root, s));
}

static void *fs_init(struct fuse_conn_info *connection, struct fuse_config *how)
{
	(void)connection;
	how->attr_timeout = how->entry_timeout = how->negative_timeout = 0;
	how->hard_remove = 1;
	/* a file keeps its inode number although the kernel forgets it: cp compares the numbers */
	how->use_ino = 1;
	how->nullpath_ok = 1;
	return NULL;
}

static const struct fuse_operations operations = {
    .getattr = fs_getattr,   .readlink = fs_readlink, .opendir = fs_opendir, .readdir = fs_readdir, .releasedir = fs_release,
    .open = fs_open, .create = fs_create,
    .read = fs_read,	     .write = fs_write,	      .flush = fs_flush,     .fsync = fs_fsync, .release = fs_release,
    .truncate = fs_truncate, .mkdir = fs_mkdir,	      .unlink = fs_unlink,   .rmdir = fs_rmdir, .rename = fs_rename,
    .symlink = fs_symlink,   .link = fs_link,	      .chmod = fs_chmod,     .chown = fs_chown, .utimens = fs_utimens,
    .statfs = fs_statfs,     .init = fs_init};

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: eio_fs DIR MOUNTPOINT STATE\n");
		return 2;
	}
	int fd = open(argv[3], O_RDWR | O_CLOEXEC);
	root = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED
			 : mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || root < 0) {
		fprintf(stderr, "eio_fs: cannot open %s or %s: %s\n", argv[1], argv[3],
			strerror(errno));
		return 3;
	}
	state = p;
	umask(0);
	char *arguments[] = {argv[0], argv[2], "-f", "-s", NULL};
	return fuse_main(4, arguments, &operations, NULL);
}
