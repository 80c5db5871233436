/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/requests_hash.h"

#include "common/fnv1a.h"

/* the names of objects with a larger number are hashed each time */
#define NAMES_MAX (UINT32_C(1) << 24)

void requests_hash_init(struct requests_hash *h, const struct trace *t)
{
	*h = (struct requests_hash){.trace = t};
}

void requests_hash_release(struct requests_hash *h)
{
	free(h->name);
	*h = (struct requests_hash){0};
}

static uint64_t hash_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

static uint64_t text_hash(const char *s)
{
	const uint64_t x = fnv1a(FNV1A_START, s, s ? strlen(s) : 0);
	return x ? x : 1;
}

static uint64_t name_hash(struct requests_hash *h, uint32_t object)
{
	const struct trace_object *o =
	    object == OBJECT_NONE ? NULL : trace_object(h->trace, object);
	if (!o || object >= NAMES_MAX)
		return text_hash(o ? o->name : NULL);
	if (object >= h->n_names) {
		size_t n = object < 128 ? 256 : 2 * (size_t)object;
		h->name = xreallocarray(h->name, n, sizeof *h->name);
		memset(h->name + h->n_names, 0, (n - h->n_names) * sizeof *h->name);
		h->n_names = n;
	}
	if (!h->name[object])
		h->name[object] = text_hash(o->name);
	return h->name[object];
}

void requests_hash_add(struct requests_hash *h, const struct trace_record *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (r[i].begin_ns == TIME_NONE)
			continue;
		uint64_t x = hash_mix(name_hash(h, r[i].object) + r[i].op);
		x = hash_mix(x + r[i].offset);
		x = hash_mix(x + r[i].length);
		h->sum += hash_mix(x + r[i].flags);
		h->n++;
	}
}

uint64_t requests_hash_value(const struct requests_hash *h)
{
	uint64_t x = hash_mix(h->sum + h->n);
	return x ? x : 1;
}
