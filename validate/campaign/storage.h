/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a directory lies on: file system, device, queue; and a scratch directory that lies
 * elsewhere. */
#ifndef VALIDATE_STORAGE_H
#define VALIDATE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#include "common/err.h"

struct storage {
	char path[4096];                /* the directory asked about, resolved */
	char file_system[64];           /* "ext4", "tmpfs"; "unknown" */
	char source[256], options[512]; /* of the mount */
	dev_t device;
	bool in_memory;      /* tmpfs and the like: no device below */
	uint64_t free_bytes; /* for this user */
	char *queue_dir;     /* the disk's directory in sysfs, NULL none */
};

/* Errors: of the system with the path. Ownership: storage_release. */
int storage_look(struct storage *s, const char *dir, struct err *e);
void storage_release(struct storage *s);
/* {"dir", "file_system", "mount_options", "source", "free_bytes", "device": {"name", "rotational",
 * "scheduler", ...} or null} */
json_t *storage_to_json(const struct storage *s);

/* Locks a directory for as long as it is open, against other campaigns. One that was killed may
 * have a process that takes a moment to end: waits for up to a second. False: somebody else has it.
 * Where the file system has no locks, true. */
bool dir_lock(int fd);
/* The error of one that is locked: EBUSY. */
int dir_in_use(const char *path, struct err *e);

struct scratch {
	char *dir; /* a fresh directory of mode 0700 */
	struct storage storage;
	bool apart;      /* on another device than every target */
	bool taken_over; /* left by an earlier session, maybe with its traces */
	int lock;	 /* of the directory, held: -1 none */
};

/* Makes the scratch directory NAME: in `wanted` where it is given, else on another device than
 * `targets` where there is one
 * (/dev/shm, $TMPDIR, /tmp, /var/tmp) with `need_bytes` free, else in `fallback`. One of that name
 * that an earlier session left in any of these is taken over. Errors: of the system with the
 * directory; EBUSY where that session is still at it, as when the results directory was copied;
 * ENOSPC when even the fallback has too little. Ownership: scratch_release. */
int scratch_make(struct scratch *s, const char *wanted, const char *name, const dev_t *targets,
		 size_t n_targets, const char *fallback, uint64_t need_bytes, struct err *e);
/* Whether nobody is at what scratch_make would take over; before anything is touched that goes by
 * the same name. Errors: EBUSY. */
int scratch_check_free(const char *wanted, const char *name, const char *fallback, struct err *e);
/* Makes the directory again where somebody removed it: `*made`. Errors: ESTALE where it is no
 * longer ours, of the system. */
int scratch_check(const struct scratch *s, bool *made, struct err *e);
/* Removes the directory and everything in it. */
int scratch_remove(struct scratch *s, struct err *e);
void scratch_release(struct scratch *s);

#endif
