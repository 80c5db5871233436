/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel tracepoints through tracefs: an instance of our own, its buffers emptied into unlinked
 * files while it runs, its events read back in the order of their times once it has stopped.
 *
 * Times are CLOCK_MONOTONIC (trace clock "mono"), so that kernel and program times agree. The
 * buffers do not overwrite: what finds no room is lost and counted per processor, never silently.
 * Needs tracefs and the right to use it (root). */
#ifndef CAPTURE_KERNEL_TRACING_H
#define CAPTURE_KERNEL_TRACING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/err.h"

struct tracing;

struct tracing_options {
	/* "block:block_rq_issue", ..., NULL-terminated; "?" in front: left out where the kernel has
	 * none */
	const char *const *event;
	const char *filter;	  /* for all of them, in the kernel's language; NULL none */
	uint64_t buffer_bytes;	  /* for each processor */
	/* directory of the unlinked files, not on a device that is watched; NULL: /dev/shm or
	 * $TMPDIR */
	const char *scratch;
};

/* Makes the instance; nothing is recorded yet. Instances of earlier processes of this program that
 * are gone are removed. Errors: ENOENT, EACCES with one sentence that says what is missing and what
 * to do; ENOENT for an unknown event. Ownership: tracing_close. */
int tracing_open(struct tracing **t, const struct tracing_options *o, struct err *e);
/* Only these threads (numbers of the kernel's own PID namespace) and whatever they start are seen.
 * Before tracing_start; more may be added by another call. */
int tracing_watch(struct tracing *t, const int32_t *tid, size_t n, struct err *e);
int tracing_start(struct tracing *t, struct err *e);
/* Stops, empties the buffers, counts the losses and removes the instance. Errors: ENOSPC and others
 * of the scratch files: what was read is there. */
int tracing_stop(struct tracing *t, struct err *e);
void tracing_close(struct tracing *t); /* removes the instance if it is there still; NULL is fine */

/* An unlinked file in `scratch`, which may be NULL as in the options: a descriptor or -errno. */
int tracing_scratch_file(const char *scratch, struct err *e);

uint64_t tracing_n_lost(const struct tracing *t); /* events, over all processors */
uint64_t tracing_n_events(const struct tracing *t); /* read so far */

struct tracing_event {
	unsigned int kind; /* index into options.event */
	int64_t ns;	   /* CLOCK_MONOTONIC */
	int32_t pid;	   /* thread that ran, not always whose doing it was */
	unsigned int cpu;
	const unsigned char *data; /* data[n_bytes], borrowed until the next call */
	unsigned int n_bytes;
};

/* After tracing_stop: the next event in the order of times, 1; 0 at the end. Errors: EBADMSG for a
 * page that makes no sense. */
int tracing_next(struct tracing *t, struct tracing_event *v, struct err *e);

struct tracing_field {
	unsigned int offset, size; /* size 0: the kernel has no such field */
};
/* A field of an event kind; {0, 0} where there is none. */
struct tracing_field tracing_field(const struct tracing *t, unsigned int kind, const char *name);

/* Whether the kernel has events of that kind. */
bool tracing_has(const struct tracing *t, unsigned int kind);
/* the kernel's number for it, -1 none */
int tracing_event_id(const struct tracing *t, unsigned int kind);

static inline uint64_t tracing_unsigned(const struct tracing_event *v, struct tracing_field f)
{
	uint64_t x = 0; /* little-endian machines only, as all this program's formats */
	if (f.size <= sizeof x && f.offset + f.size <= v->n_bytes)
		memcpy(&x, v->data + f.offset, f.size);
	return x;
}

static inline int64_t tracing_signed(const struct tracing_event *v, struct tracing_field f)
{
	uint64_t x = tracing_unsigned(v, f);
	return f.size == 4   ? (int32_t)x
	       : f.size == 2 ? (int16_t)x
	       : f.size == 1 ? (int8_t)x
			     : (int64_t)x;
}

#endif
