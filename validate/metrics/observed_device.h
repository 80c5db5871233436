/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as its device saw it: the same requests, with the device's dispatch and completion times.
 *
 * The sequence identifies the requests: for a replay it is the replayed trace, for the program its
 * own trace. The device's requests (validate capture block, unit bio: before splitting and merging)
 * are matched to it by direction, offset and length, the k-th of equal requests to the k-th. A
 * request that the kernel split is matched to its pieces. Reordering is therefore that of the
 * device against the program's order.
 *
 * A request that the device never saw is lost. A flush need not reach a device without a write
 * cache, so an unseen flush is marked as skipped. Device requests outside the sequence are extra if
 * they come while its requests run. */
#pragma once

#include "common/std.h"

struct device_observation {
	const char *side;     /* trace of the device's requests */
	/* request i becomes request i of the result; NULL: all device requests in the device's
	 * order */
	const char *sequence;
	/* the run's own trace, for its facts and, if `numbered`, its intended times; NULL: none */
	const char *own;
	bool numbered;	      /* record i of `own` is request i */
	/* The clock of `own` is not comparable: intended times count from the first request of the
	 * sequence that the device saw. */
	bool floating;
	/* a request begins when it is queued (Q), else when it is dispatched (D) */
	bool queued;
};

struct observed_device {
	/* issued requests of the sequence; of these, found at the device */
	uint64_t n_requests, n_seen;
	uint64_t n_split;	     /* found as several pieces */
	/* device requests that match nothing: while the sequence ran; before or after it
	 * (dropped) */
	uint64_t n_extra, n_outside;
	/* lost by the kernel's buffer: matches are then unreliable */
	uint64_t n_lost_events;
};

/* Writes OUT. Memory: 64 bytes per device request. Errors: of reading and writing; ENODATA if the
 * device saw no request of the sequence, or none at all. */
int observed_device_write(const struct device_observation *how, const char *out,
			  struct observed_device *o, struct err *e);
