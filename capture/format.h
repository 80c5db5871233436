/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats a trace can be read from and written to: one file and one row each. */
#ifndef CAPTURE_FORMAT_H
#define CAPTURE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

/* How a foreign trace is to be understood where the text alone does not say it. All 0 or NULL: the
 * defaults. */
struct trace_open_options {
	/* so many unreadable lines (records of binary formats) may be left out; they are counted */
	uint64_t n_lenient;
	/* path of a mapping file (doc/formats/mapping.md), for the format "mapping" */
	const char *mapping;
	/* block events: a request begins when it was queued (Q), not when it was issued (D) */
	bool pair_queue;
	int64_t wait_unit_ns; /* fio iolog version 2: unit of its waits, 0 unknown */
	const char *as;	      /* operation of formats that do not tell it: "read" or "write" */
	/* more[n_more]: further files of the same trace (blktrace: the other processors'; parallel:
	 * the other nodes') */
	const char *const *more;
	size_t n_more;
};

/* What a reader noticed, so far: complete after a pass. */
struct trace_notes {
	uint64_t n_skipped;	  /* unreadable lines or records left out, as n_lenient allows */
	char first_skipped[400];  /* the message of the first of them */
	uint64_t n_without_end;	  /* requests that begin and never end in the trace */
	uint64_t n_without_begin; /* ends whose beginning is not in the trace */
	uint64_t n_passed_over;	  /* events and calls that are no requests */
	/* calls on descriptors that were neither opened in the trace nor named */
	uint64_t n_unknown_fd;
	/* paths relative to a working directory that the trace does not show */
	uint64_t n_unknown_cwd;
	/* requests of a call that hands over several, of which it shows the first only */
	uint64_t n_unshown;
	/* block requests that were queued and completed, with no issue seen */
	uint64_t n_without_issue;
	uint64_t n_queued;	  /* block requests with both, and the mean time between */
	double mean_queue_ns;
	/* times were differences, each cut to fewer digits than nanoseconds have, and were added up
	 */
	bool differences_cut;
	bool one_cpu_of_many;	  /* one processor's file alone, while others lie beside it */
};
const struct trace_notes *trace_notes(const struct trace *t);
/* The i-th of them in words, or NULL when there are no more. `buf` takes the text. */
const char *trace_note(const struct trace *t, unsigned int i, char *buf, size_t size);

/* What was not written because the format cannot hold it. */
struct trace_export_report {
	uint64_t n_written, n_left_out;
	char why[200]; /* of the first that was left out */
	/* Set by the caller, NULL for none: told each record that is left out, with its place in
	 * the trace. */
	void (*left_out)(void *ctx, uint64_t index, const struct trace_record *r);
	void *ctx;
};

#define FORMAT_BID_SURE 100 /* a magic number: no other format is asked */

struct trace_format {
	const char *name, *help;
	/* How sure the format is, from the file's first bytes (up to FORMAT_HEAD_BYTES), that the
	 * file is its own: 0 not at all, FORMAT_BID_SURE a magic number, 50 for text that looks
	 * right. `path` may tip the balance by its ending. */
	int (*bid)(const unsigned char *head, size_t len, const char *path);
	/* As trace_open; `o` is never NULL. NULL: only written. */
	int (*open)(struct trace **t, const char *path, const struct trace_open_options *o,
		    struct err *e);
	/* Writes all of `t`, from its beginning, to PATH ("-": standard output, where the format is
	 * text); `report` may be NULL. NULL: only read. */
	int (*write)(struct trace *t, const char *path, struct trace_export_report *report,
		     struct err *e);
};
#define FORMAT_HEAD_BYTES 4096u

extern const struct trace_format *const trace_formats[]; /* NULL-terminated */
const struct trace_format *format_find(const char *name);

/* Opens as one format, whatever the first bytes look like. trace_open() asks all of them. */
int trace_open_as(struct trace **t, const struct trace_format *f, const char *path, struct err *e);
/* The same with options; `f` NULL: the format that its first bytes tell, or "mapping" where one is
 * given. */
int trace_open_with(struct trace **t, const struct trace_format *f, const char *path,
		    const struct trace_open_options *o, struct err *e);
/* The format of a file, by its first bytes. Errors: as trace_open. */
int trace_format_detect(const struct trace_format **f, const char *path, struct err *e);

/* The format that `t` is read by. */
const struct trace_format *trace_format_of(const struct trace *t);

/* Writes `t` as a trace file of our own: the same records, objects, heap and metadata. Damaged
 * blocks of the input are an error (trace_copy_with: options, as compression). */
int trace_copy(struct trace *t, const char *path, struct err *e);
int trace_copy_with(struct trace *t, const char *path, const struct trace_write_options *o,
		    struct err *e);
/* The same, with other metadata (NULL: its own), and each record changed on its way, when its
 * references are the copy's already; more may be put into the heap of `w`. */
struct trace_change {
	const struct trace_meta *meta;
	int (*change)(void *ctx, struct trace_writer *w, struct trace_record *r, struct err *e);
	void *ctx;
};
int trace_copy_changed(struct trace *t, const char *path, const struct trace_change *how,
		       struct err *e);

/* Writes all of `t` as CSV (doc/formats/csv.md); "-" is standard output. The file appears whole or
 * not at all. Errors: EBADMSG: damaged blocks of the input were left out, everything else is
 * written. */
int trace_export_csv(struct trace *t, const char *path, struct err *e);

extern const struct trace_format format_trace, format_csv;
/* capture/formats/ */
extern const struct trace_format format_mapping, format_strace, format_blktrace, format_blkparse,
    format_iolog, format_dxt, format_oraclegeneral, format_btrecord, format_blkreplay,
    format_events, format_perfetto, format_artc, format_artc_init, format_tracepoints,
    format_perf_trace, format_parallel;

#endif
