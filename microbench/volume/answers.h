/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers that are to be given at an instant each: one thread gives them, in the order in which
 * they are due, sleeping until shortly before and spinning the rest. Any number may be outstanding,
 * so a volume's parallelism does not depend on threads. */
#ifndef MICROBENCH_VOLUME_ANSWERS_H
#define MICROBENCH_VOLUME_ANSWERS_H

#include "common/clock.h"
#include "common/err.h"
#include "microbench/volume/log.h"

struct answers;

struct answer {
	struct volume_entry entry; /* without its end */
	void *request;	  /* what `give` answers */
	const void *data; /* of a read; NULL none */
	void *owned;	  /* freed afterwards, NULL none */
};

/* Starts the thread. `give` answers one request; each is logged, and given as long before it is due
 * as the log's head says. Errors: of starting a thread, ENOMEM. Ownership: answers_stop. */
int answers_start(struct answers **a, void (*give)(const struct answer *x), struct volume_log *log,
		  struct err *e);
/* From any thread; by value. Without memory for one more it is answered at once, with ENOMEM. */
void answers_add(struct answers *a, const struct answer *x);
/* Gives what is outstanding at once, ends the thread. NULL is fine. */
void answers_stop(struct answers *a);

#endif
