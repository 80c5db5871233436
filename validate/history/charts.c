/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/history/charts.h"

#include "validate/history/changes.h"

/* --- excursions ---------------------------------------------------------- */

/* Returns the distance of a chart at entry i in multiples of its limit; above 1 it is a signal. */
static double chart_excess(const struct history_charts *c, enum history_chart chart, int direction,
			   size_t i)
{
	switch (chart) {
	case CHART_INDIVIDUALS:
		return direction > 0
			   ? (c->x[i] - c->limits.center) / (c->limits.upper - c->limits.center)
			   : (c->limits.center - c->x[i]) / (c->limits.center - c->limits.lower);
	case CHART_MOVING_RANGE:
		return i ? fabs(c->x[i] - c->x[i - 1]) / c->limits.mr_upper : 0;
	case CHART_CUSUM:
		return (direction > 0 ? c->cusum[i].plus : c->cusum[i].minus) / HISTORY_CUSUM_H;
	default:
		return direction * c->ewma[i] /
		       ewma_limit(i + 1, HISTORY_EWMA_LAMBDA, HISTORY_EWMA_L);
	}
}

/* Returns the first entry before the signal from which on the chart stayed on this side. */
static size_t onset_find(const struct history_charts *c, enum history_chart chart, int direction,
			 size_t first)
{
	size_t at = first;
	if (chart != CHART_CUSUM && chart != CHART_EWMA)
		return at;
	while (at > 0 && chart_excess(c, chart, direction, at - 1) > 0)
		at--;
	return at;
}

#define DRIFT_MIN 5

/* Fits a step and a ramp that begin at each entry. Kind and onset are those of the fit that
 * explains most of the distances from the centre. */
static void course_fit(const struct history_charts *c, struct history_signal *s)
{
	double sum = 0, moment = 0, squares = 0, step = -1, ramp = -1;
	size_t step_at = s->onset, ramp_at = s->onset;
	for (size_t at = s->last + 1; at-- > s->onset;) {
		double n = (double)(s->last - at + 1);
		sum += s->direction * (c->x[at] - c->limits.center);
		moment += sum; /* of d_i (i - at + 1) */
		squares += n * n;
		double by_step = sum > 0 ? sum * sum / n : 0,
		       by_ramp = moment > 0 ? moment * moment / squares : 0;
		if (at <= s->first && by_step >= step) {
			step = by_step;
			step_at = at;
		}
		if (at <= s->first && by_ramp >= ramp) {
			ramp = by_ramp;
			ramp_at = at;
		}
	}
	bool drifts = s->last - ramp_at + 1 >= DRIFT_MIN && ramp > step;
	s->onset = drifts ? ramp_at : step_at;
	s->kind = drifts ? KIND_DRIFT : s->onset == s->last ? KIND_OUTLIER : KIND_SHIFT;
}

static double change_of(const struct history_charts *c, const struct history_signal *s)
{
	double sum = 0;
	if (s->chart == CHART_MOVING_RANGE)
		return expm1(c->x[s->first] - c->x[s->first - 1]);
	for (size_t i = s->onset; i <= s->last; i++)
		sum += c->x[i] - c->limits.center;
	return expm1(sum / (double)(s->last - s->onset + 1));
}

static void signal_add(struct history_charts *c, struct history_signal s)
{
	s.onset = onset_find(c, s.chart, s.direction, s.first);
	s.kind = s.chart != CHART_INDIVIDUALS ? KIND_JUMP
		 : s.first == s.last	      ? KIND_OUTLIER
					      : KIND_SHIFT;
	if (s.chart == CHART_CUSUM || s.chart == CHART_EWMA)
		course_fit(c, &s);
	s.change = change_of(c, &s);
	s.lasting = s.last + 1 == c->n;
	if (s.chart == CHART_MOVING_RANGE)
		s.direction = 0;
	APPEND(c->signal, c->n_signals, c->cap_signals, s);
}

/* Finds signals. Consecutive entries beyond the limit are one signal. A sum falls slowly after the
 * values have returned, so its signal ends at its maximum. */
