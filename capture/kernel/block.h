/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captures the requests of a block device by kernel tracepoints, while a command runs or until
 * interrupted. */
#pragma once

#include "capture/kernel/block_requests.h"
#include "common/options.h"

enum block_unit { UNIT_REQUEST, UNIT_BIO };

struct block_config {
	const char *output;    /* -o: the trace */
	const char *device;    /* path of a block device or partition */
	dev_t number;	       /* number of the device, if it has no path; 0: use `device` */
	const char *scratch;   /* --scratch */
	uint64_t buffer_bytes; /* --buffer: bytes of the kernel's buffer for each CPU */
	int64_t duration_ns; /* --duration, in ns; 0: until the command ends or a signal arrives */
	/* --linger: time in ns after the command's end, for requests in flight */
	int64_t linger_ns;
	int unit;	       /* --unit request|bio */
	/* --rotate: writes the trace in parts (capture/trace_split.h); used by the caller */
	const char *rotate;
	bool compress;	       /* --compress */
	bool no_sync;	       /* no fsync at the end: a scratch trace */
	char **command;	       /* argv, NULL-terminated; NULL: none */
};

void block_config_init(struct block_config *c);
extern const struct option_spec block_options[];

struct block_outcome {
	bool has_status;
	int status; /* wait status of the command */
	uint64_t n_events, n_lost;
	struct block_counts counts;
	/* requests other than read, write, discard and flush, which are omitted */
	uint64_t n_other;
};

/* Errors: ENOTBLK, ENOENT: of the device; ENOENT, EACCES: kernel tracing is unavailable, with
 * advice; of starting the command; of the system. A failing command is not an error. */
int block_capture(const struct block_config *c, struct block_outcome *o, struct err *e);

/* Captures an activity of the caller: begin it, stop it, then write the events between to `output`.
 * `c` and its strings are borrowed until close. `command`, durations and `linger` are ignored.
 * Errors: as block_capture; of writing. block_watch_close removes the instance in every state; its
 * argument may be NULL. */
struct block_watch;
/* Checks that kernel tracing is available. Errors: as block_capture. */
int block_watch_possible(struct err *e);
int block_watch_begin(struct block_watch **b, const struct block_config *c, struct err *e);
int block_watch_stop(struct block_watch *b, struct err *e);
int block_watch_write(struct block_watch *b, struct block_outcome *o, struct err *e);
void block_watch_close(struct block_watch *b);
