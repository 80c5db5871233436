/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled programs: their sources, their build, their cache, and their start. */
#pragma once

#include "common/file_digest.h"
#include "replay/engines/compiled/image.h"

/* --- sources -------------------------------------------------------------
 * The generated C text consists of numbers and fixed words. All other data of the trace are in
 * tables.bin (image.h), which the assembler includes. The text grows with the number of threads;
 * with --unroll it grows with the number of requests. */

struct source_files { /* the C files that were written, in the directory */
	char **name;  /* name[n], owned */
	size_t n, cap;
};

/* Writes tables.bin, the headers and the C files into an existing directory; `files` lists the C
 * files. Errors: of writing. Ownership: source_files_release, also after an error. */
int source_write(const struct replay_plan *p, const struct image *tables,
		 const struct replay_config *c, const char *dir, struct source_files *files,
		 struct err *e);
void source_files_release(struct source_files *files);

/* The program's name in the cache: 64 hexadecimal digits, the SHA-256 digest of all its inputs
 * including `more` (NULL-terminated). Errors: those of bytes_digest. */
int source_key(const struct image *tables, const struct replay_config *c, const char *const *more,
	       char key[FILE_DIGEST_HEX], struct err *e);

/* --- build --------------------------------------------------------------- */

/* The path of libvalidate-replay.a, the library of loops, gates and calls. It is beside this
 * program, or installed. Errors: NULL with the error. The caller frees. */
char *build_library_find(struct err *e);

extern const char build_flags[]; /* of the compiler, separated by blanks; safe in a shell */

/* Writes DIR/build.sh and runs it: compiles the files in `dir` and links DIR/program. Names of
 * files are safe in a shell. `cc`: a command whose words are separated by blanks. Errors: ENOENT
 * without a compiler; EIO with the compiler's first message. */
int build_program(const char *dir, const struct source_files *files, const char *cc,
		  const char *library, struct err *e);

/* The headers of generated programs, which are part of validate: an installed validate needs no
 * sources, and the versions always agree. Each header has its path and its text, each with a NUL;
 * an empty path follows the last header. */
extern const char program_headers[];

/* The text of the header at `path`, and the path of the next header. */
const char *program_header_text(const char *path);
const char *program_header_next(const char *path);

/* --- cache ---------------------------------------------------------------
 * A trace that is replayed many times is compiled once. Names are digests of all inputs
 * (source_key). Only the user may write to the directory, because its programs are executed. */

/* limit for all programs together; the least recently used programs are removed first */
#define STORE_MAX_BYTES (UINT64_C(2) << 30)

/* The directory of compiled programs: `wanted`, otherwise validate/programs in $XDG_CACHE_HOME or
 * ~/.cache. Creates it if it is missing. Errors: EPERM: it belongs to another user, or other users
 * have access; ENOENT: both variables are unset; of the system. The caller frees. */
int store_find(const char *wanted, char **dir, struct err *e);

/* A descriptor of the cached program; -1: the cache has none, or it cannot be trusted. */
int store_open(const char *dir, const char *key);

/* Removes programs above the limit of the cache, then creates a directory for a build
 * (leftover_directory()). Errors: NULL with the error. The caller frees. */
char *store_workshop(const char *dir, struct err *e);

/* Moves WORKSHOP/program into the cache as `key`. Returns its descriptor, or a negative errno. */
int store_keep(const char *dir, const char *workshop, const char *key, struct err *e);

/* --- start --------------------------------------------------------------- */

/* Runs the program at `program_fd`, which was made from this plan. It inherits the plan's
 * descriptors and fills in the outcomes, clock and facts. Afterwards the plan's descriptors are
 * closed, and `fds` contains the program's descriptor numbers. Errors: of memory and of the start;
 * those of crew_run; EIO if the program ended early. After an error, plan.partial says whether
 * there are outcomes of completed requests. */
int start_program(struct replay_plan *p, const struct replay_config *config, int program_fd,
		  struct err *e);
