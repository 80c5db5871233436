/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms of the results of a self-test. */
#pragma once

#include <jansson.h>

#include "validate/selftest/capture_trial.h"
#include "validate/selftest/rate.h"

void selftest_print_text(const struct rates *rates, FILE *out);
/* {"version", "rates": [{"part", "group", "name", "condition", "size", "k", "n", "rate", "lo95",
 * "hi95", "promise", "promised", "standing", "note"}], "n_broken"}; unknown values are null. */
void selftest_print_json(const struct rates *rates, FILE *out);

/* Writes rates.csv, detection.dat, detection.gp and, with gnuplot, detection.svg into `dir`. A
 * missing gnuplot is no error. Errors: of writing. */
int selftest_plot(const struct rates *rates, const char *dir, struct err *e);

void selftest_capture_print(const struct capture_trial *t, FILE *out);
/* The file of a calibration (validate/selftest/calibration.h). `environment` comes from
 * environment_make() and is borrowed. New reference. */
json_t *selftest_capture_json(const struct capture_trial *t, const json_t *environment);
