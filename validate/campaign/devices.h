/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets below the file system: a device that both the protocol and the command line name, or a
 * volume that the campaign creates. */
#pragma once

#include "validate/results/results.h"

struct target_device { /* all NULL: a directory */
	char *path;   /* device of the requests */
	char *volume; /* name of the volume, if the campaign created it */
	char *service; /* its service model with all defaults */
	bool throttled; /* a control group slows it, in slices of 100 ms */
	double factor; /* factor on service times that was set last; initially 1 */
};

/* Checks that the protocol's devices may be overwritten: each device with `destructive` must be in
 * named[n] and unused. *refused (exit status 6) distinguishes a refusal from a failure. Errors:
 * EPERM with the missing option; those of device_open(). Changes nothing. */
int devices_consent(const struct protocol *p, const char *const *named, size_t n, bool *refused,
		    struct err *e);
/* Opens a target's device in the same way as its runs, reads its size and closes it. *refused and
 * errors: as device_open(). */
int device_look(const struct target *t, uint64_t *n_bytes, bool *refused, struct err *e);
/* Finds the device, or makes the volume `name` after removing a volume that an earlier session left
 * behind. Errors: from the system; EBUSY for a device in use. */
int device_begin(struct target_device *d, const struct target *t, const char *name, struct err *e);
/* Removes the volume `name` of an earlier session, if it exists. Waits up to 5 s for processes of
 * that session that still use it. Errors: EBUSY: in use; from the system. */
int device_adopt(const char *name, struct err *e);
/* Multiplies the service times of the volume's model by `factor`. Errors: those of volume_find()
 * and volume_slow(). */
int device_slow(struct target_device *d, double factor, struct err *e);
/* Called before a run: equal requests get equal service times again, and the log is emptied. Does
 * nothing without a volume, or for a throttled volume. Errors: those of volume_find() and the
 * log. */
int device_restart(const struct target_device *d, struct err *e);
/* Computes means over the reads and writes in the volume's log that arrived at from_ns
 * (CLOCK_MONOTONIC) or later. Returns false without a volume or requests, or if the log was
 * full. */
bool device_served(const struct target_device *d, int64_t from_ns, struct run_served *served);
/* Ends the use of the device and removes the volume. Errors: EBUSY if the volume is in use. */
int device_end(struct target_device *d, struct err *e);
void device_release(struct target_device *d);
