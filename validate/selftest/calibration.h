/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration of capture as a file, and its use on another trace.
 *
 * The file is what the self-test of capture prints as JSON (doc/selftest-capture-schema.json). A
 * response time is corrected by taking off the bias of its operation under the method that captured
 * it; what would come out below 0 is 0, and counted. The begin stays. */
#ifndef VALIDATE_SELFTEST_CALIBRATION_H
#define VALIDATE_SELFTEST_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "capture/trace.h"
#include "validate/metrics/correction.h"
#include "validate/selftest/capture_trial.h"

/* New reference. `environment`: as environment_make() gives it, borrowed. */
json_t *calibration_to_json(const struct capture_trial *t, const json_t *environment);

struct calibration {
	char method[32], host[256], kernel[128], date[40];
	struct {
		bool known;
		double bias_ns, u_ns;
		uint64_t n; /* requests corrected so far */
	} op[OP_N];
	uint64_t n_clipped, n_without;
	double taken_ns; /* sum of what was taken off */
};

/* The method whose traces say `captured_by`; NULL none of ours. */
const char *calibration_method_of(const char *captured_by);

/* Reads `method` from a file. Errors: of reading; EINVAL, with the file, for what is no
 * calibration, ENOENT where the method was not measured. */
int calibration_read(struct calibration *c, const char *path, const char *method, struct err *e);

/* Corrects one request; one without an end stays. */
void calibration_apply(struct calibration *c, struct trace_record *r);

/* What was done, after the last request. */
struct correction calibration_correction(const struct calibration *c);
/* The same with method, place and date of the calibration, for the extra metadata: new
 * reference. */
json_t *calibration_facts(const struct calibration *c);

#endif
