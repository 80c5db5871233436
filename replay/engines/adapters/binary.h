/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of an adapter: where it is, and which version. */
#ifndef REPLAY_ADAPTER_BINARY_H
#define REPLAY_ADAPTER_BINARY_H

#include "common/err.h"
#include "common/strbuf.h"
#include "replay/engines/adapters/adapter.h"

/* A program by name (looked for in PATH) or path, as an absolute path. Errors: ENOENT, EACCES. The caller frees. */
char *binary_find(const char *name, struct err *e);

/* The first line that a command prints, made plain text, in at most 5 s. `user`: who runs it (NULL: who asks). Errors: of starting it; ENODATA. */
int binary_first_line(char *const *argv, const char *user, struct strbuf *out, struct err *e);

#endif
