/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/json_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 19 /* as many hold in 64 bits */

bool json_scan_text_if(struct json_scan *s, const char *text)
{
	const size_t len = strlen(text);
	if (s->failed || (size_t)(s->end - s->at) < len || memcmp(s->at, text, len))
		return false;
	s->at += len;
	return true;
}

void json_scan_text(struct json_scan *s, const char *text)
{
	s->failed |= !json_scan_text_if(s, text);
}

bool json_scan_member_if(struct json_scan *s, const char *name)
{
	if (s->failed)
		return false;
	const size_t len = strlen(name), comma = s->at[-1] != '{';
	const char *p = s->at;
	if ((size_t)(s->end - p) < comma + len + 3)
		return false;
	if ((comma && *p++ != ',') || *p++ != '"' || memcmp(p, name, len) || p[len] != '"' || p[len + 1] != ':')
		return false;
	s->at = p + len + 2;
	return true;
}

void json_scan_member(struct json_scan *s, const char *name)
{
	s->failed |= !json_scan_member_if(s, name);
}

/* --- numbers ------------------------------------------------------------------------------------------------------- */

struct number {
	const char *end;
	uint64_t digits; /* without the point; the first DIGITS_MAX */
	unsigned int n_digits;
	int exponent; /* of ten */
	bool negative, whole;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *digits_take(struct number *n, const char *p, const char *end)
{
	for (; p < end && is_digit(*p); p++)
		if ((n->digits || *p != '0') && n->n_digits++ < DIGITS_MAX)
			n->digits = n->digits * 10 + (uint64_t)(*p - '0');
	return p;
}

/* NULL where there is no exponent behind the letter, or one that no finite number needs. */
static const char *exponent_take(struct number *n, const char *p, const char *end)
{
	const bool negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	const char *first = p;
	int x = 0;
	for (; p < end && is_digit(*p) && p - first < 4; p++)
		x = x * 10 + (*p - '0');
	n->exponent += negative ? -x : x;
	return p > first && p < end && !is_digit(*p) ? p : NULL;
}

/* By the grammar of JSON (RFC 8259, 6). */
static bool number_take(struct number *n, const struct json_scan *s)
{
	const char *p = s->at, *end = s->end;
	*n = (struct number){.whole = true};
	n->negative = p < end && *p == '-';
	p += n->negative;
	const char *first = p;
	p = digits_take(n, p, end);
	if (p == first || (*first == '0' && p - first > 1))
		return false;
	if (p < end && *p == '.') {
		const char *point = p++;
		p = digits_take(n, p, end);
		if (p - point < 2)
			return false;
		n->exponent = -(int)(p - point - 1);
		n->whole = false;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		n->whole = false;
		p = exponent_take(n, p + 1, end);
	}
	n->end = p;
	return p && p < end;
}

static bool is_int64(const struct number *n)
{
	return n->n_digits <= DIGITS_MAX && n->digits <= INT64_MAX;
}

void json_scan_integer(struct json_scan *s, int64_t *x)
{
	struct number n;
	if (s->failed)
		return;
	s->failed = !number_take(&n, s) || !n.whole || !is_int64(&n);
	if (s->failed)
		return;
	*x = n.negative ? -(int64_t)n.digits : (int64_t)n.digits;
	s->at = n.end;
}

void json_scan_count(struct json_scan *s, uint64_t *x)
{
	int64_t value = 0;
	json_scan_integer(s, &value);
	s->failed |= value < 0;
	*x = (uint64_t)value;
}

/* Both the digits and the power of ten are exact as doubles, so that one operation rounds once (Clinger, 1990). */
static bool is_simple(const struct number *n)
{
	return n->n_digits <= DIGITS_MAX && n->digits <= (UINT64_C(1) << 53) && n->exponent >= -22 && n->exponent <= 22;
}

static double simple_value(const struct number *n)
{
	static const double power[] = {1e0,  1e1,  1e2,	 1e3,  1e4,  1e5,  1e6,	 1e7,  1e8,  1e9,  1e10, 1e11,
				       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const double digits = (double)n->digits, x = n->exponent < 0 ? digits / power[-n->exponent] : digits * power[n->exponent];
	return n->negative ? -x : x;
}

void json_scan_real(struct json_scan *s, double *x)
{
	struct number n;
	if (s->failed)
		return;
	s->failed = !number_take(&n, s) || (n.whole && (!is_int64(&n) || (n.negative && !n.digits)));
	if (s->failed)
		return;
	/* the locale is "C": nothing sets another one */
	*x = is_simple(&n) ? simple_value(&n) : strtod(s->at, NULL);
	s->failed = !isfinite(*x);
	s->at = n.end;
}

/* --- everything else ----------------------------------------------------------------------------------------------- */

void json_scan_bool(struct json_scan *s, bool *x)
{
	*x = json_scan_text_if(s, "true");
	if (!*x)
		json_scan_text(s, "false");
}

void json_scan_string(struct json_scan *s, char *out, size_t size)
{
	json_scan_text(s, "\"");
	if (s->failed)
		return;
	const char *p = s->at;
	while (p < s->end && *p >= ' ' && *p <= '~' && *p != '"' && *p != '\\')
		p++;
	const size_t len = (size_t)(p - s->at);
	s->failed = p >= s->end || *p != '"' || (out && len >= size);
	if (s->failed)
		return;
	if (out) {
		memcpy(out, s->at, len);
		out[len] = 0;
	}
	s->at = p + 1;
}

size_t json_scan_n_items(const struct json_scan *s)
{
	if (s->failed || s->end - s->at < 2 || s->at[0] != '[' || s->at[1] == ']')
		return 0;
	size_t n = 1;
	for (const char *p = s->at; p < s->end && *p != ']'; p++)
		n += *p == ',';
	return n;
}

void json_scan_counts(struct json_scan *s, uint64_t *x, size_t n)
{
	for (size_t i = 0; i < n && !s->failed; i++) {
		json_scan_text(s, i ? "," : "[");
		json_scan_count(s, &x[i]);
	}
	json_scan_text(s, n ? "]" : "[]");
}

void json_scan_reals(struct json_scan *s, double *x, size_t n)
{
	for (size_t i = 0; i < n && !s->failed; i++) {
		json_scan_text(s, i ? "," : "[");
		json_scan_real(s, &x[i]);
	}
	json_scan_text(s, n ? "]" : "[]");
}
