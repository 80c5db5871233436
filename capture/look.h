/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the state of a file before a program uses its path: type, mode, size, holes, target of a
 * link. The preload library calls it in the traced thread. capture vfs calls it from outside, while
 * the thread waits. */
#pragma once

#include "common/std.h"

struct statx;

enum look_what {
	LOOK_HOLES_CUT = 1,	/* `extra` does not contain all holes */
	LOOK_SEVERAL_NAMES = 2, /* a regular file with hard links */
};

struct look {
	/* how this process finds the file: a descriptor and a path relative to it */
	int dir;
	const char *path;
	/* how the program finds the file: its descriptor or AT_FDCWD, and its path */
	int shown_dir;
	const char *shown;
	const struct statx *x; /* NULL: the name does not exist */
	/* device and inode number of a regular file; otherwise 0 */
	uint64_t device, inode;
	unsigned int what; /* enum look_what */
	/* link: its target without NUL; regular file: its holes, offset and length with 8 bytes
	 * each */
	const void *extra;
	size_t extra_len;
};

/* `call` makes a system call and returns its result or a negative errno. `saw` gets the result,
 * which is valid until it returns. It is called after the file was examined, so a later stamp
 * belongs to a later state. `lost` is called if there is no memory to examine a file. */
struct look_sink {
	long (*call)(long number, long a, long b, long c, long d, long e, long f);
	void (*saw)(void *context, const struct look *l);
	void (*lost)(void *context);
	/* whether a directory was already examined, by a hash of its path; marks the directory as
	 * examined */
	bool (*noted)(void *context, uint64_t hash);
	void *context;
};

/* Examines the file that `path` names, and those directories in the path that were not examined
 * before: their permissions, and the targets of links among them. If the file is a link, examines
 * also each link of its chain and the final file, under the names in the links and under the
 * kernel's name. */
void look_path(const struct look_sink *s, int dir, const char *path, int shown_dir);
/* Examines every entry of the directory that is open at `fd` here and at `shown_fd` in the
 * program. */
void look_list(const struct look_sink *s, int fd, int shown_fd);
/* Examines everything below `path`, at most `depth` levels deep. */
void look_tree(const struct look_sink *s, const char *path, int depth);
