/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A statement for each replayer to cite beside published measurements: results, range, conditions
 * and protocol. It is collected once, and written as text, as a page for printing and as a digital
 * calibration certificate. Source: ISO/IEC 17025, 7.8 (contents of a report of results);
 * doc/certificate.md answers each item of that clause. */
#pragma once

#include "reports/table.h"

/* rows of a replayer, the least trusted first */
#define CERTIFICATE_MAX_CASES 14

struct certificate_fact {
	const char *label; /* "Machine" */
	char *text;	   /* one line, not escaped; owned */
	bool of_all;	   /* the fact is the same for all replayers of the campaign */
};

struct certificate {
	size_t replayer;
	enum verdict verdict;
	/* name of the certified standard in the protocol; borrowed; NULL none */
	const char *standard;
	/* unique number, derived from the journal's SHA-256 and the replayer; owned */
	char *number;
	char *name;	/* owned */
	char *sentence; /* the verdict in one sentence; owned */
	struct certificate_fact *fact;
	size_t n_facts, cap_facts;
	struct table results, times; /* at most CERTIFICATE_MAX_CASES rows */
	/* scenarios of these rows that are not trusted, with the reason: "SCENARIO, VERDICT:
	 * REASON"; owned */
	char **reason;
	size_t n_reasons, cap_reasons;
	size_t n_cases, n_left_out;
};

struct certificates {
	/* one[n]: certificates of the replayers that have a case, in the order of the protocol */
	struct certificate *one;
	size_t n;
	char *citation; /* owned */
};

/* Collects the certificates. Errors: those of results_identify(). After an error there is nothing
 * to release. */
int certificates_collect(struct certificates *c, const struct analysis *a, struct err *e);
void certificates_release(struct certificates *c);

/* "Certificate of method validation" if the replayer was compared with a certified standard,
 * otherwise "Validation statement". */
const char *certificate_kind(const struct certificate *c);

/* Explains the numbers. The text is the same below every table. */
extern const char certificate_explanation[];

/* Appends the certificates of all replayers, as in report/certificate.txt. Errors: those of
 * certificates_collect(). */
int certificate_text(struct strbuf *out, const struct analysis *a, struct err *e);
/* Appends all certificates as an HTML page. */
void certificate_add_html(struct strbuf *out, const struct certificates *c);
