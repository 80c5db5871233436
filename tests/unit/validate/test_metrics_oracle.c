/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reordering and concurrency against tests/data/oracle: the worked examples of RFC 4737 and RFC 5236, and values
 * computed from the definitions independently of this program. Rows of RFC 5236's buffer occupancy (rbd_...) are passed
 * over. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/xalloc.h"
#include "validate/metrics/concurrency.h"
#include "validate/metrics/reorder.h"

/* --- the files: no field of these holds a comma or a quote -------------------------------------------------------- */

enum { MAX_GROUP = 500, N_GROUPS = 5 };
static const char *const group_names[N_GROUPS] = {"s", "bytes", "time", "begin", "end"};

struct dataset {
	char name[40];
	int64_t x[N_GROUPS][MAX_GROUP];
	size_t n[N_GROUPS];
};

struct datasets {
	struct dataset *d;
	size_t n, cap;
};

static FILE *open_file(const char *kind, const char *topic)
{
	char path[500];
	const char *source = getenv("SRCDIR");
	snprintf(path, sizeof path, "%s/tests/data/oracle/%s_%s.csv", source ? source : ".", kind, topic);
	FILE *f = fopen(path, "r");
	if (!f)
		fail_msg("%s: cannot be opened", path);
	return f;
}

static size_t split(char *line, char **field, size_t max)
{
	size_t n = 0;
	line[strcspn(line, "\r\n")] = 0;
	for (char *at; n < max && (at = strsep(&line, ","));)
		field[n++] = at;
	return n;
}

static void datasets_read(struct datasets *all, const char *topic)
{
	char line[500], *field[4];
	FILE *f = open_file("data", topic);
	assert_non_null(fgets(line, sizeof line, f));
	while (fgets(line, sizeof line, f)) {
		assert_int_equal(split(line, field, 4), 4);
		if (!all->n || strcmp(all->d[all->n - 1].name, field[0])) {
			GROW(all->d, all->n, all->cap);
			memset(&all->d[all->n], 0, sizeof *all->d);
			snprintf(all->d[all->n++].name, sizeof all->d->name, "%s", field[0]);
		}
		struct dataset *d = &all->d[all->n - 1];
		size_t g = 0;
		while (g < N_GROUPS && strcmp(group_names[g], field[1]))
			g++;
		assert_true(g < N_GROUPS && d->n[g] < MAX_GROUP);
		d->x[g][d->n[g]++] = strtoll(field[3], NULL, 10);
	}
	fclose(f);
}

static const struct dataset *dataset_find(const struct datasets *all, const char *inputs)
{
	static const struct dataset none;
	const char *name = strchr(inputs, '=');
	if (!name)
		return &none;
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->d[i].name, name + 1))
			return &all->d[i];
	fail_msg("no data set %s", name + 1);
	return NULL;
}

/* --- statistics by name: NaN is "undefined" ----------------------------------------------------------------------- */

struct reorder_case {
	const struct dataset *d;
	struct reorder r;
	struct order_distance distance;
	int64_t displacement[MAX_GROUP];
};

static double ratio(double x, double y)
{
	return y == 0 ? NAN : x / y;
}

static const struct reordered_arrival *kth(const struct reorder_case *c, long k)
{
	assert_true(k >= 1 && (size_t)k <= c->r.n_reordered);
	return &c->r.reordered[k - 1];
}

static double gap(const struct reorder_case *c, long k)
{
	assert_true(k >= 1 && (size_t)k < c->r.n_discontinuities);
	return (double)(c->r.discontinuity[k] - c->r.discontinuity[k - 1]);
}

static double displacements(const struct reorder_case *c, char what, long d)
{
	double sum = 0;
	for (size_t i = 0; i < c->r.n; i++) {
		int64_t x = c->displacement[i];
		sum += what == '=' ? x == d : what == '>' ? x > 0 : (double)llabs((long long)x);
	}
	return ratio(sum, (double)c->r.n);
}

