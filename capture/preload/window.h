/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of windows of a process (log.h defines the layout). The code runs with all signals
 * blocked and outside any timed region. It makes system calls without the C library. */
#ifndef CAPTURE_PRELOAD_WINDOW_H
#define CAPTURE_PRELOAD_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/preload/log.h"

#define WINDOW_HIDDEN __attribute__((visibility("hidden")))

/* Address space is reserved in parts of 1 MiB as windows are needed. The program may have a limit
 * (RLIMIT_AS) or set one later. */
enum { FILE_WINDOWS = 4096, PART_WINDOWS = 16, WINDOW_PARTS = FILE_WINDOWS / PART_WINDOWS };

struct window_file { /* zero: no file yet */
	/* address of each PART_WINDOWS windows; NULL: not mapped yet */
	char *_Atomic part[WINDOW_PARTS];
	uint32_t n_max;
	_Atomic bool gave_up; /* a wait for the collector failed; the process does not wait again */
	_Atomic uint64_t sequence; /* number of windows taken */
};

/* Creates and maps the file of process `pid` in the collector's directory. Returns false on
 * failure. */
WINDOW_HIDDEN bool window_file_open(struct window_file *f, uint32_t pid);
/* Maps the rest of the file, as far as limits allow. A program with restricted system calls cannot
 * map memory later. */
WINDOW_HIDDEN void window_file_map_all(struct window_file *f);
/* Takes a window for a thread. If none is free, it waits for the collector. Returns NULL on
 * failure. */
WINDOW_HIDDEN struct log_window *window_acquire(struct window_file *f, uint32_t pid, uint32_t tid);
/* Releases the window of `generation` that contains `next` or ends at it. NULL: nothing to do. */
WINDOW_HIDDEN void window_give(char *next, uint32_t generation, enum log_window_state how);

#endif
