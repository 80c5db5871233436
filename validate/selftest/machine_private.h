/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the self-test on the machine. */
#pragma once

#include "validate/selftest/faults_sized.h"
#include "validate/selftest/machine.h"

enum unit_kind { UNIT_PILOT, UNIT_AA, UNIT_FULL_SPEED, UNIT_TIMED, UNIT_FRAUDS, UNIT_N_KINDS };
/* "pilot", "aa", "full-speed", "timed", "frauds" */
extern const char *const unit_names[UNIT_N_KINDS];

struct unit { /* one campaign */
	enum unit_kind kind;
	uint64_t index;
	bool all_sizes;
};

struct pilot { /* facts about the program on this machine, for the other campaigns */
	bool known, direct; /* direct: the file system supports O_DIRECT */
	double response_ns;
};

/* machine_protocol.c: appends the protocol of a campaign in DIR, with the script of the frauds. */
void machine_protocol(struct strbuf *out, const struct unit *u, const struct machine_options *o,
		      const struct pilot *p);
/* Returns the path of the frauds' script. The caller frees it. */
char *machine_script_path(const struct machine_options *o);
/* Returns the number of its runs, including recordings. */
uint64_t machine_runs(const struct unit *u, const struct machine_options *o);

/* machine_outcome.c */
/* Returns the result of a finished campaign as an object. New reference; NULL with `e` set: errors
 * of loading and analysis. */
json_t *machine_outcome(const struct unit *u, const char *dir, const struct machine_options *o,
			struct err *e);

/* machine_rates.c: converts the outcomes (an array of these objects) to rates. */
void machine_rates(struct rates *rates, const json_t *outcomes);
