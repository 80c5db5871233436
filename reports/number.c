/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/number.h"

/* values below 0.00005 of the unit are shown as 0; CSV files have all digits */
#define MAX_DECIMALS 4

const struct number_unit number_unit_percent = {"%", 100}, number_unit_plain = {"", 1};

struct number_unit number_unit_time(double ns)
{
	double size = fabs(ns);
	if (!(size >= 1e3))
		return (struct number_unit){"ns", 1};
	if (size < 1e6)
		return (struct number_unit){"µs", 1e-3};
	if (size < 1e9)
		return (struct number_unit){"ms", 1e-6};
	return (struct number_unit){"s", 1e-9};
}

struct number_unit number_unit_bytes(double bytes)
{
	static const char *const name[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t k = 0;
	double scale = 1;
	for (; fabs(bytes) * scale >= 1024 && k < 4; k++)
		scale /= 1024;
	return (struct number_unit){name[k], scale};
}

int number_decimals(double value, double u)
{
	int digits = 2;
	double size = fabs(u);
	if (!isfinite(size) || size == 0) {
		digits = 4;
		size = fabs(value);
	}
	if (!isfinite(size) || size == 0)
		return 0;
	/* with two digits 0.0996 becomes 0.10, so it needs one decimal less than its logarithm
	 * says */
	int exponent = (int)floor(log10(size));
	if (size * pow(10, digits - 1 - exponent) >= pow(10, digits) - 0.5)
		exponent++;
	int decimals = digits - 1 - exponent;
	return decimals < 0 ? 0 : decimals > MAX_DECIMALS ? MAX_DECIMALS : decimals;
}

static void add_fixed(struct strbuf *out, double x, int decimals, bool sign)
{
	if (isnan(x))
		strbuf_addstr(out, "undefined");
	else if (isinf(x))
		strbuf_addstr(out, x > 0 ? sign ? "+∞" : "∞" : "-∞");
	else if (x == 0) /* no decimals at all */
		strbuf_addch(out, '0');
	else if (fabs(x) >= 1e7)
		strbuf_addf(out, sign ? "%+.3e" : "%.3e", x);
	else if (decimals == MAX_DECIMALS && fabs(x) < 0.5 * pow(10, -MAX_DECIMALS))
		strbuf_addf(out, "%s<%.*f", x < 0 ? "-" : "", MAX_DECIMALS, pow(10, -MAX_DECIMALS));
	else {
		if (fabs(x) < 0.5 * pow(10, -decimals))
			x = 0; /* avoids "-0.0" and the sign of a value that is shown as 0 */
		strbuf_addf(out, sign && x != 0 ? "%+.*f" : "%.*f", decimals, x);
	}
}

static void add_unit(struct strbuf *out, struct number_unit unit)
{
	if (*unit.name)
		strbuf_addf(out, " %s", unit.name);
}

void number_add(struct strbuf *out, double value, double u, struct number_unit unit, bool sign)
{
	add_fixed(out, value * unit.scale, number_decimals(value * unit.scale, u * unit.scale),
		  sign);
	if (!isnan(value))
		add_unit(out, unit);
}

void number_add_pm(struct strbuf *out, double value, double u, struct number_unit unit, bool sign)
{
	if (!isfinite(u) || !isfinite(value)) {
		number_add(out, value, u, unit, sign);
		return;
	}
	int decimals = number_decimals(value * unit.scale, u * unit.scale);
	add_fixed(out, value * unit.scale, decimals, sign);
	strbuf_addstr(out, " ± ");
	add_fixed(out, u * unit.scale, decimals, false);
	add_unit(out, unit);
}

void number_add_interval(struct strbuf *out, double lo, double hi, int decimals,
			 struct number_unit unit)
{
	strbuf_addch(out, '[');
	add_fixed(out, lo * unit.scale, decimals, false);
	strbuf_addstr(out, ", ");
	add_fixed(out, hi * unit.scale, decimals, false);
	strbuf_addch(out, ']');
}

void number_add_p(struct strbuf *out, double p)
{
	if (isnan(p))
		strbuf_addstr(out, "undefined");
	else if (p < 1e-4)
		strbuf_addstr(out, "< 0.0001");
	else
		strbuf_addf(out, p < 0.1 ? "%.2g" : "%.2f", p);
}

struct short_text date_text(int64_t ns, const char *format)
{
	const time_t s = (time_t)(ns / 1000000000);
	struct short_text t = {""};
	struct tm tm;
	if (ns > 0 && gmtime_r(&s, &tm) && !strftime(t.s, sizeof t.s, format, &tm))
		t.s[0] = 0;
	return t;
}
