/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "capture/csv_args.h"
#include "commands/info.h"
#include "common/units.h"

/* Characters that a terminal obeys instead of showing: controls, and those that turn the direction of writing. */
static bool is_printable(const unsigned char *s, size_t n)
{
	if (n == 1)
		return *s >= ' ' && *s != 0x7f;
	if (n == 2)
		return s[0] != 0xc2 || s[1] >= 0xa0;
	bool turns = n == 3 && s[0] == 0xe2 &&
		     ((s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
		      (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
	return !turns;
}

void info_add_printable(struct strbuf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text);
	while (left) {
		size_t n = utf8_char_len(s, left);
		bool plain = n && is_printable(s, n);
		n = n ? n : 1;
		if (plain)
			strbuf_add(out, s, n);
		for (size_t i = 0; i < n && !plain; i++)
			strbuf_addf(out, "\\x%02x", s[i]);
		s += n;
		left -= n;
	}
}

void info_add_plural(struct strbuf *out, uint64_t n, const char *one, const char *more)
{
	format_count(out, n);
	strbuf_addf(out, " %s", n == 1 ? one : more);
}

void info_add_rate(struct strbuf *out, double per_s)
{
	if (per_s >= 1000 && per_s < 1e18)
		format_count(out, (uint64_t)(per_s + 0.5));
	else
		strbuf_addf(out, "%.4g", per_s);
	strbuf_addstr(out, " a second");
}

void info_add_share(struct strbuf *out, double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;
	if (part > 0 && percent < 0.1)
		strbuf_addstr(out, "< 0.1 %");
	else if (part < whole && percent > 99.9)
		strbuf_addstr(out, "> 99.9 %");
	else
		strbuf_addf(out, percent < 10 && percent > 0 ? "%.1f %%" : "%.0f %%", percent);
}

void info_add_error(struct strbuf *out, unsigned int error)
{
	const char *name = error ? strerrorname_np((int)error) : NULL;
	if (name)
		strbuf_addstr(out, name);
	else if (error)
		strbuf_addf(out, "error %u", error);
	else
		strbuf_addstr(out, "unknown");
}

void info_add_object(struct strbuf *out, const struct info *x, uint32_t id)
{
	const struct trace_object *o = trace_object(x->trace, id);
	if (o)
		info_add_printable(out, o->name);
	else
		strbuf_addf(out, "(object %u, whose name is lost)", id);
}

void info_add_quantile(struct strbuf *out, const struct histogram *h, double p, bool bytes)
{
	double q;
	if (histogram_quantile(h, p, &q, NULL))
		return;
	if (bytes)
		format_size(out, (uint64_t)q);
	else
		format_duration(out, q);
}
