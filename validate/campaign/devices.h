/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets below the file system: a device named both in the protocol and on the command line, or a
 * volume that the campaign creates. */
#pragma once

#include "validate/results/results.h"

struct target_device { /* all NULL: a directory */
	char *path;   /* device of the requests */
	char *volume; /* name of the volume, if one was created */
	char *service; /* its service model with all defaults */
	bool throttled; /* slowed by a control group, in slices of 100 ms */
	double factor; /* on service times, as last set; initially 1 */
};

/* Checks that the protocol's devices may be overwritten: each with `destructive` must be in
 * named[n] and unused. *refused (status 6) distinguishes that from a failure. Errors: EPERM with
 * the missing option; of device_open(). Nothing is changed. */
int devices_consent(const struct protocol *p, const char *const *named, size_t n, bool *refused,
		    struct err *e);
/* Opens and closes a target's device as its runs will, and reads its size. *refused and errors: as
 * device_open(). */
int device_look(const struct target *t, uint64_t *n_bytes, bool *refused, struct err *e);
/* Finds the device, or makes the volume `name` after removing one left by an earlier session.
 * Errors: of the system; EBUSY for a device in use. */
int device_begin(struct target_device *d, const struct target *t, const char *name, struct err *e);
/* Removes the volume `name` of an earlier session, if it exists. */
void device_adopt(const char *name);
/* Multiplies the service times of the volume's model by `factor`. Errors: of volume_find() and
 * volume_slow(). */
int device_slow(struct target_device *d, double factor, struct err *e);
/* Before a run: equal requests get equal service times again, and the log is empty. Does nothing
 * without a volume, or for a throttled one. Errors: of volume_find() and the log. */
int device_restart(const struct target_device *d, struct err *e);
/* Means over the reads and writes of the volume's log that arrived at from_ns (CLOCK_MONOTONIC)
 * or later. Returns false without a volume or requests, or if the log was full. */
bool device_served(const struct target_device *d, int64_t from_ns, struct run_served *served);
/* Errors: EBUSY if the volume is in use. */
int device_end(struct target_device *d, struct err *e);
void device_release(struct target_device *d);
