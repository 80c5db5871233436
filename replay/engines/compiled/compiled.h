/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a plan to a program that runs: its source, its build, where it is kept, its start. */
#ifndef REPLAY_COMPILED_H
#define REPLAY_COMPILED_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "replay/plan/plan.h"

/* The sources of a compiled program. What is generated as C text is made of numbers and fixed
 * words; everything else of the trace is in tables.bin (image.h), which the assembler takes in.
 * Time and text grow with the number of threads, and with the number of requests only where each is
 * code (`unroll`). */

struct source_files { /* the C files that were written, in the directory */
	char **name;  /* name[n], owned */
	size_t n, cap;
};

/* Writes into an existing directory: tables.bin, headers, and the C files, which are listed in
 * `files`. Errors: of writing, E2BIG. Ownership: source_files_release, also after an error. */
int source_write(const struct replay_plan *p, const struct replay_config *c, const char *dir,
		 struct source_files *files, struct err *e);
void source_files_release(struct source_files *files);

#define SOURCE_KEY 65
/* What the program is known by, 64 hexadecimal digits: a digest (SHA-256) of everything that it is
 * made from, `more` included. Errors: those of digest_ready, ENOMEM, those of image_write. */
int source_key(const struct replay_plan *p, const struct replay_config *c, const char *const *more,
	       char key[SOURCE_KEY], struct err *e);

/* From sources to a program: the C compiler, and the library of loops, gates and calls that the
 * program is linked with. */

/* The path of libvalidate-replay.a, which lies beside this program or where it was installed. NULL
 * with the error. The caller frees. */
char *build_library_find(struct err *e);

extern const char build_flags[]; /* of the compiler, with blanks between */

/* Compiles the files in `dir` and links them: DIR/program; and leaves DIR/build.sh, which does it
 * again. `cc`: a command, words with blanks between. Several compilers run at a time. Errors:
 * ENOENT without a compiler; EIO with the first line of what it said. */
int build_program(const char *dir, const struct source_files *files, const char *cc,
		  const char *library, struct err *e);

/* The headers that a generated program is compiled with, built in: a system where this program is
 * installed need not have its sources, and the two cannot be of different versions. */

/* One after another: its path and its text, each with a NUL; behind the last one an empty path. */
extern const char program_headers[];

/* The text of the header at `path`, and the next one's path. */
const char *program_header_text(const char *path);
const char *program_header_next(const char *path);

/* Compiled programs that are kept, so that a trace which is replayed many times is compiled once.
 * Each is known by a digest of everything that it is made from (source_key). Only the
 * user may write to the directory, because programs in it are executed. */

/* what is kept in all; those used longest ago go first, and nothing else goes */
#define STORE_MAX_BYTES (UINT64_C(2) << 30)

/* The directory of compiled programs: `wanted`, else validate/programs in $XDG_CACHE_HOME or
 * ~/.cache. Makes it if it is missing. Errors: EPERM: it belongs to another user, or others may use
 * it; ENOENT: neither variable names one; of the system. The caller frees. */
int store_find(const char *wanted, char **dir, struct err *e);

/* A descriptor of the kept program, -1 where there is none that can be trusted. */
int store_open(const char *dir, const char *key);

/* Makes room, and a directory in which a program is made (leftover_directory()). NULL with the error.
 * The caller frees. */
char *store_workshop(const char *dir, struct err *e);

/* Keeps WORKSHOP/program as `key`, and returns its descriptor, or a negative errno. */
int store_keep(const char *dir, const char *workshop, const char *key, struct err *e);

/* Starting a compiled program on a plan, and taking back what it did. */

/* Runs the program behind `program_fd`, which was made of this very plan: it inherits the plan's
 * descriptors and fills in the outcomes, clock and facts. Afterwards the plan's descriptors are
 * closed here, and the numbers in `fds` are those that the program had. Errors: of memory and of
 * starting it; those of crew_run; EIO when it did not end by itself, with plan.partial where
 * outcomes of completed requests are there. */
int start_program(struct replay_plan *p, const struct replay_config *config, int program_fd,
		  struct err *e);

#endif
