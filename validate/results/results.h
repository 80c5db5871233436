/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results directory, as the campaign leaves it and everything later reads it.
 *
 *   protocol.conf     as given
 *   resolved.conf     as resolved, for people: a section for each scenario and replayer variant
 *   environment.json  machine, kernel, file systems, tools, clock, what was replaced or skipped for
 *                     want of privilege
 *   plan.json         the randomised design: every run with its block, position, scenario and role
 *   journal           a line of JSON for each event, checksummed, synced before the next run starts
 *   runs/NNNNNN.json  summary of one run
 *   summaries         the summaries of all runs without histograms, a line each (summaries.h)
 *   traces/           traces of runs, as `keep` says
 *   report/           made again by `validate report`
 */
#ifndef VALIDATE_RESULTS_H
#define VALIDATE_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/err.h"
#include "common/file_digest.h"
#include "common/residency.h"
#include "validate/protocol/protocol.h"
#include "validate/metrics/summary.h"
#include "validate/results/seal.h"

#define ROLE_PROGRAM (-1) /* the program run again: the reference r_i of its block */
#define ROLE_RECORD (-2)  /* recording of a bank trace */

enum run_state { RUN_PENDING, RUN_OK, RUN_FAILED };

struct run {
	uint32_t id;       /* index in the plan and name of its files */
	uint32_t block;    /* 0 is run, kept and never used */
	uint32_t position; /* within the block, as randomised */
	uint32_t scenario; /* index */
	int32_t role;      /* ROLE_..., or index of the replayer */
	uint32_t bank;     /* index of the bank trace replayed or recorded */
	enum run_state state;
	char *reason;       /* why it failed; NULL */
	int64_t started_ns; /* CLOCK_REALTIME */
	uint32_t session;   /* how often the campaign had been resumed before it was made */
	double preparation_s, run_s;
	/* of the whole process and those that it started; 0 in results of earlier versions */
	double cpu_s;
	uint64_t peak_bytes; /* resident memory of the largest of them */
	struct fileset_residency residency;             /* just before it started */
	uint64_t cgroup_limit_bytes, cgroup_peak_bytes; /* 0: none */
	uint64_t trace_bytes; /* of the trace that it wrote; 0 unknown */
	/* Processor time during the run, as shares of all processors: used by other processes;
	 * stolen by the hypervisor. NaN unknown (others.h) */
	/* service times of its volume, relative to their model; 0: no volume that the campaign sets
	 */
	double service_factor;
	double others_share, stolen_share;
	bool sliced; /* made alternately with the other runs of its block and scenario: */
	uint32_t n_slices;
	/* after which a thread had not paused within the limit: the next process did not run alone
	 */
	uint64_t n_slices_late;
	int64_t slice_ns; /* length that was aimed at */
	bool has_blank; /* the same replay was made without its calls, too */
	/* its response times are the preloaded library's; by the replayer's own stamps: */
	bool has_own;
	double own_mean_ns, observed_share; /* mean; share of the requests that the library saw */
	bool has_device; /* its times are the device's: what that saw */
	struct run_device {
		/* as struct observed_device */
		uint64_t n_requests, n_seen, n_split, n_extra, n_outside;
		/* of the program: at the device, against the order in which it asked; 0 unknown */
		uint64_t n_received, n_reordered;
		/* mean and largest number by its own stamps; 0 unknown */
		double own_in_flight, own_in_flight_max;
	} device;
	/* of the recording of a parallel application whose period was looked for: how many were
	 * tried, for how long, and the error of the running time with the last one; n_periods 0:
	 * none was */
	struct run_search {
		uint32_t n_periods;
		int64_t ns;
		double error;
	} search;
	double blank_mean_ns; /* mean time between the stamps then, 10 % trimmed at each end */
	/* SHA-256 of runs/NNNNNN.json and of the run's line in `summaries`, as the journal has
	 * them; "": not known */
	char file_sha256[FILE_DIGEST_HEX], line_sha256[FILE_DIGEST_HEX];
	bool has_summary;
	struct run_summary summary; /* of RUN_OK runs */
};

struct results {
	char *dir;
	struct protocol protocol;
	json_t *environment; /* members documented in doc/results.md */
	struct run *run;     /* in the order of the plan */
	/* by scenario, and by run (run_index.h); NULL: not indexed */
	const struct run **first_of, **next_of;
	size_t n_runs, n_damaged_journal_lines;
	struct seal seal; /* whether the files are what the campaign wrote */
	bool finished; /* every planned run has an outcome, or the budget ended the campaign */
	char *redacted; /* of results_redact: the host that is hidden; NULL: nothing is */
};

/* Loads everything but traces and the summaries' histograms, which are empty here: they would make
 * most of the memory (100 kB a run), and the quantiles stand beside them. results_histogram() reads
 * one. A torn last line of the journal is left out and not an error; a damaged summary makes its
 * run failed with the reason. Files that are not what the campaign wrote are no error: r->seal
 * names them, and analysis_compute() then gives no verdict (seal_require()). Errors: ENOENT/EINVAL
 * naming the file for a directory that is no results directory; any other error of reading a file,
 * which is never taken for a change or for damage. Ownership: results_release. */
int results_load(struct results *r, const char *dir, struct err *e);
void results_release(struct results *r);

/* The histogram of the response times of a run that has a summary: the one in memory, or that of
 * its file. Errors: as run_summary_read(); ENOENT for results without a directory. Ownership:
 * histogram_release; empty after an error. */
int results_histogram(struct histogram *h, const struct results *r, const struct run *run,
		      struct err *e);

/* Hides what tells whose machine it was: hosts, serials, UUIDs, paths, in the environment, the
 * protocol's directories and settings and the reasons of runs (validate/provenance). What is on
 * disk stays as it is. */
void results_redact(struct results *r);

#endif
