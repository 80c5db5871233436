/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The change points of a history (history/events.h) beside E-divisive means (Matteson and James
 * 2014) for a user who looks after each entry: false events, delay of a shift, and real series.
 * HISTORY_TIMES=3 simulates three times as many series: its figures are those of doc/history.md. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/xalloc.h"
#include "validate/history/events.h"

enum { MOST = 100, BEFORE = 50, BEHIND = 12, LEAST = 2, TIMES_MAX = 3 };
/* P 0.01: no permutation may reach the statistic. Then both methods have similar false events. */
#define PERMUTATIONS 99

static size_t times(void)
{
	const char *text = getenv("HISTORY_TIMES");
	const size_t n = text ? strtoul(text, NULL, 10) : 1;
	return n < 1 ? 1 : n < TIMES_MAX ? n : TIMES_MAX;
}

/* The largest energy statistic over the splits of x[n] with LEAST entries on each side. */
static double energy(const double *x, size_t n, size_t *split)
{
	double before = 0, behind = 0, across = 0, most = -INFINITY;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			behind += fabs(x[i] - x[k]);
	for (size_t k = 0; k + LEAST < n; k++) { /* x[k] goes from behind to before */
		double to_before = 0, to_behind = 0;
		for (size_t i = 0; i < n; i++)
			*(i < k ? &to_before : &to_behind) += fabs(x[i] - x[k]);
		before += to_before;
		behind -= to_behind;
		across += to_behind - to_before;
		const double a = (double)(k + 1), b = (double)n - a;
		if (k + 1 < LEAST)
			continue;
		const double q = a * b / (a + b) *
				 (2 * across / (a * b) - 2 * before / (a * (a - 1)) -
				  2 * behind / (b * (b - 1)));
		if (q > most) {
			most = q;
			*split = k + 1;
		}
	}
	return most;
}

/* Whether x[n] has a change at P 0.01, and the first entry behind it. */
static bool divides(const double *x, size_t n, gsl_rng *rng, size_t *split)
{
	double y[MOST];
	size_t other;
	if (n < EVENTS_MIN)
		return false;
	const double q = energy(x, n, split);
	memcpy(y, x, n * sizeof *y);
	for (int i = 0; i < PERMUTATIONS; i++) {
		gsl_ran_shuffle(rng, y, n, sizeof *y);
		if (energy(y, n, &other) >= q)
			return false;
	}
	return true;
}

/* Number of changes that E-divisive shows to a user who looks after each entry. */
static size_t energy_events(const double *x, size_t n, gsl_rng *rng)
{
	size_t start = 0, n_events = 0, split;
	for (size_t t = 1; t <= n; t++)
		if (divides(x + start, t - start, rng, &split)) {
			start += split;
			n_events++;
		}
	return n_events;
}

/* Number of changes that events_find() shows to the same user. */
static size_t own_events(const double *x, size_t n)
{
	bool shown[MOST] = {false};
	size_t n_events = 0;
	for (size_t t = 1; t <= n; t++) {
		struct event *e;
		const size_t found = events_find(x, t, &e);
		for (size_t i = 0; i < found; i++)
			shown[e[i].found] |= e[i].kind != EVENT_OUTLIER;
		free(e);
	}
	for (size_t i = 0; i < n; i++)
		n_events += shown[i];
	return n_events;
}

static void false_events(void **state)
{
	const size_t n_series = 50 * times();
	gsl_rng *rng = *state;
	double x[MOST];
	size_t own = 0, by_energy = 0;
	gsl_rng_set(rng, 1);
	for (size_t k = 0; k < n_series; k++) {
		for (size_t i = 0; i < MOST; i++)
			x[i] = gsl_ran_gaussian(rng, 1);
		own += own_events(x, MOST);
		by_energy += energy_events(x, MOST, rng);
	}
	printf("normal, a look after each entry: in 100 entries %.2f changes, E-divisive %.2f\n",
	       (double)own / (double)n_series, (double)by_energy / (double)n_series);
	assert_true((double)own <= 0.5 * (double)n_series);
}

