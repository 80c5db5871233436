/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device in events: requests of a partition have the number of its disk and sectors counted on
 * the disk. */
#pragma once

#include "common/std.h"

struct block_device {
	unsigned int major, minor; /* numbers of the whole disk, as in the events */
	uint64_t first_sector, n_sectors; /* of the partition, or of the whole disk */
	char name[64];
};

/* Looks a device up by its path or by its number. Errors: of the system with the path; ENOTBLK. */
int block_device_resolve(struct block_device *d, const char *path, struct err *e);
int block_device_of_number(struct block_device *d, dev_t number, struct err *e);

/* The block device of PATH: PATH itself, or the device of its file system. Errors: of the system;
 * ENOTBLK: there is none. */
int block_device_below(dev_t *number, const char *path, struct err *e);
