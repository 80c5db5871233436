/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are built and installed together with this program. */
#ifndef COMMON_COMPANION_H
#define COMMON_COMPANION_H

#include "common/err.h"

/* The path of the one called `name`, which `what_it_is` tells of in the message: beside this
 * program (as it is built) or in
 * ../lib/validate (as it is installed). NULL with the error, ENOENT where it is in neither. The
 * caller frees. */
char *companion_find(const char *name, const char *what_it_is, struct err *e);

#endif
