/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our own volumes, by what the kernel says of them. */
#include <libmount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/device.h"
#include "common/files.h"
#include "common/xalloc.h"

/* The file that is asked for: of a loop device the one under it. False: there is none. */
static bool file_under(const struct device_system *s, const struct stat *st, struct stat *file)
{
	*file = *st;
	if (!S_ISBLK(st->st_mode))
		return true;
	char *attribute = xasprintf("%s/dev/block/%u:%u/loop/backing_file", s->sys, major(st->st_rdev), minor(st->st_rdev));
	char *backing = file_read_line(attribute);
	bool known = backing && !stat(backing, file);
	free(backing);
	free(attribute);
	return known;
}

bool device_is_volume(const struct device_system *s, const struct stat *st)
{
	struct stat file;
	struct libmnt_table *table = mnt_new_table_from_file(s->mountinfo);
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	bool is = false;
	if (table && it && file_under(s, st, &file) && S_ISREG(file.st_mode))
		while (!is && !mnt_table_next_fs(table, it, &fs)) {
			const char *type = mnt_fs_get_fstype(fs);
			is = mnt_fs_get_devno(fs) == file.st_dev && type && !strcmp(type, DEVICE_VOLUME_FILE_SYSTEM);
		}
	mnt_free_iter(it);
	mnt_unref_table(table);
	return is;
}
