/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/volume/throttle.h"

#include <sys/sysmacros.h>

#include "common/cgroup_where.h"
#include "common/files.h"

static const struct {
	const char *name; /* file of the cgroup */
	size_t offset;	  /* offset in struct service_limits */
} limits[] = {
	{"blkio.throttle.read_iops_device", offsetof(struct service_limits, read_iops)},
	{"blkio.throttle.write_iops_device", offsetof(struct service_limits, write_iops)},
	{"blkio.throttle.read_bps_device", offsetof(struct service_limits, read_rate)},
	{"blkio.throttle.write_bps_device", offsetof(struct service_limits, write_rate)},
};
#define N_LIMITS (sizeof limits / sizeof *limits)

int throttle_group(const char *root, char **group, struct err *e)
{
	SCOPED(cgroup_where_release) struct cgroup_where w = {NULL, NULL};
	*group = NULL;
	if (!cgroup_where_of(root, CGROUP_V1, "blkio", &w))
		return err_set(e, ENOTSUP, "throttled needs cgroup v1 with the controller blkio, "
			"which is missing here; use another service model");
	SCOPED_FREE char *file = xasprintf("%s/%s", w.own, limits[0].name);
	if (!path_exists(file))
		return err_set(e, ENOTSUP, "throttled: this kernel cannot throttle, because it has "
			"no %s; use another service model", file);
	*group = xstrdup(w.own);
	return 0;
}

static int limit_put(const char *group, const char *name, dev_t number, uint64_t value,
		     struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/%s", group, name);
	SCOPED_FREE char *text =
	    xasprintf("%u:%u %llu\n", major(number), minor(number), (unsigned long long)value);
	const int code = file_put_text(path, text);
	return code ? err_sys(e, code, "throttled: cannot write to %s", path) : 0;
}

int throttle_set(const char *group, const char *device, const struct service_limits *l,
		 struct err *e)
{
	struct stat st;
	int ret = stat(device, &st) < 0 ? err_sys(e, errno, "cannot examine %s", device) : 0;
	for (size_t i = 0; i < N_LIMITS && !ret; i++) {
		uint64_t value = *(const uint64_t *)((const char *)l + limits[i].offset);
		if (value)
			ret = limit_put(group, limits[i].name, st.st_rdev, value, e);
	}
	if (ret)
		throttle_clear(group, device);
	return ret;
}

void throttle_clear(const char *group, const char *device)
{
	struct stat st;
	for (size_t i = 0; i < N_LIMITS && stat(device, &st) == 0; i++)
		limit_put(group, limits[i].name, st.st_rdev, 0, NULL);
}
