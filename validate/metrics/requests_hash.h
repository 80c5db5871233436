/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash of the requests of a trace that ignores times, threads and order: two recordings of the
 * same work have the same hash.
 *
 * It is the sum modulo 2^64 of a hash of each request's operation, object name, offset, length and
 * flags. A sum is used because the order of threads varies. It detects that two programs did
 * different work, but does not protect against deliberate collisions. Source: FNV-1a (Fowler, Noll,
 * Vo); the finalizer of MurmurHash3 (Appleby). */
#pragma once

#include "capture/trace.h"

struct requests_hash {
	const struct trace *trace; /* borrowed */
	uint64_t sum, n;
	uint64_t *name; /* hash of each object's name; 0: not computed yet; owned */
	size_t n_names;
};

void requests_hash_init(struct requests_hash *h, const struct trace *t);
void requests_hash_release(struct requests_hash *h);
/* Adds the issued records. */
void requests_hash_add(struct requests_hash *h, const struct trace_record *r, size_t n);
/* Never 0, which means "unknown". */
uint64_t requests_hash_value(const struct requests_hash *h);
