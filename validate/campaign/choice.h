/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which scenario is measured next, where a campaign has a budget.
 *
 * First every scenario gets the least number of pairs, in the order of the plan. From then on the
 * next pair goes to the undecided scenario with the best prospect: the number of its cases that are
 * expected to be decided within the rest of the budget, for each second that takes. Every tenth
 * pair goes to a scenario drawn at random among the undecided, so that none starves where the
 * expectation is wrong.
 *
 * A choice depends on the number of pairs, the expected number of further pairs and the time, and
 * not on the direction in which a replay deviates. It is a function of its arguments: a resumed
 * campaign chooses as if it had never stopped. */
#ifndef VALIDATE_CHOICE_H
#define VALIDATE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct choice_scenario {
	uint64_t n_done;	   /* blocks made, block 0 left out */
	/* [n_undecided] expected further pairs of each undecided case; 0 unknown */
	const uint64_t *n_further;
	size_t n_undecided;
	/* expected seconds of the next pair, of its program and of the replays still undecided */
	double pair_s;
};

struct choice_limits {
	uint64_t n_max;	  /* pairs of a scenario */
	double left_s;	  /* of the budget */
	uint64_t seed;
	uint64_t n_choices; /* made before, beyond the least number of pairs */
};

#define CHOICE_DRAW_EVERY 10
#define CHOICE_NONE SIZE_MAX

/* Index of the scenario, or CHOICE_NONE: everything is decided, has n_max pairs, or would exceed
 * the budget. `drawn`: it was drawn at random. */
size_t choice_next(const struct choice_scenario *s, size_t n, const struct choice_limits *l,
		   bool *drawn);

/* Cases expected to be decided per second, of the best number of further pairs; 0 where nothing is
 * undecided. */
double choice_prospect(const struct choice_scenario *s, const struct choice_limits *l);

#endif
