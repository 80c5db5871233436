/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes as hexadecimal digits. */
#pragma once

#include "common/std.h"

/* The value of a digit, or 16 for another character. */
static inline unsigned int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned int)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10)
	       : c >= 'A' && c <= 'F' ? (unsigned int)(c - 'A' + 10)
				      : 16;
}

/* Writes 2 * n digits and a NUL. */
static inline void hex_write(char *to, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	for (size_t i = 0; i < 2 * n; i++)
		to[i] = "0123456789abcdef"[i % 2 ? b[i / 2] & 15 : b[i / 2] >> 4];
	to[2 * n] = 0;
}

/* Reads n bytes from 2 * n digits. False: there is another character. */
static inline bool hex_read(void *to, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned int high = hex_digit(s[2 * i]), low = hex_digit(s[2 * i + 1]);
		if (high > 15 || low > 15)
			return false;
		((unsigned char *)to)[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}
