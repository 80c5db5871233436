/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handles several names of one file (hard links). */

#include "capture/fileset/fileset_private.h"
#include "common/confine.h"

uint32_t *fileset_first_names(const struct fileset *s)
{
	uint32_t *first = xcalloc(s->n + 1, sizeof *first);
	struct u64_map known = {.cell = NULL};
	for (uint32_t i = 0; i < s->n; i++)
		first[i] = fileset_first_name(s, &known, i);
	u64_map_release(&known);
	return first;
}

static bool name_stat(int dir_fd, const char *path, struct stat *st)
{
	const char *name;
	SCOPED_FD int parent = confined_parent(dir_fd, path, false, &name, NULL);
	return parent >= 0 && fstatat(parent, name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

uint32_t *names_there(const struct fileset *s, const uint32_t *first, int dir_fd)
{
	uint32_t *n_names = xcalloc(s->n + 1, sizeof *n_names);
	for (uint32_t i = 0; i < s->n; i++) {
		struct stat a, b;
		n_names[i] = 1;
		if (first[i] != i && name_stat(dir_fd, s->entry[first[i]].path, &a) &&
		    name_stat(dir_fd, s->entry[i].path, &b) && is_same_file(&a, &b))
			n_names[first[i]]++;
	}
	return n_names;
}

int name_make(int dir_fd, const char *first, const char *path, struct err *e)
{
	struct stat a, b;
	const char *from, *to;
	int ret = 0;
	SCOPED_FD int from_dir = confined_parent(dir_fd, first, false, &from, e);
	if (from_dir < 0)
		return from_dir;
	SCOPED_FD int to_dir = confined_parent(dir_fd, path, true, &to, e);
	if (to_dir < 0)
		return to_dir;
	const bool there = fstatat(to_dir, to, &b, AT_SYMLINK_NOFOLLOW) == 0;
	if (fstatat(from_dir, from, &a, AT_SYMLINK_NOFOLLOW))
		ret = err_sys(e, errno, "cannot examine %s", first);
	else if (there && is_same_file(&a, &b))
		ret = 0;
	else if (there && !S_ISREG(b.st_mode))
		ret = err_set(e, EPERM, "%s: refused: it exists, but is not a file", path);
	else if ((there && unlinkat(to_dir, to, 0)) || linkat(from_dir, from, to_dir, to, 0))
		ret = err_sys(e, errno, "%s: cannot create this hard link to %s", path, first);
	else
		ret = 1;
	return ret;
}
