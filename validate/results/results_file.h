/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and contents of the files of a results directory, for the campaign and for results.c. */
#pragma once

#include "validate/results/design.h"
#include "validate/results/results.h"

/* "DIR/name"; the caller frees. */
char *results_path(const char *dir, const char *name);
char *results_run_path(const char *dir, uint32_t id); /* DIR/runs/000012.json */

/* Refuses a results directory that contains a symbolic link, because it could lead to files of the
 * user that reads it. Traces, programs and the report are not read as results and may be links.
 * Errors: EINVAL, or from the system. */
int results_links_refuse(const char *dir, struct err *e);

/* Creates the runs of a plan, all pending. Ownership: results_runs_free(). */
struct run *results_runs_make(const struct design *plan);
void results_runs_free(struct run *run, size_t n);

/* Converts a finished run to an event of the journal. Members that the plan contains are left
 * out. */
json_t *run_to_event(const struct run *r);
/* Sets the run of an event. Errors: EINVAL for a run that is not in the plan, or missing
 * members. */
int run_from_event(struct run *runs, size_t n_runs, const json_t *event, struct err *e);

/* Returns {"version": 1, "run": id, "scenario": name, "role": name, "block": .., "summary": {...}}.
 * New reference. */
json_t *run_summary_file(const struct run *r, const struct protocol *p);
/* Reads the object back; `path` is for messages. `brief`: without the histogram, which stays empty.
 * Errors: EINVAL if it is damaged or belongs to another run. */
int run_summary_take(struct run *r, const json_t *o, const char *path, bool brief, struct err *e);
/* Removes the course, which is too large for a large campaign (protocol_in_detail()). */
void run_summary_leave_out_course(struct run *r);
/* Reads runs/NNNNNN.json into r->summary. Errors: EINVAL if it is damaged, belongs to another run
 * or is a link; EBADMSG if r->file_sha256 is known and differs. */
int run_summary_read(struct run *r, const char *dir, struct err *e);

/* Returns "program", "recording", or the name of the replayer. */
const char *run_role_name(const struct protocol *p, int32_t role);

/* Reads a JSON file. Errors: EINVAL with path, line and column. */
int json_read_file(const char *path, json_t **o, struct err *e);
/* Writes a file atomically. */
int json_write_file(const char *path, const json_t *o, size_t flags, struct err *e);
