/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests on each object. */
#pragma once

#include "capture/trace.h"
#include "common/u64_map.h"
#include "validate/profile/access.h"

/* largest number of objects; requests on further objects are counted in n_not_followed */
#define OBJECT_USES_MAX 131072u

struct object_use {
	uint32_t object; /* as in the records */
	uint64_t n, bytes_read, bytes_written;
	double busy_ns;		   /* sum of the response times */
	struct access_place place; /* of its last read or write */
};

struct object_uses {
	struct object_use *use; /* [n_objects] */
	size_t n_objects, cap_objects;
	struct u64_map use_of;       /* by object */
	struct access_counts access; /* only reads and writes at known offsets */
	/* without: requests that name no object */
	uint64_t n_not_followed, n_without;
};

/* Zero-initialised means empty. */
void object_uses_release(struct object_uses *o);

/* Finds or creates an entry; NULL: there are too many. Borrowed until the next call. */
struct object_use *object_uses_at(struct object_uses *o, uint32_t object);

/* Finds the objects with the most bytes moved, then the most requests, then the smallest number.
 * Sets at most k; returns their number. */
size_t object_uses_top(const struct object_uses *o, struct object_use *top, size_t k);
