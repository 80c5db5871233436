/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interface between the inspecting process and the reader of its records. */
#pragma once

#include "capture/kernel/syscalls.h"

struct snapshot_record { /* in the file, followed by path and extra; size: multiple of 8 */
	int64_t ns;
	uint64_t size, device, inode;
	uint32_t tid, mode; /* mode 0: the name does not exist */
	int32_t dir;
	uint16_t path_len, extra_len;
	uint32_t what, unseen; /* enum look_what; unseen: the file could not be inspected */
};

/* Runs the inspecting process. It receives the filter's descriptor over `channel` and appends to
 * `file`. */
void snapshot_look(int channel, int file) __attribute__((noreturn));
