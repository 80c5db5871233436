/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lies beside the target: did a replayer write there? The entries of the directory that the
 * target is in, before and after, by name, kind, size and time of their last change. A directory
 * that everybody may write to (/tmp, /dev) tells nothing, and is not looked at. */
#ifndef REPLAY_ADAPTER_SURROUNDINGS_H
#define REPLAY_ADAPTER_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "common/err.h"

struct surrounding;

struct surroundings {
	char *dir; /* NULL: not looked at */
	struct surrounding *v; /* v[n], by name */
	size_t n, cap;
	bool too_many;
};
#define SURROUNDINGS_MAX 100000u

/* `except`: paths (NULL-terminated) whose change says nothing. A directory that this user may not
 * read is not looked at. Errors: of the system. Ownership: surroundings_release. */
int surroundings_take(struct surroundings *s, const char *target, const char *const *except,
		      struct err *e);
void surroundings_release(struct surroundings *s);

/* What differs: "made x, changed y, removed z", the first few. False where nothing does, or where
 * one was not looked at. */
bool surroundings_differ(const struct surroundings *before, const struct surroundings *after,
			 char *text, size_t size);

/* One file or directory, to tell whether it is still itself, and as it was. */
struct file_mark {
	bool there;
	bool is_data; /* a regular file: size and time of its last change tell of its content */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};
/* Nothing at the path (NULL: none) is a mark, too. Errors: of the system, where that is not known.
 */
int file_mark_take(struct file_mark *m, const char *path, struct err *e);
/* NULL, or what has become of it: "removed", "replaced"; with `content` also "changed". Static
 * text. */
const char *file_mark_differs(const struct file_mark *m, const char *path, bool content);
/* A regular file that is there and has another size. */
bool file_mark_resized(const struct file_mark *m, const char *path);

#endif
