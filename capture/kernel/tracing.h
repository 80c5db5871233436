/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records kernel tracepoints through tracefs. It creates a tracing instance, copies the instance's
 * buffers to unlinked files during the recording, and then returns the events in order of time.
 *
 * Times are CLOCK_MONOTONIC (trace clock "mono"), so that kernel and program times agree. The
 * buffers are not overwritten: if a buffer is full, events are lost, and are counted for each CPU.
 * Requires tracefs and root. */
#pragma once

#include "common/std.h"

struct tracing;

struct tracing_options {
	/* "block:block_rq_issue", ..., NULL-terminated; a leading "?" marks an optional event */
	const char *const *event;
	const char *filter;	  /* filter for all events, in the kernel's syntax; NULL: none */
	uint64_t buffer_bytes;	  /* per CPU */
	/* directory of the unlinked files, which must not be on a traced device; NULL: /dev/shm or
	 * $TMPDIR */
	const char *scratch;
};

/* Creates the instance; tracing_start begins the recording. Removes instances of processes that no
 * longer exist. Errors: ENOENT, EACCES: the message states what is missing and what to do; ENOENT:
 * unknown event. Ownership: tracing_close. */
int tracing_open(struct tracing **t, const struct tracing_options *o, struct err *e);
/* Limits the events to these threads (numbers in the initial PID namespace) and all threads that
 * they create. Call it before tracing_start. Further calls add threads. */
int tracing_watch(struct tracing *t, const int32_t *tid, size_t n, struct err *e);
/* The number of these threads that have not ended; 0: unknown. */
size_t tracing_n_watched(struct tracing *t);
int tracing_start(struct tracing *t, struct err *e);
/* Stops the recording, drains the buffers, counts the losses and removes the instance. Errors:
 * ENOSPC and others of the scratch files; events that were read before are available. */
int tracing_stop(struct tracing *t, struct err *e);
void tracing_close(struct tracing *t); /* removes the instance if it still exists; t may be NULL */

/* Opens an unlinked file in `scratch` (NULL: as in the options). Returns a descriptor or a negative
 * errno. */
int tracing_scratch_file(const char *scratch, struct err *e);

uint64_t tracing_n_lost(const struct tracing *t); /* number of lost events, over all CPUs */
uint64_t tracing_n_events(const struct tracing *t); /* number of events that were read so far */

struct tracing_event {
	unsigned int kind; /* index into options.event */
	int64_t ns;	   /* CLOCK_MONOTONIC */
	int32_t pid;	   /* the running thread; it is not always the cause of the event */
	unsigned int cpu;
	const unsigned char *data; /* data[n_bytes], borrowed until the next call */
	unsigned int n_bytes;
};

/* Call it after tracing_stop. Reads the next event in order of time. Returns 1, or 0 at the end.
 * Errors: EBADMSG: a malformed page. */
int tracing_next(struct tracing *t, struct tracing_event *v, struct err *e);

struct tracing_field {
	unsigned int offset, size; /* size 0: the kernel has no such field */
};
/* A field of a kind of event; {0, 0} if it does not exist. */
struct tracing_field tracing_field(const struct tracing *t, unsigned int kind, const char *name);

/* Whether the kernel has events of this kind. */
bool tracing_has(const struct tracing *t, unsigned int kind);
/* The kernel's id of the event; -1: none. */
int tracing_event_id(const struct tracing *t, unsigned int kind);

static inline uint64_t tracing_unsigned(const struct tracing_event *v, struct tracing_field f)
{
	uint64_t x = 0; /* little-endian machines only, as everywhere in the program */
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
