/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two faces of validate metrics. */
#ifndef COMMANDS_METRICS_PRINT_H
#define COMMANDS_METRICS_PRINT_H

#include "common/strbuf.h"
#include "validate/metrics/metrics.h"

struct metrics_paths {
	const char *reference, *replay;
};

extern const char *const metrics_point_names[POINT_N + 1]; /* "issue", ... NULL-terminated */
extern const char *const metrics_scope_names[SCOPE_N + 1];

void metrics_print_text(const struct metrics *m, const struct metrics_paths *p);
void metrics_add_order(struct strbuf *out, const struct metrics *m, int point); /* its part, enum metrics_point */

/* One JSON object on stdout; its keys are in validate-metrics(1) and only ever added to. */
void metrics_print_json(const struct metrics *m, const struct metrics_paths *p);

#endif
