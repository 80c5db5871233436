/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a campaign was measured, a sentence each without its full stop. Nothing is appended where the
 * results do not say. */
#ifndef REPORTS_FACTS_WORDS_H
#define REPORTS_FACTS_WORDS_H

#include "common/strbuf.h"
#include "validate/analysis/analysis.h"

/* "Program and replays ran in turn, in slices of 5 ms by gate, in 12 of 16 scenarios; 1.2 % of the
 * requests were left out" */
void facts_add_pairing(struct strbuf *out, const struct analysis *a);
/* "Others used 34 % of the processors; the hypervisor took 2 %": means over the runs that count. */
void facts_add_others(struct strbuf *out, const struct analysis *a);
/* "Time: program 31 %, replays 35 %, starting processes 12 %": parts of at least 3 %, the largest
 * first. */
void facts_add_time(struct strbuf *out, const struct analysis *a);

struct fact {
	const char *name; /* "Pairing" */
	void (*add)(struct strbuf *out, const struct analysis *a);
};
extern const struct fact facts[]; /* all of them; name NULL ends it */

#endif
