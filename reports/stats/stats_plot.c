/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line for each sample: |---[==|==]-----| from the smallest to the largest value, with brackets
 * at the quartiles, | at the median and A at the mean. If some values are far outside, the axis
 * ends earlier, and < or > marks them. */
#include "reports/stats/stats_report.h"
#include "validate/stats/quantiles.h"

enum { MAX_WIDTH = 120, NAME_WIDTH = 10, MAX_NAME = 40 };

struct stats_axis {
	double lo, hi;
	size_t width;
};

static size_t position_of(const struct stats_axis *a, double x)
{
	double at = (x - a->lo) / (a->hi - a->lo) * (double)(a->width - 1);
	return (size_t)fmin(fmax(floor(at + 0.5), 0), (double)a->width - 1);
}

/* Finds the range of the axis: from the smallest to the largest value, but at most three
 * interquartile distances beyond all quartiles. */
static bool axis_find(const struct stats *s, struct stats_axis *a)
{
	double q1 = INFINITY, q3 = -INFINITY, lo = INFINITY, hi = -INFINITY;
	for (size_t i = 0; i < s->n; i++) {
		const struct column_sample *x = &s->sample[i].sample;
		if (!x->sorted)
			return false;
		q1 = fmin(q1, sorted_quantile(x->sorted, x->x.n, 0.25, 7));
		q3 = fmax(q3, sorted_quantile(x->sorted, x->x.n, 0.75, 7));
		lo = fmin(lo, x->sorted[0]);
		hi = fmax(hi, x->sorted[x->x.n - 1]);
	}
	double reach = 3 * (q3 - q1);
	a->lo = reach > 0 ? fmax(lo, q1 - reach) : lo;
	a->hi = reach > 0 ? fmin(hi, q3 + reach) : hi;
	return a->hi > a->lo && isfinite(a->hi - a->lo);
}

static void sample_draw(const struct stats_axis *a, const struct column_sample *s, char *line)
{
	const double *x = s->sorted;
	size_t n = s->x.n, from = position_of(a, x[0]), to = position_of(a, x[n - 1]);
	size_t q1 = position_of(a, sorted_quantile(x, n, 0.25, 7)),
	       q3 = position_of(a, sorted_quantile(x, n, 0.75, 7));
	memset(line, ' ', a->width);
	line[a->width] = 0;
	memset(line + from, '-', to - from + 1);
	memset(line + q1, '=', q3 - q1 + 1);
	line[from] = x[0] < a->lo ? '<' : '|';
	line[to] = x[n - 1] > a->hi ? '>' : '|';
	line[q1] = '[';
	line[q3] = ']';
	line[position_of(a, sorted_quantile(x, n, 0.5, 7))] = '|';
	line[position_of(a, fmin(fmax(s->m.mean, a->lo), a->hi))] = 'A';
}

void stats_add_plot(struct strbuf *out, const struct stats *s, size_t width)
{
	char line[MAX_WIDTH + 1], name[MAX_NAME];
	const size_t left = NAME_WIDTH + 2, most = width > left ? width - left : 0;
	struct stats_axis a = {0, 0, most < MAX_WIDTH ? most : MAX_WIDTH};
	if (a.width < 10 || !axis_find(s, &a))
		return;
	for (size_t i = 0; i < s->n; i++) {
		sample_draw(&a, &s->sample[i].sample, line);
		if (i == 0)
			snprintf(name, sizeof name, s->n > 1 ? "reference" : "");
		else if (s->n == 2)
			snprintf(name, sizeof name, "replay");
		else
			snprintf(name, sizeof name, "replay %zu", i);
		strbuf_addf(out, "%-*s  %s\n", NAME_WIDTH, name, line);
	}
	char low[32], high[32];
	snprintf(low, sizeof low, "%.6g", a.lo);
	snprintf(high, sizeof high, "%.6g", a.hi);
	strbuf_addf(out, "%-*s  %s%*s\n", NAME_WIDTH, "", low, (int)(a.width - strlen(low)), high);
	strbuf_addstr(out, "(A: mean, |: smallest value, median and largest value, [ ]: "
			   "quartiles)\n\n");
}
