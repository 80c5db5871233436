/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/selftest_capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/files.h"
#include "validate/campaign/environment.h"
#include "validate/selftest/calibration.h"

static int calibration_write(const char *path, const char *text, struct err *e)
{
	return path ? file_write_atomic(path, text, strlen(text), e) : 0;
}

int selftest_capture(const struct selftest_capture *c, struct err *e)
{
	struct capture_trial t = {0};
	struct capture_trial_options o = c->trial;
	char *self = program_path(e);
	if (!self)
		return -e->code;
	o.self = self;
	json_t *environment = environment_make(self); /* before the runs, which load the machine */
	int rc = capture_trial_run(&t, &o, e);
	json_t *all = rc ? NULL : calibration_to_json(&t, environment);
	char *text = all ? json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
	if (!rc && !text)
		rc = err_set(e, ENOMEM, "not enough memory for the result");
	rc = rc ? rc : calibration_write(c->output, text, e);
	if (text && c->json)
		puts(text);
	else if (text)
		selftest_capture_print(&t, stdout);
	if (!rc && c->output && !c->json)
		printf("\ncalibration: %s\n", c->output);
	free(text);
	json_decref(all);
	json_decref(environment);
	capture_trial_release(&t);
	free(self);
	return rc;
}
