/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers for people: an uncertainty has two significant digits and its value ends at the same
 * place (GUM 7.2.6); a value that comes without one has `digits` significant digits. Text is UTF-8
 * ("µs", "±"); NaN is "undefined", never a number. */
#pragma once

#include "common/units.h"

/* Decimals after which `u` has two significant digits, 0..4; for NaN, 0 and infinite u those that
 * give `value` four. */
int number_decimals(double value, double u);

struct number_unit {
	const char *name; /* "", "%", "ns", "µs", "ms", "s" */
	double scale;     /* shown = value * scale */
};
/* The unit in which a time of `ns` reads well. */
struct number_unit number_unit_time(double ns);
struct number_unit number_unit_bytes(double bytes);
extern const struct number_unit number_unit_percent, number_unit_plain;

/* "1.234 µs", "+1.2 %", "1.07": `u` only places the last digit. `sign` writes a plus, too. */
void number_add(struct strbuf *out, double value, double u, struct number_unit unit, bool sign);
/* "1.234 ± 0.056 µs"; without a finite u as number_add. */
void number_add_pm(struct strbuf *out, double value, double u, struct number_unit unit, bool sign);
/* "[−1.2, 3.4]" with the decimals of `decimals`, no unit. */
void number_add_interval(struct strbuf *out, double lo, double hi, int decimals,
			 struct number_unit unit);
/* The date in UTC by a format of strftime(); "" for ns <= 0, which is no date. */
struct short_text date_text(int64_t ns, const char *format);
/* A probability: "0.034", "< 0.0001". */
void number_add_p(struct strbuf *out, double p);
