/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the requests of a slice and changes their times. */
#pragma once

#include "commands/trace_set.h"

struct slice_filter_config {
	int64_t begin_ns, end_ns; /* relative to the first request; end -1: none */
	uint64_t n_skip, n_max;
	const char *processes, *threads, *objects, *operations; /* lists, or NULL */
	double scale;
	bool from_zero;
};

struct slice_filter;

/* Errors: EINVAL for an invalid list. Ownership: slice_filter_close, also after an error. */
int slice_filter_open(struct slice_filter **f, const struct slice_filter_config *c, struct err *e);
void slice_filter_close(struct slice_filter *f);

/* Filters the requests, in their order. Returns 1: keep it (its times may have changed); 0: skip
 * it; 2: no further request is needed. */
int slice_filter_pass(struct slice_filter *f, const struct trace *t, struct trace_record *r);
/* Converts an instant of the trace to a time of the slice. Does not change it before the first kept
 * request, or beyond TRACE_TIME_MAX. */
int64_t slice_filter_time(const struct slice_filter *f, int64_t ns);
/* The instant of the trace that is time 0 of the slice, as far as it is known. */
int64_t slice_filter_zero(const struct slice_filter *f);
/* stopped before the end, because enough requests were written */
bool slice_filter_stopped(const struct slice_filter *f);

/* Keeps signals and waits of a slice in pairs. */
struct slice_causes;

/* If `t` is the trace of a parallel application, reads it once to find which signals and waits the
 * filter keeps. Otherwise sets *x to NULL. Errors: as causality_links_read, except for missing
 * partners. Ownership: slice_causes_close. */
int slice_causes_open(struct slice_causes **x, struct trace *t, const struct slice_filter_config *c,
		      struct err *e);
void slice_causes_close(struct slice_causes *x);

/* Whether to keep a record. Call it for the records in their order. */
bool slice_causes_pass(struct slice_causes *x, const struct trace_record *r);
/* Prints the number of records that were dropped although the filter keeps them. */
void slice_causes_print(const struct slice_causes *x);

/* Finds the initial files of a slice: those of the trace, except files whose length or name was
 * changed by a request that the slice leaves out before a request that it keeps. A replay infers
 * the state of such files from the requests of the slice. */
struct slice_state;

/* The entries of `files` are borrowed. Ownership: slice_state_close. */
struct slice_state *slice_state_open(const struct fileset *files);
void slice_state_close(struct slice_state *s); /* `s` may be NULL */
/* Takes the requests of the traces in their order. Ignores an unreadable name or descriptor. */
void slice_state_left_out(struct slice_state *s, const struct trace *t,
			  const struct trace_record *r);
void slice_state_kept(struct slice_state *s);
/* Whether no request before a kept request was left out. */
bool slice_state_is_whole(const struct slice_state *s);
/* Removes the changed files from the list, which has the entries of the opened list in the same
 * order, perhaps with other names. The result is valid until slice_state_close. */
void slice_state_finish(struct slice_state *s, struct fileset *files);

/* Corrects captured response times of a slice by a calibration. */
struct slice_correction;

/* `method` NULL: the method that the traces state. Errors: as calibration_read; EINVAL: the traces
 * state no method or different methods, or a trace was already corrected. Ownership:
 * slice_correction_close. */
int slice_correction_open(struct slice_correction **c, const char *file, const char *method,
			  const struct trace_set *set, struct err *e);
void slice_correction_close(struct slice_correction *c); /* `c` may be NULL */

/* Corrects the response time of a record. */
void slice_correction_apply(struct slice_correction *c, struct trace_record *r);
/* Records the correction in the extra metadata. `host`: of the slice, or NULL. */
void slice_correction_finish(const struct slice_correction *c, const char *host, json_t *extra);
void slice_correction_print(const struct slice_correction *c);

/* Text of the extra facts of the first trace, with the processes of the first n traces, with times
 * changed like those of requests, and with the counts of missing requests (capture/unseen.h). Call
 * it after all requests. `hidden`: the other facts that an anonymised trace keeps; NULL: all.
 * `renumbered`: leave out the captured content, which is found by the numbers of the requests.
 * `whole`: the initial files of the first trace are those of the slice. Returns NULL if nothing
 * changes. The caller frees the text. */
char *slice_facts_text(const struct trace_set *set, size_t n, const struct slice_filter *f,
		       const char *hidden, bool renumbered, bool whole);

/* Joins two captures of one run: the program's calls (capture app) and the kernel's page cache
 * (capture vfs). Each fault on a mapped file and each missed page is assigned to the thread and
 * file of the program's trace. */
struct slice_join;

/* set->t[0] is the program's trace; set->t[1] has the pages. Both get times on the clock
 * CLOCK_MONOTONIC. The first trace is read once. Errors: EINVAL: the traces are not from one run:
 * different hosts, no common clock, objects relative to different directories, no common process,
 * or no page-cache data in the second trace. Ownership: slice_join_close. */
int slice_join_open(struct slice_join **out, struct trace_set *set, struct err *e);
void slice_join_close(struct slice_join *j); /* `j` may be NULL */

/* Whether a record belongs to the joined trace: all records of the first trace; of the second
 * trace, pages that a process of the first trace used in its files. */
bool slice_join_pass(struct slice_join *j, const struct trace *t, const struct trace_record *r);

/* Records the join in the extra metadata ("joined"). */
void slice_join_finish(const struct slice_join *j, json_t *extra);
void slice_join_print(const struct slice_join *j);

/* Replaces names by keyed hashes (HMAC-SHA-256, RFC 2104 and FIPS 180-4, by libgcrypt). Each part
 * of a path is hashed separately, so directories stay directories, and the rename of a directory
 * moves its content. Without the key, names cannot be guessed. */
struct anonymiser;

/* `key_path`: a file of at least 16 bytes; NULL: a random key that is not stored. */
int anonymiser_open(struct anonymiser **a, const char *key_path, struct err *e);
void anonymiser_close(struct anonymiser *a);

/* Appends the new name. Slashes, "." and ".." are kept; every other part becomes 20 hexadecimal
 * digits (80 bits). */
int anonymise_path(struct anonymiser *a, const char *path, struct strbuf *out, struct err *e);

/* Appends the new name of an extended attribute. Its class ("user.", "security.", ...) is kept. */
int anonymise_attribute(struct anonymiser *a, const char *name, struct strbuf *out, struct err *e);

/* Copies the list with new names, also those of link targets. Ownership:
 * anonymise_fileset_release. */
int anonymise_fileset(struct anonymiser *a, const struct fileset *from, struct fileset *to,
		      struct err *e);
void anonymise_fileset_release(struct fileset *f);
