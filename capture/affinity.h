/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that are restricted to some CPUs: the trace's "affinity" (doc/formats/trace.md). */
#pragma once

#include <stdint.h>

/* a set holds CPUs 0 to 255 as bits; machines with more CPUs are not recorded */
#define AFFINITY_WORDS 4

struct json_t; /* jansson's */

/* Adds a row {"pid", "tid", "cpus": "0,2-3"}, unless the set is empty or has all online CPUs. */
void affinity_add(struct json_t *rows, uint32_t pid, uint32_t tid,
		  const uint64_t set[AFFINITY_WORDS]);

/* Gets the CPU set of the calling thread. Returns 0, or -1 if it cannot be represented. */
int affinity_own(uint64_t set[AFFINITY_WORDS]);
