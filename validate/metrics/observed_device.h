/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as its device saw it: the same requests, with the times at which the device was given them
 * and had finished them, whoever made them.
 *
 * The sequence says which request is which: for a replay it is the trace that was replayed, for the
 * program its own. The device's requests (validate capture block, unit bio: as they were asked for,
 * before splitting and merging) are matched to it by direction, offset and length, the k-th of a
 * key in the sequence to the k-th of it at the device; one that the kernel asked for in several
 * pieces is those pieces. So reordering is that of the device against the order at the program.
 *
 * A request that the device never saw is lost. A flush need not reach a device without a write
 * cache: one that was not seen is passed over. What the device was asked for beside the sequence,
 * while its requests ran, is extra. */
#ifndef VALIDATE_METRICS_OBSERVED_DEVICE_H
#define VALIDATE_METRICS_OBSERVED_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

struct device_observation {
	const char *side;     /* the device's requests */
	/* request i is to be found as request i of the result; NULL: the device's own order, all of
	 * them */
	const char *sequence;
	/* the run's own trace, for its facts, and where its record i is request i, its intended
	 * times; NULL none */
	const char *own;
	bool numbered;	      /* it is */
	/* its clock is its own or none: intended times count from the first request of the sequence
	 * that the device saw */
	bool floating;
	/* a request begins when it was asked for (Q); else when the device was given it (D) */
	bool queued;
};

struct observed_device {
	uint64_t n_requests, n_seen; /* of the sequence, issued there; of these, found */
	uint64_t n_split;	     /* found in several pieces */
	/* the device's that are nobody's: while the others ran; before or after, which are left out
	 */
	uint64_t n_extra, n_outside;
	/* that the kernel had no room for: the rest is not to be trusted */
	uint64_t n_lost_events;
};

/* Writes OUT. Memory: 64 bytes for each request of the device. Errors: of reading and writing;
 * ENODATA where the device saw none of the sequence, or nothing at all. */
int observed_device_write(const struct device_observation *how, const char *out,
			  struct observed_device *o, struct err *e);

#endif
