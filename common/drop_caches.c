/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/drop_caches.h"

#include "common/files.h"

#define DROP_CACHES "/proc/sys/vm/drop_caches"

bool may_drop_caches(void)
{
	return access(DROP_CACHES, W_OK) == 0;
}

int caches_drop(enum dropped_caches what, struct err *e)
{
	const int code = file_put_text(DROP_CACHES, what == DROP_ALL ? "3\n" : "1\n");
	return code ? err_sys(e, code, "cannot write " DROP_CACHES) : 0;
}
