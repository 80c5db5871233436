/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a baseline share; nothing outside includes this. */
#ifndef VALIDATE_BASELINE_PRIVATE_H
#define VALIDATE_BASELINE_PRIVATE_H

#include "validate/compare/baseline.h"

#define BASELINE_FORMAT "validate-baseline"
#define BASELINE_VERSION 1
#define BASELINE_DIGITS 9

/* To the digits of a baseline's file; NaN for what is not finite. */
double baseline_round(double x);
/* Room for c->n rows. */
void baseline_rows_make(struct baseline_case *c);

#endif
