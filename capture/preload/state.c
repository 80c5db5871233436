/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the state of a file before the program uses its path. The collector selects the first
 * state among several records of a file. Uses raw system calls outside any timed region. */
#include <sys/stat.h>

#include "capture/look.h"
#include "capture/preload/core.h"

static long call_raw(long number, long a, long b, long c, long d, long e, long f)
{
	return raw_call(number, a, b, c, d, e, f);
}

static void look_note(void *context, const struct look *l)
{
	const uint64_t now = clock_now(&capture_clock);
	const struct note n = {.begin = now,
			       .end = now,
			       .op = LOG_STATE_OF,
			       .fd = (int)l->what,
			       .dir = l->shown_dir,
			       .path = l->shown,
			       .flags = l->x ? l->x->stx_mode : 0,
			       .length = l->x ? l->x->stx_size : 0,
			       .offset = l->inode,
			       .result = (int64_t)l->device,
			       .extra = l->extra,
			       .extra_len = l->extra_len};
	(void)context;
	capture_note(&n);
	if (capture_flags & LOG_DIGEST && l->x && S_ISREG(l->x->stx_mode))
		digest_note(capture_control(), l->dir, l->path, l->shown, l->shown_dir, l->x);
}

static void look_lost(void *context)
{
	(void)context;
	capture_lost();
}

/* Hashes of directories already listed. If two hashes collide, both directories are listed again.
 */
enum { WAYS = 4096 };
static _Atomic uint64_t way_noted[WAYS];

static bool way_is_noted(void *context, uint64_t hash)
{
	_Atomic uint64_t *at = &way_noted[hash >> 20 & (WAYS - 1)];
	(void)context;
	return atomic_exchange_explicit(at, hash, memory_order_relaxed) == hash;
}

static const struct look_sink looks = {call_raw, look_note, look_lost, way_is_noted, NULL};

void state_note(int dir, const char *path)
{
	if (!capture_confined)
		look_path(&looks, dir, path, dir);
}

/* The entries of a directory that will be listed. */
void state_note_list(int fd)
{
	if (!capture_confined)
		look_list(&looks, fd, fd);
}

/* The tree that a C library function will walk. */
void state_note_tree(const char *path, int depth)
{
	if (!capture_confined)
		look_tree(&looks, path, depth);
}
