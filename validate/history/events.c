/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/history/events.h"

#include "common/sort.h"
#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/precision_study.h"
#include "validate/stats/quantiles.h"

/* P of a split. With it, a user who looks after each of 100 unchanged entries sees at most 0.5
 * events on average, by simulation. */
#define EVENTS_P 0.0016
#define OUTLIER_P 1e-5
#define CLIP 3.0     /* scales */
#define FAR 5.0      /* in scales: a single entry beyond this distance is not a shift */
#define FAR_REST 2.9 /* what the other entries after a split must show in its place */
#define BEFORE_MIN 6 /* entries before a split */
#define BEHIND_MIN 2 /* entries behind a split */
#define NEWEST 5     /* entries before the examined one that are too new for the scale */
#define LEVEL_MIN 3  /* number of entries of a level between two changes; fewer are outliers */
/* number of entries for scale and median, and of entries in which splits are searched */
#define WINDOW 100
#define DRIFT_MIN 5  /* entries of a drift */

const char *const event_kind_names[] = {"outlier", "shift", "drift", NULL};

struct event_search {
	const double *x;
	/* x, limited to a distance of CLIP scales from the median of its segment */
	double *y;
	bool *far;	  /* more than FAR scales from it */
	/* distances of entries [0, n_residuals) from the median of their segment */
	double *residual;
	size_t n_residuals;
	size_t start; /* of the current segment */
	double scale; /* NaN: unknown */
	double df;
	struct event *event;
	size_t n, cap;
};

static double median_of(const double *x, size_t n)
{
	double m = NAN;
	return sample_median(x, n, &m) ? NAN : m;
}

/* Computes residuals of entries [n_residuals, until), which are in the present segment. */
static void residuals_extend(struct event_search *s, size_t until)
{
	if (until <= s->n_residuals)
		return;
	const size_t from = until - s->start > WINDOW ? until - WINDOW : s->start;
	const double m = median_of(s->x + from, until - from);
	/* compute those of the segment again, because its median is better known now */
	for (size_t i = from; i < until; i++)
		s->residual[i] = s->x[i] - m;
	s->n_residuals = until;
}

static void scale_update(struct event_search *s, size_t t)
{
	double location;
	if (t >= s->start + NEWEST + BEFORE_MIN)
		residuals_extend(s, t - NEWEST);
	const size_t n = s->n_residuals < WINDOW ? s->n_residuals : WINDOW;
	s->scale = NAN;
	if (n < EVENTS_MIN - BEHIND_MIN || algorithm_a(s->residual + s->n_residuals - n, n,
	    &location, &s->scale) || !(s->scale > 0))
		s->scale = NAN;
	s->df = (double)n - 1;
}

static void value_take(struct event_search *s, size_t t)
{
	const size_t from = t - s->start > WINDOW ? t - WINDOW : s->start;
	s->y[t] = s->x[t];
	if (!isfinite(s->scale) || t - from < BEFORE_MIN)
		return;
	const double m = median_of(s->x + from, t - from);
	s->y[t] = fmin(fmax(s->x[t], m - CLIP * s->scale), m + CLIP * s->scale);
	s->far[t] = fabs(s->x[t] - m) > FAR * s->scale;
}

/* Returns the split of [start, t] with the largest statistic; 0: no split is possible. */
static size_t split_best(const struct event_search *s, size_t t, double *statistic)
{
	const size_t n = t + 1 - s->start;
	double behind = 0, sum = 0, y_far = 0;
	size_t best = 0, n_far = 0;
	*statistic = 0;
	for (size_t i = s->start; i <= t; i++)
		sum += s->y[i];
	for (size_t k = t + 1; k-- > s->start + BEFORE_MIN && t + 1 - k <= WINDOW;) {
		const double n2 = (double)(t + 1 - k), n1 = (double)n - n2;
		behind += s->y[k];
		n_far += s->far[k];
		y_far = s->far[k] ? s->y[k] : y_far;
		if (t + 1 - k < BEHIND_MIN)
			continue;
		const double before = (sum - behind) / n1;
		if (n_far == 1 && fabs((behind - y_far) / (n2 - 1) - before) * sqrt(n2 - 1) <
				      FAR_REST * s->scale)
			continue;
		const double z = fabs(behind / n2 - before) / (s->scale * sqrt(1 / n1 + 1 / n2));
		if (z > *statistic) {
			*statistic = z;
			best = k;
		}
	}
	return best;
}

static void change_take(struct event_search *s, size_t onset, size_t t)
{
	residuals_extend(s, onset);
	GROW(s->event, s->n, s->cap);
	s->event[s->n++] = (struct event){.kind = EVENT_SHIFT, .onset = onset, .found = t};
	s->n_residuals = onset;
	s->start = onset;
	for (size_t i = onset; i <= t; i++) {
		s->y[i] = s->x[i];
		s->far[i] = false;
	}
}

