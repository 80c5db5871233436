/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storage of a directory (file system, device, queue), and scratch directories on other storage. */
#pragma once

#include <jansson.h>

#include "common/std.h"

struct storage {
	char path[4096];                /* resolved path of the directory */
	char file_system[64];           /* "ext4", "tmpfs"; "unknown" */
	char source[256], options[512]; /* of the mount */
	dev_t device;
	/* tmpfs or similar: no device below */
	bool in_memory;
	uint64_t free_bytes; /* for this user */
	/* sysfs directory of the disk's queue; NULL none */
	char *queue_dir;
};

/* Describes the storage of a directory. Errors: from the system, with the path. Ownership:
 * storage_release(). */
int storage_look(struct storage *s, const char *dir, struct err *e);
void storage_release(struct storage *s);
/* Returns {"dir", "file_system", "mount_options", "source", "free_bytes", "device": {"name",
 * "rotational", "scheduler", ...} or null}. */
json_t *storage_to_json(const struct storage *s);

/* Locks a directory against other campaigns while fd is open. Waits up to a second, because a
 * process of a killed campaign may need some time to exit. Returns false if another campaign holds
 * the lock, and true if the file system has no locks. */
bool dir_lock(int fd);
/* Sets the error of a locked directory: EBUSY. */
int dir_in_use(const char *path, struct err *e);

struct scratch {
	char *dir; /* new directory, mode 0700 */
	struct storage storage;
	/* it is on a device that no target uses */
	bool apart;
	/* it is from an earlier session, perhaps with traces */
	bool taken_over;
	int lock;	 /* descriptor that holds the lock; -1 none */
};

/* Makes the scratch directory NAME in `wanted`, if given. Otherwise chooses a device without
 * `targets` (/dev/shm, $TMPDIR, /tmp, /var/tmp) that has `need_bytes` free, otherwise `fallback`.
 * An existing directory of this name is taken over. Errors: from the system, with the directory;
 * EBUSY if another session uses it, for example the original of a copied results directory; ENOSPC
 * if even the fallback is too small. Ownership: scratch_release(). */
int scratch_make(struct scratch *s, const char *wanted, const char *name, const dev_t *targets,
		 size_t n_targets, const char *fallback, uint64_t need_bytes, struct err *e);
/* Chooses a place as scratch_make() does without `wanted`, but makes nothing. Describes it in `s`
 * (storage_release()); `*apart`: it is on a device that no target uses. Errors: from the system. */
int scratch_choose(struct storage *s, bool *apart, const dev_t *targets, size_t n_targets,
		   const char *fallback, struct err *e);
/* Makes a link from the scratch directory to the results directory, for scratch_sweep(). Errors:
 * from the system. */
int scratch_link(const struct scratch *s, const char *results, struct err *e);
/* Removes scratch directories, in the places of scratch_make(), that no campaign can resume: no
 * session uses them, and their results directory no longer exists or has a journal without their
 * token. `pattern`: their name, with X for each letter of the token. */
void scratch_sweep(const char *wanted, const char *pattern);
/* Checks that no session uses the directory that scratch_make() would take over. Call it before
 * anything else with this name is changed. Errors: EBUSY. */
int scratch_check_free(const char *wanted, const char *name, const char *fallback, struct err *e);
/* If the directory was removed, makes it again (`*made`). Errors: ESTALE if another file replaced
 * it; from the system. */
int scratch_check(const struct scratch *s, bool *made, struct err *e);
/* Removes the directory and everything in it. Errors: from the system. */
int scratch_remove(struct scratch *s, struct err *e);
void scratch_release(struct scratch *s);
