/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time of a campaign goes: wall-clock time by part, every moment counted once. Written to
 * environment.json as "time" (doc/results.md). */
#ifndef VALIDATE_TIME_USE_H
#define VALIDATE_TIME_USE_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

enum time_part {
	TIME_PROGRAM, /* requests of the program, and of replays */
	TIME_REPLAY,
	TIME_CALIBRATION, /* and the next two: with all that belongs to them */
	TIME_RECORDINGS,
	TIME_BLANK,
	TIME_START, /* of a measured process, and its end: all of it but its requests */
	TIME_RESTORE,
	TIME_SYNC,
	TIME_EVICT,
	TIME_SETTLE,
	TIME_SUMMARY,
	TIME_JOURNAL,
	TIME_ANALYSIS, /* which case is decided */
	TIME_SETUP,    /* before the first run */
	TIME_CLEANUP,
	TIME_OTHER,
	TIME_N
};
extern const char *const time_part_names[]; /* "program", ..., NULL */

struct time_use {
	int64_t since_ns; /* CLOCK_MONOTONIC; the part `now` began or was last counted then */
	enum time_part now;
	double s[TIME_N];
};

void time_use_start(struct time_use *t, enum time_part part);
/* Counts time for `part` from now on; returns the part before, for time_end(). Within calibration,
 * recordings and blanks nothing changes. */
enum time_part time_begin(struct time_use *t, enum time_part part);
void time_end(struct time_use *t, enum time_part before);
/* Time that was counted for one part and belongs to another one, in s; not within calibration,
 * recordings and blanks. */
void time_move(struct time_use *t, enum time_part from, enum time_part to, double s);

/* {"total_s", "program_s", "replay_s", ...}; `earlier` of the sessions before, NULL none. New
 * reference. */
json_t *time_use_to_json(struct time_use *t, const json_t *earlier);
/* One line: shares of the total, the largest first, those below 1 % left out. `o`: what
 * time_use_to_json gave. */
void time_use_print(const json_t *o, FILE *out);

#endif
