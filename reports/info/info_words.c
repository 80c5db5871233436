/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/csv_args.h"
#include "reports/info/info.h"

/* Characters that a terminal obeys: control characters, and those that change the direction of
 * writing. */
static bool is_printable(const unsigned char *s, size_t n)
{
	if (n == 1)
		return *s >= ' ' && *s != 0x7f;
	if (n == 2)
		return s[0] != 0xc2 || s[1] >= 0xa0;
	bool turns = n == 3 && s[0] == 0xe2 && ((s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f ||
		(s[2] >= 0xa8 && s[2] <= 0xae))) || (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
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

struct short_text plural_text(uint64_t n, const char *one, const char *more)
{
	struct short_text t;
	snprintf(t.s, sizeof t.s, "%.30s %s", count_text(n).s, n == 1 ? one : more);
	return t;
}

struct short_text rate_text(double per_s)
{
	struct short_text t;
	if (per_s >= 1000 && per_s < 1e18)
		snprintf(t.s, sizeof t.s, "%.30s a second", count_text((uint64_t)(per_s + 0.5)).s);
	else
		snprintf(t.s, sizeof t.s, "%.4g a second", per_s);
	return t;
}

struct short_text share_text(double part, double whole)
{
	struct short_text t = {"< 0.1 %"};
	double percent = whole > 0 ? 100 * part / whole : 0;
	if (part > 0 && percent < 0.1)
		return t;
	if (part < whole && percent > 99.9)
		return (struct short_text){"> 99.9 %"};
	snprintf(t.s, sizeof t.s, percent < 10 && percent > 0 ? "%.1f %%" : "%.0f %%", percent);
	return t;
}

struct short_text error_text(unsigned int error)
{
	struct short_text t = {"unknown"};
	const char *name = error ? strerrorname_np((int)error) : NULL;
	if (name)
		snprintf(t.s, sizeof t.s, "%s", name);
	else if (error)
		snprintf(t.s, sizeof t.s, "error %u", error);
	return t;
}

struct short_text quantile_text(const struct histogram *h, double p, bool bytes)
{
	double q;
	if (histogram_quantile(h, p, &q, NULL))
		return (struct short_text){""};
	return bytes ? size_text((uint64_t)q) : duration_text(q);
}

void info_add_object(struct strbuf *out, const struct info *x, uint32_t id)
{
	const struct trace_object *o = trace_object(x->trace, id);
	if (o)
		info_add_printable(out, o->name);
	else
		strbuf_addf(out, "(object %u, whose name is lost)", id);
}
