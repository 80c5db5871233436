/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors that this process may use, and keeping a thread on one of them. */
#ifndef COMMON_PROCESSORS_H
#define COMMON_PROCESSORS_H

#include <stdint.h>

int processors_allowed(void); /* at least 1 */
/* Number of the i-th of them, counted round and round; -1 where the kernel does not say. */
int processor_nth(uint32_t i);
/* Keeps the calling thread on `cpu`; nothing where that is negative. Returns 0 or an errno. */
int thread_pin(int cpu);

#endif
