/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the engine `block` can be told. doc/block-replay.md says what each means exactly. */
#ifndef REPLAY_BLOCK_OPTIONS_H
#define REPLAY_BLOCK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum block_mode {
	MODE_HF,
	MODE_AFAP,
	MODE_LOAD,
	MODE_DEP,
	/* and of engine parallel, with MODE_AFAP: */ MODE_CAUSAL,
	MODE_THINK_LIMITED,
	MODE_TIMING_ACCURATE
};
enum block_limit { LIMIT_ROUNDED, LIMIT_INSTANT, LIMIT_EXACT, LIMIT_NONE };
enum block_beyond { BEYOND_ERROR, BEYOND_MODULO, BEYOND_SCALE };
enum block_follow { FOLLOW_EACH, FOLLOW_ALL, FOLLOW_NEAREST, FOLLOW_COUNT };
enum block_unaligned { UNALIGNED_ERROR, UNALIGNED_ROUND };
/* "hf", "afap", "load", "dep", "causal", ..., NULL; the others alike, as --help lists them */
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
	int limit;		/* --in-flight: of hf */
	/* --bundle: requests closer than this are handed over together; -1: measured */
	int64_t bundle_ns;
	uint64_t bundle_max;	/* --bundle-max */
	/* --depth: requests in flight at most; 0: what the mode needs, afap 128 */
	uint64_t depth;
	/* --think-scale, --device-scale: of dep; device_scale 0: as the device is */
	double think_scale, device_scale;
	int follow;		/* --follow: of dep */
	const char *think_time; /* --think-time: of dep, "10us" or "auto" */
	bool sq_poll;		/* --sq-poll: a kernel thread takes requests from the ring */
	bool registered;	/* --registered: files and buffers of io_uring */
	bool harvester;		/* --harvester: a thread of its own fetches completions */
	bool discards;		/* --discards: replay them */
	bool read_only;		/* --read-only: writes become reads */
	bool dry_run;		/* --dry-run: nothing is done, and what would be is told */
	int beyond, unaligned;	/* --beyond, --unaligned */
};

#endif
