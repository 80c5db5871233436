/* SPDX-License-Identifier: GPL-3.0-or-later */
/* String functions without the C library, whose functions may allocate, lock or be hooked. */
#include "capture/preload/core.h"

char *capture_text_add(char *to, const char *end, const char *s)
{
	while (*s && to < end)
		*to++ = *s++;
	*to = 0;
	return to;
}

char *capture_number_add(char *to, const char *end, uint64_t v)
{
	char digits[24], *d = digits + sizeof digits - 1;
	*d = 0;
	do
		*--d = (char)('0' + v % 10);
	while (v /= 10);
	return capture_text_add(to, end, d);
}