static void excursions_find(struct history_charts *c, enum history_chart chart, int direction)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!(chart_excess(c, chart, direction, i) > 1))
			continue;
		struct history_signal s = {
		    .chart = chart, .direction = direction, .first = i, .last = i};
		double largest = 0;
		for (; i < c->n && chart_excess(c, chart, direction, i) > 1; i++) {
			double now = chart_excess(c, chart, direction, i);
			if (chart != CHART_CUSUM || now > largest)
				s.last = i;
			largest = fmax(largest, now);
		}
		signal_add(c, s);
	}
}

static int by_onset(const void *x, const void *y)
{
	const struct history_signal *a = x, *b = y;
	if (a->onset != b->onset)
		return a->onset < b->onset ? -1 : 1;
	return (int)a->chart != (int)b->chart ? (int)a->chart - (int)b->chart
					      : b->direction - a->direction;
}

/* Sets c->signal from x, z, cusum and ewma. */
static void signals_find(struct history_charts *c)
{
	for (enum history_chart chart = 0; chart < CHART_N; chart++) {
		excursions_find(c, chart, 1);
		if (chart != CHART_MOVING_RANGE)
			excursions_find(c, chart, -1);
	}
	if (c->n_signals)
		qsort(c->signal, c->n_signals, sizeof *c->signal, by_onset);
}

/* Finds the change of environment that is nearest to the onset, if there is one in the interval of
 * the onset. */
static void change_find(const struct history_charts *c, const struct history *h,
			struct history_event *e)
{
	const size_t onset = c->at[e->is.onset];
	size_t nearest = SIZE_MAX;
	for (size_t i = c->at[e->is.onset_lo]; i <= c->at[e->is.onset_hi]; i++) {
		const size_t distance = i < onset ? onset - i : i - onset;
		if (distance >= nearest || !history_changed(h, c->series, i))
			continue;
		nearest = distance;
		e->has_change = true;
		e->environment = i;
	}
}

static void changes_take(struct history_charts *c, const struct history *h)
{
	struct event *event;
	c->n_events = events_find(c->x, c->n, &event);
	c->event = xcalloc(c->n_events + 1, sizeof *c->event);
	for (size_t i = 0; i < c->n_events; i++) {
		c->event[i].is = event[i];
		change_find(c, h, &c->event[i]);
	}
	free(event);
}

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

/* Chooses the first n_wanted entries that are not marked in left_out; returns their number. */
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
	SCOPED_FREE bool *left_out = xcalloc(c->n + 1, sizeof *left_out);
	SCOPED_FREE double *value = xcalloc(c->n + 1, sizeof *value);
	enum stat_status s;
	do {
		c->n_base = base_choose(c, left_out, value);
		s = c->n_base < HISTORY_BASELINE_MIN
			? STAT_TOO_FEW
			: individuals_chart(value, c->n_base, c->n_base, &c->limits);
		if (!s && !(c->limits.sigma > 0))
			s = STAT_ZERO_VARIANCE;
	} while (!s && outside_leave(c, left_out));
	return s;
}

void history_charts_make(struct history_charts *c, const struct history *h,
			 const struct history_series *s, size_t baseline)
{
	history_charts_control(c, s, baseline);
	changes_take(c, h);
}

void history_charts_control(struct history_charts *c, const struct history_series *s,
			    size_t baseline)
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
		signals_find(c);
}

void history_charts_release(struct history_charts *c)
{
	FREE_EACH(c->at, c->x, c->z, c->ewma, c->cusum, c->in_base, c->signal, c->event);
	*c = (struct history_charts){0};
}

void history_study_make(struct history_study *s, const struct history *h, size_t baseline)
{
	*s = (struct history_study){.history = h, .baseline = baseline,
		.charts = xcalloc(h->n_series + 1, sizeof *s->charts)};
	for (size_t i = 0; i < h->n_series; i++) {
		history_charts_make(&s->charts[i], h, &h->series[i], baseline);
		s->n_events += s->charts[i].n_events;
		s->n_changed += s->charts[i].n_events > 0;
		s->n_with_limits += s->charts[i].status == STAT_OK;
	}
}

void history_study_release(struct history_study *s)
{
	for (size_t i = 0; s->charts && i < s->history->n_series; i++)
		history_charts_release(&s->charts[i]);
	free(s->charts);
	*s = (struct history_study){0};
}
