/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as its device observed it: the same requests, with the device's dispatch and completion
 * times.
 *
 * The sequence identifies the requests: for a replay it is the replayed trace, for the program its
 * own trace. The device's requests (validate capture block, unit bio: before splitting and merging)
 * are matched to it by direction, offset and length: of equal requests, the k-th to the k-th. A
 * request that the kernel split is matched to its pieces. So reordering is that of the device
 * relative to the program's order.
 *
 * A request that did not reach the device is lost. A flush need not reach a device without a write
 * cache, so a flush that did not reach it is marked as skipped. Device requests outside the
 * sequence are extra if they come while its requests run. */
#pragma once

#include "common/std.h"

struct device_observation {
	const char *side;     /* trace of the device's requests */
	/* request i becomes request i of the result; NULL: all device requests in the device's
	 * order */
	const char *sequence;
	/* the run's own trace, from which its facts and, if `numbered`, its intended times come;
	 * NULL: none */
	const char *own;
	bool numbered;	      /* record i of `own` is request i */
	/* The clock of `own` is not comparable: intended times are relative to the first request of
	 * the sequence that reached the device. */
	bool floating;
	/* a request begins when it is queued (Q); otherwise when it is dispatched (D) */
	bool queued;
};

struct observed_device {
	/* number of issued requests of the sequence; number of those found at the device */
	uint64_t n_requests, n_seen;
	uint64_t n_split;	     /* found as several pieces */
	/* number of device requests that match nothing: while the sequence ran; before or after it
	 * (removed) */
	uint64_t n_extra, n_outside;
	/* number of events lost by the kernel's buffer: then matches are unreliable */
	uint64_t n_lost_events;
};

/* Writes OUT. Memory: 64 bytes per device request. Errors: of reading and writing; ENODATA if the
 * device received no request of the sequence, or no request at all. */
int observed_device_write(const struct device_observation *how, const char *out,
			  struct observed_device *o, struct err *e);
