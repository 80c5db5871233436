/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as the block engine needs it: the requests on one device in issue order, each made to fit
 * the device it will be replayed on. A trace is data from strangers: what cannot be replayed is
 * refused here, naming the record. */
#ifndef REPLAY_BLOCK_LOAD_H
#define REPLAY_BLOCK_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/device.h"
#include "common/err.h"
#include "replay/options/block_options.h"

struct block_loaded {
	int64_t begin_ns, end_ns; /* after the first begin of the trace; end TIME_NONE: unknown */
	uint64_t offset, length;  /* as they will be asked for */
	uint32_t record;	  /* its index in the file */
	uint8_t direction, flags; /* enum block_direction, enum block_request_flag */
	uint8_t fault;		  /* enum fault_kind; not the loader's business */
	uint8_t unused;
};

struct block_load {
	struct block_loaded *r; /* r[n], by begin; equal ones as they stand in the file */
	uint32_t n;
	uint64_t n_records;
	int64_t first_begin_ns; /* in the trace */
	uint32_t block_bytes;	/* of the device */
	uint64_t n_written;	/* requests that change the device: writes and discards */
	/* what is not replayed as it stands */
	uint64_t n_discards; /* left out (--discards) */
	uint64_t n_passed;   /* calls that move no data at a known place: open, close, stat */
	uint64_t n_turned;   /* writes made reads */
	uint64_t n_remapped, n_rounded;
	uint8_t *passed; /* passed[n_records]: 1 for the left out and skipped; NULL none */
};

/* Why writes of calls on the file %s are not made on a block device. */
#define DEVICE_FILE_CALLS                                                                          \
	"refused: it is a trace of calls on the file %s, whose offsets are not those of a "        \
	"device: writing there would "                                                             \
	"destroy what the device holds. Replay it with --dir, with --read-only, or with a "        \
	"regular file as --device"

/* Reads all of `t`. Errors: EINVAL naming the record: an end before its begin, a request of more
 * than 1 GiB, beyond the device's end or not aligned (where the options do not say what to do);
 * requests to more than one device or file; nothing to replay. EPERM: writes of calls on a file, to
 * a block device. ENOMEM. Ownership: block_load_release. */
int block_load_read(struct block_load *l, struct trace *t, const struct device *d,
		    const struct block_options *o, struct err *e);
void block_load_release(struct block_load *l); /* an all-zero one is fine */

#endif
