/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identity of results: the SHA-256 of the protocol and of the journal. */
#pragma once

#include "validate/results/results.h"

struct results_identity { /* hexadecimal; "": no such file */
	char protocol[FILE_DIGEST_HEX]; /* protocol.conf, byte for byte */
	char journal[FILE_DIGEST_HEX];	/* every run with its outcome */
};

/* Computes the digests. Errors: those of file_digest(), except for a missing file. */
int results_identify(struct results_identity *i, const struct results *r, struct err *e);

/* Finds the start of the first and of the last run that counts: CLOCK_REALTIME, ns; 0 unknown. */
void results_span(const struct results *r, int64_t *first_ns, int64_t *last_ns);

/* Returns the smallest step back of the wall clock between two runs that explains their times, in
 * ns; 0 none. */
int64_t results_clock_back_ns(const struct results *r);

/* The program of a replayer as the campaign found it. For engines of this program it is this
 * program. "" unknown. */
struct replayer_identity {
	const char *program, *version, *sha256; /* borrowed from the results */
};
void replayer_identify(struct replayer_identity *i, const struct results *r, size_t replayer);