static void changes_find(struct event_search *s, size_t n)
{
	for (size_t t = 0; t < n; t++) {
		double z;
		scale_update(s, t);
		value_take(s, t);
		if (!isfinite(s->scale))
			continue;
		const size_t k = split_best(s, t, &z);
		if (k && 2 * t_above(z, s->df) < EVENTS_P)
			change_take(s, k, t);
	}
}

/* P of the levels before and after event i, computed with all entries. */
static double event_p(const struct event_search *s, size_t i, size_t n)
{
	const size_t from = i ? s->event[i - 1].onset : 0, at = s->event[i].onset,
		     to = i + 1 < s->n ? s->event[i + 1].onset : n;
	if (i + 1 < s->n && to - at < LEVEL_MIN)
		return 1;
	const double z = fabs(plain_mean(s->y + at, to - at) - plain_mean(s->y + from, at - from)) /
			 (s->scale * sqrt(1 / (double)(to - at) + 1 / (double)(at - from)));
	return 2 * t_above(z, s->df);
}

/* Removes changes that all entries together no longer show, the least significant change first. */
static void changes_confirm(struct event_search *s, size_t n)
{
	while (s->n) {
		size_t worst = 0;
		double p = 0;
		for (size_t i = 0; i < s->n; i++)
			if (event_p(s, i, n) >= p) {
				p = event_p(s, i, n);
				worst = i;
			}
		if (p < EVENTS_P)
			return;
		memmove(s->event + worst, s->event + worst + 1,
			(s->n - worst - 1) * sizeof *s->event);
		s->n--;
	}
}

/* --- date and kind ------------------------------------------------------- */

/* Sum of squares of the distances of y[from..to) from its mean. */
static double squares_of(const double *y, size_t from, size_t to)
{
	const double m = plain_mean(y + from, to - from);
	double sum = 0;
	for (size_t i = from; i < to; i++)
		sum += (y[i] - m) * (y[i] - m);
	return sum;
}

/* Fits a ramp that begins at `at`, after a level. Returns the sum of squares of y[from..to) about
 * the fit; *slope is per entry. */
static double ramp_squares(const double *y, size_t from, size_t to, size_t at, double *slope)
{
	const double n = (double)(to - from), length = (double)(to - at),
		     ramp_mean = length * (length + 1) / 2 / n,
		     mean = plain_mean(y + from, to - from);
	double xx = 0, xy = 0, yy = 0;
	for (size_t i = from; i < to; i++) {
		const double u = (i < at ? 0 : (double)(i - at + 1)) - ramp_mean;
		xx += u * u;
		xy += u * (y[i] - mean);
		yy += (y[i] - mean) * (y[i] - mean);
	}
	*slope = xy / xx;
	return yy - xy * xy / xx;
}

struct fit { /* a course with one start, in [from, to) */
	const double *y;
	size_t from, to;
	double *squares; /* [to - from], sum of squares for each start; INFINITY: not possible */
	size_t best;
};

/* 2 ln of the likelihood ratio of two starts whose difference is significant at 5 % (Hansen). */
#define LIKELIHOOD_95 7.35

static void interval_take(struct event *e, const struct fit *f, double scale)
{
	e->onset = e->onset_lo = e->onset_hi = f->best;
	for (size_t k = f->from; k < f->to; k++)
		if (f->squares[k - f->from] - f->squares[f->best - f->from] <=
		    LIKELIHOOD_95 * scale * scale) {
			e->onset_lo = k < e->onset_lo ? k : e->onset_lo;
			e->onset_hi = k > e->onset_hi ? k : e->onset_hi;
		}
}

static void best_take(struct fit *f, size_t k, double squares)
{
	f->squares[k - f->from] = squares;
	if (squares < f->squares[f->best - f->from])
		f->best = k;
}

static struct fit fit_make(const double *y, size_t from, size_t to)
{
	struct fit f = {y, from, to, xcalloc(to - from, sizeof(double)), from};
	for (size_t i = 0; i < to - from; i++)
		f.squares[i] = INFINITY;
	return f;
}

static struct fit step_fit(const double *y, size_t from, size_t to)
{
	struct fit f = fit_make(y, from, to);
	for (size_t k = from + 1; k + BEHIND_MIN <= to; k++)
		best_take(&f, k, squares_of(y, from, k) + squares_of(y, k, to));
	return f;
}

static struct fit ramp_fit(const double *y, size_t from, size_t to)
{
	struct fit f = fit_make(y, from, to);
	double slope;
	for (size_t k = from + 2; k + DRIFT_MIN <= to; k++)
		best_take(&f, k, ramp_squares(y, from, to, k, &slope));
	return f;
}

/* Returns the first entry before event i that shows the level; region_end: the end of the level of
 * event j. */
static size_t region_begin(const struct event_search *s, size_t i)
{
	const size_t from = i ? s->event[i - 1].onset : 0, onset = s->event[i].onset;
	return onset - from > WINDOW ? onset - WINDOW : from;
}

static size_t region_end(const struct event_search *s, size_t j, size_t n)
{
	const size_t to = j + 1 < s->n ? s->event[j + 1].onset : n, onset = s->event[j].onset;
	return to - onset > WINDOW ? onset + WINDOW : to;
}

