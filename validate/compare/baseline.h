/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline: of a campaign, what is needed to compare it with another one later, and where it
 * comes from. Small enough to be committed beside the code, and text, so that a change of it can be
 * reviewed.
 *
 * A comparison is a function of two baselines. One made from a results directory and the same one
 * saved and read again are equal to the last digit: numbers are rounded to nine significant digits
 * when they are taken from the summaries, which is far below what a histogram resolves, and written
 * with as many. doc/baseline-schema.json describes the file. */
#ifndef VALIDATE_BASELINE_H
#define VALIDATE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/strbuf.h"
#include "validate/analysis/analysis.h"
#include "validate/components/shape.h"
#include "validate/protocol/conditions.h"
#include "validate/results/results.h"

/* What is kept of a pair: of the replay (x) and of the program run again in the same block (r).
 * Times in ns; NaN unknown. */
enum baseline_column {
	COLUMN_X_MEAN, COLUMN_R_MEAN, COLUMN_X_MEDIAN, COLUMN_R_MEDIAN, COLUMN_X_P90, COLUMN_R_P90,
	COLUMN_X_P99, COLUMN_R_P99, COLUMN_X_P999, COLUMN_R_P999, COLUMN_X_TIME, COLUMN_R_TIME,
	COLUMN_X_IN_FLIGHT, COLUMN_R_IN_FLIGHT, /* mean number of requests in flight */
	COLUMN_DISTANCE,  /* between the distributions of the number in flight, by time */
	COLUMN_REORDERED, /* share of the requests, in the scope that decides */
	COLUMN_MISMATCHED, /* lost, extra and mismatched requests */
	COLUMN_REQUESTS,   /* of the replay */
	/* mean of the fastest 90 %; files of earlier versions end before */
	COLUMN_X_TYPICAL, COLUMN_R_TYPICAL,
	COLUMN_X_TAIL, COLUMN_R_TAIL, /* mean of the slowest 1 %; or here */
	/* the first of SHAPE_N_QUANTILES: differences of the distributions (components/shape.h) */
	COLUMN_SHAPE,
	COLUMN_N = COLUMN_SHAPE + SHAPE_N_QUANTILES
};
extern const char *const baseline_columns[COLUMN_N + 1]; /* "x_mean_ns", ..., NULL */

struct baseline_scenario {
	char *name;
	char **condition; /* lines "key = value" */
	size_t n_conditions;
	/* hashes of the recordings in the order of the bank (metrics/requests_hash.h), 0 unknown */
	uint64_t *requests;
	size_t n_requests;
};

struct baseline_case { /* one scenario x one replayer */
	size_t scenario; /* index */
	char *replayer;
	char *settings; /* of the replayer: "engine=event order=fs" */
	char *verdict, *reason; /* of the campaign's own analysis */
	bool single_reference;
	unsigned int n_failed; /* runs of program or replayer that failed */
	double bias, bias_lo95, bias_hi95; /* relative; NaN none */
	double u_c, u_c_df, U95;	   /* relative; NaN none */
	size_t n; /* pairs */
	unsigned int *block;	   /* [n], ascending */
	double *column[COLUMN_N]; /* [n] each */
};

struct baseline_fact { /* of the environment: "kernel.release" */
	char *name, *value;
};

struct baseline {
	char *source; /* where it was read from */
	bool sealed;  /* made from results, or read with a digest: it is saved with a digest */
	char *title, *protocol, *program_version, *date, *host; /* protocol: its name */
	/* which campaign this is of: the same for baselines of one results directory */
	char campaign[17];
	char protocol_hash[CONDITIONS_HASH_SIZE];
	char **condition; /* of all scenarios */
	size_t n_conditions;
	struct compare_limits limits; /* its strings are owned */
	/* the planned look that was reached, 0 none; blocks used */
	unsigned int look, n_replicates;
	double level_accept, level_reject; /* that may be spent at it */
	/* ln of the most over the least replicates where a campaign with a budget looks after each;
	 * 0 */
	double span;
	bool complete;
	struct baseline_fact *fact;
	size_t n_facts;
	struct baseline_scenario *scenario;
	size_t n_scenarios;
	struct baseline_case *cell;
	size_t n_cells;
};

/* From a campaign and its analysis. Errors: EIO (no SHA-256). Ownership: baseline_release. */
int baseline_make(struct baseline *b, const struct results *r, const struct analysis *a,
		  struct err *e);
void baseline_release(struct baseline *b);

/* Appends it as JSON, a line for each replicate, and where it is sealed with the SHA-256 of its
 * content. The digest does not depend on blanks and the order of members. It finds changes, and is
 * no signature. Errors: ENOMEM; EINVAL: it is no JSON. */
int baseline_print(const struct baseline *b, struct strbuf *out, struct err *e);
/* Everything is checked, for a stranger may have written it. Errors: EINVAL with file, line or
 * member; EPROTONOSUPPORT for a version of the form that this program does not read; EBADMSG where
 * the content does not fit its digest. Earlier versions wrote no digest: such a file is read, and
 * is not `sealed`. Ownership: baseline_release. */
int baseline_read(struct baseline *b, const char *path, struct err *e);

/* A results directory or a baseline's file, whichever PATH is. Errors: of both, naming the file.
 * Ownership: baseline_release. */
int baseline_open(struct baseline *b, const char *path, struct err *e);
/* All of it once more, so that replayers of one campaign are compared without reading that twice.
 * Ownership: baseline_release. */
void baseline_copy(struct baseline *out, const struct baseline *b);
/* Hides what tells whose machine it was, as results_redact does; the rest compares as before. A
 * replayer's hidden name may tell how many others there are that look like it: those that are to go
 * (baseline_choose) go afterwards. Returns how `replayer` (NULL none) is called now: `replayer`
 * itself where none has that name, so that the hidden one may be given as well. Ownership: the
 * baseline's, or `replayer`. */
const char *baseline_redact(struct baseline *b, const char *replayer);
/* Only the names of scenarios and replayers, which may hold paths: so that one that was redacted
 * and one that was not have the same. */
const char *baseline_redact_names(struct baseline *b, const char *replayer);
bool baseline_is_redacted(const struct baseline *b);
/* Keeps only the cases of a replayer. Errors: ENOENT naming those there are. */
int baseline_choose(struct baseline *b, const char *replayer, struct err *e);

#endif
