/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replayers that make no request and report times whose mean is that of the trace: what they report of single requests is made up. As
 * replayers of a protocol they are `exec` with an awk script, which reads the exported trace. */
#ifndef VALIDATE_SELFTEST_FRAUDS_H
#define VALIDATE_SELFTEST_FRAUDS_H

#include "common/err.h"
#include "common/strbuf.h"

struct fraud {
	const char *name;
	const char *help; /* what is wrong, a noun phrase */
};
extern const struct fraud frauds[]; /* ends with name NULL */

/* Writes the script. Errors: of the system. */
int fraud_script_write(const char *path, struct err *e);
/* Adds section [replayer fraud-NAME] for each fraud. `script` was written by fraud_script_write. */
void fraud_replayers(struct strbuf *out, const char *workload, const char *script);

#endif
