/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libgcrypt, made ready for SHA-256 (FIPS 180-4). */
#ifndef COMMON_DIGEST_H
#define COMMON_DIGEST_H

#include "common/err.h"

/* Starts libgcrypt; idempotent and thread-safe. Call it before any other function of libgcrypt: its
 * own start ends the program (abort) where a file of /proc cannot be read or memory is missing,
 * which this function turns into an error. Errors: EMFILE, ENFILE (a later call tries again); EIO:
 * it could not start, and never will in this process. */
int digest_ready(struct err *e);

#endif