/* False: not a statistic of ours. `p` is the row's only parameter, 0 where it has none. */
static bool reorder_statistic(const struct reorder_case *c, const char *name, long p, double *value)
{
	const struct reorder *r = &c->r;
	double n = (double)r->n;
#define IS(statistic, expression)                                                                                      \
	if (!strcmp(name, statistic)) {                                                                                \
		*value = (double)(expression);                                                                         \
		return true;                                                                                           \
	}
	IS("ro_received", r->n)
	IS("ro_duplicates", r->n_duplicates)
	IS("ro_reordered", r->n_reordered)
	IS("ro_ratio", ratio((double)r->n_reordered, n))
	IS("ro_runs_x", r->runs_x)
	IS("ro_runs_a", r->runs_a)
	IS("ro_runs_p", r->runs_p)
	IS("ro_runs_q", r->runs_q)
	IS("ro_run_length", kth(c, p)->run_length)
	IS("ro_discontinuities", r->n_discontinuities)
	IS("ro_gap", gap(c, p))
	IS("ro_seq_discontinuities", r->n_sequence_discontinuities)
	IS("ro_reordered_seq", kth(c, p)->s)
	IS("ro_extent", kth(c, p)->i - kth(c, p)->j)
	IS("ro_late_time", kth(c, p)->late)
	IS("ro_byte_offset", kth(c, p)->byte_offset)
	IS("ro_max_extent", r->max_extent)
	IS("ro_mean_extent", r->mean_extent)
	IS("ro_n_reordered_count", reorder_n_reordered(r, (size_t)p))
	IS("ro_n_reordering_degree", ratio((double)reorder_n_reordered(r, (size_t)p), n))
	IS("ro_missing", p - (long)r->n)
	IS("ro_missing_ratio", ratio((double)p - n, (double)p))
	IS("ro_inversions", c->distance.inversions)
	IS("ro_kendall_tau", c->distance.kendall_tau)
	IS("ro_lis_length", c->distance.lis_length)
	IS("ro_min_moves_ratio", ratio(n - (double)c->distance.lis_length, n))
	IS("ro_spearman_footrule", c->distance.footrule)
	IS("ro_hfplayer_script_count", r->n_descents)
	IS("rd_density", displacements(c, '=', p))
	IS("rd_mean_abs_displacement", displacements(c, '|', 0))
	IS("rd_frac_late", displacements(c, '>', 0))
	return false;
}

static double share_up_to(const struct concurrency *c, bool by_time, long from, long to)
{
	double part = 0, all = 0;
	for (long level = from; level <= (long)c->highest; level++) {
		double x = by_time ? (double)c->ns_at_level[level] : (double)c->requests_at_level[level];
		all += x;
		part += level <= to ? x : 0;
	}
	return part / all;
}

static double mean_level(const struct concurrency *c, bool by_time)
{
	double sum = 0;
	for (size_t level = 0; level <= c->highest; level++)
		sum += (double)level * (by_time ? (double)c->ns_at_level[level] : (double)c->requests_at_level[level]);
	return sum / (by_time ? (double)(c->last_ns - c->first_ns) : (double)c->n);
}

static double little(const struct dataset *d, double span)
{
	double sum = 0;
	for (size_t i = 0; i < d->n[3]; i++)
		sum += (double)(d->x[4][i] - d->x[3][i]);
	return sum / span;
}

static double mean_defined(const double *x, size_t n)
{
	double sum = 0;
	size_t defined = 0;
	for (size_t i = 0; i < n; i++) {
		sum += isnan(x[i]) ? 0 : x[i];
		defined += !isnan(x[i]);
	}
	return ratio(sum, (double)defined);
}

