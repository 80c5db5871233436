/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A history: entries are read back as stored; limits, charts, signals and nearby changes, compared
 * with values computed separately. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/xalloc.h"
#include "tests/unit/validate/temp_dir.h"
#include "validate/history/changes.h"
#include "validate/history/charts.h"
#include "validate/history/history.h"

#define expect_near(value, expected) assert_true(fabs((value) - (expected)) <= 1e-10 * fabs(expected))

/* --- charts of given values ---------------------------------------------- */

/* A series with these means; the environments of its campaigns are given by index, of three. */
static void history_make(struct history *h, const double *x, size_t n, const size_t *environment)
{
	*h = (struct history){.source = xstrdup("db")};
	static const char *const facts[] = {"{\"kernel\":\"6.1\",\"memory\":\"8\"}",
					    "{\"kernel\":\"6.2\",\"memory\":\"8\"}",
					    "{\"kernel\":\"6.2\",\"turbo\":\"off\"}"};
	for (size_t i = 0; i < 3; i++) {
		GROW(h->environment, h->n_environments, h->cap_environments);
		h->environment[h->n_environments++] = xstrdup(facts[i]);
	}
	GROW(h->series, h->n_series, h->cap_series);
	struct history_series *s = &h->series[h->n_series++];
	*s = (struct history_series){.id = 1, .scenario = xstrdup("s"), .replayer = xstrdup("event")};
	for (size_t i = 0; i < n; i++) {
		GROW(h->campaign, h->n_campaigns, h->cap_campaigns);
		h->campaign[h->n_campaigns++] = (struct history_campaign){.number = (long long)i + 1, .environment = environment ? environment[i] : 0};
		GROW(s->entry, s->n, s->cap);
		s->entry[s->n++] = (struct history_entry){.campaign = i, .n = 10, .mean = x[i], .sd = 0.01};
	}
}

/* Entry 10 is far off, and all entries from 15 on are higher. */
static const double course[] = {0.010, 0.012, 0.009, 0.011, 0.013, 0.008, 0.010,
				0.012, 0.011, 0.009, 0.050, 0.010, 0.013, 0.009,
				0.011, 0.016, 0.016, 0.016, 0.016, 0.016, 0.016};
#define N_COURSE (sizeof course / sizeof *course)

static const struct history_signal *signal_of(const struct history_charts *c,
					      enum history_chart chart, size_t first)
{
	for (size_t i = 0; i < c->n_signals; i++)
		if (c->signal[i].chart == chart && c->signal[i].first == first)
			return &c->signal[i];
	return NULL;
}

static void limits_and_charts(void **state)
{
	(void)state;
	struct history h;
	struct history_charts c;
	history_make(&h, course, N_COURSE, NULL);
	history_charts_make(&c, &h, &h.series[0], 12);
	assert_int_equal(c.status, STAT_OK);
	assert_int_equal(c.n_base, 12);
	for (size_t i = 0; i < c.n; i++)
		assert_int_equal(c.in_base[i], i < 13 && i != 10);
	expect_near(c.limits.center, 0.010666666666666665);
	expect_near(c.limits.sigma, 0.002014152103301723);
	expect_near(c.cusum[N_COURSE - 1].plus, 30.08155640241185);
	expect_near(c.ewma[N_COURSE - 1], 2.3656580311626714);
	const struct history_signal *s = signal_of(&c, CHART_INDIVIDUALS, 10);
	assert_non_null(s);
	assert_int_equal(s->kind, KIND_OUTLIER);
	assert_int_equal(s->last, 10);
	assert_false(s->lasting);
	expect_near(s->change, expm1(0.050 - 0.010666666666666665));
	assert_non_null(signal_of(&c, CHART_MOVING_RANGE, 10)); /* up and down is one excursion */
	assert_null(signal_of(&c, CHART_MOVING_RANGE, 11));
	s = signal_of(&c, CHART_CUSUM, 10);
	assert_non_null(s);
	assert_true(s->lasting);
	for (size_t i = 0; i < c.n_events; i++)
		assert_false(c.event[i].has_change);
	history_charts_release(&c);
	history_release(&h);
}

