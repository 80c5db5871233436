/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int block_facts(struct device *d, const char *path, struct err *e)
{
	int logical = 512, read_only = 0;
	unsigned int physical = 0;
	if (ioctl(d->fd, BLKGETSIZE64, &d->n_bytes) < 0)
		return err_sys(e, errno, "%s: cannot tell its size", path);
	ioctl(d->fd, BLKSSZGET, &logical);
	ioctl(d->fd, BLKPBSZGET, &physical);
	ioctl(d->fd, BLKROGET, &read_only);
	d->logical_bytes = (uint32_t)logical;
	d->physical_bytes = physical;
	d->read_only = read_only != 0;
	return 0;
}

/* What direct I/O on a file of this file system must be aligned to. */
static uint32_t file_alignment(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx x;
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) && x.stx_mask & STATX_DIOALIGN && x.stx_dio_offset_align)
		return x.stx_dio_offset_align;
#else
	(void)fd;
#endif
	return 512;
}

static int facts(struct device *d, const char *path, struct err *e)
{
	struct stat st;
	if (fstat(d->fd, &st) < 0)
		return err_sys(e, errno, "%s", path);
	d->is_block = S_ISBLK(st.st_mode);
	if (!d->is_block && !S_ISREG(st.st_mode))
		return err_set(e, ENOTBLK, "%s is neither a block device nor a regular file", path);
	d->n_bytes = (uint64_t)st.st_size;
	d->logical_bytes = file_alignment(d->fd);
	int ret = 0;
	if (d->is_block) {
		d->number = st.st_rdev;
		ret = block_facts(d, path, e);
	}
	if (!ret && !d->n_bytes)
		ret = err_set(e, EINVAL, "%s is empty: there is nothing to make requests on", path);
	return ret;
}

static int in_use(const struct device_uses *u, const char *path, struct err *e)
{
	if (u->n == 1)
		return err_set(e, EBUSY, "%s: refused, nothing was written: %s", path, u->text[0]);
	return err_set(e, EBUSY, "%s: refused, nothing was written: %s; and %zu more reason%s", path, u->text[0], u->n - 1,
		       u->n == 2 ? "" : "s");
}

/* `d->fd` is open for reading. */
static int examine(const struct device *d, const char *path, enum device_how how, bool *refused, struct err *e)
{
	struct stat st;
	struct device_uses uses;
	if (fstat(d->fd, &st) < 0)
		return err_sys(e, errno, "%s", path);
	int ret = device_uses_find(&uses, &device_system, path, &st, e);
	if (ret)
		return ret;
	char *kind = NULL;
	if (uses.n)
		ret = in_use(&uses, path, e);
	else if (how == DEVICE_WRITE)
		ret = device_signature(d->fd, &kind, e);
	if (kind)
		ret = err_set(e, EBUSY, "%s: refused, nothing was written: there is %s on it (\"wipefs -a\" removes it, if it may be lost)", path, kind);
	*refused = uses.n || kind;
	free(kind);
	device_uses_release(&uses);
	return ret;
}

/* Opened anew as it will be used, through the descriptor that was looked at: another device put under the same name is not meant. Returns
 * the descriptor. */
static int open_again(const struct device *d, const char *path, int flags, bool *refused, struct err *e)
{
	char self[64];
	snprintf(self, sizeof self, "/proc/self/fd/%d", d->fd);
	int fd = open(self, O_CLOEXEC | flags);
	if (fd < 0 && errno == EBUSY) {
		*refused = true;
		return err_set(e, EBUSY, "%s: refused, nothing was written: it is in use (the kernel or another program holds it)", path);
	}
	if (fd < 0 && errno == EINVAL && flags & O_DIRECT)
		return err_set(e, EINVAL, "%s: this file system does not do direct I/O", path);
	return fd < 0 ? err_sys(e, errno, "%s", path) : fd;
}

static int open_for_reading(struct device *d, const char *path, int flags, bool *refused, struct err *e)
{
	int fd = open_again(d, path, O_RDONLY | flags, refused, e);
	if (fd < 0)
		return fd;
	close(d->fd);
	d->fd = fd;
	return 0;
}

/* Looked at before it is claimed, for the better message, and once more when nobody else can begin to use it. */
static int open_for_writing(struct device *d, const char *path, enum device_how how, int flags, bool *refused, struct err *e)
{
	if (d->read_only)
		return err_set(e, EROFS, "%s is read-only", path);
	int ret = examine(d, path, how, refused, e);
	if (ret)
		return ret;
	int fd = open_again(d, path, O_RDWR | (d->is_block ? O_EXCL : 0) | flags, refused, e);
	if (fd < 0)
		return fd;
	ret = examine(d, path, how, refused, e);
	close(d->fd);
	d->fd = fd;
	return ret;
}

bool device_gone(const struct device *d)
{
	uint64_t n_bytes; /* the kernel sets that of a disk which was removed to 0 */
	return d->is_block && (ioctl(d->fd, BLKGETSIZE64, &n_bytes) < 0 || !n_bytes);
}

int device_open(struct device *d, const char *path, enum device_how how, int flags, bool *refused, struct err *e)
{
	*d = (struct device){.fd = -1};
	*refused = false;
	d->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not waiting for a pipe's writer */
	if (d->fd < 0)
		return err_sys(e, errno, "%s", path);
	int ret = facts(d, path, e);
	if (!ret)
		ret = how == DEVICE_READ ? open_for_reading(d, path, flags, refused, e) : open_for_writing(d, path, how, flags, refused, e);
	if (ret)
		device_close(d);
	return ret;
}

void device_close(struct device *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}
