/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests to a volume in a closed loop, with the times of each at both sides: what the client
 * waited, and what the server logged. */
#pragma once

#include "common/std.h"

#define VOLUME_CLIENT_BYTES 4096 /* length of each request */

struct volume_client {
	const char *path, *log; /* device or file; log.h */
	uint64_t n_bytes;	/* of the volume */
	/* killed if no request ends for 10 s, so that its readers get errors; 0: none */
	pid_t server;
	uint32_t depth; /* requests in flight */
	bool writes;	/* every second request is a write of zeros */
};

struct volume_request { /* ns */
	int64_t response_ns;   /* at the client: from just before submission to its return */
	int64_t programmed_ns; /* by the model, from arrival, with queueing in the model */
	int64_t server_ns;     /* at the server: from arrival to the answer, and the lead */
	int64_t lead_ns;       /* the answer was given this long before it was due */
	bool write;
};

/* The largest `n` of volume_client_run: offsets of one call differ. */
uint32_t volume_client_most(uint64_t n_bytes);
/* Makes request[n] with `depth` of them in flight. The log must have room for them. Equal calls
 * make equal requests. Errors: of the system, also EIO from the device; ETIMEDOUT; ENODATA: the
 * log lacks a request. */
int volume_client_run(const struct volume_client *c, struct volume_request *request, uint32_t n,
		      struct err *e);
