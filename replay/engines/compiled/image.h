/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan as a single piece of memory: the static tables of a compiled program, in the layout of
 * plan.h. Pointers are stored as offsets until image_open().
 *
 * The image contains all data that a trace brings into a program: paths, names, attribute values
 * and numbers. The assembler includes it as bytes, so no compiler reads data of the trace as
 * text. */
#pragma once

#include "replay/plan/plan.h"

#define IMAGE_MAGIC "validate replay tables 5"

enum image_part {
	IMAGE_LANES, /* struct image_lane[n_lanes] */
	/* struct hot_request. In this part and the next three, each lane begins at a multiple of
	 * 128 bytes */
	IMAGE_REQUESTS,
	IMAGE_WAITS,
	IMAGE_DUE,
	IMAGE_EXPECTED,
	IMAGE_PLACE,       /* struct lane_place[n_records] */
	IMAGE_PROCESS_OF,  /* uint32_t[n_lanes] */
	IMAGE_OPEN,        /* struct hot_open[n_slots] */
	IMAGE_SLOTS,       /* struct slot[n_slots] */
	IMAGE_ENDING,      /* uint32_t[n_slots] */
	IMAGE_CALLS,       /* struct call[n_calls] */
	IMAGE_PATHS,       /* struct call_path[n_paths] */
	IMAGE_TIMES,       /* struct timespec[n_times] */
	IMAGE_PARTS,       /* struct call_part[n_parts] */
	IMAGE_DIRECTORIES, /* char *[n_places] */
	IMAGE_PROCESSES,   /* struct call_process_laid[n_processes] */
	IMAGE_MAPS,        /* uint32_t[n_maps] */
	IMAGE_BYTES,       /* plan.bytes */
	IMAGE_TEXTS,       /* paths, each with its NUL */
	IMAGE_N
};

struct image_lane { /* offsets within the parts, in elements */
	uint64_t request, wait, due, expected, own_bytes, common_bytes;
	uint32_t n, n_waits;
};

struct image {
	char magic[32];
	uint64_t n_bytes;     /* of the whole */
	uint64_t at[IMAGE_N]; /* from the start, multiples of 128 */
	struct replay_plan plan; /* without its arrays */
	bool timed, by_process, opened;
};

/* Makes the image of a plan without mutants; the same plan gives the same bytes. `r` is at least
 * image.n_bytes long. Errors: E2BIG for more than IMAGE_MAX_BYTES; ENOMEM. Ownership: vm_free. */
int image_make(const struct replay_plan *p, struct vm_region *r, struct err *e);
/* the program's code reaches its tables by 32-bit distances */
#define IMAGE_MAX_BYTES (UINT64_C(3) << 29)

/* lanes begin at a multiple of this number of elements, and so at a multiple of 128 bytes in every
 * table */
#define IMAGE_LANE_ALIGN 16u

/* Size of the outcomes of a plan in bytes, in the layout of plan_make(): one lane after the
 * other. */
uint64_t image_outcome_bytes(const struct replay_plan *p);
/* Sets the outcomes of each lane in the borrowed memory at `base`, of image_outcome_bytes(). */
void image_outcomes_set(struct replay_plan *p, struct outcome *base);

/* In the program: turns offsets into pointers, makes every page present, and fills in `p`. Its
 * clock, payload and root stay; descriptors and outcomes are not filled in. Errors: EINVAL for
 * tables of another version; ENOMEM. */
int image_open(struct image *m, struct replay_plan *p, struct err *e);
