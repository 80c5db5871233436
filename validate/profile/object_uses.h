/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was done to each object. */
#ifndef VALIDATE_PROFILE_OBJECT_USES_H
#define VALIDATE_PROFILE_OBJECT_USES_H

#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/u64_map.h"
#include "validate/profile/access.h"

/* told apart; requests on further ones are counted in n_not_followed */
#define OBJECT_USES_MAX 131072u

struct object_use {
	uint32_t object; /* as in the records */
	uint64_t n, bytes_read, bytes_written;
	double busy_ns;		   /* sum of the response times */
	struct access_place place; /* where its last read or write was */
};

struct object_uses {
	struct object_use *use; /* [n_objects] */
	size_t n_objects, cap_objects;
	struct u64_map use_of;       /* by object */
	struct access_counts access; /* of the reads and writes at known offsets */
	uint64_t n_not_followed, n_without; /* without: requests that name no object */
};

/* An all-zero one is empty. */
void object_uses_release(struct object_uses *o);

/* Created where it is new; NULL: too many. Borrowed until the next call. */
struct object_use *object_uses_at(struct object_uses *o, uint32_t object);

/* By falling bytes moved, then by requests, then by number: at most k. Returns how many. */
size_t object_uses_top(const struct object_uses *o, struct object_use *top, size_t k);

#endif
