/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/block_device.h"

#include <sys/sysmacros.h>

static int sysfs_number(const struct block_device *d, const char *file, uint64_t *value)
{
	SCOPED_FREE char *path = xasprintf("/sys/dev/block/%u:%u/%s", d->major, d->minor, file);
	SCOPED_FILE FILE *f = fopen(path, "re");
	int ok = f && fscanf(f, "%" SCNu64, value) == 1;
	return ok ? 0 : -ENOENT;
}

/* In events, requests of a partition have the number of its disk and sectors counted on the
 * disk. */
static int partition_resolve(struct block_device *d, struct err *e)
{
	uint64_t number;
	if (sysfs_number(d, "size", &d->n_sectors))
		d->n_sectors = UINT64_MAX;
	if (sysfs_number(d, "partition", &number))
		return 0;
	SCOPED_FREE char *path = xasprintf("/sys/dev/block/%u:%u/../dev", d->major, d->minor);
	SCOPED_FILE FILE *f = fopen(path, "re");
	unsigned int major, minor;
	int ok = f && fscanf(f, "%u:%u", &major, &minor) == 2 &&
		 !sysfs_number(d, "start", &d->first_sector);
	if (ok) {
		d->major = major;
		d->minor = minor;
	} else {
		err_set(e, ENOENT, "%s: cannot find the device of this partition", path);
	}
	return ok ? 0 : -ENOENT;
}

int block_device_of_number(struct block_device *d, dev_t number, struct err *e)
{
	char link[64], target[512];
	*d = (struct block_device){.major = major(number), .minor = minor(number)};
	snprintf(link, sizeof link, "/sys/dev/block/%u:%u", d->major, d->minor);
	ssize_t n = readlink(link, target, sizeof target - 1);
	if (n < 0)
		return err_set(e, ENOTBLK, "%u:%u is not a block device: %s does not exist",
			       d->major, d->minor, link);
	target[n] = 0;
	const char *base = strrchr(target, '/');
	snprintf(d->name, sizeof d->name, "%.63s", base ? base + 1 : target);
	return partition_resolve(d, e);
}

int block_device_resolve(struct block_device *d, const char *path, struct err *e)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return err_sys(e, errno, "cannot examine %s", path);
	if (!S_ISBLK(st.st_mode))
		return err_set(e, ENOTBLK, "%s is not a block device", path);
	*d = (struct block_device){.major = major(st.st_rdev), .minor = minor(st.st_rdev)};
	const char *base = strrchr(path, '/');
	snprintf(d->name, sizeof d->name, "%s", base ? base + 1 : path);
	return partition_resolve(d, e);
}

int block_device_below(dev_t *number, const char *path, struct err *e)
{
	struct block_device d;
	struct stat st;
	if (stat(path, &st) < 0)
		return err_sys(e, errno, "cannot examine %s", path);
	*number = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	if (major(*number) && !block_device_of_number(&d, *number, NULL))
		return 0;
	return err_set(e, ENOTBLK, "%s: its file system has no block device (it is in memory, on a "
		"network, or an overlay), so no requests to a device can be recorded: choose a "
		"directory on a block device", path);
}
