/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs independent pieces of work on as many threads as there are usable CPUs, at most
 * EACH_THREADS_MAX. */
#pragma once

#include "common/std.h"

#define EACH_THREADS_MAX 16

/* Calls one(context, i) once for each i < n, in any order, and returns when all calls have
 * returned. If no thread can be started, the calling thread makes all calls. */
void each_do(size_t n, void (*one)(void *context, size_t i), void *context);
/* Number of threads, including the caller: 1 or more. */
size_t each_threads(size_t n);
