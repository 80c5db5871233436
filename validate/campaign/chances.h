/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Power of a campaign before it runs: the probability of deciding its cases, and whether the rules
 * can decide any.
 *
 * All numbers hold for a faultless replayer: true bias 0, the program's precision. Scatter is the
 * standard deviation of ln(replay/program) over independent pairs. A verdict allows for dependence
 * that so few pairs may hide, and for reused recordings. So the chance of a ratio is the mean power
 * of the widened t-interval over 300 draws of the dependence estimates. Precision has the power of
 * the F limits with 7 pairs fewer. With one look, simulated campaigns accept equally often. With a
 * budget they accept precision in up to 10 % fewer cases. Each number of pairs has the error level
 * of its look (doc/statistics.md). */
#pragma once

#include "validate/protocol/protocol.h"

#define SCATTER_DEFAULT 0.10

/* One-sided error of accepting a component at a look with n pairs; 0 without a look. */
double chances_level(const struct protocol *p, unsigned int n);
/* Fewest pairs at which a re-randomisation test can accept at this level: its smallest P-value is
 * 2^-n. */
unsigned int chances_fewest(double level);

/* Probability that a paired log ratio with scatter sd is accepted against +-limit (a ratio) with n
 * pairs. */
double chance_of_ratio(const struct protocol *p, unsigned int n, double sd, double limit);
/* As chance_of_ratio(), for the precision ratio against `limit`. */
double chance_of_precision(const struct protocol *p, unsigned int n, double limit);

/* Smallest increase of a mean ([compare]), a ratio, that n pairs of two versions call worse with a
 * probability of 0.8: shown to be beyond the limit (one-sided, 0.05) and shown to exist (Bonferroni
 * over n_tests, 0.01, in place of Holm). sd: scatter of ln(new/old) over pairs. NaN: no n decides
 * at this level. */
double change_found(const struct protocol *p, unsigned int n, double sd, double limit,
		    size_t n_tests);

/* Checks that the replicates can accept the components whose chance does not depend on the scatter,
 * unless allow-undecidable is set. Errors: EINVAL with a sufficient number. */
int chances_check(const struct protocol *p, struct err *e);

/* Prints the chance of each component at the looks of the protocol, for an assumed scatter, and
 * that of all of them in one case, as if they were independent. Notes a small chance of a case.
 * Errors: EINVAL after printing, with what would suffice, if a component can never be accepted
 * (chance under 1 %). */
int chances_print(const struct protocol *p, double scatter, FILE *out, struct err *e);
/* The same with the scatter of each case found in the results directory `dir`. Errors: of loading;
 * ENODATA without a case of this protocol; EINVAL as above, if every case has such a component. */
int chances_print_measured(const struct protocol *p, const char *dir, FILE *out, struct err *e);
