/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "common/leftovers.h"

/* No exit handlers and no stdio: any thread may get here and hold any lock. */
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

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);
	if (!p)
		out_of_memory(size);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = n && size ? calloc(n, size) : calloc(1, 1);
	if (!p)
		out_of_memory(size && n > SIZE_MAX / size ? SIZE_MAX : n * size);
	return p;
}

void *xaligned(size_t alignment, size_t n, size_t size)
{
	void *p = aligned_alloc(alignment, (n * size + alignment - 1) / alignment * alignment);
	if (!p)
		out_of_memory(n * size);
	return memset(p, 0, n * size);
}

void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		out_of_memory(size);
	return p;
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		out_of_memory(SIZE_MAX);
	return xrealloc(p, n * size);
}

char *xstrdup(const char *s)
{
	size_t size = strlen(s) + 1;
	return memcpy(xmalloc(size), s, size);
}

char *xasprintf(const char *fmt, ...)
{
	char *s;
	va_list ap;
	va_start(ap, fmt);
	int len = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (len < 0)
		out_of_memory(strlen(fmt));
	return s;
}
