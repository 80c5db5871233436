/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: 8 s */
/* Change points of a history, by simulation with fixed seeds: events of unchanged entries, delay
 * and date of shifts, outliers and drifts; the control charts on the same entries for comparison.
 * HISTORY_TIMES=3 simulates three times as many series: its figures are those of
 * doc/man/validate-history.1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "validate/history/charts.h"
#include "validate/history/events.h"

#define N_MAX 200
#define TIMES_MAX 3

static size_t times(void)
{
	const char *text = getenv("HISTORY_TIMES");
	const size_t n = text ? strtoul(text, NULL, 10) : 1;
	return n < 1 ? 1 : n < TIMES_MAX ? n : TIMES_MAX;
}

static double draw_normal(gsl_rng *rng)
{
	return gsl_ran_gaussian_ziggurat(rng, 1);
}

static double draw_t4(gsl_rng *rng) /* standard deviation 1 */
{
	return gsl_ran_tdist(rng, 4) / sqrt(2);
}

struct watch {
	double changes, outliers, signals; /* in 100 entries */
};

/* Events and signals of unchanged series. */
static struct watch unchanged(size_t n_series, size_t n, double (*draw)(gsl_rng *), gsl_rng *rng)
{
	struct watch w = {0};
	for (size_t k = 0; k < n_series; k++) {
		struct history_entry entry[N_MAX] = {0};
		struct history_campaign campaign[N_MAX] = {0};
		struct history_series series = {.entry = entry, .n = n};
		struct history h = {.series = &series, .n_series = 1, .campaign = campaign};
		struct history_charts c;
		for (size_t i = 0; i < n; i++) {
			entry[i].campaign = i;
			entry[i].mean = draw(rng);
		}
		history_charts_make(&c, &h, &series, 20);
		for (size_t i = 0; i < c.n_events; i++)
			*(c.event[i].is.kind == EVENT_OUTLIER ? &w.outliers : &w.changes) += 1;
		w.signals += (double)c.n_signals;
		history_charts_release(&c);
	}
	const double per = 100 / (double)(n_series * n);
	return (struct watch){per * w.changes, per * w.outliers, per * w.signals};
}

static void few_events_without_a_change(void **state)
{
	gsl_rng *rng = *state;
	gsl_rng_set(rng, 1);
	struct watch w = unchanged(200 * times(), 100, draw_normal, rng);
	printf("normal: in 100 entries %.2f changes, %.2f outliers; control charts: %.1f signals\n",
	       w.changes, w.outliers, w.signals);
	assert_true(w.changes + w.outliers <= 0.5);
	assert_true(w.signals > 2);
	w = unchanged(200 * times(), 100, draw_t4, rng);
	printf("t, 4 degrees of freedom: %.2f changes, %.2f outliers; charts: %.1f signals\n",
	       w.changes, w.outliers, w.signals);
	assert_true(w.changes <= 1);
}

/* A user looks after each entry: an event that later entries no longer show also counts. */
static void few_events_are_ever_shown(void **state)
{
	enum { N = 100 };
	const size_t n_series = 100 * times();
	gsl_rng *rng = *state;
	size_t n_shown = 0;
	gsl_rng_set(rng, 5);
	for (size_t k = 0; k < n_series; k++) {
		double x[N];
		bool shown[N] = {false};
		for (size_t i = 0; i < N; i++) {
			struct event *e;
			x[i] = draw_normal(rng);
			const size_t n = events_find(x, i + 1, &e);
			for (size_t j = 0; j < n; j++)
				shown[e[j].found] = true;
			free(e);
		}
		for (size_t i = 0; i < N; i++)
			n_shown += shown[i];
	}
	printf("normal: in 100 entries %.2f events were shown at some time\n",
	       100.0 * (double)n_shown / (double)(n_series * N));
	assert_true((double)n_shown <= 0.005 * (double)(n_series * N));
}

