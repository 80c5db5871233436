/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and contents of the files in a results directory, for the campaign that writes them and for
 * results.c that reads them. */
#ifndef VALIDATE_RESULTS_FILE_H
#define VALIDATE_RESULTS_FILE_H

#include "validate/campaign/design.h"
#include "validate/results/results.h"

/* "DIR/name"; the caller frees. */
char *results_path(const char *dir, const char *name);
char *results_run_path(const char *dir, uint32_t id); /* DIR/runs/000012.json */

/* Refuses a results directory with a symbolic link in it: a stranger's link leads to files of the
 * reader. Traces, programs and the report, which are not read as results, may be links. Errors:
 * EINVAL, or of the system. */
int results_links_refuse(const char *dir, struct err *e);

/* The runs of a plan, none of them made yet. The caller frees with results_runs_free. */
struct run *results_runs_make(const struct design *plan);
void results_runs_free(struct run *run, size_t n);

/* A finished run as an event of the journal, and back; what the plan says about the run is not in
 * it. */
json_t *run_to_event(const struct run *r);
/* Errors: EINVAL for a run that the plan does not have or with members missing. */
int run_from_event(struct run *runs, size_t n_runs, const json_t *event, struct err *e);

/* {"version": 1, "run": id, "scenario": name, "role": name, "block": .., "summary": {...}} */
json_t *run_summary_file(const struct run *r, const struct protocol *p);
/* The same back, from `path`; `brief`: without the histogram, which is empty then. Errors: EINVAL
 * where it is damaged or of another run. */
int run_summary_take(struct run *r, const json_t *o, const char *path, bool brief, struct err *e);
/* What a large campaign has no room for (protocol_in_detail()). */
void run_summary_leave_out_course(struct run *r);
/* Reads runs/NNNNNN.json into r->summary. Errors: EINVAL where it is damaged or of another run;
 * EBADMSG where r->file_sha256 is known and not that of the file; a link is refused with EINVAL. */
int run_summary_read(struct run *r, const char *dir, struct err *e);

/* "program", "recording", or the replayer's name. */
const char *run_role_name(const struct protocol *p, int32_t role);

/* Reads a JSON file whole. Errors: EINVAL with path, line and column. */
int json_read_file(const char *path, json_t **o, struct err *e);
/* Writes it whole or not at all. */
int json_write_file(const char *path, const json_t *o, size_t flags, struct err *e);

#endif