static void shift_or_drift(void **state)
{
	(void)state;
	double step[40], ramp[40];
	size_t environment[40] = {0};
	struct history h;
	struct history_charts c;
	for (size_t i = 0; i < 40; i++) {
		double wave = ((double)(i * 7 % 5) - 2) / 1000; /* -0.002 .. 0.002 */
		step[i] = wave - (i >= 25 ? 0.02 : 0);
		ramp[i] = wave + (i >= 25 ? 0.002 * (double)(i - 24) : 0);
		environment[i] = i >= 31 ? 2 : i >= 25 ? 1 : 0;
	}
	history_make(&h, step, 40, environment);
	history_charts_make(&c, &h, &h.series[0], 20);
	const struct history_signal *s = NULL;
	for (size_t i = 0; i < c.n_signals; i++)
		if (c.signal[i].chart == CHART_CUSUM)
			s = &c.signal[i];
	assert_non_null(s);
	assert_int_equal(s->kind, KIND_SHIFT);
	assert_int_equal(s->direction, -1);
	assert_int_equal(s->onset, 25);
	expect_near(s->change, expm1(-0.02));
	s = signal_of(&c, CHART_INDIVIDUALS, 25);
	assert_non_null(s);
	assert_int_equal(s->kind, KIND_SHIFT);
	/* one event for the signals of several charts, with the change at its date and not a later
	 * change */
	assert_int_equal(c.n_events, 1);
	assert_int_equal(c.event[0].is.kind, EVENT_SHIFT);
	assert_int_equal(c.event[0].is.onset, 25);
	assert_int_equal(c.event[0].is.last, 39);
	assert_true(fabs(c.event[0].is.change + 0.02) < 0.0005);
	assert_true(c.event[0].has_change);
	assert_int_equal(c.event[0].environment, 25);
	history_charts_release(&c);
	history_release(&h);
	history_make(&h, ramp, 40, environment);
	history_charts_make(&c, &h, &h.series[0], 20);
	s = NULL;
	for (size_t i = 0; i < c.n_signals; i++)
		if (c.signal[i].chart == CHART_CUSUM)
			s = &c.signal[i];
	assert_non_null(s);
	assert_int_equal(s->kind, KIND_DRIFT);
	assert_in_range(s->onset, 24, 26);
	assert_int_equal(c.n_events, 1);
	assert_int_equal(c.event[0].is.kind, EVENT_DRIFT);
	assert_in_range(c.event[0].is.onset, 24, 26);
	assert_true(fabs(c.event[0].is.change - 0.03) < 0.003);
	history_charts_release(&c);
	history_release(&h);
}

static void changed_facts(void **state)
{
	(void)state;
	static const size_t environment[] = {0, 0, 1, 2};
	struct history h;
	struct history_changes c;
	history_make(&h, course, 4, environment);
	assert_false(history_changed(&h, &h.series[0], 0));
	assert_false(history_changed(&h, &h.series[0], 1));
	history_changes_find(&c, &h, &h.series[0], 2);
	assert_int_equal(c.n, 1);
	assert_string_equal(c.one[0].fact, "kernel");
	assert_string_equal(c.one[0].old, "6.1");
	assert_string_equal(c.one[0].new, "6.2");
	history_changes_release(&c);
	h.campaign[3].host = xstrdup("other");
	history_changes_find(&c, &h, &h.series[0], 3);
	/* a newly known fact, a fact that is no longer known, and a new fact */
	assert_int_equal(c.n, 3);
	assert_string_equal(c.one[0].fact, "host");
	assert_null(c.one[0].old);
	assert_string_equal(c.one[1].fact, "memory");
	assert_null(c.one[1].new);
	assert_string_equal(c.one[2].fact, "turbo");
	history_changes_release(&c);
	history_release(&h);
}

