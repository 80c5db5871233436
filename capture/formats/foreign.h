/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code that the readers of foreign formats share: the input file, the queue of requests, unreadable
 * lines, and the notes. A reader is a struct whose first member is a `struct foreign`, and a row of
 * functions.
 *
 * A reader converts one line at a time to requests, in bounded memory. It returns the requests
 * before a bad line, and then the error. */
#pragma once

#include "capture/formats/text_input.h"
#include "capture/record_queue.h"
#include "capture/trace_private.h"

struct foreign;

struct foreign_reader {
	const char *clock, *captured_by; /* texts for the metadata */
	enum trace_level level;
	size_t size; /* size of the reader's struct */
	/* Prepares a zeroed struct for the options. NULL: nothing to do. */
	void (*setup)(struct foreign *f, const struct trace_open_options *o);
	/* Reads one line. Returns 0 or a negative errno with a message; foreign_at() adds the
	 * column. */
	int (*line)(struct foreign *f, const char *s, size_t len, struct err *e);
	/* For binary formats, instead of `line`: consumes a part of f->in. Returns 1, 0 at the end,
	 * or a negative errno. */
	int (*piece)(struct foreign *f, struct err *e);
	/* Called at the end of a file: opens the next file as f->in and returns 1, or returns 0.
	 * NULL: the trace is one file. */
	int (*next)(struct foreign *f, struct err *e);
	/* Called at the end of the trace, at each rewind, and at the close, where it frees the
	 * reader's members. NULL: nothing to do. */
	void (*end)(struct foreign *f);
	void (*reset)(struct foreign *f);
	void (*release)(struct foreign *f);
};

struct foreign {
	struct trace base;
	struct text_input in;
	struct record_queue queue;
	const struct foreign_reader *reader;
	const char *path; /* path of the current file, for messages */
	uint64_t n_lenient;
	struct err error; /* nothing after this error is read */
	bool ended;
	uint64_t n_given;
	uint64_t n_lost; /* in this pass; the metadata contain the maximum over all passes */
	const char *line, *wrong; /* current line, and the position of an error in it */
	uint64_t piece_at; /* offset in the file at which the current piece begins */
	struct strbuf heap;
	uint32_t heap_first; /* heap unit at heap.s[0] */
	double queue_sum_ns;
};

/* Opens `path`, reads its beginning once so that the metadata are known, and rewinds. Errors: of
 * the system. */
int foreign_open(struct trace **t, const struct foreign_reader *reader, const char *path,
		 const struct trace_open_options *o, struct err *e);
/* The same, but does not read or rewind: the caller prepares the reader and rewinds. */
int foreign_open_unread(struct trace **t, const struct foreign_reader *reader, const char *path,
			const struct trace_open_options *o, struct err *e);

/* Stores the position of an error in the line, and returns err_set(e, EINVAL, ...). Later, the
 * reader puts file, line and column before the message. */
int foreign_at(struct foreign *f, const char *where, struct err *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Checks that the times are in range. Errors: ERANGE. */
int foreign_check(const struct trace_record *r, struct err *e);
/* Appends a finished request to the queue. Errors: as foreign_check. */
int foreign_add(struct foreign *f, struct trace_record *r, struct err *e);
/* Adds an object; `name` need not be NUL-terminated. Errors: EINVAL: the name contains NULs or has
 * more than 65535 bytes; ENOMEM. */
int foreign_object(struct foreign *f, enum object_kind kind, const char *name, size_t len,
		   uint32_t *id, struct err *e);
/* For struct syscalls_sink; the context is the struct foreign. */
int foreign_object_sink(void *context, enum object_kind kind, const char *name, uint32_t *id,
			struct err *e);
int foreign_heap_sink(void *context, const void *data, size_t len, uint32_t *ref, struct err *e);
/* Counts n events that the trace itself reports as missing. The metadata then mark the trace as
 * incomplete. */
void foreign_lost(struct foreign *f, uint64_t n);
/* Stores bytes for record.heap and returns the reference. */
uint32_t foreign_heap(struct foreign *f, const void *data, size_t len);
/* Completes a queued request that never ended: unknown end, result -1, ECANCELED. */
void foreign_unfinished(struct foreign *f, uint64_t ticket);
