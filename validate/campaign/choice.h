/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The next scenario of a campaign with a budget.
 *
 * First every scenario gets the minimum number of pairs, in plan order. Then the inconclusive
 * scenario with the best prospect gets the next pair. The prospect is the expected number of its
 * cases that are decided within the remaining budget, per second. Every tenth pair goes to a random
 * inconclusive scenario, so that a wrong expectation does not exclude a scenario.
 *
 * The choice depends on numbers of pairs, expected further pairs and time, not on the direction in
 * which a replay deviates. It is a function of its arguments: a resumed campaign makes the same
 * choices as without interruption. */
#pragma once

#include "common/std.h"

struct choice_scenario {
	uint64_t n_done;	   /* blocks made, without block 0 */
	/* [n_inconclusive] expected numbers of further pairs; 0 unknown */
	const uint64_t *n_further;
	size_t n_inconclusive;
	/* expected seconds of the next pair: the program and the inconclusive replays */
	double pair_s;
};

struct choice_limits {
	uint64_t n_max;	  /* pairs of a scenario */
	double left_s;	  /* remaining budget */
	uint64_t seed;
	uint64_t n_choices; /* number of choices so far, beyond the minimum number of pairs */
};

#define CHOICE_DRAW_EVERY 10
#define CHOICE_NONE SIZE_MAX

/* Returns the index of the scenario. CHOICE_NONE: all scenarios are decided, have n_max pairs, or
 * would exceed the budget. `drawn`: it was chosen at random. */
size_t choice_next(const struct choice_scenario *s, size_t n, const struct choice_limits *l,
		   bool *drawn);
