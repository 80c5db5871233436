/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A statement for each replayer to cite beside published measurements: results, range, conditions
 * and protocol. It is collected once, and written as text, as a page for printing and as a digital
 * calibration certificate. Source: ISO/IEC 17025, 7.8 (contents of a report of results);
 * doc/certificate.md answers it line by line. */
#pragma once

#include "reports/tables/table.h"

/* rows of one replayer, least trusted first */
#define CERTIFICATE_MAX_CASES 14

struct certificate_fact {
	const char *label; /* "Machine" */
	char *text;	   /* one line, not escaped; owned */
	bool of_all;	   /* the same for all replayers of the campaign */
};

struct certificate {
	size_t replayer;
	enum verdict verdict;
	const char *standard; /* certified standard that the protocol names; borrowed; NULL none */
	char *number;	/* unique: from the journal's SHA-256 and the replayer; owned */
	char *name;	/* owned */
	char *sentence; /* the verdict in one sentence; owned */
	struct certificate_fact *fact;
	size_t n_facts, cap_facts;
	struct table results, times; /* at most CERTIFICATE_MAX_CASES rows */
	/* scenarios that are not trusted, among these rows, with the reason: "SCENARIO, VERDICT:
	 * REASON"; owned */
	char **reason;
	size_t n_reasons, cap_reasons;
	size_t n_cases, n_left_out;
};

struct certificates {
	/* one[n]: the replayers that have a case, in the order of the protocol */
	struct certificate *one;
	size_t n;
	char *citation; /* owned */
};

/* Errors: of results_identify(); then there is nothing to release. */
int certificates_collect(struct certificates *c, const struct analysis *a, struct err *e);
void certificates_release(struct certificates *c);

/* "Certificate of method validation" if a certified standard stands behind it, else "Validation
 * statement". */
const char *certificate_kind(const struct certificate *c);

/* Meaning of the numbers, the same under every table. */
extern const char certificate_explanation[];

/* Appends the certificates of all replayers as in report/certificate.txt. Errors: of
 * certificates_collect(). */
int certificate_text(struct strbuf *out, const struct analysis *a, struct err *e);
void certificate_add_text(struct strbuf *out, const struct certificates *c, size_t width);
void certificate_add_html(struct strbuf *out, const struct certificates *c);
