/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the block device that holds a directory (/sys/block/DEVICE/queue). They are changed
 * during a campaign and restored afterwards. */
#pragma once

#include <jansson.h>

#include "common/std.h"

/* Checks "none,nr_requests=64,nomerges=2": a first item without '=' is the I/O scheduler. Errors:
 * EINVAL with the item. */
int device_queue_check(const char *text, struct err *e);

/* Returns the sysfs directory of the whole disk that holds `dev` (for a partition: its parent);
 * NULL if there is none (tmpfs, overlay, network). The caller frees. */
char *device_queue_parent(dev_t dev);

/* Reads the present values of the settings in `text`, as {"device": "/sys/...", "settings":
 * {"scheduler": "none", ...}}. Journal them before device_queue_apply(). New reference. Errors:
 * ENODEV without a device; ENOENT for a missing setting; EACCES if it may not be written. */
int device_queue_read(const char *text, dev_t dev, json_t **now, struct err *e);
/* Changes the settings. Errors: of writing, with the file (EACCES without privilege, EINVAL for a
 * refused value). */
int device_queue_apply(const char *text, dev_t dev, struct err *e);
/* Restores the values of device_queue_read(). Continues after an error, and returns the first
 * error. */
int device_queue_restore(const json_t *before, struct err *e);
