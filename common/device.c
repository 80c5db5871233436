/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/device.h"

#include <libmount.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "common/files.h"
#include "common/options.h"

static int block_facts(struct device *d, const char *path, struct err *e)
{
	int logical = 512, read_only = 0;
	if (ioctl(d->fd, BLKGETSIZE64, &d->n_bytes) < 0)
		return err_sys(e, errno, "%s: cannot determine its size", path);
	ioctl(d->fd, BLKSSZGET, &logical);
	ioctl(d->fd, BLKROGET, &read_only);
	d->logical_bytes = (uint32_t)logical;
	d->read_only = read_only != 0;
	return 0;
}

/* Alignment that direct I/O on this file requires. */
static uint32_t file_alignment(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx x;
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) && x.stx_mask & STATX_DIOALIGN &&
	    x.stx_dio_offset_align)
		return x.stx_dio_offset_align;
#else
	(void)fd;
#endif
	return 512;
}

static int facts_get(struct device *d, const char *path, struct err *e)
{
	struct stat st;
	if (fstat(d->fd, &st) < 0)
		return err_sys(e, errno, "cannot examine %s", path);
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
		ret = err_set(e, EINVAL, "%s is empty: a device with at least one block is "
					 "needed", path);
	return ret;
}

static int in_use(const struct device_uses *u, const char *path, struct err *e)
{
	if (u->n == 1)
		return err_set(e, EBUSY, "%s: refused, nothing was written: %s", path, u->text[0]);
	return err_set(e, EBUSY, "%s: refused, nothing was written: %s; and %zu more reason%s",
		       path, u->text[0], u->n - 1, u->n == 2 ? "" : "s");
}

/* `other`: the name of another device or file with the signature, after `what`; empty: `path` has
 * it. */
static int signed_refuse(const char *path, const char *what, const char *other,
			 const struct device_signature *s, struct err *e)
{
	SCOPED_STRBUF name = STRBUF_INIT;
	shell_word(&name, *other ? other : path);
	return err_set(e, EBUSY, "%s: refused, nothing was written: there is %s on %s%s (if the "
		"content is not needed, remove it: %s%s)", path, s->kind, what, other, s->remove,
		name.s);
}

/* Checks the content of another device or file that contains this device, or is a part of it. A
 * device that no longer exists has no content. */
static int other_examine(const char *other, const char *what, bool tables, const char *path,
			 bool *refused, struct err *e)
{
	SCOPED(device_signature_release) struct device_signature found = {.kind = NULL};
	int fd = open(other, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT || errno == ENXIO
			   ? 0
			   : err_sys(e, errno, "%s: cannot examine the content of %s%s", path, what,
				     other);
	int ret = device_signature_find(&found, fd, tables, e);
	close(fd);
	*refused |= found.kind != NULL;
	if (ret)
		ret = err_context(e, "%s: %s%s", path, what, other);
	if (found.kind)
		ret = signed_refuse(path, what, other, &found, e);
	return ret;
}

static int others_examine(const struct device_uses *u, const char *path, bool *refused,
			  struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < u->n_partitions && !ret; i++)
		ret = other_examine(u->partition[i], "its partition ", true, path, refused, e);
	if (!ret && u->under) /* the loop device may map a part of a file that has partitions */
		ret = other_examine(u->under, "its lower device ", false, path, refused, e);
	return ret;
}

/* `d->fd` is open for reading. */
static int device_examine(const struct device *d, const char *path, enum device_how how,
			  bool *refused, struct err *e)
{
	struct stat st;
	struct device_uses uses;
	if (fstat(d->fd, &st) < 0)
		return err_sys(e, errno, "cannot examine %s", path);
	int ret = device_uses_find(&uses, &device_system, path, &st, e);
	if (ret)
		return ret;
	SCOPED(device_signature_release) struct device_signature found = {.kind = NULL};
	if (uses.n)
		ret = in_use(&uses, path, e);
	else if (how == DEVICE_WRITE)
		ret = device_signature_find(&found, d->fd, true, e) ? err_context(e, "%s", path)
								    : 0;
	if (found.kind)
		ret = signed_refuse(path, "it", "", &found, e);
	*refused = uses.n || found.kind;
	if (!ret && how == DEVICE_WRITE)
		ret = others_examine(&uses, path, refused, e);
	device_uses_release(&uses);
	return ret;
}

/* Opens the device again for its use, through the checked descriptor, because the name may mean
 * another device by now. Returns the descriptor. */