static bool concurrency_statistic(const struct dataset *d, const char *name, long p, double *value)
{
	struct concurrency_levels l;
	assert_int_equal(concurrency_levels(&l, d->x[3], d->x[4], d->n[3], NULL), 0);
	const struct concurrency *c = &l.total;
	double span = (double)(c->last_ns - c->first_ns);
	bool known = true;
	if (!strcmp(name, "conc_cdf_time"))
		*value = share_up_to(c, true, 0, p);
	else if (!strcmp(name, "conc_cdf_time_busy"))
		*value = share_up_to(c, true, 1, p);
	else if (!strcmp(name, "conc_cdf_request"))
		*value = share_up_to(c, false, 0, p);
	else if (!strcmp(name, "conc_mean_time"))
		*value = mean_level(c, true);
	else if (!strcmp(name, "conc_little_mean"))
		*value = little(d, span);
	else if (!strcmp(name, "conc_mean_request"))
		*value = mean_level(c, false);
	else if (!strcmp(name, "conc_max_level"))
		*value = (double)c->highest;
	else if (!strcmp(name, "conc_span"))
		*value = span;
	else if (!strcmp(name, "conc_idle_time"))
		*value = (double)c->ns_at_level[0];
	else if (!strcmp(name, "conc_level_at_start"))
		*value = (double)l.found[p - 1];
	else if (!strcmp(name, "conc_lifetime"))
		*value = l.lifetime[p - 1];
	else if (!strcmp(name, "conc_mean_lifetime"))
		*value = mean_defined(l.lifetime, d->n[3]);
	else
		known = false;
	concurrency_levels_release(&l);
	return known;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static bool as_expected(double got, const char *expected, double rel_tol)
{
	if (!strcmp(expected, "undefined"))
		return isnan(got);
	double value = strtod(expected, NULL);
	return value == 0 ? fabs(got) <= rel_tol : fabs(got - value) <= rel_tol * fabs(value);
}

typedef bool statistic_of(const struct dataset *d, const char *name, long p, double *value);

static bool reorder_of(const struct dataset *d, const char *name, long p, double *value)
{
	struct reorder_case c = {.d = d};
	uint64_t s[MAX_GROUP], bytes[MAX_GROUP];
	for (size_t i = 0; i < d->n[0]; i++) {
		s[i] = (uint64_t)d->x[0][i];
		bytes[i] = (uint64_t)d->x[1][i];
	}
	assert_int_equal(reorder_analyse(&c.r, s, bytes, d->n[2] ? d->x[2] : NULL, d->n[0], NULL), 0);
	c.distance = order_distance(c.r.s, c.r.n);
	reorder_displacements(c.r.s, c.r.n, c.displacement);
	bool known = reorder_statistic(&c, name, p, value);
	reorder_release(&c.r);
	return known;
}

static void check_topic(const char *topic, statistic_of *statistic, size_t n_wanted, const char *left_out)
{
	struct datasets all = {0};
	char line[1000], *field[8];
	size_t n = 0, n_wrong = 0;
	datasets_read(&all, topic);
	FILE *f = open_file("expected", topic);
	assert_non_null(fgets(line, sizeof line, f));
	while (fgets(line, sizeof line, f)) {
		double got;
		assert_int_equal(split(line, field, 8), 8);
		const char *p = strchr(field[3], '=');
		if (!statistic(dataset_find(&all, field[2]), field[1], p ? strtol(p + 1, NULL, 10) : 0, &got)) {
			if (!left_out || strncmp(field[1], left_out, strlen(left_out)))
				fail_msg("unknown statistic %s", field[1]);
			continue;
		}
		n++;
		if (!as_expected(got, field[4], strtod(field[5], NULL))) {
			print_error("%s %s %s: %.17g, expected %s\n", field[0], field[1], field[3], got, field[4]);
			n_wrong++;
		}
	}
	fclose(f);
	free(all.d);
	assert_int_equal(n_wrong, 0);
	assert_int_equal(n, n_wanted); /* no row slips away */
}

static void test_reorder(void **state)
{
	(void)state;
	check_topic("reorder", reorder_of, 1630 - 149, "rbd_");
}

static void test_concurrency(void **state)
{
	(void)state;
	check_topic("concurrency", concurrency_statistic, 98, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reorder),
	    cmocka_unit_test(test_concurrency),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
