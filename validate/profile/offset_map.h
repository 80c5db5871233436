/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes by time and offset: a grid of counts. The width of its cells doubles when the
 * data do not fit, so that memory does not grow with the trace. */
#pragma once

#include "common/std.h"

#define OFFSET_MAP_TIMES 128
#define OFFSET_MAP_OFFSETS 64

/* Cell k of an axis covers [k << shift, (k + 1) << shift). The used cells are from..to. */
struct offset_axis {
	unsigned int shift;
	int64_t from, to;
};

struct offset_map {                      /* all zero: empty */
	struct offset_axis time, offset; /* ns; bytes */
	uint64_t n;                      /* requests */
	/* cell k of an axis is at k modulo the number of cells */
	uint32_t count[OFFSET_MAP_OFFSETS][OFFSET_MAP_TIMES];
};

/* Counts a request. Offsets of 2^62 and above are ignored. */
void offset_map_add(struct offset_map *m, int64_t begin_ns, uint64_t offset);
/* Requests in a used cell. */
uint32_t offset_map_count(const struct offset_map *m, int64_t time, int64_t offset);
