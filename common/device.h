/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target below the file system: a block device, or a regular file in its place.
 *
 * Writing to it destroys its content. So before it is opened for writing these are checked: mounts
 * and swap on the device, its partitions, the disk of a partition, and whatever is built on it
 * (arrays, logical volumes, encryption); other loop devices over the same file; signatures of file
 * systems, arrays and partition tables. There is no override. Signatures may be on a reference
 * volume of this program, and that too is looked up. */
#pragma once

#include "common/std.h"

struct device {
	int fd;
	bool is_block;		 /* otherwise a regular file */
	bool read_only;		 /* the device itself refuses writes */
	uint64_t n_bytes;
	/* smallest request and alignment; 512 for a file unless its file system requires more */
	uint32_t logical_bytes;
	dev_t number;		 /* of a block device */
};

enum device_how {
	DEVICE_READ,  /* nothing is written: other users of the device are not disturbed */
	DEVICE_WRITE, /* its content is lost */
	/* as DEVICE_WRITE, but a reference volume (device_is_volume) may have signatures */
	DEVICE_WRITE_OWN,
};

/* Opens PATH as `how` says, with `flags` (O_DIRECT, O_SYNC) added. A block device for writing is
 * opened with O_EXCL, so that it cannot be mounted until it is closed. *refused: refused for
 * safety. Errors: of the system, with the path; EBUSY: refused, with the user of the device; EROFS;
 * ENOTBLK: neither block device nor regular file; EINVAL: empty. Ownership: device_close. */
int device_open(struct device *d, const char *path, enum device_how how, int flags, bool *refused,
		struct err *e);
/* Whether an opened block device is gone: unplugged, or its size set to 0. Never for a file. */
bool device_gone(const struct device *d);
void device_close(struct device *d); /* a closed one (fd -1) is fine */

/* Reasons not to write to it. */
struct device_uses {
	char **text; /* text[n]: "/dev/sdb1 is mounted on /srv"; owned */
	size_t n;
	/* partition[n_partitions]: paths of its partitions, whose content is not checked here;
	 * owned */
	char **partition;
	size_t n_partitions;
	char *under; /* of a loop device: the file, or device, that it is over; NULL; owned */
};

/* Where the state of the system is read; tests have their own. */
struct device_system {
	/* "/sys", "/proc/self/mountinfo", "/proc/swaps", "/dev" */
	const char *sys, *mountinfo, *swaps, *dev;
};
extern const struct device_system device_system;

/* Looks for reasons; `st` is PATH's. Errors: of reading sysfs, the mount table or the swap table: a
 * device that cannot be checked is not used. Ownership: device_uses_release. */
int device_uses_find(struct device_uses *u, const struct device_system *s, const char *path,
		     const struct stat *st, struct err *e);
void device_uses_release(struct device_uses *u);

/* Whether it is a volume of `validate volume`, or a loop device over one. */
bool device_is_volume(const struct device_system *s, const struct stat *st);
/* the type of the file system that it lies in */
#define DEVICE_VOLUME_FILE_SYSTEM "fuse.validate-volume"

/* Its content in words ("a file system (ext4)", "a partition table (gpt)"), or NULL if no signature
 * is known. The caller frees. Errors: of reading. */
int device_signature(int fd, char **kind, struct err *e);
/* As device_signature, partition tables skipped. */
int device_signature_whole(int fd, char **kind, struct err *e);
