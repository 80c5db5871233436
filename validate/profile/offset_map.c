/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/offset_map.h"

#define OFFSET_MAX (UINT64_C(1) << 62)

static uint32_t *cell_of(struct offset_map *m, int64_t time, int64_t offset)
{
	return &m->count[(uint64_t)offset % OFFSET_MAP_OFFSETS][(uint64_t)time % OFFSET_MAP_TIMES];
}

uint32_t offset_map_count(const struct offset_map *m, int64_t time, int64_t offset)
{
	return *cell_of((struct offset_map *)m, time, offset);
}

/* Returns by how many more bits the axis must be shifted so that it fits n cells after x is
 * added. */
static unsigned int find_shift(const struct offset_axis *a, int64_t x, int64_t n)
{
	unsigned int shift = a->shift;
	for (;; shift++) {
		const int64_t k = x >> shift, from = a->from >> (shift - a->shift),
			      to = a->to >> (shift - a->shift);
		if ((k > to ? k : to) - (k < from ? k : from) < n)
			return shift;
	}
}

static void axis_shift(struct offset_axis *a, unsigned int shift)
{
	a->from >>= shift - a->shift;
	a->to >>= shift - a->shift;
	a->shift = shift;
}

static void map_widen(struct offset_map *m, unsigned int time_shift, unsigned int offset_shift)
{
	SCOPED_FREE struct offset_map *old = xmalloc(sizeof *old);
	*old = *m;
	memset(m->count, 0, sizeof m->count);
	axis_shift(&m->time, time_shift);
	axis_shift(&m->offset, offset_shift);
	for (int64_t o = old->offset.from; o <= old->offset.to; o++)
		for (int64_t t = old->time.from; t <= old->time.to; t++)
			*cell_of(m, t >> (time_shift - old->time.shift),
				 o >> (offset_shift - old->offset.shift)) += *cell_of(old, t, o);
}

static void axis_include(struct offset_axis *a, int64_t k)
{
	a->from = k < a->from ? k : a->from;
	a->to = k > a->to ? k : a->to;
}

void offset_map_add(struct offset_map *m, int64_t begin_ns, uint64_t offset)
{
	if (offset >= OFFSET_MAX)
		return;
	if (!m->n++) {
		m->time = (struct offset_axis){0, begin_ns, begin_ns};
		m->offset = (struct offset_axis){0, (int64_t)offset, (int64_t)offset};
	}
	const unsigned int time_shift = find_shift(&m->time, begin_ns, OFFSET_MAP_TIMES),
		offset_shift = find_shift(&m->offset, (int64_t)offset, OFFSET_MAP_OFFSETS);
	if (time_shift != m->time.shift || offset_shift != m->offset.shift)
		map_widen(m, time_shift, offset_shift);
	const int64_t t = begin_ns >> time_shift, o = (int64_t)offset >> offset_shift;
	axis_include(&m->time, t);
	axis_include(&m->offset, o);
	++*cell_of(m, t, o);
}
