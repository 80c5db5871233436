/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By what a result can be told from any other: SHA-256 of what it was measured by, and of what was
 * measured. */
#ifndef VALIDATE_IDENTITY_H
#define VALIDATE_IDENTITY_H

#include "common/file_digest.h"
#include "validate/results/results.h"

struct results_identity { /* hexadecimal; "" where there is no such file */
	char protocol[FILE_DIGEST_HEX]; /* of protocol.conf, byte for byte */
	char journal[FILE_DIGEST_HEX];	/* every run with its outcome */
};

/* Errors: of file_digest(), except that a file is missing. */
int results_identify(struct results_identity *i, const struct results *r, struct err *e);

/* When the first run that counts was started, and the last: CLOCK_REALTIME, ns; 0 unknown. */
void results_span(const struct results *r, int64_t *first_ns, int64_t *last_ns);

/* By how much the wall clock was set back between two runs, at the least; ns, 0 where the runs tell
 * of no such thing. */
int64_t results_clock_back_ns(const struct results *r);

/* Of one replayer: what the campaign found its program to be; the program of this campaign where it
 * is an engine of its own. "" unknown. */
struct replayer_identity {
	const char *program, *version, *sha256; /* borrowed from the results */
};
void replayer_identify(struct replayer_identity *i, const struct results *r, size_t replayer);

#endif
