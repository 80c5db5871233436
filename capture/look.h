/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a file looks before a program uses its path: type, mode, size, where its holes are, what a
 * link points at. Shared by the preload library, which looks in the traced thread, and by capture
 * vfs, which looks from outside while the thread waits. */
#ifndef CAPTURE_LOOK_H
#define CAPTURE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct statx;

struct look {
	int dir; /* what the file is looked up by: a descriptor of the thread that looks, and a path
		  */
	const char *path;
	int shown_dir; /* the same for the program: its descriptor or AT_FDCWD, and its path */
	const char *shown;
	const struct statx *x; /* NULL: nothing has that name */
	const void *extra; /* a link: its target without NUL; a regular file: its holes, offset and
			      length of 8 bytes each */
	size_t extra_len;
	bool holes_cut; /* there are more holes than `extra` has */
};

/* `call` makes a system call and returns its result or a negative errno. `saw` gets what was found,
 * borrowed until it returns; it is called after the look, so that a later stamp belongs to a later
 * state. `lost`: a file could not be looked at for want of memory. */
struct look_sink {
	long (*call)(long number, long a, long b, long c, long d, long e, long f);
	void (*saw)(void *context, const struct look *l);
	void (*lost)(void *context);
	/* whether a directory was looked at before, by a hash of its path */
	bool (*noted)(void *context, uint64_t hash);
	void *context;
};

/* The file that `path` names, and the directories on its way that were not looked at before: their
 * permissions, and what links among them lead to. If the file is a link: also each link of its
 * chain, and the file at its end, under the names that the links give, and that file under the name
 * that the kernel gives. */
void look_path(const struct look_sink *s, int dir, const char *path, int shown_dir);
/* Everything in the directory open at `fd`, which is `shown_fd` for the program. */
void look_list(const struct look_sink *s, int fd, int shown_fd);
/* Everything below `path`, so many levels deep. */
void look_tree(const struct look_sink *s, const char *path, int depth);

#endif