static void shift_describe(struct event_search *s, size_t i, size_t n)
{
	struct event *e = &s->event[i];
	const size_t from = region_begin(s, i), to = region_end(s, i, n);
	e->last = (i + 1 < s->n ? s->event[i + 1].onset : n) - 1;
	e->change = plain_mean(s->y + e->onset, to - e->onset) -
		    plain_mean(s->y + from, e->onset - from);
	e->sd = s->scale * sqrt(1 / (double)(to - e->onset) + 1 / (double)(e->onset - from));
}

/* Computes the Bayesian information criterion of a fit to n entries. */
static double information_criterion(double squares, double n, double n_parameters, double scale)
{
	/* residuals below a tenth of the scale contain no information */
	return n * log(fmax(squares / n, 0.01 * scale * scale)) + n_parameters * log(n);
}

/* Tests whether events i to j are one drift; if so, event i becomes that drift. */
static bool drift_take(struct event_search *s, size_t i, size_t j, size_t n)
{
	const size_t from = region_begin(s, i), to = region_end(s, j, n);
	const double n_entries = (double)(to - from), n_steps = (double)(j - i + 1);
	if (to - s->event[i].onset < DRIFT_MIN || s->event[i].onset < from + 2)
		return false;
	double steps = squares_of(s->y, from, s->event[i].onset), slope;
	for (size_t k = i; k <= j; k++)
		steps += squares_of(s->y, s->event[k].onset, k < j ? s->event[k + 1].onset : to);
	struct fit f = ramp_fit(s->y, from, to);
	const double ramp = f.squares[f.best - from];
	const bool drifts = information_criterion(ramp, n_entries, 3, s->scale) <
			    information_criterion(steps, n_entries, 2 * n_steps + 1, s->scale);
	if (drifts) {
		struct event *e = &s->event[i];
		interval_take(e, &f, s->scale);
		ramp_squares(s->y, from, to, e->onset, &slope);
		e->kind = EVENT_DRIFT;
		e->last = to - 1;
		e->change = slope * (double)(to - e->onset);
		e->sd = s->scale;
	}
	free(f.squares);
	return drifts;
}

/* Merges shifts in one direction into a drift if a ramp fits better. */
static void drifts_merge(struct event_search *s, size_t n)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t j = i;
		while (j + 1 < s->n && s->event[j + 1].change * s->event[i].change > 0)
			j++;
		while (j > i && !drift_take(s, i, j, n))
			j--;
		if (j == i)
			drift_take(s, i, i, n);
		memmove(s->event + i + 1, s->event + j + 1, (s->n - j - 1) * sizeof *s->event);
		s->n -= j - i;
	}
}

static void outliers_of(struct event_search *s, size_t from, size_t to)
{
	const double m = median_of(s->x + from, to - from);
	for (size_t i = from; i < to && to - from > BEFORE_MIN; i++)
		if (2 * t_above(fabs(s->x[i] - m) / s->scale, s->df) < OUTLIER_P) {
			APPEND(s->event, s->n, s->cap, (struct event){.kind = EVENT_OUTLIER,
				.onset = i, .onset_lo = i, .onset_hi = i, .found = i, .last = i,
				.change = s->x[i] - m, .sd = s->scale});
		}
}

static void outliers_find(struct event_search *s, size_t n)
{
	const size_t n_changes = s->n;
	size_t from = 0;
	for (size_t i = 0; i <= n_changes; i++) {
		const bool drifts = i && s->event[i - 1].kind == EVENT_DRIFT;
		const size_t to = i < n_changes ? s->event[i].onset : n;
		if (!drifts)
			outliers_of(s, from, to);
		from = to;
	}
}

ORDER_BY(by_onset, struct event, onset)

size_t events_find(const double *x, size_t n, struct event **event)
{
	struct event_search s = {.x = x,
			   .y = xcalloc(n + 1, sizeof(double)),
			   .far = xcalloc(n + 1, sizeof(bool)),
			   .residual = xcalloc(n + 1, sizeof(double)),
			   .scale = NAN};
	changes_find(&s, n);
	/* repeat, because removing a change moves the dates of its neighbours */
	for (size_t n_before = s.n + 1; s.n < n_before;) {
		n_before = s.n;
		for (size_t i = 0; i < s.n; i++) {
			/* date the change by all entries between the neighbouring changes */
			struct fit f = step_fit(s.y, region_begin(&s, i), region_end(&s, i, n));
			interval_take(&s.event[i], &f, s.scale);
			free(f.squares);
		}
		changes_confirm(&s, n);
	}
	for (size_t i = 0; i < s.n; i++)
		shift_describe(&s, i, n);
	drifts_merge(&s, n);
	if (isfinite(s.scale))
		outliers_find(&s, n);
	SORT(s.event, s.n, by_onset);
	FREE_EACH(s.y, s.far, s.residual);
	*event = s.event;
	return s.n;
}
