/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wall-clock time of a campaign by part; every moment counts in exactly one part. Written to
 * environment.json as "time" (doc/results.md). */
#pragma once

#include <jansson.h>

#include "common/std.h"

enum time_part {
	/* requests of the program, and of replays */
	TIME_PROGRAM,
	TIME_REPLAY,
	/* this part and the next two include everything that happens in them */
	TIME_CALIBRATION,
	TIME_RECORDINGS,
	TIME_BLANK,
	/* start and end of a measured process: all of its time except its requests */
	TIME_START,
	TIME_RESTORE,
	TIME_SYNC,
	TIME_EVICT,
	TIME_SETTLE,
	TIME_SUMMARY,
	TIME_JOURNAL,
	TIME_ANALYSIS, /* which cases are decided */
	TIME_SETUP,    /* before the first run */
	TIME_CLEANUP,
	TIME_OTHER,
	TIME_N
};

struct time_use {
	/* CLOCK_MONOTONIC: start or last update of the present part */
	int64_t since_ns;
	enum time_part now;
	double s[TIME_N];
};

/* Starts to measure, with `part` as the present part. */
void time_use_start(struct time_use *t, enum time_part part);
/* Switches to `part`; returns the previous part for time_end(). No effect within calibration,
 * recordings and blanks. */
enum time_part time_begin(struct time_use *t, enum time_part part);
/* Switches back to `before`, the result of time_begin(). */
void time_end(struct time_use *t, enum time_part before);
/* Moves s seconds from one part to another. No effect within calibration, recordings and blanks. */
void time_move(struct time_use *t, enum time_part from, enum time_part to, double s);

/* Returns {"total_s", "neither_s", "program_s", "replay_s", ...}: total_s is the sum of all parts,
 * neither_s that of all parts except program and replay. `earlier`: the object of earlier sessions,
 * NULL none. New reference. */
json_t *time_use_to_json(struct time_use *t, const json_t *earlier);
/* Returns the seconds of a part, or "total", in such an object; 0: unknown. */
double time_use_of(const json_t *o, const char *name);
extern const char *const time_part_names[]; /* by enum, NULL-terminated */
