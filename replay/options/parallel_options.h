/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the engine `parallel` can be told. doc/parallel.md says what each means exactly. */
#ifndef REPLAY_PARALLEL_OPTIONS_H
#define REPLAY_PARALLEL_OPTIONS_H

#include <stdbool.h>

enum parallel_compute { COMPUTE_SPIN, COMPUTE_SLEEP };
enum parallel_clock { COMPUTE_AUTO, COMPUTE_CPU, COMPUTE_WALL };
extern const char *const parallel_compute_names[]; /* "spin", "sleep", NULL */
extern const char *const parallel_clock_names[];   /* "auto", "cpu", "wall", NULL */

struct parallel_options {
	/* --launcher: the command that starts the ranks; NULL: mpirun, with what it needs here */
	const char *launcher;
	int compute;	      /* --compute: enum parallel_compute */
	int clock;	      /* --clock: of what time computing is counted (enum parallel_clock) */
};

#endif
