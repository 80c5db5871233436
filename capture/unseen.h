/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a capture says that it could not see: programs that it could not look into, and such as made
 * calls past the C library, or have the code for it. Then the trace is incomplete, and nobody knows
 * by how much. */
#ifndef CAPTURE_UNSEEN_H
#define CAPTURE_UNSEEN_H

#include <jansson.h>
#include <stdint.h>

/* The number of such programs, by a trace's extra metadata (capture app writes it); 0 where it says
 * nothing. */
uint64_t programs_unseen(const json_t *extra);
/* What else the capture counted that is not in the trace: rings of io_uring, calls and requests of
 * such rings, asynchronous requests, and 1 if it was interrupted. At most INT64_MAX. */
uint64_t requests_unseen(const json_t *extra);
uint64_t programs_unseen_of_text(const char *extra_json); /* NULL is fine */

#endif
