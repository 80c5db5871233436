/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences in the analysis' fixed members: too long a one is cut between characters, and ends in "...". */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "validate/analysis/analysis_private.h"

static const char ellipsis[] = "...";

void phrase_vadd(char *phrase, size_t size, const char *fmt, va_list ap)
{
	size_t used = strlen(phrase);
	int len = vsnprintf(phrase + used, size - used, fmt, ap);
	if (len < 0 || (size_t)len < size - used)
		return;
	size_t end = size - sizeof ellipsis;
	while (end && ((unsigned char)phrase[end] & 0xc0) == 0x80) /* not inside a UTF-8 sequence */
		end--;
	memcpy(phrase + end, ellipsis, sizeof ellipsis);
}

void phrase_add(char *phrase, size_t size, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	phrase_vadd(phrase, size, fmt, ap);
	va_end(ap);
}
