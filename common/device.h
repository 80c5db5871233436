/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target below the file system: a block device, or a regular file in its place.
 *
 * Writing to it destroys its content. Before a target is opened for writing, these are checked:
 * mounts and swap on the device, its partitions, the disk of a partition, and the devices built on
 * it (arrays, logical volumes, encryption); other loop devices over the same file; signatures of
 * file systems, arrays and partition tables. There is no override. Only a reference volume of this
 * program may have signatures (device_is_volume). */
#pragma once

#include "common/std.h"

struct device {
	int fd;
	bool is_block;		 /* otherwise a regular file */
	bool read_only;		 /* the device itself refuses writes */
	uint64_t n_bytes;
	/* smallest request and alignment; 512 for a file, unless its file system requires more */
	uint32_t logical_bytes;
	dev_t number;		 /* of a block device */
};

enum device_how {
	DEVICE_READ,  /* read only: other users of the device are not disturbed */
	DEVICE_WRITE, /* write: the content is lost */
	/* as DEVICE_WRITE, but a reference volume (device_is_volume) may have signatures */
	DEVICE_WRITE_OWN,
};

/* Opens PATH as `how` states, with `flags` (O_DIRECT, O_SYNC) added. A block device for writing is
 * opened with O_EXCL, so that it cannot be mounted before it is closed. *refused: the open was
 * refused for safety. Errors: of the system, with the path; EBUSY: refused, with the user of the
 * device; EROFS; ENOTBLK: PATH is neither a block device nor a regular file; EINVAL: PATH is empty.
 * Ownership: device_close. */
int device_open(struct device *d, const char *path, enum device_how how, int flags, bool *refused,
		struct err *e);
/* Whether an open block device has disappeared: it was unplugged, or its size became 0. Always
 * false for a file. */
bool device_gone(const struct device *d);
void device_close(struct device *d); /* closes it unless it is closed (fd -1) */

/* Reasons not to write to a device. */
struct device_uses {
	char **text; /* text[n]: "/dev/sdb1 is mounted on /srv"; owned */
	size_t n;
	/* partition[n_partitions]: paths of the device's partitions, whose content device_uses_find
	 * does not check; owned */
	char **partition;
	size_t n_partitions;
	/* for a loop device: the file or device that backs it; NULL: not a loop device; owned */
	char *under;
};

/* Files and directories from which the state of the system is read. Tests use their own. */
struct device_system {
	/* "/sys", "/proc/self/mountinfo", "/proc/swaps", "/dev" */
	const char *sys, *mountinfo, *swaps, *dev;
};
extern const struct device_system device_system;

/* Finds reasons not to write to the device. `st` is the stat of PATH. Errors: of reading sysfs, the
 * mount table or the swap table, because a device that cannot be checked is not used. Ownership:
 * device_uses_release. */
int device_uses_find(struct device_uses *u, const struct device_system *s, const char *path,
		     const struct stat *st, struct err *e);
void device_uses_release(struct device_uses *u);

/* Whether the device is a volume of `validate volume`, or a loop device over such a volume. */
bool device_is_volume(const struct device_system *s, const struct stat *st);
/* type of the file system that contains the volume */
#define DEVICE_VOLUME_FILE_SYSTEM "fuse.validate-volume"

struct device_signature { /* all zero: no signature is known */
	char *kind; /* in words: "a file system (ext4)", "a partition table (gpt)"; owned */
	char *remove; /* the command that removes it, without the name at its end; owned */
};
static inline void device_signature_release(struct device_signature *s)
{
	FREE_EACH(s->kind, s->remove);
	*s = (struct device_signature){.kind = NULL};
}

/* Finds signatures. `tables`: also partition tables. Errors: of reading. Ownership:
 * device_signature_release, also after an error. */
int device_signature_find(struct device_signature *s, int fd, bool tables, struct err *e);
