/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scanning of numbers in foreign traces. Unlike strtoull: no locale, no blanks, no sign unless
 * asked for, overflow is reported, and nothing at or after `end` is read. On success *s is left
 * after the number, on failure at the error. */
#ifndef CAPTURE_FORMATS_NUMBER_H
#define CAPTURE_FORMATS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Counts the leading decimal digits of s[0..8) and computes their value, eight bytes at once: the
 * first byte that is not a digit is found by its high half, and the digits are shifted to the end.
 * Multiplications then combine pairs of digits, pairs of pairs, and the halves. */
static inline unsigned int scan_up_to_eight(const char *s, uint64_t *v)
{
	uint64_t x;
	memcpy(&x, s, sizeof x);
	uint64_t high = 0xf0f0f0f0f0f0f0f0u, zeros = 0x3030303030303030u;
	/* the second term finds ':' to '?' */
	uint64_t other = ((x & high) ^ zeros) | (((x + 0x0606060606060606u) & high) ^ zeros);
	unsigned int n = other ? (unsigned int)__builtin_ctzll(other) / 8 : 8;
	*v = 0;
	if (!n)
		return 0;
	x = (x & 0x0f0f0f0f0f0f0f0fu) << (64 - 8 * n);
	x = (x * 10 + (x >> 8)) & 0x00ff00ff00ff00ffu;
	x = (x * 100 + (x >> 16)) & 0x0000ffff0000ffffu;
	*v = (x * 10000 + (x >> 32)) & 0xffffffffu;
	return n;
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first digit is the lowest byte");

static const uint32_t scan_power[] = {1,      10,      100,      1000,      10000,
				      100000, 1000000, 10000000, 100000000, 1000000000};

static inline bool scan_u64(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s;
	uint64_t n = 0, more;
	unsigned int k = 8;
	while (k == 8 && end - p >= 8 && p - *s < 16) {
		k = scan_up_to_eight(p, &more);
		n = n * scan_power[k] + more;
		p += k;
	}
	for (; k == 8 && p < end && (unsigned char)(*p - '0') < 10; p++)
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

/* Whether all of s[0..len) is one whole number. Memory may be read up to `readable`, at or behind
 * its end: with some bytes there it is faster. */
static inline bool scan_all_u64(const char *s, size_t len, const char *readable, uint64_t *v)
{
	const char *p = s;
	return scan_u64(&p, readable, v) && p == s + len;
}

static inline bool scan_all_i64(const char *s, size_t len, const char *readable, int64_t *v)
{
	const char *p = s;
	return scan_i64(&p, readable, v) && p == s + len;
}

/* "0x1f", "017" or decimal, as C has it. */
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
		digit = *p >= '0' && *p <= '9'   ? (unsigned int)(*p - '0')
			: *p >= 'a' && *p <= 'f' ? (unsigned int)(*p - 'a' + 10)
			: *p >= 'A' && *p <= 'F' ? (unsigned int)(*p - 'A' + 10)
						 : 16;
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

/* A decimal fraction times `unit` (a power of ten, 1 to 10^9), as a whole number: "1.5" with 1000
 * is 1500. Digits below one are cut. *digits, if not NULL: how many there were behind the point. */
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
		uint64_t fraction = 0;
		if (end - p >= 8)
			n_digits = scan_up_to_eight(p, &fraction);
		for (; p + n_digits < end && (unsigned char)(p[n_digits] - '0') < 10; n_digits++)
			if (n_digits < 9)
				fraction = fraction * 10 + (uint64_t)(p[n_digits] - '0');
		if (!n_digits)
			return false;
		int64_t scale = scan_power[n_digits < 9 ? n_digits : 9];
		int64_t part = unit >= scale ? (int64_t)fraction * (unit / scale)
					     : (int64_t)fraction / (scale / unit);
		if (__builtin_add_overflow(n, part, &n))
			return false;
		*s = p + n_digits;
	}
	*v = n;
	if (digits)
		*digits = n_digits;
	return true;
}

#endif
