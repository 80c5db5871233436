/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation of small objects (names, tables, configuration, the state of threads), and release of
 * memory and descriptors. If there is no memory, the allocating functions print one line and exit
 * with status 3. For large arrays (records, samples), use vm.h, or malloc with a checked result,
 * where a clear error is possible. */
#pragma once

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints that `size` bytes could not be allocated, removes scratch files (leftovers.h) and exits
 * with status 3. */
_Noreturn void out_of_memory(size_t size);
void *xcalloc(size_t n, size_t size);

static inline void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		out_of_memory(size);
	return p;
}

static inline void *xmalloc(size_t size)
{
	return xrealloc(NULL, size);
}

static inline void *xreallocarray(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		out_of_memory(SIZE_MAX);
	return xrealloc(p, n * size);
}

static inline char *xstrdup(const char *s)
{
	const size_t size = strlen(s) + 1;
	return memcpy(xmalloc(size), s, size);
}

/* Copies `len` bytes, which may be 0, and adds a NUL. */
static inline char *xstrndup(const char *s, size_t len)
{
	char *copy = xmalloc(len + 1);
	if (len)
		memcpy(copy, s, len);
	copy[len] = 0;
	return copy;
}

/* The smallest multiple of `to` that is at least n. */
static inline uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Allocates zeroed elements of an aligned type; `alignment` as for aligned_alloc(). */
static inline void *xaligned(size_t alignment, size_t n, size_t size)
{
	void *p = aligned_alloc(alignment, round_up(n * size, alignment));
	if (!p)
		out_of_memory(n * size);
	return memset(p, 0, n * size);
}

/* Formats a text, as asprintf(). The caller frees it. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Releases a local variable at every exit from its scope by calling release(&variable). Initialise
 * the variable where it is declared. SCOPED_FREE is for pointers to allocated memory, SCOPED_FILE
 * and SCOPED_DIR for pointers to open streams and directories (NULL: none), SCOPED_FD for
 * descriptors (negative: none), SCOPED_STRBUF (strbuf.h) for strings, json_auto_t (jansson.h) for
 * JSON values. */
#define SCOPED(release) __attribute__((cleanup(release)))
#define SCOPED_FREE SCOPED(free_pointer)
#define SCOPED_FILE SCOPED(file_pointer_close)
#define SCOPED_DIR SCOPED(dir_pointer_close)
static inline void file_pointer_close(FILE **file)
{
	if (*file)
		fclose(*file);
}
static inline void dir_pointer_close(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}
static inline void free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

/* Frees each of several pointers. */
#define FREE_EACH(...)                                                                             \
	free_pointers((void *[]){__VA_ARGS__}, sizeof(void *[]){__VA_ARGS__} / sizeof(void *))
static inline void free_pointers(void *const *pointer, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(pointer[i]);
}

/* Closes a descriptor, unless it is negative. */
static inline void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}
#define SCOPED_FD SCOPED(fd_scope_close)
static inline void fd_scope_close(const int *fd)
{
	fd_close(*fd);
}

/* Under the address sanitizer, whose realloc() always moves memory, short arrays are reallocated at
 * every GROW. So a test that uses a stale pointer fails the first time. */
#if defined(__SANITIZE_ADDRESS__)
#define GROW_MOVES(n) ((n) < 4096)
#else
#define GROW_MOVES(n) 0
#endif

/* Makes room for one more element: GROW(v, n, cap) before v[n++] = ... Pointers into v become
 * invalid. So a function that may grow an array returns an index. */
#define GROW(v, n, cap)                                                                            \
	do {                                                                                       \
		if ((n) >= (cap) || GROW_MOVES(n)) {                                               \
			(cap) = (n) < (cap) ? (cap) : (cap) ? (cap)*2 : 16;                        \
			(v) = xreallocarray((v), (cap), sizeof *(v));                              \
		}                                                                                  \
	} while (0)

/* Appends an element: APPEND(v, n, cap, element). */
#define APPEND(v, n, cap, ...)                                                                     \
	do {                                                                                       \
		GROW(v, n, cap);                                                                   \
		(v)[n] = __VA_ARGS__;                                                              \
		(n)++;                                                                             \
	} while (0)
