/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a file before a program uses its path: type, mode, size, holes, target of a link.
 * Used by the preload library in the traced thread, and by capture vfs from outside while the
 * thread waits. */
#pragma once

#include "common/std.h"

struct statx;

enum look_what {
	LOOK_HOLES_CUT = 1,	/* `extra` does not hold all holes */
	LOOK_SEVERAL_NAMES = 2, /* a regular file with hard links */
};

struct look {
	/* how to look the file up: a descriptor of the looking thread, and a path */
	int dir;
	const char *path;
	int shown_dir; /* the same for the program: its descriptor or AT_FDCWD, and its path */
	const char *shown;
	const struct statx *x; /* NULL: the name does not exist */
	/* of a regular file: device and inode number; otherwise 0 */
	uint64_t device, inode;
	unsigned int what; /* enum look_what */
	/* a link: its target without NUL; a regular file: its holes, offset and length of 8 bytes
	 * each */
	const void *extra;
	size_t extra_len;
};

/* `call` makes a system call and returns its result or a negative errno. `saw` gets the result,
 * borrowed until it returns; it is called after the look, so that a later stamp belongs to a later
 * state. `lost`: there was no memory to look at a file. */
struct look_sink {
	long (*call)(long number, long a, long b, long c, long d, long e, long f);
	void (*saw)(void *context, const struct look *l);
	void (*lost)(void *context);
	/* whether a directory was looked at before, by a hash of its path; marks it as looked at */
	bool (*noted)(void *context, uint64_t hash);
	void *context;
};

/* Looks at the file that `path` names, and at the directories on its way that were not looked at
 * before: their permissions, and the targets of links among them. If the file is a link, looks also
 * at each link of its chain and at the final file, by the names in the links and by the kernel's
 * name. */
void look_path(const struct look_sink *s, int dir, const char *path, int shown_dir);
/* Looks at everything in the directory open at `fd`, which is `shown_fd` for the program. */
void look_list(const struct look_sink *s, int fd, int shown_fd);
/* Looks at everything below `path`, at most `depth` levels deep. */
void look_tree(const struct look_sink *s, const char *path, int depth);
