/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the block device below a directory (/sys/block/DEVICE/queue), changed for a campaign
 * and put back after it. */
#ifndef VALIDATE_QUEUE_H
#define VALIDATE_QUEUE_H

#include <sys/types.h>

#include <jansson.h>

#include "common/err.h"

/* "none,nr_requests=64,nomerges=2": a first item without '=' is the I/O scheduler. Errors: EINVAL,
 * with the item. */
int queue_check(const char *text, struct err *e);

/* The directory in sysfs of the whole disk that holds `dev` (a partition's parent), or NULL where
 * there is none (tmpfs, overlay, network). The caller frees. */
char *queue_device_dir(dev_t dev);

/* What the settings named in `text` are now, as {"device": "/sys/...", "settings": {"scheduler":
 * "none", ...}}: to be journalled before queue_apply. New reference. Errors: ENODEV without a
 * device, ENOENT for a setting that it does not have. */
int queue_read(const char *text, dev_t dev, json_t **now, struct err *e);
/* Errors: of writing (EACCES without privilege, EINVAL for a value the device refuses), with the
 * file. */
int queue_apply(const char *text, dev_t dev, struct err *e);
/* Writes back what queue_read gave; goes on after an error and reports the first. */
int queue_restore(const json_t *before, struct err *e);

#endif
