/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From sources to a program: the C compiler, and the library of loops, gates and calls that the program is linked with. */
#ifndef REPLAY_BUILD_H
#define REPLAY_BUILD_H

#include "common/err.h"
#include "replay/engines/compiled/source.h"

/* The path of libvalidate-replay.a, which lies beside this program or where it was installed. NULL with the error. The caller frees. */
char *build_library_find(struct err *e);

extern const char build_flags[]; /* of the compiler, with blanks between */

/* Compiles the files in `dir` and links them: DIR/program; and leaves DIR/build.sh, which does it again. `cc`: a command, words with
 * blanks between. Several compilers run at a time. Errors: ENOENT without a compiler; EIO with the first line of what it said. */
int build_program(const char *dir, const struct source_files *files, const char *cc, const char *library, struct err *e);

#endif
