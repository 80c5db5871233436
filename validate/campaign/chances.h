/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Before a campaign: with which probability its cases will be decided, and whether the rules can
 * decide any at all.
 *
 * All is for a faultless replayer: true bias 0, the program's own precision. Scatter is the
 * standard deviation of ln(replay/program) over pairs, which are independent. A verdict still
 * allows for the dependence that they may hide, and for reused recordings. So a ratio has the mean
 * of the powers of the widened t-interval over 300 draws of the estimates of dependence. Precision
 * has the power of the F limits with 7 pairs fewer. With one look, simulated campaigns accept as
 * often. With a budget they accept precision in up to 10 % fewer cases. Each number of pairs has
 * the error level of its look (doc/statistics.md). */
#ifndef VALIDATE_CHANCES_H
#define VALIDATE_CHANCES_H

#include <stdio.h>

#include "common/err.h"
#include "validate/protocol/protocol.h"

#define SCATTER_DEFAULT 0.10

/* One-sided error of accepting a component at a look with n pairs; 0 where there is no look. */
double chances_level(const struct protocol *p, unsigned int n);
/* Fewest pairs at which a re-randomisation test can accept at this level: 2^-n is its smallest
 * P-value. */
unsigned int chances_fewest(double level);

/* Probability that a paired log ratio of scatter sd is accepted against a limit of +-limit (a
 * ratio) with n pairs. */
double chance_of_ratio(const struct protocol *p, unsigned int n, double sd, double limit);
/* The same of the precision ratio against `limit`. */
double chance_of_precision(const struct protocol *p, unsigned int n, double limit);

/* Whether the protocol plans enough replicates for any acceptance, or says allow-undecidable.
 * Errors: EINVAL with what would do. */
int chances_check(const struct protocol *p, struct err *e);

/* Table of the chance of each component, at the looks of the protocol, by an assumed scatter.
 * Errors: EINVAL where the bias of no case can be decided with that scatter, with what would do;
 * the table is printed all the same. */
int chances_print(const struct protocol *p, double scatter, FILE *out, struct err *e);
/* The same by the scatter of each case that is also in the results directory `dir`. Errors: of
 * loading it; ENODATA where it has no case of this protocol; EINVAL as above. */
int chances_print_measured(const struct protocol *p, const char *dir, FILE *out, struct err *e);

#endif
