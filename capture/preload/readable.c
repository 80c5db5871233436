/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests whether memory of the program is readable. The kernel rejects a call with an invalid
 * pointer. If the library read such a pointer, the program would be killed. */
#include <sys/syscall.h>

#include "capture/preload/core.h"

enum { PAGE = 4096, WORD = 8, TEXT_MOST = 4096 }; /* the kernel accepts no longer path: PATH_MAX */

/* An invalid `how` of rt_sigprocmask: the kernel reads the set before it rejects `how`. */
static bool page_is_there(uintptr_t at)
{
	const int nothing_known = -1;
	at &= ~(uintptr_t)(WORD - 1);
	return at >= PAGE && RAW(SYS_rt_sigprocmask, nothing_known, at, NULL, WORD) != -EFAULT;
}

static size_t rest_of_page(uintptr_t at)
{
	return PAGE - (at & (PAGE - 1));
}

bool capture_readable(const void *at, size_t n)
{
	uintptr_t from = (uintptr_t)at;
	if (!at || n > UINTPTR_MAX - from)
		return false;
	if (capture_confined)
		return true;
	for (const uintptr_t end = from + n; from < end; from += rest_of_page(from))
		if (!page_is_there(from))
			return false;
	return true;
}

ssize_t capture_text(const char *s)
{
	size_t len = 0;
	while (len < TEXT_MOST) {
		const size_t rest = rest_of_page((uintptr_t)(s + len)),
			     some = rest < TEXT_MOST - len ? rest : TEXT_MOST - len;
		if (!capture_readable(s + len, some))
			return -1;
		const size_t n = strnlen(s + len, some);
		len += n;
		if (n < some)
			break;
	}
	return (ssize_t)len;
}
