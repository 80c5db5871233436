/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/mounts.h"

#include <sys/mount.h>

#include <libmount/libmount.h>

#define TRIES 100
#define BETWEEN_NS 100000000

/* Returns the last mount point below `dir`; NULL: none. The caller frees. */
static char *last_below(const char *dir)
{
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_BACKWARD);
	struct libmnt_fs *fs;
	const size_t len = strlen(dir);
	char *found = NULL;
	while (table && iter && !found && mnt_table_next_fs(table, iter, &fs) == 0) {
		const char *point = mnt_fs_get_target(fs);
		if (point && !strncmp(point, dir, len) && point[len] == '/')
			found = strdup(point);
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return found;
}

int mounts_end(const char *dir, struct err *e)
{
	const struct timespec between = {0, BETWEEN_NS};
	int ret = 0;
	char *point;
	for (int i = 0; !ret && (point = last_below(dir)); free(point)) {
		if (umount2(point, UMOUNT_NOFOLLOW) == 0)
			continue;
		if (errno != EBUSY || ++i == TRIES)
			ret = err_sys(e, errno, "cannot unmount %s", point);
		else
			nanosleep(&between, NULL);
	}
	return ret;
}
