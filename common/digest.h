/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libgcrypt, made ready for SHA-256 (FIPS 180-4). */
#ifndef COMMON_DIGEST_H
#define COMMON_DIGEST_H

#include "common/err.h"

/* To be called before any other function of libgcrypt, as often as one likes: its own first step ends the program (abort) where it finds no
 * descriptor free. Errors: EMFILE, ENFILE; EIO where it has no SHA-256. */
int digest_ready(struct err *e);

#endif
