/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was done to each object. */
#ifndef VALIDATE_PROFILE_OBJECT_USES_H
#define VALIDATE_PROFILE_OBJECT_USES_H

#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"
#include "validate/profile/access.h"

#define OBJECT_USES_MAX 131072u /* told apart; requests on further ones are counted in n_not_followed */

struct object_use {
	uint32_t object; /* as in the records */
	uint64_t n, bytes_read, bytes_written;
	double busy_ns;		   /* sum of the response times */
	struct access_place place; /* where its last read or write was */
};

struct object_uses {
	struct object_use *use; /* [n_objects] */
	size_t n_objects, cap_objects;
	uint32_t *slot; /* [n_slots], a power of two, open addressing: number of an object's use, 0 free */
	size_t n_slots;
	struct access_counts access; /* of the reads and writes at known offsets */
	uint64_t n_not_followed, n_without; /* without: requests that name no object */
};

void object_uses_init(struct object_uses *o);
void object_uses_release(struct object_uses *o);

struct object_use *object_uses_find(struct object_uses *o, uint32_t object); /* NULL: too many */

static inline size_t object_uses_hash(uint32_t object)
{
	return (object * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
}

static inline struct object_use *object_uses_at(struct object_uses *o, uint32_t object)
{
	const uint32_t number = o->slot[object_uses_hash(object) & (o->n_slots - 1)];
	if (number && o->use[number - 1].object == object)
		return &o->use[number - 1];
	return object_uses_find(o, object);
}

/* By falling bytes moved, then by requests, then by number: at most k. Returns how many. */
size_t object_uses_top(const struct object_uses *o, struct object_use *top, size_t k);

#endif
