/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns made up in memory, of the shape of protocols/quick.conf: four workloads at levels 1 and
 * 2, two replayers, 20 blocks. Replayer 0 may have a fault of exact size; replayer 1 is faultless,
 * as the program itself is. */
#ifndef VALIDATE_SELFTEST_SYNTHETIC_H
#define VALIDATE_SELFTEST_SYNTHETIC_H

#include <gsl/gsl_rng.h>

#include "validate/analysis/analysis.h"

/* how response times scatter, as logarithms, with 3 % of a run's own unless told otherwise */
enum world {
	WORLD_NORMAL,    /* independent runs */
	WORLD_PAIRS,     /* blocks share 4 % */
	WORLD_DRIFT,     /* the machine slows by 20 % over the campaign, blocks share 1 % */
	WORLD_T3,        /* Student's t with 3 degrees of freedom */
	WORLD_LOGNORMAL, /* skewed */
	WORLD_OUTLIERS,  /* one run in twenty takes up to 35 % longer */
	/* each role's own runs are correlated, 0.6; all that is measured of them */
	WORLD_AR6,
	WORLD_AR8,      /* the same, 0.8 */
	WORLD_SESSIONS, /* two sessions 10 % apart */
	WORLD_NOISY,    /* 12 % of a run's own: too much for the limits */
	/* blocks share 4 % that are correlated, 0.6: the machine is, for program and replays
	 * alike */
	WORLD_SHARED6,
	WORLD_SHARED8, /* the same, 0.8 */
	/* half of the blocks find the storage slower, as on a volume of the campaign */
	WORLD_VOLUME,
	WORLD_N
};
extern const char *const world_names[WORLD_N];

struct defect { /* of replayer 0 */
	enum component_kind kind; /* COMPONENT_N: none */
	double times;		  /* the limit of that component */
};

struct synthetic {
	struct results results;
	unsigned int n_blocks;
};

#define SYNTHETIC_BLOCKS 20
#define SYNTHETIC_SCENARIOS 8
#define SYNTHETIC_REPLAYERS 2
#define SYNTHETIC_BLOCKS_MAX 60

/* Ownership: synthetic_release. */
void synthetic_init(struct synthetic *s);
/* The first n_scenarios of them, at most SYNTHETIC_SCENARIOS, and at most SYNTHETIC_BLOCKS_MAX
 * blocks. */
void synthetic_init_of(struct synthetic *s, size_t n_scenarios, unsigned int n_blocks);
void synthetic_release(struct synthetic *s);

/* New numbers for every run. Where the defect is one of timed replays, both replayers are timed;
 * where it is one of responsiveness, half of the blocks find the storage slower. */
void synthetic_draw(struct synthetic *s, enum world world, const struct defect *defect,
		    gsl_rng *rng);

/* As if only the first blocks had been made so far. */
void synthetic_made_until(struct synthetic *s, unsigned int n_blocks);

/* True for cells that have the defect, for a defect of one level only is not in the others. */
bool synthetic_is_struck(const struct cell *c, const struct defect *defect);

#endif
