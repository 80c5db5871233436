/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a volume's server did, request by request, in the order of completion: a file of
 * fixed-size entries that the server maps and others read. An entry is there before its request
 * is answered, so whatever was answered before the server was killed can be read. Times: ns of
 * CLOCK_MONOTONIC. */
#ifndef MICROBENCH_VOLUME_LOG_H
#define MICROBENCH_VOLUME_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct volume_entry { /* 56 bytes */
	int64_t arrival_ns; /* the request was read from the kernel */
	int64_t start_ns;   /* its service began, as the model has it */
	int64_t due_ns;	    /* when it was to be answered */
	/* the giving of the answer began: before it was over, whoever waits may have had it */
	int64_t end_ns;
	uint64_t offset;
	uint32_t length;
	uint16_t error;
	uint8_t op; /* enum service_op */
	uint8_t unused;
};

struct volume_log_head {
	char magic[8];
	_Atomic uint64_t n;	 /* entries that are whole */
	_Atomic uint64_t n_lost; /* answered when it was full */
	uint64_t cap;
	_Atomic int64_t
	    lead_ns; /* answers are given this long before they are due: what lies between the
		      * giving and whoever waits. Set by whoever measured it from outside */
	/* of the model: raised by whoever wants it as it was at first, before the next request */
	_Atomic uint32_t n_restarts;
	/* service times, in millionths of the model's; 0: as the model has them (volume_slow) */
	_Atomic uint32_t slowness_ppm;
};

struct volume_log {
	struct volume_log_head *head;
	struct volume_entry *entry; /* entry[head->cap] */
	size_t n_bytes; /* of the mapping */
};

/* Makes the file, with room for `cap` entries. Errors: of the system, with the path; ENOSPC. */
int volume_log_create(struct volume_log *l, const char *path, uint64_t cap, struct err *e);
/* Maps somebody's log: for reading, or with `write` for volume_log_reset. Errors: of the system,
 * EILSEQ for another kind of file. */
int volume_log_open(struct volume_log *l, const char *path, bool write, struct err *e);
void volume_log_close(struct volume_log *l); /* a closed one is fine */

/* One writer at a time. Where there is no room it is counted as lost. */
void volume_log_add(struct volume_log *l, const struct volume_entry *x);
/* Forgets what it has: not while requests are under way. */
void volume_log_reset(struct volume_log *l);

/* Writes it as a block-level trace, in the order of arrival: begin is the arrival, dispatch the
 * begin of service, end the answer; `name` is the device. Errors: of the system. */
int volume_log_trace(const struct volume_log *l, const char *name, const char *service,
		     const char *path, struct err *e);

#endif