static void no_limits(void **state)
{
	(void)state;
	static const double same[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	static const double holes[9] = {1, NAN, 2, 1, NAN, 2, 1, 2, 1};
	struct history h;
	struct history_charts c;
	history_make(&h, same, 10, NULL);
	history_charts_make(&c, &h, &h.series[0], 20);
	assert_int_equal(c.status, STAT_ZERO_VARIANCE);
	assert_int_equal(c.n_signals, 0);
	history_charts_release(&c);
	history_release(&h);
	history_make(&h, holes, 9, NULL);
	history_charts_make(&c, &h, &h.series[0], 20);
	assert_int_equal(c.n, 7);
	assert_int_equal(c.at[1], 2);
	assert_int_equal(c.status, STAT_TOO_FEW);
	history_charts_release(&c);
	history_release(&h);
}

/* --- the file ------------------------------------------------------------ */

static void baseline_fill(struct baseline *b, int number, const char *date)
{
	*b = (struct baseline){.source = xasprintf("b%d.json", number), .title = xstrdup("t"), .protocol = xstrdup("p"), .date = xstrdup(date),
			       .program_version = xstrdup("1"), .host = xstrdup("h")};
	snprintf(b->campaign, sizeof b->campaign, "%016d", number);
	b->scenario = xcalloc(1, sizeof *b->scenario);
	b->scenario[b->n_scenarios++].name = xstrdup("it's");
	b->cell = xcalloc(1, sizeof *b->cell);
	struct baseline_case *c = &b->cell[b->n_cells++];
	*c = (struct baseline_case){.replayer = xstrdup("event"), .settings = xstrdup("e"), .verdict = xstrdup("trusted"), .reason = xstrdup(""), .n = 4,
				    .bias = 0.25, .bias_lo95 = NAN, .bias_hi95 = INFINITY, .u_c = 0.5, .u_c_df = 3, .U95 = 1.5};
	c->block = xcalloc(c->n + 1, sizeof *c->block);
	for (int k = 0; k < COLUMN_N; k++)
		c->column[k] = xcalloc(c->n + 1, sizeof **c->column);
	for (size_t i = 0; i < c->n; i++) {
		c->column[COLUMN_R_MEAN][i] = i == 3 ? 0 : 2;
		/* ln(x/r): 0.1, 0.2, 0.3, and one without r */
		c->column[COLUMN_X_MEAN][i] = 2 * exp(0.1 * (double)(i + 1));
	}
}

static void stored_and_loaded(void **state)
{
	const char *dir = *state;
	char *path = xasprintf("%s/db", dir);
	struct baseline b;
	struct history_added added;
	struct history h;
	struct history_filter all = {NULL, NULL, 1, NULL}, none = {"nothing", NULL, 1, NULL},
			      elsewhere = {NULL, NULL, 1, "g"}, here = {NULL, NULL, 1, "h"};
	struct err e = ERR_INIT;
	assert_int_equal(history_load(&h, path, &all, &e), -ENOENT);
	baseline_fill(&b, 1, "2026-02-01T00:00:00Z");
	assert_int_equal(history_add(path, &b, "label", &added, &e), 0);
	assert_int_equal(added.number, 1);
	assert_null(added.later_date);
	assert_int_equal(history_add(path, &b, NULL, &added, &e), -EEXIST);
	baseline_release(&b);
	baseline_fill(&b, 2, "2026-01-31T23:59:59Z");
	assert_int_equal(history_add(path, &b, NULL, &added, &e), 0);
	assert_non_null(added.later_date);
	free(added.later_date);
	b.n_cells = 0;
	assert_int_equal(history_add(path, &b, NULL, &added, &e), -EINVAL);
	b.n_cells = 1;
	baseline_release(&b);
	assert_int_equal(history_load(&h, path, &none, &e), -ENOENT);
	assert_int_equal(history_load(&h, path, &elsewhere, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "of host g"));
	assert_int_equal(history_load(&h, path, &here, &e), 0);
	assert_int_equal(h.n_campaigns, 2);
	history_release(&h);
	assert_int_equal(history_load(&h, path, &all, &e), 0);
	assert_int_equal(h.n_campaigns, 2);
	/* by date, not by the order of their addition */
	assert_string_equal(h.campaign[1].label, "label");
	assert_int_equal(h.campaign[0].number, 2);
	assert_null(h.campaign[0].label);
	assert_true(h.campaign[0].goes_back);
	assert_int_equal(h.series[0].entry[0].campaign, 0);
	assert_int_equal(h.n_environments, 1);
	assert_int_equal(h.n_series, 1);
	assert_string_equal(h.series[0].scenario, "it's");
	const struct history_entry *one = &h.series[0].entry[1];
	assert_int_equal(h.series[0].n, 2);
	assert_int_equal(one->n, 3);
	expect_near(one->mean, 0.2);
	expect_near(one->sd, 0.1);
	assert_true(one->bias == 0.25 && isnan(one->bias_lo95) && isnan(one->bias_hi95) &&
		    one->U95 == 1.5);
	history_release(&h);
	free(path);
}

static void dates(void **state)
{
	(void)state;
	assert_true(date_is_earlier("2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z"));
	assert_false(date_is_earlier("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"));
	assert_false(date_is_earlier("yesterday", "2026-01-01T00:00:00Z"));
	assert_false(date_is_earlier(NULL, "2026-01-01T00:00:00Z"));
}

int main(void)
{
	char *dir = temp_dir_make();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(limits_and_charts),
	    cmocka_unit_test(shift_or_drift),
	    cmocka_unit_test(changed_facts),
	    cmocka_unit_test(no_limits),
	    cmocka_unit_test_prestate(stored_and_loaded, dir),
	    cmocka_unit_test(dates),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	temp_dir_remove(dir);
	return failed;
}
