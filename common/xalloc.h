/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation for small things (names, tables, configuration), where running out of memory has no
 * better answer than to stop: these print one line and exit with status 3. Big arrays (records,
 * samples) are allocated with vm.h or with plain malloc and a checked result, because there a clear
 * error is possible. */
#ifndef COMMON_XALLOC_H
#define COMMON_XALLOC_H

#include <stddef.h>

/* Says that `size` bytes cannot be had, removes scratch files (leftovers.h) and ends the process
 * with status 3. */
_Noreturn void out_of_memory(size_t size);
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
void *xreallocarray(void *p, size_t n, size_t size); /* checks n * size */
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether an array of n elements moves each time it may grow, and not only when it does: short ones
 * under the address sanitizer, whose realloc() always moves. So a pointer that is kept across such
 * a call is found by the first test that uses it. */
#if defined(__SANITIZE_ADDRESS__)
#define GROW_MOVES(n) ((n) < 4096)
#else
#define GROW_MOVES(n) 0
#endif

/* Makes room for one more element: GROW(v, n, cap) before v[n++] = ...; no pointer into v outlives
 * it. A function that may grow an array returns an index. */
#define GROW(v, n, cap)                                                                            \
	do {                                                                                       \
		if ((n) >= (cap) || GROW_MOVES(n)) {                                               \
			(cap) = (n) < (cap) ? (cap) : (cap) ? (cap)*2 : 16;                        \
			(v) = xreallocarray((v), (cap), sizeof *(v));                              \
		}                                                                                  \
	} while (0)

#endif
