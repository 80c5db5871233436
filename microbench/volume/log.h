/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log of a volume's server, in the order of completion. It is a file of entries of fixed size,
 * which the server maps and other programs read. An entry is written before its request is
 * answered, so all answered requests are in the log even if the server is killed. Times: ns of
 * CLOCK_MONOTONIC. */
#pragma once

#include <stdatomic.h>

#include "common/std.h"

/* Numbers of requests in flight for which the lead is measured. */
#define VOLUME_DEPTHS 4
static const uint32_t volume_depth[VOLUME_DEPTHS] = {1, 4, 16, 64};

struct volume_entry { /* 56 bytes */
	int64_t arrival_ns; /* instant at which the server read the request */
	int64_t start_ns;   /* start of service according to the model */
	int64_t due_ns;	    /* due time of the answer */
	/* instant at which the server begins to give the answer; the client may have it before the
	 * server has finished */
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
	_Atomic uint64_t n;	 /* number of complete entries */
	_Atomic uint64_t n_lost; /* requests that were answered while the log was full */
	uint64_t cap;
	/* Time by which answers are given early, to compensate for the time between client and
	 * server: lead_ns[k] applies if at most volume_depth[k] requests are pending. The program
	 * that measured it sets it. */
	_Atomic int64_t lead_ns[VOLUME_DEPTHS];
	/* number of restarts of the model's random numbers; incremented before a request, to return
	 * to the initial state */
	_Atomic uint32_t n_restarts;
	/* factor on service times, in millionths; 0: none (volume_slow) */
	_Atomic uint32_t slowness_ppm;
	_Atomic uint32_t realtime; /* the server's threads run with policy SCHED_FIFO */
	_Atomic uint32_t awake;	   /* idle CPUs poll while the volume is used */
	/* the answering thread has a CPU that the other threads do not use */
	_Atomic uint32_t own_cpu;
};

struct volume_log {
	struct volume_log_head *head;
	struct volume_entry *entry; /* entry[head->cap] */
	size_t n_bytes; /* size of the mapping */
};

/* Creates the file with room for `cap` entries. Errors: of the system, with the path; ENOSPC. */
int volume_log_create(struct volume_log *l, const char *path, uint64_t cap, struct err *e);
/* Maps an existing log: for reading; with `write`, for volume_log_reset. Errors: of the system;
 * EILSEQ: another kind of file. */
int volume_log_open(struct volume_log *l, const char *path, bool write, struct err *e);
void volume_log_close(struct volume_log *l); /* `l` may already be closed */

/* Adds an entry. There must be only one writer at a time. If there is no room, the entry counts as
 * lost. */
void volume_log_add(struct volume_log *l, const struct volume_entry *x);
/* Clears the log. No request may be in progress. */
void volume_log_reset(struct volume_log *l);

/* Writes the log as a block-level trace in the order of arrival. Start is the arrival, dispatch is
 * the start of service, end is the answer; `name` is the device. Errors: of the system. */
int volume_log_trace(const struct volume_log *l, const char *name, const char *service,
		     const char *path, struct err *e);
