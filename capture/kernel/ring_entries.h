/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of io_uring as system calls: what the kernel keeps of an entry, by the layout of the
 * running kernel (btf.h), becomes the arguments of the call that does the same. */
#ifndef CAPTURE_KERNEL_RING_ENTRIES_H
#define CAPTURE_KERNEL_RING_ENTRIES_H

#include "capture/kernel/syscalls.h"
#include "capture/kernel/user_memory_private.h"

struct ring_entries;

/* Errors: ENOENT, EBADMSG: the kernel does not tell how its requests are laid out, with the first
 * structure that is missing. Ownership: ring_entries_close. */
int ring_entries_open(struct ring_entries **r, struct err *e);
void ring_entries_close(struct ring_entries *r); /* NULL is fine */

/* The offsets in the kernel's structures; those in tracepoints are the caller's to fill. */
void ring_entries_layout(const struct ring_entries *r, struct um_ring_layout *l);
uint64_t ring_entries_items(const struct ring_entries *r,
			    unsigned int opcode); /* what of it is to be read: 0, or UM_RING_... */

/* The call that does what the entry asks for; aio_other where there is no such call, or where the
 * entry is on a registered file. */
const struct syscall_row *ring_entries_call(const struct ring_entries *r,
					    const struct um_ring_entry *u,
					    uint64_t arg[SYSCALL_ARGS]);
/* The same for an entry of io_submit(). Source: linux/aio_abi.h. */
const struct syscall_row *aio_entry_call(const struct um_ring_entry *u, uint64_t arg[SYSCALL_ARGS]);

#endif
