/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The headers that a generated program is compiled with, built in: a system where this program is installed need not have its
 * sources, and the two cannot be of different versions. */
#ifndef REPLAY_HEADERS_H
#define REPLAY_HEADERS_H

/* One after another: its path and its text, each with a NUL; behind the last one an empty path. */
extern const char program_headers[];

/* The text of the header at `path`, and the next one's path. */
const char *program_header_text(const char *path);
const char *program_header_next(const char *path);

#endif
