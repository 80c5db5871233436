/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of validate doctor: what measuring depends on, one row each. */
#ifndef COMMANDS_DOCTOR_H
#define COMMANDS_DOCTOR_H

enum health { HEALTH_OK, HEALTH_WARN, HEALTH_FAIL };

struct finding {
	enum health health;
	char what[300];   /* what was found */
	char advice[300]; /* what to do about it; "" */
};

struct doctor_check {
	const char *name;
	/* `dir`: the target directory; most do not look at it. */
	void (*look)(const char *dir, struct finding *f);
};
extern const struct doctor_check doctor_checks[]; /* ends with a row without name */

#endif
