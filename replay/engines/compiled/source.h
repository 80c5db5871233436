/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sources of a compiled program. What is generated as C text is made of numbers and fixed words; everything else of the trace is in
 * tables.bin (image.h), which the assembler takes in. Time and text grow with the number of threads, and with the number of
 * requests only where each is code (`unroll`). */
#ifndef REPLAY_SOURCE_H
#define REPLAY_SOURCE_H

#include <stddef.h>

#include "common/err.h"
#include "replay/plan/plan.h"

struct source_files { /* the C files that were written, in the directory */
	char **name;  /* name[n], owned */
	size_t n, cap;
};

/* Writes into an existing directory: tables.bin, headers, and the C files, which are listed in `files`. Errors: of writing, E2BIG.
 * Ownership: source_files_release, also after an error. */
int source_write(const struct replay_plan *p, const struct replay_config *c, const char *dir, struct source_files *files,
		 struct err *e);
void source_files_release(struct source_files *files);

#define SOURCE_KEY 65
/* What the program is known by, 64 hexadecimal digits: a digest (SHA-256) of everything that it is made from, `more` included. Errors:
 * those of digest_ready, ENOMEM, those of image_write. */
int source_key(const struct replay_plan *p, const struct replay_config *c, const char *const *more, char key[SOURCE_KEY],
	       struct err *e);

#endif
