/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds certain characters in 64 bytes at once. Every byte of an imported text passes here. */
#ifndef CAPTURE_FORMATS_BYTE_MARKS_H
#define CAPTURE_FORMATS_BYTE_MARKS_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BYTE_MARKS 64u /* bytes read at once; all must be readable */

/* Bit i is set where s[i] is one of the four characters. */
static inline uint64_t byte_marks(const char *s, char a, char b, char c, char d)
{
	uint64_t marks = 0;
#if defined(__SSE2__)
	const __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), vc = _mm_set1_epi8(c),
		      vd = _mm_set1_epi8(d);
	for (unsigned int i = 0; i < BYTE_MARKS; i += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)(s + i));
		__m128i ab = _mm_or_si128(_mm_cmpeq_epi8(x, va), _mm_cmpeq_epi8(x, vb));
		__m128i cd = _mm_or_si128(_mm_cmpeq_epi8(x, vc), _mm_cmpeq_epi8(x, vd));
		marks |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(ab, cd)) << i;
	}
#else
	for (unsigned int i = 0; i < BYTE_MARKS; i++)
		marks |= (uint64_t)(s[i] == a || s[i] == b || s[i] == c || s[i] == d) << i;
#endif
	return marks;
}

/* An iteration over the marked characters: `left` are the marks of at[0..64) still to visit.
 * BYTE_MARKS bytes after `end` are readable. */
struct byte_walk {
	const char *at, *end;
	uint64_t left;
};

static inline struct byte_walk byte_walk_begin(const char *s, const char *end, char a, char b,
					       char c, char d)
{
	return (struct byte_walk){s, end, byte_marks(s, a, b, c, d)};
}

/* The next of the four characters, which must be the same in each call, or `end`. */
static inline const char *byte_walk_next(struct byte_walk *w, char a, char b, char c, char d)
{
	while (!w->left) {
		w->at += BYTE_MARKS;
		if (w->at >= w->end)
			return w->end;
		w->left = byte_marks(w->at, a, b, c, d);
	}
	const char *p = w->at + __builtin_ctzll(w->left);
	w->left &= w->left - 1;
	return p < w->end ? p : w->end;
}

#endif
