/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline: the data of a campaign that a later comparison needs, with its origin. It is a small
 * text file that can be committed with the code and reviewed.
 *
 * A comparison is a function of two baselines. A baseline made from a results directory equals its
 * saved and reread copy in every digit: numbers from the summaries are rounded to nine significant
 * digits, and written with as many. This is far below the resolution of a histogram.
 * doc/baseline-schema.json describes the file. */
#pragma once

#include "common/file_digest.h"
#include "validate/components/shape.h"
#include "validate/protocol/conditions.h"

/* Values of a pair: of the replay (x), and of the program in the same block (r). Times in ns; NaN
 * unknown. */
enum baseline_column {
	COLUMN_X_MEAN, COLUMN_R_MEAN, COLUMN_X_MEDIAN, COLUMN_R_MEDIAN, COLUMN_X_P90, COLUMN_R_P90,
	COLUMN_X_P99, COLUMN_R_P99, COLUMN_X_P999, COLUMN_R_P999, COLUMN_X_TIME, COLUMN_R_TIME,
	COLUMN_X_IN_FLIGHT, COLUMN_R_IN_FLIGHT, /* mean number of requests in flight */
	/* distance of the distributions of the number in flight, by time */
	COLUMN_DISTANCE,
	COLUMN_REORDERED, /* share of reordered requests, in the deciding scope */
	COLUMN_MISMATCHED, /* number of lost, extra and mismatched requests */
	COLUMN_REQUESTS,   /* requests of the replay */
	/* mean of the fastest 90 % of the requests; missing in files of earlier versions */
	COLUMN_X_TYPICAL, COLUMN_R_TYPICAL,
	/* mean of the slowest 1 % of the requests; missing in files of some earlier versions */
	COLUMN_X_TAIL, COLUMN_R_TAIL,
	/* the first of SHAPE_N_QUANTILES differences of the distributions (components/shape.h) */
	COLUMN_SHAPE,
	COLUMN_N = COLUMN_SHAPE + SHAPE_N_QUANTILES
};
extern const char *const baseline_columns[COLUMN_N + 1]; /* "x_mean_ns", ..., NULL */

struct baseline_scenario {
	char *name;
	char **condition; /* lines "key = value" */
	size_t n_conditions;
	/* [n_requests] hashes of the recordings in bank order (metrics/requests_hash.h); 0
	 * unknown */
	uint64_t *requests;
	size_t n_requests;
};

struct baseline_case { /* one scenario x one replayer */
	size_t scenario; /* index */
	char *replayer;
	char *settings; /* settings of the replayer: "engine=event order=fs" */
	char *verdict, *reason; /* of the campaign's analysis */
	bool single_reference;
	bool incomplete; /* the trace of some run lacks requests (capture/unseen.h) */
	/* failed runs of program or replayer */
	unsigned int n_failed;
	double bias, bias_lo95, bias_hi95; /* relative; NaN none */
	double u_c, u_c_df, U95;	   /* relative; NaN none */
	size_t n; /* pairs */
	unsigned int *block;	   /* [n], ascending */
	double *column[COLUMN_N]; /* [n] each */
};

struct baseline_fact { /* a fact of the environment: "kernel.release" */
	char *name, *value;
};

struct baseline {
	char *source; /* path it was read from */
	/* made from results, or read with a digest: it is saved with a digest */
	bool sealed;
	char sha256[FILE_DIGEST_HEX]; /* the digest that was read */
	/* protocol: its name */
	char *title, *protocol, *program_version, *date, *host;
	/* identifies the campaign; equal in all baselines of one results directory */
	char campaign[17];
	char protocol_hash[CONDITIONS_HASH_SIZE];
	char **condition; /* of all scenarios */
	size_t n_conditions;
	struct compare_limits limits; /* its strings are owned */
	/* number of the last planned look, 0 none; number of blocks used */
	unsigned int look, n_replicates;
	double level_accept, level_reject; /* error levels of that look */
	/* ln(largest / smallest number of replicates) if a campaign with a budget has a look after
	 * each replicate; otherwise 0 */
	double span;
	bool complete;
	struct baseline_fact *fact;
	size_t n_facts;
	struct baseline_scenario *scenario;
	size_t n_scenarios;
	struct baseline_case *cell;
	size_t n_cells;
	size_t n_left_out; /* cases after those, which baseline_choose() left out */
	bool borrowed;     /* all but `cell` and `source` belongs to another baseline */
};

/* Makes a baseline from a campaign and its analysis. Errors: EIO (no SHA-256). Ownership:
 * baseline_release(). */
int baseline_make(struct baseline *b, const struct results *r, const struct analysis *a,
		  struct err *e);
void baseline_release(struct baseline *b);

/* Appends the baseline as JSON, one line per replicate. If it is sealed, adds the SHA-256 of its
 * content, which does not depend on blanks and the order of members. The digest detects changes,
 * but is not a signature. Errors: ENOMEM; EINVAL: not representable as JSON. */
int baseline_print(const struct baseline *b, struct strbuf *out, struct err *e);
/* Reads a baseline from any source and checks it completely. Errors: EINVAL with file, line or
 * member; EPROTONOSUPPORT for an unknown version; EBADMSG if the content does not match its digest.
 * Files of earlier versions have no digest and are not `sealed`. Ownership: baseline_release(). */
int baseline_read(struct baseline *b, const char *path, struct err *e);

/* Opens PATH, a results directory or the file of a baseline. word() turns the reasons of a
 * directory's verdicts into words. Errors: of either, with the file. Ownership:
 * baseline_release(). */
int baseline_open(struct baseline *b, const char *path, void (*word)(struct analysis *a),
		  struct err *e);
/* Makes another view of a baseline, so that replayers of one campaign are compared without reading
 * it twice. `b` must outlive it and keep its names. Ownership: baseline_release(). */
void baseline_borrow(struct baseline *out, const struct baseline *b);
/* Hides what identifies the machine, as results_redact() does. The rest can be compared as before.
 * Hidden names are numbered, so the numbers may reveal other replayers: call baseline_choose()
 * first to remove these. Returns the new name of `replayer` (NULL none), or `replayer` itself if no
 * replayer has this name, so that a hidden name may be given. Ownership: the baseline's, or
 * `replayer`. */
const char *baseline_redact(struct baseline *b, const char *replayer);
/* Hides only the names of scenarios and replayers, which may contain paths. So a redacted and an
 * unredacted baseline get equal names. */
const char *baseline_redact_names(struct baseline *b, const char *replayer);
bool baseline_is_redacted(const struct baseline *b);
/* Find the scenario, and the case of a scenario and a replayer, with these names; NULL: none. */
const struct baseline_scenario *baseline_scenario_find(const struct baseline *b, const char *name);
const struct baseline_case *baseline_case_find(const struct baseline *b, const char *scenario,
					       const char *replayer);
/* Returns the value of a fact of the environment; NULL: unknown. Borrowed. */
const char *baseline_fact_find(const struct baseline *b, const char *name);
/* Removes the cases of all other replayers. Errors: ENOENT with the existing names. */
int baseline_choose(struct baseline *b, const char *replayer, struct err *e);
