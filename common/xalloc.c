/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "common/leftovers.h"

/* Runs no exit handlers and uses no stdio, because any thread may get here and may hold any
 * lock. */
_Noreturn void out_of_memory(size_t size)
{
	char line[80];
	int len = size ? snprintf(line, sizeof line,
				  "validate: out of memory (%zu bytes were requested)\n", size)
		       : snprintf(line, sizeof line, "validate: out of memory\n");
	ssize_t ignored = write(STDERR_FILENO, line, (size_t)len);
	(void)ignored;
	leftovers_remove();
	_exit(3);
}

void *xcalloc(size_t n, size_t size)
{
	void *p = n && size ? calloc(n, size) : calloc(1, 1);
	if (!p)
		out_of_memory(size && n > SIZE_MAX / size ? SIZE_MAX : n * size);
	return p;
}
