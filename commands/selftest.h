/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a self-test found, for people and for programs. */
#ifndef COMMANDS_SELFTEST_H
#define COMMANDS_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "validate/selftest/capture_trial.h"
#include "validate/selftest/rate.h"

void selftest_print_text(const struct rates *rates, FILE *out);
/* {"version", "rates": [{"part", "group", "name", "condition", "size", "k", "n", "rate", "lo95", "hi95", "promise",
 * "promised", "standing", "note"}], "n_broken"}; what is not known is null. */
void selftest_print_json(const struct rates *rates, FILE *out);

/* rates.csv, detection.dat, detection.gp and, where there is gnuplot, detection.svg into `dir`. That gnuplot is missing is
 * no error. Errors: of writing. */
int selftest_plot(const struct rates *rates, const char *dir, struct err *e);

/* validate selftest capture: the part of cmd_selftest.c that measures capture. */
struct selftest_capture {
	struct capture_trial_options trial; /* but for `self` */
	const char *output;                 /* the calibration, or NULL */
	bool json;
};

/* Measures, prints, writes the calibration. Errors: as capture_trial_run; of writing. */
int selftest_capture(const struct selftest_capture *c, struct err *e);

void selftest_capture_print(const struct capture_trial *t, FILE *out);

#endif