static int by_size(const void *x, const void *y)
{
	const size_t *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

/* Number of entries from a shift to its event, for a user who looks after each entry. */
static void a_shift_is_found_with_its_third_entry(void **state)
{
	enum { BEFORE = 50, BEHIND = 12 };
	const size_t n_series = 200 * times();
	static const struct {
		double shift;
		size_t median;
	} rows[] = {{2, 3}, {3, 2}, {5, 2}};
	gsl_rng *rng = *state;
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		size_t delay[200 * TIMES_MAX], n_dated = 0, n_found = 0;
		gsl_rng_set(rng, 2);
		for (size_t k = 0; k < n_series; k++) {
			double x[BEFORE + BEHIND];
			for (size_t i = 0; i < BEFORE + BEHIND; i++)
				x[i] = draw_normal(rng) + (i >= BEFORE ? rows[row].shift : 0);
			delay[k] = BEHIND + 1;
			for (size_t n = BEFORE + 1; n <= BEFORE + BEHIND; n++) {
				struct event *e;
				const size_t n_events = events_find(x, n, &e);
				const bool found = n_events && e[n_events - 1].kind == EVENT_SHIFT &&
						   e[n_events - 1].found >= BEFORE;
				if (found) {
					n_found++;
					n_dated += e[n_events - 1].onset_lo <= BEFORE &&
						   e[n_events - 1].onset_hi >= BEFORE;
					delay[k] = n - BEFORE;
				}
				free(e);
				if (found)
					break;
			}
		}
		qsort(delay, n_series, sizeof *delay, by_size);
		printf("shift of %.0f sd: found with entry %zu in the median, %zu at 90 %%; the date "
		       "lies in its interval in %.0f %%\n",
		       rows[row].shift, delay[n_series / 2], delay[n_series * 9 / 10],
		       100 * (double)n_dated / (double)n_found);
		assert_true(delay[n_series / 2] <= rows[row].median);
		assert_true((double)n_dated / (double)n_found > 0.85);
	}
}

static void an_outlier_is_no_shift(void **state)
{
	gsl_rng *rng = *state;
	size_t n_shifts = 0, n_outliers = 0;
	gsl_rng_set(rng, 3);
	for (size_t k = 0; k < 100; k++) {
		double x[60];
		struct event *e;
		for (size_t i = 0; i < 60; i++)
			x[i] = draw_normal(rng) + (i == 40 ? 12 : 0);
		const size_t n = events_find(x, 60, &e);
		for (size_t i = 0; i < n; i++) {
			n_outliers += e[i].kind == EVENT_OUTLIER && e[i].onset == 40;
			n_shifts += e[i].kind != EVENT_OUTLIER && e[i].onset >= 38 &&
				    e[i].onset <= 41;
		}
		free(e);
	}
	printf("an outlier of 12 sd: found in %zu of 100, taken for a shift in %zu\n", n_outliers,
	       n_shifts);
	assert_true(n_outliers >= 95);
	assert_true(n_shifts <= 5);
}

/* Several detections in a sequence are one event, dated at the first. */
static void a_drift_is_one_event(void **state)
{
	gsl_rng *rng = *state;
	size_t n_drifts = 0, n_events = 0, n_dated = 0;
	gsl_rng_set(rng, 4);
	for (size_t k = 0; k < 100; k++) {
		double x[70];
		struct event *e;
		for (size_t i = 0; i < 70; i++)
			x[i] = draw_normal(rng) + (i >= 40 ? 0.5 * (double)(i - 39) : 0);
		const size_t n = events_find(x, 70, &e);
		n_events += n;
		for (size_t i = 0; i < n; i++)
			if (e[i].kind == EVENT_DRIFT) {
				n_drifts++;
				n_dated += e[i].onset >= 36 && e[i].onset <= 44;
			}
		free(e);
	}
	printf("drifts of 0.5 sd an entry: %zu events, %zu drifts, %zu dated within 4 entries, of "
	       "100\n",
	       n_events, n_drifts, n_dated);
	assert_true(n_drifts >= 85);
	assert_true(n_dated >= 85);
	assert_true(n_events <= 150);
}

static void little_or_equal_entries_have_no_event(void **state)
{
	(void)state;
	double x[40];
	struct event *e;
	for (size_t i = 0; i < 40; i++)
		x[i] = i < 20 ? 0 : 5;
	assert_int_equal(events_find(x, 0, &e), 0);
	free(e);
	assert_int_equal(events_find(x, EVENTS_MIN - 1, &e), 0);
	free(e);
	assert_int_equal(events_find(x, 19, &e), 0);
	free(e);
}

static int setup(void **state)
{
	*state = gsl_rng_alloc(gsl_rng_mt19937);
	return !*state;
}

static int teardown(void **state)
{
	gsl_rng_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(few_events_without_a_change),
	    cmocka_unit_test(few_events_are_ever_shown),
	    cmocka_unit_test(a_shift_is_found_with_its_third_entry),
	    cmocka_unit_test(an_outlier_is_no_shift),
	    cmocka_unit_test(a_drift_is_one_event),
	    cmocka_unit_test(little_or_equal_entries_have_no_event),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
