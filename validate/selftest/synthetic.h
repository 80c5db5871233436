/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns made in memory with the shape of protocols/quick.conf: four workloads at levels 1 and
 * 2, two replayers, 20 blocks. Replayer 0 may have a fault of exact size. Replayer 1 is faultless,
 * like the program. */
#pragma once

#include <gsl/gsl_rng.h>

#include "validate/evidence/cell.h"

/* scatter of the logarithms of response times; by default 3 % in each run separately */
enum scatter {
	SCATTER_NORMAL,    /* independent runs */
	SCATTER_PAIRS,     /* blocks share 4 % */
	/* the machine becomes slower by 20 % over the campaign, and blocks share 1 % */
	SCATTER_DRIFT,
	SCATTER_T3,        /* Student's t with 3 degrees of freedom */
	SCATTER_LOGNORMAL, /* skewed */
	SCATTER_OUTLIERS,  /* every twentieth run takes up to 35 % longer */
	/* the runs of each role are correlated, 0.6, in all measured quantities */
	SCATTER_AR6,
	SCATTER_AR8,      /* the same, 0.8 */
	SCATTER_SESSIONS, /* two sessions 10 % apart */
	SCATTER_NOISY,    /* 12 % in each run separately: too large for the limits */
	/* blocks share 4 % that is correlated, 0.6, and equal for program and replays */
	SCATTER_SHARED6,
	SCATTER_SHARED8, /* the same, 0.8 */
	/* in half of the blocks the storage is slower, as on a volume */
	SCATTER_VOLUME,
	SCATTER_BANK, /* 8 recordings, which determine a part of the scatter of their replays */
	SCATTER_N
};
extern const char *const scatter_names[SCATTER_N];

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
/* Initialises a campaign with the first n_scenarios, at most SYNTHETIC_SCENARIOS, and n_blocks, at
 * most SYNTHETIC_BLOCKS_MAX. Ownership: synthetic_release. */
void synthetic_init_of(struct synthetic *s, size_t n_scenarios, unsigned int n_blocks);
void synthetic_release(struct synthetic *s);

/* Draws new numbers for every run. With a defect of timed replays both replayers are timed. With a
 * defect of responsiveness half of the blocks have slower storage. */
void synthetic_draw(struct synthetic *s, enum scatter scatter, const struct defect *defect,
		    gsl_rng *rng);

/* Reduces the campaign to its first blocks. */
void synthetic_made_until(struct synthetic *s, unsigned int n_blocks);

/* Whether the cell has the defect: a defect of one level is only in cells of that level. */
bool synthetic_is_struck(const struct cell *c, const struct defect *defect);

/* Whether the cell is trusted. If the machine is too noisy, U is not judged, and in short runs a
 * quantile is not judged. Then trust does not count for a defect of that component. */
bool synthetic_is_trusted(const struct cell *c, const struct defect *defect);
