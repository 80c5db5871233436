/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The league table: the verdicts of all laboratories, by class and by replayer. A class is a
 * scenario. The verdicts and intervals are those of each laboratory's own campaign. */
#pragma once

#include "validate/pool/pool.h"

struct pool_place { /* a replayer in a scenario of a laboratory; pointers are borrowed */
	size_t at;	   /* number of the laboratory, in their order */
	size_t laboratory; /* index */
	size_t class;      /* equal for scenarios of the same name */
	const char *scenario;
	const struct baseline_case *one;
	enum verdict verdict; /* a text that is not a verdict counts as inconclusive */
};

struct pool_rank { /* a replayer over all laboratories and scenarios; pointers are borrowed */
	const char *replayer;
	size_t n_trusted, n_inconclusive, n_not_trusted; /* cases */
	size_t n_laboratories, last_laboratory; /* number, and index of the last */
	/* the case with the largest bias; any case if none has a bias */
	const struct baseline_case *worst;
	const char *worst_scenario;
};

struct pool_league {
	/* [n_places] by class; within a class the best verdict first, then the smallest bias */
	struct pool_place *place;
	size_t n_places;
	/* [n_ranks]: first replayers without a case that is not trusted, then by the share of
	 * trusted cases, then by the share of cases that are not trusted, then by the largest
	 * bias */
	struct pool_rank *rank;
	size_t n_ranks;
};

/* Makes the table. Ownership: pool_league_release(); the pool and its baselines must outlive it. */
void pool_league_make(struct pool_league *l, const struct pool *p);
void pool_league_release(struct pool_league *l);
