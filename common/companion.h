/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are built and installed together with this program. */
#pragma once

#include "common/std.h"

/* Finds the file `name` beside this program (build directory) or in ../lib/validate (installed).
 * `what_it_is` is for the message. Returns the path, which the caller frees, or NULL. Errors:
 * ENOENT: the file is in neither place. */
char *companion_find(const char *name, const char *what_it_is, struct err *e);
