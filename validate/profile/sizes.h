/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large requests are: their distribution, and how often each size occurs. */
#ifndef VALIDATE_PROFILE_SIZES_H
#define VALIDATE_PROFILE_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "common/u64_map.h"
#include "validate/metrics/histogram.h"

#define SIZES_RECENT 64u
/* distinct sizes counted one by one; those met later are counted together */
#define SIZES_MAX 32768u

struct size_count {
	uint64_t size, n;
};

struct sizes {
	struct histogram distribution; /* bytes; sizes from 2^63 on as 2^63 - 1 */
	struct size_count *count;      /* [n_distinct] */
	size_t n_distinct, cap_counts;
	struct u64_map count_of; /* by size */
	uint64_t n_not_counted; /* requests whose size is none of the first SIZES_MAX */
	struct size_count *recent[SIZES_RECENT]; /* by their hash; NULL: none yet */
};

void sizes_init(struct sizes *s);
void sizes_release(struct sizes *s);

/* sizes_add's rarer part: NULL where it is not counted */
struct size_count *sizes_find(struct sizes *s, uint64_t size);

static inline void sizes_add(struct sizes *s, uint64_t size)
{
	histogram_add(&s->distribution, size < INT64_MAX ? (int64_t)size : INT64_MAX);
	struct size_count **recent = &s->recent[size * UINT64_C(0x9e3779b97f4a7c15) >> 58];
	if (!*recent || (*recent)->size != size)
		*recent = sizes_find(s, size);
	if (*recent)
		(*recent)->n++;
	else
		s->n_not_counted++;
}

/* The most frequent sizes, at most k, by falling count, equals by rising size. Returns how many. */
size_t sizes_common(const struct sizes *s, struct size_count *top, size_t k);

#endif
