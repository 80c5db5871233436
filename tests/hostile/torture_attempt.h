/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays a hostile trace once and judges the outcome. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torture_scene.h"

enum torture_target { TARGET_DIRECTORY, TARGET_FILE, TARGET_DEVICE };

struct kind { /* an engine on a target */
	const char *name, *engine;
	enum torture_target target;
	/* runs in a forked copy of this program, which calls the main() of the program; otherwise,
	 * the program is executed */
	bool in_process;
	uint32_t per_round;  /* attempts of each round, because the kinds differ in speed */
	const char *more[8]; /* further arguments, NULL-terminated */
};
extern const struct kind kinds[]; /* ends with a row without a name */

struct attempt {
	const struct kind *kind;
	uint64_t seed;
	const bool *left_out; /* as in struct random_trace */
	const char *validate; /* path of the program */
	int limit_s;          /* a replay that takes longer hangs */
};
#define ATTEMPT_TRACE SCENE_WORK "/in.trace"
#define ATTEMPT_OUT SCENE_WORK "/stdout"
#define ATTEMPT_ERR SCENE_WORK "/stderr"
#define ATTEMPT_COMMAND SCENE_WORK "/command"

uint32_t attempt_n_requests(const struct attempt *a);
/* Plants the target, makes the trace, replays it. Returns whether the result is right; otherwise
 * `why` has the reason. `*status`: the exit status, or -1. Output is in ATTEMPT_OUT and
 * ATTEMPT_ERR, the command line in ATTEMPT_COMMAND. */
bool attempt_make(struct scene *s, const struct attempt *a, int *status, char *why, size_t size);
/* Whether the last attempt replayed its trace to the end: status 0, or status 6 after calls were
 * refused while it ran. */
bool attempt_ran(int status);

/* Call it before the first attempt: calibrates the clock that all attempts use. */
void attempts_begin(void);
