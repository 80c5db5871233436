/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of work that have nothing to do with each other, on as many threads as there are
 * processors to use, at most EACH_THREADS_MAX. */
#ifndef VALIDATE_COMMON_EACH_H
#define VALIDATE_COMMON_EACH_H

#include <stddef.h>

#define EACH_THREADS_MAX 16

/* Calls one(context, i) for each i < n, once, in any order, and returns when all have. Where no
 * thread can be had the caller's does it all. */
void each_do(size_t n, void (*one)(void *context, size_t i), void *context);
/* How many threads that are, the caller's included: 1 or more. */
size_t each_threads(size_t n);

#endif
