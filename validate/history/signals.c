/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/history/signals.h"

#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/history/changes.h"

/* How far chart and direction are at entry i, in parts of their limit: beyond 1 it signals. */
static double excess(const struct history_charts *c, enum history_chart chart, int direction, size_t i)
{
	switch (chart) {
	case CHART_INDIVIDUALS:
		return direction > 0 ? (c->x[i] - c->limits.center) / (c->limits.upper - c->limits.center)
				     : (c->limits.center - c->x[i]) / (c->limits.center - c->limits.lower);
	case CHART_MOVING_RANGE:
		return i ? fabs(c->x[i] - c->x[i - 1]) / c->limits.mr_upper : 0;
	case CHART_CUSUM:
		return (direction > 0 ? c->cusum[i].plus : c->cusum[i].minus) / HISTORY_CUSUM_H;
	default:
		return direction * c->ewma[i] / ewma_limit(i + 1, HISTORY_EWMA_LAMBDA, HISTORY_EWMA_L);
	}
}

/* Back from where it signalled as long as the chart was on this side. */
static size_t onset_find(const struct history_charts *c, enum history_chart chart, int direction, size_t first)
{
	size_t at = first;
	if (chart != CHART_CUSUM && chart != CHART_EWMA)
		return at;
	while (at > 0 && excess(c, chart, direction, at - 1) > 0)
		at--;
	return at;
}

#define DRIFT_MIN 5

/* A step from `at` on, or a ramp that begins there: whichever explains more of the distances from the centre, with the place where it
 * explains most, is what happened, and that place its onset. */
static void course_fit(const struct history_charts *c, struct history_signal *s)
{
	double sum = 0, moment = 0, squares = 0, step = -1, ramp = -1;
	size_t step_at = s->onset, ramp_at = s->onset;
	for (size_t at = s->last + 1; at-- > s->onset;) {
		double n = (double)(s->last - at + 1);
		sum += s->direction * (c->x[at] - c->limits.center);
		moment += sum; /* of d_i (i - at + 1) */
		squares += n * n;
		double by_step = sum > 0 ? sum * sum / n : 0, by_ramp = moment > 0 ? moment * moment / squares : 0;
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

/* The change nearest to the onset, not after the signal; of two as near, the earlier one. */
static void environment_find(const struct history_charts *c, const struct history *h, struct history_signal *s)
{
	size_t onset = c->at[s->onset], first = c->at[s->first];
	for (size_t d = 0; d <= onset || onset + d <= first; d++) {
		size_t before = d <= onset ? onset - d : 0, after = onset + d;
		bool early = history_changed(h, c->series, before), late = after <= first && history_changed(h, c->series, after);
		if (!early && !late)
			continue;
		s->environment = early ? before : after;
		s->has_change_of_environment = true;
		return;
	}
}

static void signal_add(struct history_charts *c, const struct history *h, struct history_signal s)
{
	s.onset = onset_find(c, s.chart, s.direction, s.first);
	s.kind = s.chart == CHART_INDIVIDUALS ? KIND_OUTLIER : KIND_JUMP;
	if (s.chart == CHART_CUSUM || s.chart == CHART_EWMA)
		course_fit(c, &s);
	s.change = change_of(c, &s);
	s.lasting = s.last + 1 == c->n;
	environment_find(c, h, &s);
	if (s.chart == CHART_MOVING_RANGE)
		s.direction = 0;
	GROW(c->signal, c->n_signals, c->cap_signals);
	c->signal[c->n_signals++] = s;
}

/* Every run of entries beyond the limit is one signal. A sum goes down slowly once the values are back: it ends at its largest. */
static void excursions_find(struct history_charts *c, const struct history *h, enum history_chart chart, int direction)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!(excess(c, chart, direction, i) > 1))
			continue;
		struct history_signal s = {.chart = chart, .direction = direction, .first = i, .last = i};
		double largest = 0;
		for (; i < c->n && excess(c, chart, direction, i) > 1; i++) {
			double now = excess(c, chart, direction, i);
			if (chart != CHART_CUSUM || now > largest)
				s.last = i;
			largest = fmax(largest, now);
		}
		signal_add(c, h, s);
	}
}

static int by_onset(const void *x, const void *y)
{
	const struct history_signal *a = x, *b = y;
	if (a->onset != b->onset)
		return a->onset < b->onset ? -1 : 1;
	return (int)a->chart != (int)b->chart ? (int)a->chart - (int)b->chart : b->direction - a->direction;
}

void signals_find(struct history_charts *c, const struct history *h)
{
	for (enum history_chart chart = 0; chart < CHART_N; chart++) {
		excursions_find(c, h, chart, 1);
		if (chart != CHART_MOVING_RANGE)
			excursions_find(c, h, chart, -1);
	}
	if (c->n_signals)
		qsort(c->signal, c->n_signals, sizeof *c->signal, by_onset);
}
