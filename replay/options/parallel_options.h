/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of engine `parallel`. doc/parallel.md defines them. */
#ifndef REPLAY_PARALLEL_OPTIONS_H
#define REPLAY_PARALLEL_OPTIONS_H

#include <stdbool.h>

enum parallel_compute { COMPUTE_SPIN, COMPUTE_SLEEP };
enum parallel_clock { COMPUTE_AUTO, COMPUTE_CPU, COMPUTE_WALL };
extern const char *const parallel_compute_names[]; /* "spin", "sleep", NULL */
extern const char *const parallel_clock_names[];   /* "auto", "cpu", "wall", NULL */

struct parallel_options {
	const char *launcher; /* --launcher: command that starts the ranks; NULL: mpirun */
	int compute;	      /* --compute: enum parallel_compute */
	int clock;	      /* --clock: enum parallel_clock, the clock of computing */
};

#endif
