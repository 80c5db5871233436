/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which device's events are meant: a partition's requests are seen on its disk, at the disk's
 * positions. */
#ifndef CAPTURE_KERNEL_BLOCK_DEVICE_H
#define CAPTURE_KERNEL_BLOCK_DEVICE_H

#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

struct block_device {
	unsigned int major, minor; /* of the whole device: what the events name */
	uint64_t first_sector, n_sectors; /* of the partition, or all */
	char name[64];
};

/* By a path of the device, or by its number. Errors: of the system with the path; ENOTBLK. */
int block_device_resolve(struct block_device *d, const char *path, struct err *e);
int block_device_of_number(struct block_device *d, dev_t number, struct err *e);

/* The device on which requests for PATH end up: itself where it is one, or the one that its file
 * system lies on. Errors: of the system; ENOTBLK where there is none. */
int block_device_below(dev_t *number, const char *path, struct err *e);

#endif
