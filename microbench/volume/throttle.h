/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits a loop device by a cgroup (blkio.throttle, version 1), for volumes of kind `throttled`.
 * The limit applies to requests of the caller's group on the device. Processes of other groups, and
 * kernel threads that write back for other processes, are not limited. The kernel releases requests
 * in slices of 100 ms, so it keeps the rate but not service times. Needs root. */
#pragma once

#include "microbench/volume/service.h"

/* Finds the directory of this process's blkio group. The caller frees it. `root` as in cgroup_where
 * ("" except in tests). Errors: ENOTSUP: there is no such hierarchy, or it cannot throttle. */
int throttle_group(const char *root, char **group, struct err *e);
/* Sets the limits of `device` in `group`. Errors: of the system; then no limit is set. */
int throttle_set(const char *group, const char *device, const struct service_limits *l,
		 struct err *e);
/* Removes the limits, because another device may later get the number of this device. */
void throttle_clear(const char *group, const char *device);
