/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log of a volume's server, in the order of completion: a file of fixed-size entries that the
 * server maps and other programs read. An entry is written before its request is answered, so all
 * answered requests are in the log even if the server is killed. Times: ns of CLOCK_MONOTONIC. */
#pragma once

#include <stdatomic.h>

#include "common/std.h"

/* The lead is measured at these numbers of requests in flight. */
#define VOLUME_DEPTHS 4
static const uint32_t volume_depth[VOLUME_DEPTHS] = {1, 4, 16, 64};

struct volume_entry { /* 56 bytes */
	int64_t arrival_ns; /* the request was read from the kernel */
	int64_t start_ns;   /* the model's begin of service */
	int64_t due_ns;	    /* due time of the answer */
	/* begin of giving the answer; the requester may already have it before the end */
	int64_t end_ns;
	int64_t lead_ns; /* the answer was given this long before its due time */
	uint64_t offset;
	uint32_t length;
	uint16_t error;
	uint8_t op; /* enum service_op */
	uint8_t unused;
};

struct volume_log_head {
	char magic[8];
	_Atomic uint64_t n;	 /* complete entries */
	_Atomic uint64_t n_lost; /* requests answered when the log was full */
	uint64_t cap;
	/* Answers are given this long before they are due, to compensate for the way to the
	 * requester: lead_ns[k] if at most volume_depth[k] requests are pending. Set by the program
	 * that measured it. */
	_Atomic int64_t lead_ns[VOLUME_DEPTHS];
	/* restarts of the model's random numbers; increased before a request to reproduce its
	 * initial state */
	_Atomic uint32_t n_restarts;
	/* factor on service times, in millionths; 0: none (volume_slow) */
	_Atomic uint32_t slowness_ppm;
	_Atomic uint32_t realtime; /* the server's threads run under SCHED_FIFO */
	_Atomic uint32_t awake;	   /* idle processors poll while the volume is in use */
	_Atomic uint32_t own_cpu;  /* the answering thread has a CPU that the others leave free */
};

struct volume_log {
	struct volume_log_head *head;
	struct volume_entry *entry; /* entry[head->cap] */
	size_t n_bytes; /* of the mapping */
};

/* Creates the file with room for `cap` entries. Errors: of the system, with the path; ENOSPC. */
int volume_log_create(struct volume_log *l, const char *path, uint64_t cap, struct err *e);
/* Maps an existing log: for reading, or with `write` for volume_log_reset. Errors: of the system;
 * EILSEQ for another kind of file. */
int volume_log_open(struct volume_log *l, const char *path, bool write, struct err *e);
void volume_log_close(struct volume_log *l); /* may be closed already */

/* Adds an entry; one writer at a time. Counts it as lost if there is no room. */
void volume_log_add(struct volume_log *l, const struct volume_entry *x);
/* Clears the log. No request may be in progress. */
void volume_log_reset(struct volume_log *l);

/* Writes the log as a block-level trace in the order of arrival: begin is the arrival, dispatch the
 * begin of service, end the answer; `name` is the device. Errors: of the system. */
int volume_log_trace(const struct volume_log *l, const char *name, const char *service,
		     const char *path, struct err *e);
