/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/result/overlap.h"

/* Whether the paths are equal or a path names a directory within the other path. */
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

static bool is_doubtful(const struct overlap *o, uint32_t pid, int32_t fd, size_t *at)
{
	for (*at = 0; *at < o->n_doubtful; ++*at)
		if (o->doubtful[*at].pid == pid && o->doubtful[*at].fd == fd)
			return true;
	return false;
}

static void doubt_end(struct overlap *o, uint32_t pid, int32_t fd)
{
	size_t at;
	if (is_doubtful(o, pid, fd, &at))
		o->doubtful[at] = o->doubtful[--o->n_doubtful];
}

/* Handles two overlapping calls of which one opened the descriptor that the other closed. */
static void doubt_begin(struct overlap *o, const struct overlap_call *a,
			const struct overlap_call *b)
{
	size_t at;
	if (a->pid != b->pid || a->tid == b->tid || a->opened < 0 || a->opened != b->closed ||
	    is_doubtful(o, a->pid, a->opened, &at))
		return;
	if (o->n_doubtful == OVERLAP_CALLS)
		doubt_end(o, o->doubtful[0].pid, o->doubtful[0].fd);
	o->doubtful[o->n_doubtful++] = (struct overlap_descriptor){a->pid, a->opened};
}

static uint64_t doubt_count(const struct overlap *o, struct overlap_call *of,
			    const struct overlap_call *other)
{
	size_t at;
	if (!of->differs || of->counted ||
	    !(is_doubtful(o, of->pid, of->fd, &at) ||
	      (other->changes && of->tid != other->tid &&
	       (paths_meet(of->path, other->path) || paths_meet(of->second, other->path) ||
		paths_meet(of->path, other->second) || paths_meet(of->second, other->second)))))
		return 0;
	of->counted = true;
	return 1;
}

uint64_t overlap_add(struct overlap *o, struct overlap_call c)
{
	uint64_t n = 0;
	if (c.opened >= 0)
		doubt_end(o, c.pid, c.opened);
	for (size_t i = 0; i < o->n;) {
		if (o->call[i].end_ns <= c.begin_ns) {
			call_drop(o, i);
			continue;
		}
		doubt_begin(o, &c, &o->call[i]);
		doubt_begin(o, &o->call[i], &c);
		n += doubt_count(o, &c, &o->call[i]) + doubt_count(o, &o->call[i], &c);
		i++;
	}
	n += doubt_count(o, &c, &c);
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
