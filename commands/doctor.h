/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of validate doctor. Each check has a row. */
#pragma once

#include <jansson.h>

#include "common/std.h"

enum health { HEALTH_OK, HEALTH_WARN, HEALTH_FAIL };

struct doctor_finding {
	enum health health;
	char what[300];   /* what was found */
	char advice[300]; /* advice, or "" */
};

struct doctor_check {
	const char *name;
	/* Exactly one of these functions is set. `dir`: the target directory; `facts`: facts of the
	 * machine (provenance.h). */
	void (*look)(struct doctor_finding *f);
	void (*look_at)(const char *dir, struct doctor_finding *f);
	void (*judge)(const json_t *facts, struct doctor_finding *f);
};
extern const struct doctor_check doctor_checks[]; /* ends with a row without a name */
