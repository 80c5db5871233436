/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often control charts signal although nothing changed: simulations with fixed seeds, compared
 * with known rates for charts with known limits (individuals: once in 370 entries; CUSUM with k 0.5
 * and h 5: in 465; EWMA with lambda 0.2 and L 2.962: in 500, Montgomery 2013), and with the text of
 * doc/man/validate-history.1 on limits from few entries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/xalloc.h"
#include "validate/history/charts.h"

struct alarms {
	size_t n_series;
	size_t n_entries[CHART_N]; /* entries after the baseline up to the first alarm */
	size_t n_alarms[CHART_N];
	size_t n_alarming; /* number of series with an alarm of any chart within `soon` entries */
};

static void series_fill(struct history *h, size_t n, gsl_rng *rng)
{
	*h = (struct history){.source = xstrdup("db")};
	GROW(h->environment, h->n_environments, h->cap_environments);
	h->environment[h->n_environments++] = xstrdup("{}");
	GROW(h->series, h->n_series, h->cap_series);
	struct history_series *s = &h->series[h->n_series++];
	*s = (struct history_series){.id = 1, .scenario = xstrdup("s"), .replayer = xstrdup("event")};
	/* without GROW, which copies the whole array for each element under the address sanitizer */
	h->campaign = xcalloc(n, sizeof *h->campaign);
	s->entry = xcalloc(n, sizeof *s->entry);
	for (size_t i = 0; i < n; i++) {
		h->campaign[h->n_campaigns++] = (struct history_campaign){.number = (long long)i + 1};
		s->entry[s->n++] = (struct history_entry){.campaign = i, .n = 10, .mean = 0.01 + 0.004 * gsl_ran_gaussian_ziggurat(rng, 1), .sd = 0.01};
	}
}

static struct alarms simulate(size_t n_series, size_t baseline, size_t watched, size_t soon,
			      unsigned long seed)
{
	struct alarms a = {.n_series = n_series};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	for (size_t k = 0; k < n_series; k++) {
		struct history h;
		struct history_charts c;
		bool early = false;
		series_fill(&h, baseline + watched, rng);
		history_charts_control(&c, &h.series[0], baseline);
		assert_int_equal(c.status, STAT_OK);
		for (int chart = 0; chart < CHART_N; chart++) {
			size_t first = baseline + watched;
			for (size_t i = 0; i < c.n_signals; i++)
				if ((int)c.signal[i].chart == chart &&
				    c.signal[i].first >= baseline && c.signal[i].first < first)
					first = c.signal[i].first;
			a.n_alarms[chart] += first < baseline + watched;
			a.n_entries[chart] += first - baseline + (first < baseline + watched);
			early |= first < baseline + soon;
		}
		a.n_alarming += early;
		history_charts_release(&c);
		history_release(&h);
	}
	gsl_rng_free(rng);
	return a;
}

static double entries_per_alarm(const struct alarms *a, enum history_chart chart)
{
	return (double)a->n_entries[chart] / (double)a->n_alarms[chart];
}

static void print(const struct alarms *a, const char *what)
{
	printf("%s: an alarm in", what);
	for (int k = 0; k < CHART_N; k++)
		printf(" %.0f (%s)", entries_per_alarm(a, (enum history_chart)k),
		       history_chart_names[k]);
	printf(" entries; %.1f %% of series within 12\n",
	       100 * (double)a->n_alarming / (double)a->n_series);
}

/* 3,000 entries give limits that equal known limits. */
static void test_known_limits(void **state)
{
	(void)state;
	struct alarms a = simulate(300, 3000, 1000, 12, 1);
	print(&a, "limits of 3000 entries");
	assert_true(fabs(entries_per_alarm(&a, CHART_INDIVIDUALS) / 370 - 1) < 0.25);
	assert_true(fabs(entries_per_alarm(&a, CHART_CUSUM) / 465 - 1) < 0.25);
	assert_true(fabs(entries_per_alarm(&a, CHART_EWMA) / 500 - 1) < 0.25);
	assert_true(entries_per_alarm(&a, CHART_MOVING_RANGE) > 90);
}

static void test_limits_of_few(void **state)
{
	(void)state;
	static const struct {
		size_t n;
		double share; /* as the manual states */
	} rows[] = {{20, 0.25}, {50, 0.20}, {100, 0.17}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct alarms a = simulate(2000, rows[i].n, 12, 12, 2);
		char what[40];
		snprintf(what, sizeof what, "limits of %zu entries", rows[i].n);
		print(&a, what);
		assert_true(fabs((double)a.n_alarming / (double)a.n_series - rows[i].share) < 0.03);
		for (int k = 0; k < CHART_N; k++)
			assert_true(entries_per_alarm(&a, (enum history_chart)k) > 50);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_limits),
					   cmocka_unit_test(test_limits_of_few)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
