/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration of capture in a file, and its use on other traces.
 *
 * The file is the JSON output of the self-test of capture (doc/selftest-capture-schema.json).
 * Correction subtracts the bias of the operation under the capture method from a response time. A
 * negative result becomes 0 and is counted. The start does not change. */
#pragma once

#include "validate/metrics/correction.h"
#include "validate/selftest/capture_trial.h"

struct calibration {
	char method[32], host[256], kernel[128], date[40];
	struct {
		bool known;
		double bias_ns, u_ns;
		uint64_t n; /* requests corrected so far */
	} op[OP_N];
	uint64_t n_clipped, n_without;
	double taken_ns; /* sum of the subtracted biases */
};

/* Returns the method of traces with this `captured_by`; NULL: it is not a method of this
 * program. */
const char *calibration_method_of(const char *captured_by);

/* Reads the calibration of `method`. Errors: of reading; EINVAL, with the file, for an invalid
 * calibration; ENOENT if the method was not measured. */
int calibration_read(struct calibration *c, const char *path, const char *method, struct err *e);

/* Corrects one request. A request without an end is not changed. */
void calibration_apply(struct calibration *c, struct trace_record *r);

/* Returns a summary of the corrections. Call it after the last request. */
struct correction calibration_correction(const struct calibration *c);
/* Returns this summary with method, place and date of the calibration, for the extra metadata. New
 * reference. */
json_t *calibration_facts(const struct calibration *c);
