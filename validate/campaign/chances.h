/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Power of a campaign before it runs: the probability that its cases are decided, and whether the
 * decision rules can decide any case.
 *
 * All numbers hold for a faultless replayer: true bias 0, the program's precision. Scatter is the
 * standard deviation of ln(replay/program) over independent pairs. A verdict allows for dependence
 * that so few pairs may hide, and for reused recordings. So the chance of a ratio is the mean power
 * of the widened t-interval over 300 draws of the dependence estimates. Precision has the power of
 * the F limits with 5 pairs fewer. Simulated campaigns with one look accept equally often. With a
 * budget they accept precision in up to 10 % fewer cases. Each number of pairs has the error level
 * of its look (doc/statistics.md). */
#pragma once

#include "validate/protocol/protocol.h"

#define SCATTER_DEFAULT 0.10

/* One-sided error of accepting a component at a look with n pairs; 0 if there is no look. */
double chances_level(const struct protocol *p, unsigned int n);
/* Smallest number of pairs with which a re-randomisation test can accept at this level: its
 * smallest P-value is 2^-n. */
unsigned int chances_fewest(double level);

/* Probability that a paired log ratio with scatter sd is accepted against +-limit (a ratio) with n
 * pairs. */
double chance_of_ratio(const struct protocol *p, unsigned int n, double sd, double limit);
/* Like chance_of_ratio(), for the precision ratio against `limit`. */
double chance_of_precision(const struct protocol *p, unsigned int n, double limit);

/* Smallest increase of a mean ([compare]), as a ratio, that n pairs of two versions call worse with
 * a probability of 0.8: it is shown to be beyond the limit (one-sided, 0.05) and shown to exist
 * (Bonferroni over n_tests, 0.01, in place of Holm). sd: scatter of ln(new/old) over pairs. NaN: no
 * n decides at this level. */
double change_found(const struct protocol *p, unsigned int n, double sd, double limit,
		    size_t n_tests);

/* Checks that the replicates can accept the components whose chance does not depend on the scatter,
 * and that the budget suffices for them, unless allow-undecidable is set. Errors: EINVAL with a
 * sufficient number; those of expected_budget_check. */
int chances_check(const struct protocol *p, struct err *e);

/* --- the components of a case with a known scatter ------------------------ */

#define CHANCE_ASSURANCE 0.8 /* a sufficient chance */
#define CHANCE_HOPELESS 0.01 /* a smaller chance counts as none */
#define CHANCE_SMALL 0.10
#define CHANCE_COLUMNS_MAX 8

struct chance_row {
	enum component_kind kind;
	double limit;
	double sd; /* scatter of the value from pair to pair; not used for precision */
};

struct chance_rows { /* of one case */
	struct chance_row row[COMPONENT_N];
	size_t n;
};

/* Finds the numbers of pairs for the columns of a table: the looks, or values between minimum and
 * maximum. Returns their number. */
size_t chances_columns(const struct protocol *p, unsigned int n[CHANCE_COLUMNS_MAX]);
/* Makes the rows of each case for a scatter of ln(replay/program). */
void chance_rows_assume(struct chance_rows *rows, const struct protocol *p, double scatter);
struct cell;
struct analysis;
/* Makes the rows of a case with the scatter of its judged ratios. */
void chance_rows_measure(struct chance_rows *rows, const struct protocol *p, const struct cell *c);
/* Returns the case with these names in an earlier campaign; NULL: none. */
const struct cell *chance_cell_find(const struct analysis *a, const char *scenario,
				    const char *replayer);
/* Chance that n pairs accept a row; chance_of_rows: that they accept all rows, as if the components
 * were independent. */
double chance_of_row(const struct protocol *p, const struct chance_row *r, unsigned int n);
double chance_of_rows(const struct protocol *p, const struct chance_rows *rows, unsigned int n);
/* Number of pairs with which the row is accepted with CHANCE_ASSURANCE, within 5 %; 0: more than
 * 2000. The level is that of the last look. */
unsigned int chance_pairs_needed(const struct protocol *p, const struct chance_row *r);
/* The same number for all rows, each row by itself: at least n_replicates_max. */
unsigned int chance_pairs_of_rows(const struct protocol *p, const struct chance_rows *rows);
/* The smallest limit with which the row is accepted with CHANCE_ASSURANCE, within 2 %; infinite:
 * none. */
double chance_limit_possible(const struct protocol *p, const struct chance_row *r);
