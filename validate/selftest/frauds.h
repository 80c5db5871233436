/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replayers that make no requests and report response times with the right mean; the single times
 * are invented. In simulations their times are drawn. On a machine they are engine `exec` with an
 * awk script that reads the exported trace. */
#pragma once

#include <gsl/gsl_rng.h>

#include "common/std.h"

struct fraud {
	const char *name;
	/* Draws response times of a run in the order of its requests, x[n]. Their mean is 1 except
	 * for rounding and sampling. */
	void (*draw)(double *x, const bool *is_write, size_t n, gsl_rng *rng);
};
#define FRAUDS_N 5
extern const struct fraud frauds[FRAUDS_N + 1]; /* ends with name NULL */

/* share of reads in drawn runs: with it, reads that are 28 % faster and writes that are 68 % slower
 * keep the mean */
#define FRAUD_READ_SHARE 0.708
#define FRAUD_BODY_SD 0.30     /* sd of the logarithms of the program's response times */

/* Draws response times of the program, and of a faultless replayer: log-normal. */
void fraud_none_draw(double *x, size_t n, gsl_rng *rng);

/* Writes the script. Errors: from the system. */
int fraud_script_write(const char *path, struct err *e);
/* Adds a section [replayer fraud-NAME] for each fraud. `script` comes from fraud_script_write. */
void fraud_replayers(struct strbuf *out, const char *workload, const char *script);
