/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/info/info.h"

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
		snprintf(t.s, sizeof t.s, "%.30s per second",
			 count_text((uint64_t)(per_s + 0.5)).s);
	else
		snprintf(t.s, sizeof t.s, "%.4g per second", per_s);
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
	/* "100 %" only if nothing is missing */
	const bool digit = (percent < 10 && percent > 0) || (percent >= 99.5 && part < whole);
	snprintf(t.s, sizeof t.s, digit ? "%.1f %%" : "%.0f %%", percent);
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
		escape_bytes(out, o->name);
	else
		strbuf_addf(out, "(object %u, whose name is lost)", id);
}
