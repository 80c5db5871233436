/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers for people: an uncertainty has two significant digits and its value ends at the same
 * place (GUM 7.2.6); a value without an uncertainty has `digits` significant digits. Text is UTF-8
 * ("µs", "±"); NaN becomes "undefined", never a number. */
#pragma once

#include "common/units.h"

/* Number of decimals (0..4) with which `u` has two significant digits. If u is NaN, 0 or infinite:
 * number with which `value` has four. */
int number_decimals(double value, double u);

struct number_unit {
	const char *name; /* "", "%", "ns", "µs", "ms", "s" */
	double scale;     /* shown = value * scale */
};
/* Returns the unit in which a time of `ns` is easy to read. */
struct number_unit number_unit_time(double ns);
struct number_unit number_unit_bytes(double bytes);
extern const struct number_unit number_unit_percent, number_unit_plain;

/* Appends "1.234 µs", "+1.2 %", "1.07": `u` only determines the last digit. `sign`: also writes a
 * plus sign. */
void number_add(struct strbuf *out, double value, double u, struct number_unit unit, bool sign);
/* Appends "1.234 ± 0.056 µs"; if u is not finite, as number_add. */
void number_add_pm(struct strbuf *out, double value, double u, struct number_unit unit, bool sign);
/* Appends "[−1.2, 3.4]" with this number of decimals and without unit. */
void number_add_interval(struct strbuf *out, double lo, double hi, int decimals,
			 struct number_unit unit);
/* Returns the date in UTC in a format of strftime(); "" for ns <= 0, which is not a date. */
struct short_text date_text(int64_t ns, const char *format);
/* Appends a probability: "0.034", "< 0.0001". */
void number_add_p(struct strbuf *out, double p);
