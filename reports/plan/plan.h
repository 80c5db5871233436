/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A campaign before it runs, as text. */
#pragma once

#include "validate/protocol/protocol.h"

/* Prints the plan: runs, expected time and space per scenario and replayer, and the chance of a
 * decision. Changes nothing. `scatter`: a ratio, or a results directory with measured scatter;
 * NULL: the default (validate/campaign/chances.h). Errors: EINVAL, after printing, for a design
 * that cannot decide anything. */
int plan_print(const struct protocol *p, const char *scatter, FILE *out, struct err *e);

/* Prints the chance of each component at the looks of the protocol, for an assumed scatter, and the
 * chance of all components of a case, as if they were independent. Notes a small chance of a case.
 * Errors: EINVAL after printing, with a sufficient design, if a component is almost never accepted
 * (chance under 1 %). */
int chances_print(const struct protocol *p, double scatter, FILE *out, struct err *e);
/* Like chances_print, with the scatter of each case that is found in the results directory `dir`.
 * Errors: of loading; ENODATA without a case of this protocol; EINVAL as above, if every case has
 * such a component. */
int chances_print_measured(const struct protocol *p, const char *dir, FILE *out, struct err *e);
