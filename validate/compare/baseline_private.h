/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of a baseline; not included elsewhere. */
#pragma once

#include "validate/compare/baseline.h"

#define BASELINE_FORMAT "validate-baseline"
#define BASELINE_VERSION 1
#define BASELINE_DIGITS 9

/* Rounds to the digits of a baseline's file; NaN unless x is finite. */
double baseline_round(double x);
/* Computes the SHA-256 of the members of a baseline's file in a canonical form, without blanks and
 * sorted. Errors: ENOMEM. */
int baseline_digest(const json_t *file, char hex[FILE_DIGEST_HEX], struct err *e);
/* Allocates c->n rows. */
void baseline_rows_make(struct baseline_case *c);
