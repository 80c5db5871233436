/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and blanks in the lines of foreign traces. Nothing at or after `end` is read. */
#pragma once

#include "common/std.h"

static inline bool begins_with(const char *s, const char *end, const char *with)
{
	size_t len = strlen(with);
	return (size_t)(end - s) >= len && !memcmp(s, with, len);
}

static inline const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

static inline const char *word_end(const char *s, const char *end)
{
	while (s < end && *s != ' ' && *s != '\t')
		s++;
	return s;
}
