/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of foreign formats share: the file, the requests on their way, strictness and
 * its exceptions, and what they notice. A reader is a `struct foreign` as first member of its own
 * struct, and a row of functions.
 *
 * Foreign text is made into requests one line at a time, in bounded memory; the requests before a
 * bad line are given first. */
#ifndef CAPTURE_FORMATS_FOREIGN_H
#define CAPTURE_FORMATS_FOREIGN_H

#include "capture/formats/record_queue.h"
#include "capture/formats/text_input.h"
#include "capture/trace_private.h"
#include "common/strbuf.h"

struct foreign;

struct foreign_reader {
	const char *clock, *captured_by; /* of the metadata */
	enum trace_level level;
	/* Takes in one line: 0, or a negative errno with what is wrong with it; foreign_at() says
	 * where. TEXT_SLACK bytes behind it may be read. Binary formats have `piece` instead: it
	 * takes some of f->in, 1, 0 at the end. */
	int (*line)(struct foreign *f, const char *s, size_t len, struct err *e);
	int (*piece)(struct foreign *f, struct err *e);
	/* a file is over: puts another into f->in, 1, or 0; NULL: there is one only */
	int (*next)(struct foreign *f, struct err *e);
	void (*end)(struct foreign *f);	    /* the file is over; NULL: nothing to do */
	void (*reset)(struct foreign *f);   /* back to the beginning */
	void (*release)(struct foreign *f); /* what is its own; not the struct itself */
};

struct foreign {
	struct trace base;
	struct text_input in;
	struct record_queue queue;
	const struct foreign_reader *reader;
	const char *path; /* of the file, for messages */
	uint64_t n_lenient;
	struct err error; /* nothing is read behind it */
	bool ended;
	uint64_t n_given;
	uint64_t n_lost; /* in this pass; the metadata keep what any pass has found */
	const char *line, *wrong; /* the line being read, and what is wrong in it */
	uint64_t piece_at; /* byte of the file at which the piece begins */
	struct strbuf heap;
	uint32_t heap_first; /* unit that heap begins with */
	uint64_t n_queued_sum; /* for the mean of the notes */
	double queue_sum_ns;
};

/* Opens `path` for a reader whose struct has `size` bytes and begins with a struct foreign. *f is
 * zeroed behind that. Reads the beginning once, so that the metadata is known, and goes back.
 * Errors: of the system. */
int foreign_open(struct trace **t, size_t size, const struct foreign_reader *reader,
		 const char *path, const struct trace_open_options *o,
		 void (*setup)(struct foreign *f, const struct trace_open_options *o),
		 struct err *e);
/* The same without reading: the caller makes ready what its reader needs, and rewinds. */
int foreign_open_unread(struct trace **t, size_t size, const struct foreign_reader *reader,
			const char *path, const struct trace_open_options *o,
			void (*setup)(struct foreign *f, const struct trace_open_options *o),
			struct err *e);

/* Notes where in the line something is wrong, and returns err_set(e, EINVAL, ...): the message
 * names what is wrong, "column" and line are put in front of it. */
int foreign_at(struct foreign *f, const char *where, struct err *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A record of which nothing is known. */
static inline struct trace_record foreign_record(void)
{
	return (struct trace_record){.begin_ns = TIME_NONE,
				     .end_ns = TIME_NONE,
				     .intended_ns = TIME_NONE,
				     .dispatch_ns = TIME_NONE,
				     .object = OBJECT_NONE,
				     .fd = -1,
				     .heap = HEAP_NONE};
}

/* Whether the record may be given out: times in range. Errors: ERANGE. */
int foreign_check(struct foreign *f, const struct trace_record *r, struct err *e);
/* A finished request, to the queue. */
int foreign_add(struct foreign *f, struct trace_record *r, struct err *e);
/* The object of that kind and name, which need not be NUL-terminated. Errors: EINVAL for a name
 * with NULs or above 65535 bytes; ENOMEM. */
int foreign_object(struct foreign *f, enum object_kind kind, const char *name, size_t len,
		   uint32_t *id, struct err *e);
/* The trace itself tells that so many events are missing in it: it is incomplete, which the
 * metadata say behind a pass. */
void foreign_lost(struct foreign *f, uint64_t n);
/* Keeps bytes for record.heap. */
uint32_t foreign_heap(struct foreign *f, const void *data, size_t len);
/* A request that never ended keeps its place, with an unknown end, result -1 and ECANCELED. */
void foreign_unfinished(struct foreign *f, uint64_t ticket);

#endif
