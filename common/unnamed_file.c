/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/unnamed_file.h"
#include "common/files.h"

#include <libgen.h>
#include <linux/magic.h>
#include <sys/vfs.h>

int unnamed_file_open(const char *dir, struct err *e)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* for file systems without O_TMPFILE */
	SCOPED_FREE char *path = xasprintf("%s/.validate-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		fd = err_sys(e, errno, "%s: cannot create a scratch file", dir);
	else
		unlink(path);
	return fd;
}

int unnamed_file_beside(const char *path, struct err *e)
{
	SCOPED_FREE char *copy = xstrdup(path);
	return unnamed_file_open(dirname(copy), e);
}

int file_read_at(int fd, void *to, size_t n_bytes, uint64_t offset, struct err *e)
{
	const ssize_t got = read_all_at(fd, to, n_bytes, offset);
	return got == (ssize_t)n_bytes
		   ? 0
		   : err_sys(e, got < 0 ? (int)-got : EIO, "cannot read a scratch file");
}

int file_write_at(int fd, const void *from, size_t n_bytes, uint64_t offset, struct err *e)
{
	const int ret = write_all_at(fd, from, n_bytes, offset);
	return ret ? err_sys(e, -ret, "cannot write a scratch file") : 0;
}

int file_reserve(int fd, uint64_t n_bytes)
{
	static const char zeros[65536];
	int ret;
	do
		ret = fallocate(fd, 0, 0, (off_t)n_bytes) < 0 ? -errno : 0;
	while (ret == -EINTR); /* interrupted by a signal: tmpfs releases what it had reserved */
	if (ret != -EOPNOTSUPP && ret != -ENOSYS)
		return ret;
	ret = 0;
	for (uint64_t at = 0, n; at < n_bytes && !ret; at += n) {
		n = n_bytes - at < sizeof zeros ? n_bytes - at : sizeof zeros;
		ret = file_write_at(fd, zeros, n, at, NULL);
	}
	return ret;
}

bool file_in_memory(int fd)
{
	struct statfs v;
	return fstatfs(fd, &v) == 0 && (v.f_type == TMPFS_MAGIC || v.f_type == RAMFS_MAGIC);
}
