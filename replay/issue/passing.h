/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors that a process inherits, where each traced process is replayed by one of its own.
 * They all begin together, so what a traced child had from its parent cannot come by fork: as soon
 * as it is open it is handed over through a socket (SCM_RIGHTS), which gives what fork gives,
 * another descriptor of the same open file. Who hands it over waits until it has arrived, outside
 * of the stamps, so that whoever waits for the open finds it. */
#ifndef REPLAY_PASSING_H
#define REPLAY_PASSING_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/err.h"

struct passing;

/* Descriptors that this needs in each process of `n_processes`. */
uint32_t passing_room(uint32_t n_processes);

/* Before the fork. receives[n_processes]: whether something is inherited there; `n_slots` is one
 * more than the largest slot. Errors: of sockets and memory. Ownership: passing_close. */
int passing_open(struct passing **p, const uint8_t *receives, uint32_t n_processes,
		 uint32_t n_slots, struct err *e);
void passing_close(struct passing *p); /* NULL is fine */

/* In process `own` (NONE32: none of them): the others' ends are closed, and a thread begins to put
 * what arrives into fds[slot]. Errors: of starting it. */
int passing_join(struct passing *p, uint32_t own, _Atomic int *fds, struct err *e);
/* The process will use none of its descriptors any more: nobody waits for it. */
void passing_leave(struct passing *p, uint32_t own);

/* Hands a copy of `fd` over to be slot `slot` of the process; returns when it is there, or when the
 * process has left. */
void passing_send(struct passing *p, uint32_t process, uint32_t slot, int fd);

#endif
