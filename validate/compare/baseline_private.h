/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of a baseline; not included elsewhere. */
#pragma once

#include "common/json_members.h"
#include "validate/compare/baseline.h"

#define BASELINE_FORMAT "validate-baseline"
#define BASELINE_VERSION 1
#define BASELINE_DIGITS 9

/* The members of a baseline's file. doc/baseline-schema.json is made from them. */
extern const struct json_member baseline_members[];

/* Rounds to the digits of a baseline's file; NaN unless x is finite. */
double baseline_round(double x);
/* Allocates c->n rows. */
void baseline_rows_make(struct baseline_case *c);
