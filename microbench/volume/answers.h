/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives each answer at its due time. One thread gives all answers in the order of their due times:
 * it sleeps until shortly before a due time, then spins. The number of pending answers is
 * unlimited, so the parallelism of a volume does not depend on threads. */
#pragma once

#include "common/clock.h"
#include "microbench/volume/log.h"

struct answers;

struct answer {
	struct volume_entry entry; /* without end_ns and lead_ns */
	void *request;	  /* the request that `give` answers */
	const void *data; /* data of a read, or NULL */
	void *owned;	  /* memory to free afterwards, or NULL */
};

/* Starts the thread, on CPU `cpu` (-1: on any). `give` answers one request. Each answer is logged,
 * and is given before its due time. The log's header states by how much (the lead), for each number
 * of pending answers at the arrival. Errors: of starting a thread, ENOMEM. Ownership:
 * answers_stop. */
int answers_start(struct answers **a, void (*give)(const struct answer *x), struct volume_log *log,
		  int cpu, struct err *e);
/* Copies and adds an answer, from any thread. If there is no memory, the request is answered at
 * once with ENOMEM. */
void answers_add(struct answers *a, const struct answer *x);
/* Gives all pending answers at once and ends the thread. NULL: does nothing. */
void answers_stop(struct answers *a);
