/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/result/overlap.h"

/* Whether the paths are equal or one names a directory in the other. */
static bool paths_meet(const char *a, const char *b)
{
	size_t same = 0;
	if (!a || !b)
		return false;
	while (a[same] && a[same] == b[same])
		same++;
	return same && (!a[same] || a[same] == '/') && (!b[same] || b[same] == '/') &&
	       (!a[same] || !b[same]);
}

static void call_drop(struct overlap *o, size_t i)
{
	free(o->call[i].second);
	memmove(&o->call[i], &o->call[i + 1], (--o->n - i) * sizeof *o->call);
}

static uint64_t count(struct overlap_call *of, const struct overlap_call *other)
{
	if (!of->differs || of->counted || !other->changes ||
	    !(of->tid != other->tid &&
	      (paths_meet(of->path, other->path) || paths_meet(of->second, other->path) ||
	       paths_meet(of->path, other->second) || paths_meet(of->second, other->second))))
		return 0;
	of->counted = true;
	return 1;
}

uint64_t overlap_add(struct overlap *o, struct overlap_call c)
{
	uint64_t n = 0;
	for (size_t i = 0; i < o->n;) {
		if (o->call[i].end_ns <= c.begin_ns) {
			call_drop(o, i);
			continue;
		}
		n += count(&c, &o->call[i]) + count(&o->call[i], &c);
		i++;
	}
	if (o->n == OVERLAP_CALLS)
		call_drop(o, 0);
	o->call[o->n++] = c;
	return n;
}

void overlap_release(struct overlap *o)
{
	while (o->n)
		call_drop(o, o->n - 1);
}
