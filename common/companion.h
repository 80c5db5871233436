/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are built and installed together with this program. */
#pragma once

#include "common/std.h"

/* The path of the file `name`: beside this program (build directory) or in ../lib/validate
 * (installed). `what_it_is`: for the message. NULL with the error; ENOENT: in neither. The caller
 * frees. */
char *companion_find(const char *name, const char *what_it_is, struct err *e);
