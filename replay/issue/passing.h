/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inherited descriptors of a replay with a process for each traced process. All processes start
 * together, so a child cannot inherit descriptors by fork. Instead a descriptor is sent through a
 * socket (SCM_RIGHTS) immediately after its open. Like fork, this creates another descriptor of the
 * same open file. The sender waits, outside the stamps, until the descriptor has arrived, so that
 * requests that wait for the open find it. */
#pragma once

#include <stdatomic.h>

#include "common/std.h"

struct passing;

/* Returns how many descriptors the passing needs in each of `n_processes` processes. */
uint32_t passing_room(uint32_t n_processes);
/* Opens the sockets. Call it before the fork. receives[n_processes]: whether the process inherits
 * descriptors; `n_slots`: largest slot + 1. Errors: of sockets and memory. Ownership:
 * passing_close. */
int passing_open(struct passing **p, const uint8_t *receives, uint32_t n_processes,
		 uint32_t n_slots, struct err *e);
void passing_close(struct passing *p); /* NULL is fine */

/* Called in process `own` (NONE32: a process without a traced process). Closes the ends of other
 * processes and starts a thread that stores arriving descriptors in fds[slot]. Errors: of starting
 * the thread. */
int passing_join(struct passing *p, uint32_t own, _Atomic int *fds, struct err *e);
/* Notes that process `own` uses no descriptor any more: senders do not wait for it. */
void passing_leave(struct passing *p, uint32_t own);
/* Sends a copy of `fd` to the process, for its slot `slot`. Returns when the copy has arrived, or
 * the process has called passing_leave. */
void passing_send(struct passing *p, uint32_t process, uint32_t slot, int fd);
