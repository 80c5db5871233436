/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts libgcrypt, for SHA-256 (FIPS 180-4). */
#pragma once

#include "common/std.h"

/* Idempotent and thread-safe. Call it before any other function of libgcrypt: their implicit start
 * calls abort() if a file of /proc cannot be read or memory is missing. Errors: EMFILE, ENFILE (a
 * later call tries again); EIO: libgcrypt could not start, and will not start in this process. */
int digest_ready(struct err *e);
