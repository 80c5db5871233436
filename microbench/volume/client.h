/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes requests to a volume in a closed loop, and gives the times of each request on both sides:
 * the response time of the client, and the times in the server's log.
 *
 * The client is a measuring instrument, so it should not wait for a CPU. During a call of
 * volume_client_run, the calling thread has the shortest time slices (scheduling_slice), so it
 * replaces other threads when it wakes up. (Under SCHED_FIFO it would wait longer: on two CPUs, the
 * path of a request was 35 us long instead of 10 us.) */
#pragma once

#include "common/std.h"

#define VOLUME_CLIENT_BYTES 4096 /* length of each request */

struct volume_client {
	const char *path, *log; /* device or file of the volume; its log (log.h) */
	uint64_t n_bytes;	/* size of the volume */
	/* killed if no request ends for 10 s, so that readers of the volume get errors; 0: none */
	pid_t server;
	uint32_t depth; /* requests in flight */
	bool writes;	/* every second request is a write of zeros */
};

struct volume_request { /* ns */
	/* at the client: from just before the submission until the completion is read */
	int64_t response_ns;
	/* according to the model, from the arrival; includes queueing in the model */
	int64_t programmed_ns;
	int64_t server_ns;     /* at the server: from the arrival to the answer, plus the lead */
	int64_t lead_ns;       /* the answer was given this long before its due time */
	bool write;
};

/* Largest `n` of volume_client_run, so that all offsets of a call differ. */
uint32_t volume_client_most(uint64_t n_bytes);
/* Makes request[n], `depth` of them in flight. The log must have room for them. Equal calls make
 * equal requests. Errors: of the system, also EIO from the device; ETIMEDOUT; ENODATA: a request is
 * missing in the log. */
int volume_client_run(const struct volume_client *c, struct volume_request *request, uint32_t n,
		      struct err *e);
