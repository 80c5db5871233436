/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets below the file system: a device that was named twice, in the protocol and on the command
 * line, or a volume that the campaign makes for itself. */
#ifndef VALIDATE_DEVICES_H
#define VALIDATE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "validate/protocol/protocol.h"

struct target_device { /* all NULL: a directory */
	char *path;   /* what requests are made on */
	char *volume; /* the name of the volume that was made for it */
	char *service; /* its model, every default written out */
	bool throttled; /* slowed down by a control group, not by a model: in slices of 100 ms */
	double factor; /* of service times, as last set; 1 at first */
};

/* Whether the protocol's devices may be overwritten: each that has `destructive` must be named in
 * named[n], and be used by nobody else. *refused (status 6) tells that from a failure. Errors:
 * EPERM naming what is missing; those of device_open. Nothing is touched. */
int devices_consent(const struct protocol *p, const char *const *named, size_t n, bool *refused,
		    struct err *e);
/* Opens a target's device as its runs will, and lets it go again; its size. *refused and errors: as
 * device_open. */
int device_look(const struct target *t, uint64_t *n_bytes, bool *refused, struct err *e);
/* Finds the device, or makes the volume `name`; one that an earlier session left under that name is
 * removed first. Errors: of the system; EBUSY for a device that is in use. */
int device_begin(struct target_device *d, const struct target *t, const char *name, struct err *e);
/* Removes the volume `name` of an earlier session, if there is one. */
void device_adopt(const char *name);
/* Makes the volume serve `factor` times as slowly as its model. Errors: of volume_find and
 * volume_slow. */
int device_slow(struct target_device *d, double factor, struct err *e);
/* Errors: EBUSY where somebody uses the volume by now. */
int device_end(struct target_device *d, struct err *e);
void device_release(struct target_device *d);

#endif
