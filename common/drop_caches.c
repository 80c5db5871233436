/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/drop_caches.h"

#define DROP_CACHES "/proc/sys/vm/drop_caches"

bool may_drop_caches(void)
{
	return access(DROP_CACHES, W_OK) == 0;
}

int caches_drop(enum dropped_caches what, struct err *e)
{
	int ret = 0, fd = open(DROP_CACHES, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, what == DROP_ALL ? "3\n" : "1\n", 2) != 2)
		ret = err_sys(e, errno, "cannot write " DROP_CACHES);
	fd_close(fd);
	return ret;
}
