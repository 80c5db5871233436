/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of validate doctor: what measuring depends on, one row each. */
#ifndef COMMANDS_DOCTOR_H
#define COMMANDS_DOCTOR_H

#include <jansson.h>

enum health { HEALTH_OK, HEALTH_WARN, HEALTH_FAIL };

struct finding {
	enum health health;
	char what[300];   /* what was found */
	char advice[300]; /* what to do about it; "" */
};

struct doctor_check {
	const char *name;
	/* One of these. `dir`: the target directory; most do not look at it. `facts`: what the
	 * machine is (provenance.h). */
	void (*look)(const char *dir, struct finding *f);
	void (*judge)(const json_t *facts, struct finding *f);
};
extern const struct doctor_check doctor_checks[]; /* ends with a row without name */

void finding_say(struct finding *f, enum health health, const char *what, const char *advice);

/* doctor_judge.c: by what the machine is. */
void governor_judge(const json_t *facts, struct finding *f);
void turbo_judge(const json_t *facts, struct finding *f);
void idle_judge(const json_t *facts, struct finding *f);
void smt_judge(const json_t *facts, struct finding *f);
void mitigations_judge(const json_t *facts, struct finding *f);
void huge_pages_judge(const json_t *facts, struct finding *f);
void swap_judge(const json_t *facts, struct finding *f);
void reclaim_judge(const json_t *facts, struct finding *f);
void quota_judge(const json_t *facts, struct finding *f);
void numa_judge(const json_t *facts, struct finding *f);
void locked_judge(const json_t *facts, struct finding *f);
void write_back_judge(const json_t *facts, struct finding *f);

#endif
