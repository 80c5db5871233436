/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop device that a control group slows down (blkio.throttle, version 1): what volumes of kind
 * `throttled` are. The limit belongs to the group that the caller is in, and to the device: who
 * asks from another group, and the kernel's own threads that write back for others, are not slowed
 * down. The kernel gives requests out in slices of 100 ms: the rate is kept, service times are not.
 * All of it needs root. */
#ifndef MICROBENCH_VOLUME_THROTTLE_H
#define MICROBENCH_VOLUME_THROTTLE_H

#include "common/err.h"
#include "microbench/volume/service.h"

/* The directory of this process' blkio group; the caller frees. `root` as of cgroup_where ("" but
 * in tests). Errors: ENOTSUP where there is no such hierarchy, or it cannot throttle. */
int throttle_group(const char *root, char **group, struct err *e);
/* Sets the limits of `device` in `group`. Errors: of the system; none is set then. */
int throttle_set(const char *group, const char *device, const struct service_limits *l,
		 struct err *e);
/* Takes them back, as far as there are any: the device's number may be another device's next. */
void throttle_clear(const char *group, const char *device);

#endif
