/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results directory, as the campaign leaves it and all readers use it.
 *
 *   protocol.conf     the protocol as given
 *   resolved.conf     resolved, for people: a section per scenario and replayer variant
 *   environment.json  machine, kernel, file systems, tools, clock, unavailable conditions
 *   plan.json         the randomised design: every run with block, position, scenario and role
 *   journal           a line of JSON per event, checksummed, synced before the next run starts
 *   runs/NNNNNN.json  summary of one run
 *   summaries         the summaries of all runs without histograms, one per line (summaries.h)
 *   traces/           traces of runs, if `keep` says so
 *   report/           made by `validate report`
 */
#pragma once

#include "common/residency.h"
#include "validate/metrics/summary.h"
#include "validate/protocol/protocol.h"
#include "validate/results/seal.h"

#define ENVIRONMENT_VERSION 1 /* of environment.json */

#define ROLE_PROGRAM (-1) /* a rerun of the program: the reference r_i of its block */
#define ROLE_RECORD (-2)  /* recording of a bank trace */

enum run_state { RUN_PENDING, RUN_OK, RUN_FAILED };

struct run {
	uint32_t id;       /* index in the plan, and number in the names of its files */
	uint32_t block;    /* block 0 is run and kept, but not used */
	uint32_t position; /* position within the block, after randomisation */
	uint32_t scenario; /* index */
	int32_t role;      /* ROLE_..., or index of the replayer */
	uint32_t bank;     /* index of the bank trace that is replayed or recorded */
	enum run_state state;
	char *reason;       /* why it failed; NULL */
	int64_t started_ns; /* CLOCK_REALTIME */
	uint32_t session;   /* number of resumes of the campaign before this run */
	double preparation_s, run_s;
	/* whole process with its descendants; 0 in results of earlier versions */
	double cpu_s;
	uint64_t peak_bytes; /* resident memory of the process that used most */
	/* directly before the start */
	struct fileset_residency residency;
	uint64_t cgroup_limit_bytes, cgroup_peak_bytes; /* 0: none */
	uint64_t trace_bytes; /* size of the trace that the run wrote; 0 unknown */
	/* number of requests of the trace, if a failed replay made no request at all; otherwise
	 * 0 */
	uint64_t n_lost;
	/* service times of its volume relative to those of the model; 0: the campaign set no
	 * volume */
	double service_factor;
	/* CPU time during the run as shares of all CPUs: used by other processes, and taken by the
	 * hypervisor; NaN unknown (others.h) */
	double others_share, stolen_share;
	/* the run alternated in slices with the other runs of its block and scenario */
	bool sliced;
	uint32_t n_slices;
	/* number of slices after which a thread had not paused in time: the next process did not
	 * run alone */
	uint64_t n_slices_late;
	int64_t slice_ns; /* intended length */
	bool has_blank; /* the replay was repeated without its calls */
	/* its response times are those of the preload library; the next two members come from the
	 * replayer's stamps */
	bool has_own;
	/* mean response time; share of the requests that the library observed */
	double own_mean_ns, observed_share;
	/* on a volume, in a separate run: what the server's log contains about the times of its
	 * requests */
	bool has_served;
	struct run_served {
		uint64_t n; /* reads and writes */
		/* mean times from the arrival: by the model; and until the answer, with the lead */
		double programmed_ns, delivered_ns;
	} served;
	bool has_device; /* its times are those of the device */
	struct run_device {
		/* as struct observed_device */
		uint64_t n_requests, n_seen, n_split, n_extra, n_outside;
		/* for the program: number of requests, and of those whose order at the device
		 * differs from the order of issue; 0 unknown */
		uint64_t n_received, n_reordered;
		/* mean and largest number in flight by its own stamps; 0 unknown */
		double own_in_flight, own_in_flight_max;
	} device;
	/* Search for the period of a parallel application's recording: number of periods that were
	 * tried, time, and error of the execution time with the last period. n_periods 0: there was
	 * no search. */
	struct run_search {
		uint32_t n_periods;
		int64_t ns;
		double error;
	} search;
	/* mean time between the stamps of the blank, with 10 % trimmed at each end */
	double blank_mean_ns;
	/* SHA-256 of runs/NNNNNN.json and of the run's line in `summaries`, from the journal; "":
	 * unknown */
	char file_sha256[FILE_DIGEST_HEX], line_sha256[FILE_DIGEST_HEX];
	bool has_summary;
	/* of RUN_OK runs */
	struct run_summary summary;
};

struct results {
	char *dir;
	struct protocol protocol;
	json_t *environment; /* doc/results.md describes its members */
	struct run *run;     /* in the order of the plan */
	/* the next run by scenario, and by run (results_index); NULL: there is no index */
	const struct run **first_of, **next_of;
	size_t n_runs, n_damaged_journal_lines;
	/* whether the files are as the campaign wrote them */
	struct seal seal;
	/* every planned run has an outcome, or the campaign ended because of its budget */
	bool finished;
	/* Only the verdicts of an analysis are needed: intervals of ratios that are only shown are
	 * those of Student's t, which need a tenth of the time. */
	bool verdicts_only;
	/* set by results_redact(): the host that was hidden; NULL: not redacted */
	char *redacted;
	/* directory in which report/ was written; borrowed; NULL: none */
	const char *report_in;
	/* date of issue of the certificates, "YYYY-MM-DD"; borrowed; NULL: not stated */
	const char *issued;
};

/* Loads everything except traces and the histograms of summaries, which would need 100 kB per run;
 * quantiles are stored separately. results_histogram() reads one histogram. An incomplete last line
 * of the journal is ignored. If a summary is damaged, its run is failed with that reason. If files
 * were changed since the campaign, this is not an error: r->seal names them, and analysis_compute()
 * gives no verdict (seal_require()). Errors: ENOENT/EINVAL, with the file, for a directory without
 * results; any other error of reading a file, which never counts as change or damage. Ownership:
 * results_release(). */
int results_load(struct results *r, const char *dir, struct err *e);
void results_release(struct results *r);

/* `e`: the error of reading a file of the results. If the file is missing or damaged, and the
 * journal shows which files were changed, replaces the error by one that names these files and the
 * remedy. Returns whether it did. */
bool results_change_find(const char *dir, struct err *e);

/* Checks the files of all runs that have a digest, also in a large campaign. Changes are added to
 * r->seal. Errors: of reading a file. */
int results_verify(struct results *r, struct err *e);

/* Gets the histogram of response times of a run that has a summary: from memory, or from its file.
 * Errors: those of run_summary_read(); ENOENT for results without a directory. Ownership:
 * histogram_release(); it is empty after an error. */
int results_histogram(struct histogram *h, const struct results *r, const struct run *run,
		      struct err *e);

/* Hides what identifies the machine: hosts, serial numbers, UUIDs and paths in the environment, the
 * protocol and the reasons of runs (validate/provenance). Files on disk are not changed. */
void results_redact(struct results *r);

/* Returns the next run of a scenario in the order of the plan; `before` NULL: the first run.
 * Returns NULL at the end. */
const struct run *run_of_scenario(const struct results *r, size_t scenario,
				  const struct run *before);

/* Creates the index. Without it every search reads all runs. Scenarios of runs must not change
 * afterwards. */
void results_index(struct results *r);
void results_index_release(struct results *r);
