/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads JSON of one known shape: without spaces, members in one order, as this program wrote it. Several times as fast as a library that makes
 * objects of any JSON. What is of another shape fails, and nothing says why: the caller then asks the library, which reads all of JSON and
 * says what is wrong. What does not fail is what the library would have read, to the last bit; what it might refuse, fails.
 *
 * Every function does nothing once the reading has failed, so that one look at `failed` behind many of them is enough. Values are only
 * meant where it is false. The text begins with an opening bracket and ends with a closing one, so that no number is its end. */
#ifndef COMMON_JSON_SCAN_H
#define COMMON_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_scan {
	const char *at, *end; /* what was not read yet; at least one byte was */
	bool failed;
};

/* Passes over `text`, which must stand there; _if: where it does. */
void json_scan_text(struct json_scan *s, const char *text);
bool json_scan_text_if(struct json_scan *s, const char *text);

/* Passes over `"name":` and, but at the beginning of an object, the comma before it; _if: where they stand there. Names need no escapes. */
void json_scan_member(struct json_scan *s, const char *name);
bool json_scan_member_if(struct json_scan *s, const char *name);

/* Whole numbers of 64 bits, and a count is not negative. A real is any finite number; a whole one may stand for it. */
void json_scan_count(struct json_scan *s, uint64_t *x);
void json_scan_integer(struct json_scan *s, int64_t *x);
void json_scan_real(struct json_scan *s, double *x);
void json_scan_bool(struct json_scan *s, bool *x);
/* Of printable ASCII without escapes, less than `size` bytes, with a NUL; `out` NULL: passed over, however long. */
void json_scan_string(struct json_scan *s, char *out, size_t size);

/* Items of the array of numbers that begins here, which is not passed over; 0 where there is none. */
size_t json_scan_n_items(const struct json_scan *s);
/* That array, of n numbers. */
void json_scan_counts(struct json_scan *s, uint64_t *x, size_t n);
void json_scan_reals(struct json_scan *s, double *x, size_t n);

#endif
