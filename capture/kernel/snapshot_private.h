/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the process that looks shares with its reader. */
#ifndef CAPTURE_KERNEL_SNAPSHOT_PRIVATE_H
#define CAPTURE_KERNEL_SNAPSHOT_PRIVATE_H

#include <stdint.h>

#include "capture/kernel/syscalls.h"

struct snapshot_record { /* in the file, followed by path and extra; a multiple of 8 bytes */
	int64_t ns;
	uint64_t size, blocks;
	uint32_t tid, mode; /* mode 0: nothing has that name */
	int32_t dir;
	uint16_t path_len, extra_len;
	uint32_t holes_cut, unseen; /* unseen: the file could not be looked at; no more is known */
};

/* Whether the calls of `row` wait for a look. */
bool snapshot_is_wanted(const struct syscall_row *row);
/* The process that looks: waits at `channel` for the filter's descriptor, appends to `file`. */
void snapshot_look(int channel, int file) __attribute__((noreturn));
/* A descriptor over a socket; 0 or an errno. */
int snapshot_send(int channel, int fd);

#endif
