/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats from which traces are read and to which they are written. Each format has a file and a
 * row. */
#pragma once

#include "capture/trace.h"

/* Options for reading a foreign trace whose text is ambiguous. 0 or NULL means the default. */
struct trace_open_options {
	/* largest number of unreadable lines (records in binary formats) that are omitted and
	 * counted */
	uint64_t n_lenient;
	/* path of a mapping file (doc/formats/mapping.md), for the format "mapping" */
	const char *mapping;
	/* block events: a request begins when it was queued (Q), not when it was issued (D) */
	bool pair_queue;
	int64_t wait_unit_ns; /* fio iolog version 2: unit of its waits in ns; 0: unknown */
	const char *as;	      /* operation for formats that do not state it: "read" or "write" */
	/* more[n_more]: further files of the trace (blktrace: other CPUs; parallel: other nodes) */
	const char *const *more;
	size_t n_more;
};

/* Findings of a reader. Final after a complete pass. */
struct trace_notes {
	uint64_t n_skipped; /* unreadable lines or records that were omitted (see n_lenient) */
	char first_skipped[400];  /* message about the first skipped line */
	uint64_t n_without_end;	  /* requests without an end in the trace */
	uint64_t n_without_begin; /* ends whose begin is missing in the trace */
	uint64_t n_not_requests;  /* events and calls that are not requests */
	/* calls on descriptors that the trace neither opens nor names */
	uint64_t n_unknown_fd;
	uint64_t n_unnamed; /* calls on paths that are not known */
	/* paths relative to a working directory that the trace does not show */
	uint64_t n_unknown_cwd;
	/* requests of calls that submit several, of which the trace shows only the first */
	uint64_t n_unshown;
	/* strace: the unseen_facts of these names (capture/unseen.h) */
	uint64_t n_untraced, n_filtered, n_reopened, n_cut_off, n_umask_unknown, n_links_unknown,
	    n_targets_unknown, n_contradictions, n_file_calls, n_mounts, n_unshared,
	    n_parents_unknown, n_sizes_unknown;
	/* block requests that were queued and completed, but whose issue is missing */
	uint64_t n_without_issue;
	/* block requests with queueing and issue, and the mean time between them */
	uint64_t n_queued;
	double mean_queue_ns;
	/* times were differences with fewer digits than ns, and were summed */
	bool differences_cut;
	/* the file of one CPU; files of other CPUs are in the same directory */
	bool one_cpu_of_many;
};
const struct trace_notes *trace_notes(const struct trace *t);
/* The text of the i-th note, in `buf`, or NULL when there are no more. */
const char *trace_note(const struct trace *t, unsigned int i, char *buf, size_t size);

/* Requests that an export omits because the format cannot represent them. */
struct trace_export_report {
	/* requests written; other written records: computing, signals, waits; records omitted */
	uint64_t n_written, n_causes, n_left_out;
	char why[200]; /* reason of the first omitted request */
	/* Set by the caller, or NULL. Called with each omitted record and its index in the
	 * trace. */
	void (*left_out)(void *ctx, uint64_t index, const struct trace_record *r);
	void *ctx;
};

#define FORMAT_BID_SURE 100 /* a magic number matches: other formats are not tried */

struct foreign_reader;

struct trace_format {
	const char *name, *help;
	/* How well the file's first bytes (up to FORMAT_HEAD_BYTES) match the format: 0: not at
	 * all; 50: plausible text; FORMAT_BID_SURE: a magic number. `path` may give a hint by its
	 * suffix. NULL: the format is write-only. */
	int (*bid)(const unsigned char *head, size_t len, const char *path);
	/* As trace_open; `o` is never NULL. If the member is NULL, `reader` reads the format
	 * (formats/foreign.h). */
	int (*open)(struct trace **t, const char *path, const struct trace_open_options *o,
		    struct err *e);
	const struct foreign_reader *reader;
	/* Writes all of `t` to PATH ("-": standard output, for text formats). `report` may be NULL.
	 * If the member is NULL, the format is read-only. */
	int (*write)(struct trace *t, const char *path, struct trace_export_report *report,
		     struct err *e);
};
#define FORMAT_HEAD_BYTES 4096u

/* All formats in the order of detection: format_NAME, each in its file. */
#define FORMATS(X) \
	X(trace) X(csv) X(msr) X(snia) X(alibaba) X(tencent) X(spc) X(systor) X(fiu) X(twitter) \
	X(cachelib) X(ibmcos) X(dftracer) X(blktrace) X(blkparse) X(strace) X(parallel) \
	X(tracepoints) X(perf_trace) X(iolog) X(dxt) X(oraclegeneral) X(btrecord) X(blkreplay) \
	X(events) X(artc) X(artc_init) X(perfetto) X(mapping)
#define FORMAT_EXTERN(name) extern const struct trace_format format_##name;
#define FORMAT_ADDRESS(name) &format_##name,
FORMATS(FORMAT_EXTERN)
extern const struct trace_format *const trace_formats[]; /* NULL-terminated */
/* The format with this name, or NULL. */
const struct trace_format *format_find(const char *name);

/* Detects the format by the first bytes. Errors: as trace_open. */
int trace_format_detect(const struct trace_format **f, const char *path, struct err *e);

/* The format of an open trace. */
const struct trace_format *trace_format_of(const struct trace *t);

/* Changes of a copy: other metadata (NULL: the trace's own), and changed records. `change` gets
 * each record after its references were mapped to the copy, and may add items to the heap of
 * `w`. */
struct trace_change {
	const struct trace_meta *meta;
	int (*change)(void *ctx, struct trace_writer *w, struct trace_record *r, struct err *e);
	void *ctx;
};
/* Copies `t` to a trace file: the same records, objects, heap and metadata, apart from the changes
 * `how`. `o`: options such as compression. Both may be NULL. Errors: also damaged blocks of the
 * input. */
int trace_copy(struct trace *t, const char *path, const struct trace_change *how,
	       const struct trace_write_options *o, struct err *e);
/* For other copies: adds the objects of `from` with the same ids, from object *n on. Errors:
 * EBADMSG: an object is missing or occurs twice; of writing. */
int trace_copy_objects(const struct trace *from, struct trace_writer *to, uint32_t *n,
		       struct err *e);
/* Copies the heap item *ref of `from`, and sets *ref to its copy. */
int trace_copy_heap(const struct trace *from, struct trace_writer *to, uint32_t *ref,
		    struct err *e);

/* Writes all of `t` as CSV (doc/formats/csv.md); "-" is standard output. The file at PATH appears
 * when it is complete. Errors: EBADMSG: damaged blocks of the input were omitted; the rest is
 * written. */
int trace_export_csv(struct trace *t, const char *path, struct err *e);