static int by_size(const void *x, const void *y)
{
	const size_t *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

static void delay(void **state)
{
	const size_t n_series = 200 * times() / TIMES_MAX;
	gsl_rng *rng = *state;
	size_t own[200], by_energy[200], split;
	gsl_rng_set(rng, 2);
	for (size_t k = 0; k < n_series; k++) {
		double x[BEFORE + BEHIND];
		for (size_t i = 0; i < BEFORE + BEHIND; i++)
			x[i] = gsl_ran_gaussian(rng, 1) + (i >= BEFORE ? 2 : 0);
		own[k] = by_energy[k] = BEHIND + 1;
		for (size_t t = BEHIND; t > 0; t--) {
			struct event *e;
			const size_t n = events_find(x, BEFORE + t, &e);
			if (n && e[n - 1].kind != EVENT_OUTLIER && e[n - 1].found >= BEFORE)
				own[k] = e[n - 1].found - BEFORE + 1;
			free(e);
			if (divides(x, BEFORE + t, rng, &split) && split >= BEFORE / 2)
				by_energy[k] = t;
		}
	}
	qsort(own, n_series, sizeof *own, by_size);
	qsort(by_energy, n_series, sizeof *by_energy, by_size);
	printf("shift of 2 sd: found with entry %zu in the median, E-divisive with entry %zu\n",
	       own[n_series / 2], by_energy[n_series / 2]);
	assert_true(own[n_series / 2] <= by_energy[n_series / 2]);
}

/* Annual flow of the Nile at Aswan, 1871 to 1970 (Cobb 1978): lower from 1899 on. */
static const double nile[] = {
    1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995, 935,  1110, 994, 1020,
    960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840,
    874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831, 726,  456,  824, 702,
    1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845, 744,  796,  1040, 759,
    781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649, 846,  812,  742, 801,
    1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986, 797,  923,  975, 815,
    1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};

static void a_real_series(void **state)
{
	enum { N = sizeof nile / sizeof *nile };
	gsl_rng *rng = *state;
	struct event *e;
	size_t n_changes = 0, at = 0, split = 0;
	gsl_rng_set(rng, 3);
	const size_t n = events_find(nile, N, &e);
	for (size_t i = 0; i < n; i++)
		if (e[i].kind != EVENT_OUTLIER) {
			n_changes++;
			at = e[i].onset;
			printf("Nile: %s in %zu (%zu to %zu), found in %zu\n",
			       event_kind_names[e[i].kind], 1871 + e[i].onset, 1871 + e[i].onset_lo,
			       1871 + e[i].onset_hi, 1871 + e[i].found);
		}
	free(e);
	assert_true(divides(nile, N, rng, &split));
	printf("Nile by E-divisive: %zu\n", 1871 + split);
	assert_int_equal(n_changes, 1);
	assert_int_equal(at, 28);
}

/* A campaign of protocols/ci.conf beside other work (tests/data/history): the pairs of the old
 * version in each of 16 scenarios, followed by those of the new one. In one scenario the new version
 * is 10 % slower. */
struct real {
	char name[80];
	double x[MOST];
	size_t n, n_old;
};

static size_t real_read(struct real *series, size_t most)
{
	const char *source = getenv("SRCDIR");
	char *path = xasprintf("%s/tests/data/history/two-versions.csv", source ? source : ".");
	FILE *in = fopen(path, "r");
	char line[200], name[80], version[8];
	double x;
	size_t n = 0;
	assert_non_null(in);
	while (fgets(line, sizeof line, in)) {
		if (sscanf(line, "%79[^,],%7[^,],%lf", name, version, &x) != 3)
			continue; /* headings */
		if (!n || strcmp(series[n - 1].name, name)) {
			assert_true(n < most);
			series[n] = (struct real){0};
			memcpy(series[n++].name, name, sizeof name);
		}
		struct real *r = &series[n - 1];
		assert_true(r->n < MOST);
		r->x[r->n++] = x;
		r->n_old += !strcmp(version, "old");
	}
	fclose(in);
	free(path);
	return n;
}

static void two_versions(void **state)
{
	struct real series[16];
	gsl_rng *rng = *state;
	size_t own = 0, by_energy = 0, n_entries = 0, split = 0, t;
	gsl_rng_set(rng, 4);
	assert_int_equal(real_read(series, 16), 16);
	for (const struct real *r = series; r < series + 16; r++) {
		if (strcmp(r->name, "random-read level=2 block-size=4K") != 0) {
			own += own_events(r->x, r->n);
			by_energy += energy_events(r->x, r->n, rng);
			n_entries += r->n;
			continue;
		}
		struct event *e;
		assert_int_equal(events_find(r->x, r->n, &e), 1);
		printf("10 %% slower from entry %zu: %s of %.1f %% at entry %zu (%zu to %zu), found with "
		       "changed entry %zu\n",
		       r->n_old, event_kind_names[e->kind], 100 * expm1(e->change), e->onset,
		       e->onset_lo, e->onset_hi, e->found - r->n_old + 1);
		/* the last pair of the old version is as slow as those of the new one */
		assert_true(e->kind == EVENT_SHIFT && e->onset + 1 >= r->n_old &&
			    e->onset <= r->n_old);
		free(e);
		for (t = r->n_old + 1; !divides(r->x, t, rng, &split); t++)
			assert_true(t < r->n);
		printf("by E-divisive: entry %zu, found with changed entry %zu\n", split, t - r->n_old);
	}
	printf("15 unchanged series of pairs, %zu entries: %zu changes, E-divisive %zu\n", n_entries,
	       own, by_energy);
	assert_true((double)own <= 0.01 * (double)n_entries);
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
	    cmocka_unit_test(false_events),
	    cmocka_unit_test(delay),
	    cmocka_unit_test(a_real_series),
	    cmocka_unit_test(two_versions),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
