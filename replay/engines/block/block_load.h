/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads a trace for the block engine: the requests on one device in issue order, adapted to the
 * device of the replay. A trace is untrusted data: a record that cannot be replayed is refused
 * here, with its number. */
#pragma once

#include "capture/trace.h"
#include "common/device.h"
#include "replay/options/block_options.h"

struct block_loaded {
	/* time since the first start of the trace; end TIME_NONE: unknown */
	int64_t begin_ns, end_ns;
	uint64_t offset, length;  /* of the replay, bytes */
	uint32_t record;	  /* index in the file */
	uint8_t direction, flags; /* enum block_direction, enum block_request_flag */
	uint8_t fault;		  /* enum fault_kind, set by the plan */
	uint8_t unused;
};

struct block_input {
	struct block_loaded *r; /* r[n], by start and then by record */
	uint32_t n;
	uint64_t n_records;
	int64_t first_begin_ns; /* in the trace */
	uint32_t block_bytes;	/* of the device */
	uint64_t n_written;	/* requests that change the device: writes and discards */
	/* requests that are skipped or changed */
	uint64_t n_discards; /* skipped (--discards) */
	/* skipped because they move no data at a known offset, such as open */
	uint64_t n_skipped;
	uint64_t n_turned;   /* writes that became reads */
	uint64_t n_remapped, n_rounded;
	uint8_t *skipped; /* skipped[n_records]: 1 for skipped requests; NULL: none */
};

/* Message: writes to the file %s are not replayed on a block device. */
#define DEVICE_FILE_CALLS                                                                          \
	"refused: the trace has calls on the file %s. Its offsets are not offsets of a device, "   \
	"so writes would destroy the content of the device. Use --read-only, or a regular file "  \
	"as --device, or another engine with --dir"

/* Reads all records of `t`. Errors: EINVAL with the record: an end before its start; a request of
 * more than 1 GiB, beyond the device's end or not aligned (unless an option permits it); requests
 * to more than one device or file; no requests. EPERM: writes to a file, and the target is a block
 * device. Ownership: block_load_release. */
int block_load_read(struct block_input *l, struct trace *t, const struct device *d,
		    const struct block_options *o, struct err *e);
void block_load_release(struct block_input *l); /* a zeroed struct is fine */