static int open_again(const struct device *d, const char *path, int flags, bool *refused,
		      struct err *e)
{
	char self[64];
	snprintf(self, sizeof self, "/proc/self/fd/%d", d->fd);
	int fd = open(self, O_CLOEXEC | flags);
	if (fd < 0 && errno == EBUSY) {
		*refused = true;
		return err_set(e, EBUSY, "%s: refused, nothing was written: it is in use (the "
			"kernel or another program holds it)", path);
	}
	if (fd < 0 && errno == EINVAL && flags & O_DIRECT)
		return err_set(e, EINVAL, "%s: cannot be opened for direct I/O (O_DIRECT), which "
			"its file system does not support", path);
	if (fd < 0 && errno == ENOENT)
		return err_sys(e, ENOENT,
			       "%s: cannot open it again after the checks (is /proc mounted?)",
			       path);
	return fd < 0 ? err_sys(e, errno, "cannot open %s", path) : fd;
}

static int open_for_reading(struct device *d, const char *path, int flags, bool *refused,
			    struct err *e)
{
	int fd = open_again(d, path, O_RDONLY | flags, refused, e);
	if (fd < 0)
		return fd;
	close(d->fd);
	d->fd = fd;
	return 0;
}

/* Checks the device twice: before the exclusive open, for a better message, and after it, when no
 * other process can start to use the device. */
static int open_for_writing(struct device *d, const char *path, enum device_how how, int flags,
			    bool *refused, struct err *e)
{
	struct stat st;
	if (d->read_only)
		return err_set(e, EROFS, "%s is read-only", path);
	if (how == DEVICE_WRITE_OWN &&
	    (fstat(d->fd, &st) < 0 || !device_is_volume(&device_system, &st)))
		how = DEVICE_WRITE;
	int ret = device_examine(d, path, how, refused, e);
	if (ret)
		return ret;
	int fd = open_again(d, path, O_RDWR | (d->is_block ? O_EXCL : 0) | flags, refused, e);
	if (fd < 0)
		return fd;
	ret = device_examine(d, path, how, refused, e);
	close(d->fd);
	d->fd = fd;
	return ret;
}

bool device_gone(const struct device *d)
{
	uint64_t n_bytes; /* the kernel sets the size of a removed disk to 0 */
	return d->is_block && (ioctl(d->fd, BLKGETSIZE64, &n_bytes) < 0 || !n_bytes);
}

int device_open(struct device *d, const char *path, enum device_how how, int flags, bool *refused,
		struct err *e)
{
	*d = (struct device){.fd = -1};
	*refused = false;
	/* O_NONBLOCK: does not wait for the writer of a pipe */
	d->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (d->fd < 0)
		return err_sys(e, errno, "cannot open %s", path);
	int ret = facts_get(d, path, e);
	if (!ret)
		ret = how == DEVICE_READ ? open_for_reading(d, path, flags, refused, e)
					 : open_for_writing(d, path, how, flags, refused, e);
	if (ret)
		device_close(d);
	return ret;
}

void device_close(struct device *d)
{
	fd_close(d->fd);
	d->fd = -1;
}

/* --- reference volumes --------------------------------------------------- */

/* Reference volumes are recognised by their mounts. */

/* Finds the file: the target itself, or the backing file of a loop device. False: there is no
 * file. */
static bool file_under(const struct device_system *s, const struct stat *st, struct stat *file)
{
	*file = *st;
	if (!S_ISBLK(st->st_mode))
		return true;
	SCOPED_FREE char *attribute = xasprintf("%s/dev/block/%u:%u/loop/backing_file", s->sys,
						major(st->st_rdev), minor(st->st_rdev));
	SCOPED_FREE char *backing = file_read_line(attribute);
	return backing && !stat(backing, file);
}

bool device_is_volume(const struct device_system *s, const struct stat *st)
{
	struct stat file;
	struct libmnt_table *table = mnt_new_table_from_file(s->mountinfo);
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	bool is = false;
	if (table && it && file_under(s, st, &file) && S_ISREG(file.st_mode))
		while (!is && !mnt_table_next_fs(table, it, &fs)) {
			const char *type = mnt_fs_get_fstype(fs);
			is = mnt_fs_get_devno(fs) == file.st_dev && type &&
			     !strcmp(type, DEVICE_VOLUME_FILE_SYSTEM);
		}
	mnt_free_iter(it);
	mnt_unref_table(table);
	return is;
}
