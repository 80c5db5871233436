/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that were kept on some of the machine's processors: the trace's "affinity"
 * (doc/formats/trace.md). */
#ifndef CAPTURE_AFFINITY_H
#define CAPTURE_AFFINITY_H

#include <stdint.h>

/* sets of processors 0 to 255, bit by bit; of machines with more nothing is told */
#define AFFINITY_WORDS 4

struct json_t; /* jansson's */

/* Adds a row {"pid", "tid", "cpus": "0,2-3"}, unless the set holds as many processors as are
 * online, or none: such a thread was not kept anywhere. */
void affinity_add(struct json_t *rows, uint32_t pid, uint32_t tid,
		  const uint64_t set[AFFINITY_WORDS]);

/* What the calling thread may use now. Returns 0, or -1 where that cannot be told. */
int affinity_own(uint64_t set[AFFINITY_WORDS]);

#endif
