/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/history/charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "validate/history/signals.h"

const char *const history_chart_names[] = {"individuals", "moving range", "CUSUM", "EWMA", NULL};
const char *const history_kind_names[] = {"outlier", "jump", "shift", "drift", NULL};

static void values_take(struct history_charts *c)
{
	size_t n = c->series->n + 1;
	c->at = xcalloc(n, sizeof *c->at);
	c->x = xcalloc(n, sizeof *c->x);
	c->z = xcalloc(n, sizeof *c->z);
	c->ewma = xcalloc(n, sizeof *c->ewma);
	c->cusum = xcalloc(n, sizeof *c->cusum);
	c->in_base = xcalloc(n, sizeof *c->in_base);
	for (size_t i = 0; i < c->series->n; i++) {
		if (!isfinite(c->series->entry[i].mean))
			continue;
		c->at[c->n] = i;
		c->x[c->n++] = c->series->entry[i].mean;
	}
}

/* The first n_wanted that are not left out; returns how many. */
static size_t base_choose(struct history_charts *c, const bool *left_out, double *value)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		c->in_base[i] = n < c->n_wanted && !left_out[i];
		if (c->in_base[i])
			value[n++] = c->x[i];
	}
	return n;
}

static size_t outside_leave(const struct history_charts *c, bool *left_out)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		if (c->in_base[i] && (c->x[i] > c->limits.upper || c->x[i] < c->limits.lower)) {
			left_out[i] = true;
			n++;
		}
	return n;
}

static enum stat_status limits_freeze(struct history_charts *c)
{
	bool *left_out = xcalloc(c->n + 1, sizeof *left_out);
	double *value = xcalloc(c->n + 1, sizeof *value);
	enum stat_status s;
	do {
		c->n_base = base_choose(c, left_out, value);
		s = c->n_base < HISTORY_BASELINE_MIN ? STAT_TOO_FEW : individuals_chart(value, c->n_base, c->n_base, &c->limits);
		if (!s && !(c->limits.sigma > 0))
			s = STAT_ZERO_VARIANCE;
	} while (!s && outside_leave(c, left_out));
	free(left_out);
	free(value);
	return s;
}

void history_charts_make(struct history_charts *c, const struct history *h, const struct history_series *s, size_t baseline)
{
	*c = (struct history_charts){.series = s, .n_wanted = baseline};
	values_take(c);
	c->status = limits_freeze(c);
	for (size_t i = 0; i < c->n && !c->status; i++)
		c->z[i] = (c->x[i] - c->limits.center) / c->limits.sigma;
	if (!c->status)
		c->status = cusum(c->z, c->n, HISTORY_CUSUM_K, c->cusum);
	if (!c->status)
		c->status = ewma(c->z, c->n, HISTORY_EWMA_LAMBDA, c->ewma);
	if (!c->status)
		signals_find(c, h);
}

void history_charts_release(struct history_charts *c)
{
	free(c->at);
	free(c->x);
	free(c->z);
	free(c->ewma);
	free(c->cusum);
	free(c->in_base);
	free(c->signal);
	*c = (struct history_charts){0};
}

void history_study_make(struct history_study *s, const struct history *h, size_t baseline)
{
	*s = (struct history_study){.history = h, .baseline = baseline, .charts = xcalloc(h->n_series + 1, sizeof *s->charts)};
	for (size_t i = 0; i < h->n_series; i++) {
		history_charts_make(&s->charts[i], h, &h->series[i], baseline);
		s->n_signals += s->charts[i].n_signals;
		s->n_signalling += s->charts[i].n_signals > 0;
	}
}

void history_study_release(struct history_study *s)
{
	for (size_t i = 0; s->charts && i < s->history->n_series; i++)
		history_charts_release(&s->charts[i]);
	free(s->charts);
	*s = (struct history_study){0};
}
