/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the preload library: the file of windows that a process writes into (log.h has its
 * layout). Everything here runs with all signals blocked, and outside any timed region; it makes
 * system calls, but none of the C library. */
#ifndef CAPTURE_PRELOAD_WINDOW_H
#define CAPTURE_PRELOAD_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/preload/log.h"

#define WINDOW_HIDDEN __attribute__((visibility("hidden")))

/* Address space is taken in parts of 1 MiB as windows are needed: the program may have a limit of
 * its own (RLIMIT_AS), or set one later. */
enum { FILE_WINDOWS = 4096, PART_WINDOWS = 16, WINDOW_PARTS = FILE_WINDOWS / PART_WINDOWS };

struct window_file { /* zero: none yet */
	/* where each PART_WINDOWS windows are mapped; NULL: not yet */
	char *_Atomic part[WINDOW_PARTS];
	uint32_t n_max;
	_Atomic bool gave_up; /* it has waited for the collector in vain, and does not wait again */
	_Atomic uint64_t sequence; /* of windows taken so far */
};

/* Makes and maps a file of process `pid` in the collector's directory, which is known. False: it
 * cannot be had. */
WINDOW_HIDDEN bool window_file_open(struct window_file *f, uint32_t pid);
/* Maps the rest of the file, as far as limits allow: a program that forbids itself system calls can
 * map nothing later. */
WINDOW_HIDDEN void window_file_map_all(struct window_file *f);
/* A window for a thread; waits where none is free until the collector has emptied one. NULL: there
 * is none, and will not be. */
WINDOW_HIDDEN struct log_window *window_acquire(struct window_file *f, uint32_t pid, uint32_t tid);
/* Gives up the window of that generation that `next` lies in or at the end of (NULL: none). */
WINDOW_HIDDEN void window_give(char *next, uint32_t generation, enum log_window_state how);

#endif
