/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts requests of io_uring to system calls. The kernel's copy of an entry, in the layout of
 * the running kernel (BTF), becomes the arguments of the equivalent call. */
#pragma once

#include "capture/kernel/syscalls.h"
#include "capture/kernel/user_memory_private.h"

struct ring_entries;

/* Errors: ENOENT, EBADMSG: the kernel does not describe the layout of its requests; the message
 * names the first missing structure. Ownership: ring_entries_close. */
int ring_entries_open(struct ring_entries **r, struct err *e);
void ring_entries_close(struct ring_entries *r); /* `r` may be NULL */

/* The layout of the kernel's structures, for the BPF programs. Borrowed. */
const struct um_ring_layout *ring_entries_layout(const struct ring_entries *r);
/* what to read for an operation: 0, or UM_RING_... */
uint64_t ring_entries_items(const struct ring_entries *r, unsigned int opcode);

/* The call that is equivalent to the entry; aio_other if there is none, or if the file is
 * registered. */
const struct syscall_row *ring_entries_call(const struct ring_entries *r,
					    const struct um_ring_entry *u,
					    uint64_t arg[SYSCALL_ARGS]);
/* The same for an entry of io_submit(). Source: linux/aio_abi.h. */
const struct syscall_row *aio_entry_call(const struct um_ring_entry *u, uint64_t arg[SYSCALL_ARGS]);
