/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which requests a trace holds, as one number that leaves out times, threads and order: two
 * recordings of the same work have the same one, whatever the machine did to them.
 *
 * Sum modulo 2^64 of a hash of each request: operation, name of its object, offset, length and
 * flags. A sum, because which of two threads comes first is a matter of chance. It tells that two
 * programs were given different work; it is no defence against somebody who wants two traces to
 * look alike. Source: FNV-1a (Fowler, Noll, Vo); the finalizer of MurmurHash3 (Appleby). */
#ifndef VALIDATE_REQUESTS_HASH_H
#define VALIDATE_REQUESTS_HASH_H

#include "capture/trace.h"

struct requests_hash {
	const struct trace *trace; /* borrowed */
	uint64_t sum, n;
	uint64_t *name; /* of objects seen, 0: not yet; owned */
	size_t n_names;
};

void requests_hash_init(struct requests_hash *h, const struct trace *t);
void requests_hash_release(struct requests_hash *h);
/* Records that were issued count, others are skipped. */
void requests_hash_add(struct requests_hash *h, const struct trace_record *r, size_t n);
/* Never 0, which stands for "not known". */
uint64_t requests_hash_value(const struct requests_hash *h);

#endif
