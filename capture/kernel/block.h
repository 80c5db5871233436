/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capturing what a block device is asked to do, by the kernel's tracepoints: while a command runs,
 * or until interrupted. */
#ifndef CAPTURE_KERNEL_BLOCK_H
#define CAPTURE_KERNEL_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/kernel/block_requests.h"
#include "common/err.h"
#include "common/options.h"

enum block_unit { UNIT_REQUEST, UNIT_BIO };

struct block_config {
	const char *output;    /* -o: the trace */
	const char *device;    /* a block device or a partition of one */
	dev_t number;	       /* the same by its number, where there is no path; 0: `device` */
	const char *scratch;   /* --scratch */
	uint64_t buffer_bytes; /* --buffer: of the kernel, for each processor */
	int64_t duration_ns;   /* --duration: 0 until the command ends, or a signal comes */
	/* --linger: goes on after the command, for what is still under way */
	int64_t linger_ns;
	int unit;	       /* --unit request|bio */
	/* --rotate, for the caller: the trace in parts (capture/trace_split.h) */
	const char *rotate;
	bool compress;	       /* --compress */
	bool no_sync;	       /* a scratch trace: no fsync at its end */
	char **command;	       /* argv, NULL-terminated; NULL none */
};

void block_config_init(struct block_config *c);
extern const struct option_spec block_options[];

struct block_outcome {
	bool has_status;
	int status; /* of the command, as waitpid gives it */
	uint64_t n_events, n_lost;
	struct block_counts counts;
	uint64_t n_other; /* requests that neither read, write, discard nor flush: left out */
};

/* Errors: ENOTBLK, ENOENT of the device; ENOENT, EACCES where the kernel's tracing cannot be had,
 * saying what to do; of the command; of the system. A command that fails is no error. */
int block_capture(const struct block_config *c, struct block_outcome *o, struct err *e);

/* The same around whatever the caller does: begin, then stop, then write `output`, which the events
 * of the meantime become. `c` and its strings are borrowed until close. `command`, durations and
 * `linger` are not looked at. Errors: as block_capture; of writing. block_watch_close, also in
 * between, leaves no instance behind; NULL is fine. */
struct block_watch;
/* whether the kernel's tracing can be had, for nothing yet. Errors: as block_capture */
int block_watch_possible(struct err *e);
int block_watch_begin(struct block_watch **b, const struct block_config *c, struct err *e);
int block_watch_stop(struct block_watch *b, struct err *e);
int block_watch_write(struct block_watch *b, struct block_outcome *o, struct err *e);
void block_watch_close(struct block_watch *b);

#endif
