/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats that traces are read from and written to: one file and one row each. */
#pragma once

#include "capture/trace.h"

/* Options for reading a foreign trace whose text is ambiguous. 0 or NULL: the defaults. */
struct trace_open_options {
	/* number of unreadable lines (records of binary formats) that may be omitted and counted */
	uint64_t n_lenient;
	/* path of a mapping file (doc/formats/mapping.md), for the format "mapping" */
	const char *mapping;
	/* block events: a request begins when it was queued (Q), not when it was issued (D) */
	bool pair_queue;
	int64_t wait_unit_ns; /* fio iolog version 2: unit of its waits, 0 unknown */
	const char *as;	      /* operation of formats without one: "read" or "write" */
	/* more[n_more]: further files of the trace (blktrace: other CPUs; parallel: other nodes) */
	const char *const *more;
	size_t n_more;
};

/* Findings of a reader so far; final after a pass. */
struct trace_notes {
	uint64_t n_skipped;	  /* unreadable lines or records omitted, as n_lenient allows */
	char first_skipped[400];  /* the message of the first of them */
	uint64_t n_without_end;	  /* requests that never end in the trace */
	uint64_t n_without_begin; /* ends whose begin is not in the trace */
	uint64_t n_not_requests;  /* events and calls that are not requests */
	/* calls on descriptors that were neither opened in the trace nor named */
	uint64_t n_unknown_fd;
	/* paths relative to a working directory that the trace does not show */
	uint64_t n_unknown_cwd;
	/* requests of calls that submit several, of which the trace shows only the first */
	uint64_t n_unshown;
	/* strace: the unseen_facts of these names (capture/unseen.h) */
	uint64_t n_untraced, n_filtered, n_reopened, n_cut_off, n_umask_unknown, n_links_unknown,
	    n_targets_unknown, n_contradictions, n_file_calls;
	/* block requests that were queued and completed, with no issue seen */
	uint64_t n_without_issue;
	/* block requests with queueing and issue, and the mean time between them */
	uint64_t n_queued;
	double mean_queue_ns;
	/* times were differences with fewer digits than ns, and were summed */
	bool differences_cut;
	bool one_cpu_of_many;	  /* the file of one CPU, while others lie beside it */
};
const struct trace_notes *trace_notes(const struct trace *t);
/* The text of the i-th note, in `buf`, or NULL when there are no more. */
const char *trace_note(const struct trace *t, unsigned int i, char *buf, size_t size);

/* Requests that an export omits because the format cannot hold them. */
struct trace_export_report {
	uint64_t n_written, n_left_out;
	char why[200]; /* reason of the first omitted request */
	/* Set by the caller, or NULL: called with each omitted record and its index in the trace.
	 */
	void (*left_out)(void *ctx, uint64_t index, const struct trace_record *r);
	void *ctx;
};

#define FORMAT_BID_SURE 100 /* a magic number: later formats are not tried */

struct foreign_reader;

struct trace_format {
	const char *name, *help;
	/* How well the file's first bytes (up to FORMAT_HEAD_BYTES) fit the format: 0 not at all,
	 * 50 for plausible text, FORMAT_BID_SURE for a magic number. `path` may add a hint by its
	 * suffix. NULL: the format is write-only. */
	int (*bid)(const unsigned char *head, size_t len, const char *path);
	/* As trace_open; `o` is never NULL. NULL: `reader` reads the format (formats/foreign.h). */
	int (*open)(struct trace **t, const char *path, const struct trace_open_options *o,
		    struct err *e);
	const struct foreign_reader *reader;
	/* Writes all of `t` to PATH ("-": standard output, for text formats); `report` may be NULL.
	 * NULL: the format is read-only. */
	int (*write)(struct trace *t, const char *path, struct trace_export_report *report,
		     struct err *e);
};
#define FORMAT_HEAD_BYTES 4096u

extern const struct trace_format *const trace_formats[]; /* NULL-terminated */
const struct trace_format *format_find(const char *name);

/* Detects the format by the first bytes. Errors: as trace_open. */
int trace_format_detect(const struct trace_format **f, const char *path, struct err *e);

/* The format of an open trace. */
const struct trace_format *trace_format_of(const struct trace *t);

/* Other metadata (NULL: the trace's own) and changed records. `change` gets a record with
 * references of the copy, and may add items to the heap of `w`. */
struct trace_change {
	const struct trace_meta *meta;
	int (*change)(void *ctx, struct trace_writer *w, struct trace_record *r, struct err *e);
	void *ctx;
};
/* Writes `t` as a trace file: the same records, objects, heap and metadata, but for the changes
 * `how`; `o`: options such as compression. Both may be NULL. Damaged blocks of the input are an
 * error. */
int trace_copy(struct trace *t, const char *path, const struct trace_change *how,
	       const struct trace_write_options *o, struct err *e);

/* Writes all of `t` as CSV (doc/formats/csv.md); "-" is standard output. The file appears complete
 * or not at all. Errors: EBADMSG: damaged blocks of the input were omitted; the rest is written. */
int trace_export_csv(struct trace *t, const char *path, struct err *e);

extern const struct trace_format format_trace, format_csv;
/* capture/formats/ */
extern const struct trace_format format_mapping, format_strace, format_blktrace, format_blkparse,
    format_iolog, format_dxt, format_dftracer, format_oraclegeneral, format_btrecord,
    format_blkreplay, format_events, format_perfetto, format_artc, format_artc_init,
    format_tracepoints, format_perf_trace, format_parallel;
