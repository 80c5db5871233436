/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which requests of a trace a slice has, and what becomes of their times. */
#ifndef COMMANDS_SLICE_H
#define COMMANDS_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/fileset/fileset.h"
#include "capture/trace.h"
#include "commands/trace_set.h"
#include "common/err.h"
#include "common/strbuf.h"

struct slice_filter_config {
	int64_t begin_ns, end_ns; /* from the first request; end -1: no end */
	uint64_t n_skip, n_max;
	const char *processes, *threads, *objects, *operations; /* lists, or NULL */
	double scale;
	bool from_zero;
};

struct slice_filter;

/* Errors: EINVAL for what is no list of what it should be. Ownership: slice_filter_close, also
 * after an error. */
int slice_filter_open(struct slice_filter **f, const struct slice_filter_config *c, struct err *e);
void slice_filter_close(struct slice_filter *f);

/* For the requests in order: 1 to keep it (its times may have been changed), 0 to leave it out, 2
 * when nothing more comes. */
int slice_filter_pass(struct slice_filter *f, const struct trace *t, struct trace_record *r);
/* Where an instant of the trace is in the slice; as it is while no request has passed, and beyond
 * TRACE_TIME_MAX. */
int64_t slice_filter_time(const struct slice_filter *f, int64_t ns);
/* The instant of the trace that is time 0 of the slice, so far. */
int64_t slice_filter_zero(const struct slice_filter *f);
bool slice_filter_stopped(const struct slice_filter *f); /* before the end, as enough was written */

/* Signals and waits of a slice: none without the other. */
struct slice_causes;

/* Reads all of `t` once, if it is of a parallel application, to see what the filter would leave of
 * its signals and waits; *x is NULL else. Errors: as causality_links_read but for what has no
 * partner. Ownership: slice_causes_close. */
int slice_causes_open(struct slice_causes **x, struct trace *t, const struct slice_filter_config *c,
		      struct err *e);
void slice_causes_close(struct slice_causes *x);

/* For the records in order: whether it may stay. */
bool slice_causes_pass(struct slice_causes *x, const struct trace_record *r);
/* How many had to go that the filter would have kept. */
void slice_causes_print(const struct slice_causes *x);

/* The correction of captured response times by a calibration, in a slice. */
struct slice_correction;

/* `method` NULL: what the traces say captured them. Errors: as calibration_read; EINVAL where they
 * do not say, or not the same, and where one is corrected already. Ownership:
 * slice_correction_close. */
int slice_correction_open(struct slice_correction **c, const char *file, const char *method,
			  const struct trace_set *set, struct err *e);
void slice_correction_close(struct slice_correction *c); /* NULL is fine */

void slice_correction_apply(struct slice_correction *c, struct trace_record *r);
/* Puts what was done into the extra metadata. */
void slice_correction_finish(struct slice_correction *c, struct trace_meta *meta);
void slice_correction_print(const struct slice_correction *c);

/* What the extra facts of a trace tell of times and processes, as they are for a slice of it. */
/* The extra facts of the first trace with the processes of the first n, retimed as the requests
 * were: to be asked for when all is read. `hidden`: what an anonymised trace has of the others,
 * NULL: they stay. NULL: there are none that would have changed. The caller frees. */
char *slice_facts_text(const struct trace_set *set, size_t n, const struct slice_filter *f,
		       const char *hidden);

/* One run captured twice: what the program called (capture app), and what the kernel's page cache
 * did for it (capture vfs). Joined, each fault on a mapped file and each page that a call missed
 * lies with the thread and the file that the program's trace has. */
struct slice_join;

/* set->t[0] is the program's trace, set->t[1] has the pages; both are put on the time line of
 * CLOCK_MONOTONIC. The first is read once. Errors: EINVAL when they are not of one run: another
 * host, no common clock, objects relative to different directories, no process in common, or
 * nothing of the page cache in the second. Ownership: slice_join_close. */
int slice_join_open(struct slice_join **out, struct trace_set *set, struct err *e);
void slice_join_close(struct slice_join *j); /* NULL is fine */

/* Whether a record goes into the joined trace: all of the first trace; of the second the pages that
 * a process of the first used of a file of the first. */
bool slice_join_pass(struct slice_join *j, const struct trace *t, const struct trace_record *r);

/* Says in the extra metadata ("joined") what was joined. */
void slice_join_finish(struct slice_join *j, struct trace_meta *meta);
void slice_join_print(const struct slice_join *j);

/* Names replaced by keyed hashes (HMAC-SHA-256, RFC 2104 and FIPS 180-4, by libgcrypt): each part
 * of a path for itself, so that directories stay directories, and a rename of one moves what is in
 * it. Without the key nothing can be looked up by guessing. */
struct anonymiser;

/* `key_path`: a file of 16 bytes at least; NULL: a random key, which is neither shown nor kept. */
int anonymiser_open(struct anonymiser **a, const char *key_path, struct err *e);
void anonymiser_close(struct anonymiser *a);

/* Appends the new name: slashes, "." and ".." stay, every other part becomes 20 hexadecimal digits
 * (80 bits). */
int anonymise_path(struct anonymiser *a, const char *path, struct strbuf *out, struct err *e);

/* The same of an extended attribute's name: its class ("user.", "security.", ...) stays. */
int anonymise_attribute(struct anonymiser *a, const char *name, struct strbuf *out, struct err *e);

/* A copy of the list with new names, also of what links point at. Ownership:
 * anonymise_fileset_release. */
int anonymise_fileset(struct anonymiser *a, const struct fileset *from, struct fileset *to,
		      struct err *e);
void anonymise_fileset_release(struct fileset *f);

#endif
