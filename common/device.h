/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured below the file system: a block device, or a regular file that stands for one.
 * Writing to one destroys what is on it, so before it is opened for writing everybody who may use
 * it is looked for: mounts and swap on the device, its partitions, the disk it is a partition of,
 * and on whatever holds it (arrays, logical volumes, encryption), other loop devices over the same
 * file, signatures of file systems, arrays and partition tables. There is no override: that a
 * device is a volume of ours, on which signatures may be, is looked up and not believed. */
#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "common/err.h"

struct device {
	int fd;
	bool is_block;		 /* otherwise a regular file */
	bool read_only;		 /* the device itself refuses writes */
	uint64_t n_bytes;
	/* smallest request, and alignment of all; 512 for a file unless its file system wants more
	 */
	uint32_t logical_bytes;
	uint32_t physical_bytes; /* what it writes at once; 0 unknown */
	dev_t number;		 /* of a block device */
};

enum device_how {
	DEVICE_READ,  /* nothing is written: whoever else uses it is not disturbed */
	DEVICE_WRITE, /* what is on it is lost */
	/* as DEVICE_WRITE, but that a signature on a volume of ours (device_is_volume) is our own
	   workload's */
	DEVICE_WRITE_OWN,
};

/* Opens PATH, with `flags` (O_DIRECT, O_SYNC) beside what `how` asks for. A block device that is
 * written is opened O_EXCL, and held so: nobody can mount it until it is closed. *refused tells a
 * refusal for safety from a failure. Errors: of the system, with the path; EBUSY refused, saying
 * who uses it; EROFS; ENOTBLK for neither block device nor regular file; EINVAL for an empty one.
 * Ownership: device_close. */
int device_open(struct device *d, const char *path, enum device_how how, int flags, bool *refused,
		struct err *e);
/* Whether a block device that was opened is there no more: unplugged, or its size set to nothing. A
 * file never is. */
bool device_gone(const struct device *d);
void device_close(struct device *d); /* a closed one (fd -1) is fine */

/* What speaks against writing to it. */
struct device_uses {
	char **text; /* text[n]: "/dev/sdb1 is mounted on /srv"; owned */
	size_t n;
	/* partition[n_partitions]: of it, by path; owned. What is written on them is not looked at
	 * here */
	char **partition;
	size_t n_partitions;
	char *under; /* of a loop device: the file, or device, that it is over; NULL; owned */
};

/* Where the system's state is read from; tests have their own. */
struct device_system {
	/* "/sys", "/proc/self/mountinfo", "/proc/swaps", "/dev" */
	const char *sys, *mountinfo, *swaps, *dev;
};
extern const struct device_system device_system;

/* Looks for them; `st` is PATH's. Errors: of reading sysfs, the mount table or the table of swap:
 * what cannot be looked at is not taken to be free. Ownership: device_uses_release. */
int device_uses_find(struct device_uses *u, const struct device_system *s, const char *path,
		     const struct stat *st, struct err *e);
void device_uses_release(struct device_uses *u);

/* Whether it is a volume that `validate volume` serves, or a loop device over one, whatever who
 * asks says it is. */
bool device_is_volume(const struct device_system *s, const struct stat *st);
/* the type of the file system that it lies in */
#define DEVICE_VOLUME_FILE_SYSTEM "fuse.validate-volume"

/* What is written on it, in words ("a file system (ext4)", "a partition table (gpt)"), or NULL for
 * nothing that is known. The caller frees. Errors: of reading. */
int device_signature(int fd, char **kind, struct err *e);
/* As device_signature, partition tables skipped. */
int device_signature_whole(int fd, char **kind, struct err *e);

#endif
