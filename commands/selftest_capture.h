/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate selftest capture: the part of cmd_selftest.c that measures capture. */
#ifndef COMMANDS_SELFTEST_CAPTURE_H
#define COMMANDS_SELFTEST_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "validate/selftest/capture_trial.h"

struct selftest_capture {
	struct capture_trial_options trial; /* but for `self` */
	const char *output;                 /* the calibration, or NULL */
	bool json;
};

/* Measures, prints, writes the calibration. Errors: as capture_trial_run; of writing. */
int selftest_capture(const struct selftest_capture *c, struct err *e);

void selftest_capture_print(const struct capture_trial *t, FILE *out);

#endif
