/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits a loop device by a cgroup (blkio.throttle, version 1), for volumes of kind `throttled`.
 * The limit applies to the caller's group and the device. Processes of other groups, and kernel
 * threads that write back for others, are not limited. The kernel releases requests in slices of
 * 100 ms: the rate is kept, service times are not. Needs root. */
#pragma once

#include "microbench/volume/service.h"

/* The directory of this process' blkio group. The caller frees it. `root` as in cgroup_where (""
 * except in tests). Errors: ENOTSUP without such a hierarchy, or if it cannot throttle. */
int throttle_group(const char *root, char **group, struct err *e);
/* Sets the limits of `device` in `group`. Errors: of the system; then none is set. */
int throttle_set(const char *group, const char *device, const struct service_limits *l,
		 struct err *e);
/* Removes the limits, because another device may get this device's number. */
void throttle_clear(const char *group, const char *device);
