/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/options/block_options.h"

#include <stddef.h>

const char *const block_mode_names[] = {"hf", "afap", "load", "dep", "causal", "think-limited", "timing-accurate", NULL};
const char *const block_backend_names[] = {"auto", "io_uring", "libaio", "psync", NULL};
const char *const block_limit_names[] = {"rounded", "instant", "exact", "none", NULL};
const char *const block_beyond_names[] = {"error", "modulo", "scale", NULL};
const char *const block_follow_names[] = {"each", "all", "nearest", "count", NULL};
const char *const block_unaligned_names[] = {"error", "round", NULL};

void block_options_init(struct block_options *o)
{
	*o = (struct block_options){
		.mode = MODE_HF,
		.limit = LIMIT_ROUNDED,
		.bundle_ns = -1,
		.bundle_max = BLOCK_BUNDLE_MAX,
		.think_scale = 1,
		.registered = true,
		.beyond = BEYOND_ERROR,
		.unaligned = UNALIGNED_ERROR,
	};
}

bool block_options_are_standard(const struct block_options *o)
{
	struct block_options s;
	block_options_init(&s);
	bool how = o->mode == s.mode && o->backend == s.backend && o->limit == s.limit && o->beyond == s.beyond && o->unaligned == s.unaligned;
	bool numbers = o->bundle_ns == s.bundle_ns && o->bundle_max == s.bundle_max && o->depth == s.depth &&
		       o->think_scale == s.think_scale && o->device_scale == s.device_scale && o->follow == s.follow && !o->think_time;
	return how && numbers && o->sq_poll == s.sq_poll && o->registered == s.registered && o->harvester == s.harvester &&
	       o->discards == s.discards && o->read_only == s.read_only && o->dry_run == s.dry_run;
}
