/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scans numbers in foreign traces. Differences from strtoull: no locale, no blanks, no sign unless
 * the function allows it; overflow is reported; nothing at or after `end` is read. After success,
 * *s points after the number; after failure, at the error. */
#pragma once

#include "common/hex.h"

static inline bool scan_u64(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s;
	uint64_t n = 0;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return false;
	bool some = p > *s;
	*s = p;
	*v = n;
	return some;
}

static inline bool scan_i64(const char **s, const char *end, int64_t *v)
{
	uint64_t u;
	bool negative = *s < end && **s == '-';
	*s += negative;
	if (!scan_u64(s, end, &u) || u > (uint64_t)INT64_MAX + negative)
		return false;
	*v = negative ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}

/* Whether s[0..len) is one whole number and nothing else. */
static inline bool scan_all_u64(const char *s, size_t len, uint64_t *v)
{
	const char *p = s;
	return scan_u64(&p, s + len, v) && p == s + len;
}

static inline bool scan_all_i64(const char *s, size_t len, int64_t *v)
{
	const char *p = s;
	return scan_i64(&p, s + len, v) && p == s + len;
}

/* Scans "0x1f", "017" or a decimal number, as in C. */
static inline bool scan_c_u64(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s;
	if (end - p < 2 || *p != '0')
		return scan_u64(s, end, v);
	unsigned int shift = p[1] == 'x' || p[1] == 'X' ? 4 : 3, digit;
	p += shift == 4 ? 2 : 1;
	const char *first = p;
	uint64_t n = 0;
	for (; p < end; p++) {
		digit = hex_digit(*p);
		if (digit >= 1u << shift)
			break;
		if (n >> (64 - shift))
			return false;
		n = n << shift | digit;
	}
	if (p == first && shift == 4)
		return false;
	*s = p;
	*v = n;
	return true;
}

/* Scans a decimal fraction and multiplies it by `unit` (a power of ten, 1 to 10^9): "1.5" with unit
 * 1000 gives 1500. Digits below one unit are cut off. *digits, if not NULL: number of digits after
 * the point. */
static inline bool scan_decimal(const char **s, const char *end, int64_t unit, int64_t *v,
				unsigned int *digits)
{
	uint64_t whole;
	int64_t n;
	unsigned int n_digits = 0;
	if (!scan_u64(s, end, &whole) || whole > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)whole, unit, &n))
		return false;
	if (*s < end && **s == '.') {
		const char *p = *s + 1;
		int64_t part = 0;
		for (; p < end && *p >= '0' && *p <= '9'; p++, n_digits++) {
			unit /= 10;
			part += unit * (*p - '0');
		}
		if (!n_digits || __builtin_add_overflow(n, part, &n))
			return false;
		*s = p;
	}
	*v = n;
	if (digits)
		*digits = n_digits;
	return true;
}
