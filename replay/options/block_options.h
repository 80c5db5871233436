/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of engine `block`. doc/block-replay.md defines them. */
#pragma once

#include "common/std.h"

enum block_mode {
	MODE_HF,
	MODE_AFAP,
	MODE_LOAD,
	MODE_DEP,
	/* for engine parallel, which also has MODE_AFAP */
	MODE_CAUSAL,
	MODE_THINK_LIMITED,
	MODE_TIMING_ACCURATE
};
enum block_limit { LIMIT_ROUNDED, LIMIT_INSTANT, LIMIT_EXACT, LIMIT_NONE, LIMIT_SLACK };
enum block_beyond { BEYOND_ERROR, BEYOND_MODULO, BEYOND_SCALE };
enum block_follow { FOLLOW_EACH, FOLLOW_ALL, FOLLOW_NEAREST, FOLLOW_COUNT };
enum block_unaligned { UNALIGNED_ERROR, UNALIGNED_ROUND };
/* NULL-terminated, in the order of the enums */
extern const char *const block_mode_names[];
/* in the order of block_backends (backend.h), "auto" first */
extern const char *const block_backend_names[];
extern const char *const block_limit_names[];
extern const char *const block_beyond_names[];
extern const char *const block_follow_names[];
extern const char *const block_unaligned_names[];

#define BLOCK_BUNDLE_MAX 256u
#define BLOCK_DEPTH_MAX 32768u
#define BLOCK_WORKERS_MAX 64u

struct block_options {
	int mode;		/* --mode */
	int backend;		/* --backend: 0 auto */
	int limit;		/* --in-flight: mode hf */
	/* --bundle: submit requests together if they are closer than this; -1: measured */
	int64_t bundle_ns;
	uint64_t bundle_max;	/* --bundle-max */
	uint64_t depth;		/* --depth; 0: as deep as the mode needs; afap: 128 */
	/* --think-scale, --device-scale: mode dep; device_scale 0: unchanged */
	double think_scale, device_scale;
	int follow;		/* --follow: mode dep */
	const char *think_time; /* --think-time: mode dep, "10us" or "auto" */
	bool sq_poll;		/* --sq-poll: a kernel thread polls for submissions */
	bool registered;	/* --registered: register files and buffers of io_uring */
	bool harvester;		/* --harvester: a second thread fetches completions */
	bool discards;		/* --discards: replay discards */
	bool read_only;		/* --read-only: writes become reads */
	bool dry_run;		/* --dry-run: only print what would be done */
	int beyond, unaligned;	/* --beyond, --unaligned */
};
