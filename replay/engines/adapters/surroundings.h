/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a replayer wrote beside the target: compares the entries of the target's parent directory
 * before and after, by name, kind, size and time of the last change. A directory that everybody may
 * write to (/tmp, /dev) is not checked. */
#ifndef REPLAY_ADAPTER_SURROUNDINGS_H
#define REPLAY_ADAPTER_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "common/err.h"

struct surrounding;

struct surroundings {
	char *dir; /* NULL: not checked */
	struct surrounding *v; /* v[n], by name */
	size_t n, cap;
	bool too_many;
};
#define SURROUNDINGS_MAX 100000u

/* `except`: paths (NULL-terminated) that may change. A directory that this user may not read is not
 * checked. Errors: of the system. Ownership: surroundings_release. */
int surroundings_take(struct surroundings *s, const char *target, const char *const *except,
		      struct err *e);
void surroundings_release(struct surroundings *s);

/* The first differences: "made x, changed y, removed z". False: none, or one was not checked. */
bool surroundings_differ(const struct surroundings *before, const struct surroundings *after,
			 char *text, size_t size);

/* Identity and state of a file or directory. */
struct file_mark {
	bool there;
	bool is_data; /* a regular file: size and time of its last change are compared, too */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};
/* A missing path (or NULL) gives a mark, too. Errors: of the system. */
int file_mark_take(struct file_mark *m, const char *path, struct err *e);
/* NULL, "removed" or "replaced"; with `content` also "changed". Static text. */
const char *file_mark_differs(const struct file_mark *m, const char *path, bool content);
/* Whether a regular file exists and has another size. */
bool file_mark_resized(const struct file_mark *m, const char *path);

#endif
