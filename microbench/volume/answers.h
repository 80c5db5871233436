/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives each answer at its due time. One thread gives them in the order of due times: it sleeps
 * until shortly before and spins the rest. The number of pending answers is unlimited, so a
 * volume's parallelism does not depend on threads. */
#pragma once

#include "common/clock.h"
#include "microbench/volume/log.h"

struct answers;

struct answer {
	struct volume_entry entry; /* without end_ns and lead_ns */
	void *request;	  /* the request that `give` answers */
	const void *data; /* data of a read, or NULL */
	void *owned;	  /* freed afterwards, or NULL */
};

/* Starts the thread, on CPU `cpu` (-1: on any). `give` answers one request. Each answer is logged,
 * and given before its due time by the lead in the log's header for the number of pending answers
 * at its arrival. Errors: of starting a thread, ENOMEM. Ownership: answers_stop. */
int answers_start(struct answers **a, void (*give)(const struct answer *x), struct volume_log *log,
		  int cpu, struct err *e);
/* Adds an answer by value, from any thread. Without memory the request is answered at once with
 * ENOMEM. */
void answers_add(struct answers *a, const struct answer *x);
/* Gives pending answers at once and ends the thread. NULL: no effect. */
void answers_stop(struct answers *a);
