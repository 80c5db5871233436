/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies between laboratories: certified values of a balanced study, differences, missing results,
 * and outlying laboratories. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/file_digest.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "tests/unit/validate/temp_dir.h"
#include "validate/pool/pool.h"
#include "validate/pool/pool_league.h"
#include "validate/provenance/provenance.h"

enum { LABORATORIES = 8, RESULTS = 3 };

/* Dataset "bal8x3" of the oracle (tests/data/oracle), and its values there. */
static double study[LABORATORIES][RESULTS];
#define S_R_WITHIN 1.1613049412909027
#define S_R_BETWEEN 1.3603455735088343
#define COCHRAN 0.6295682962020076
#define H_FIRST -0.637329014915085
#define H_SEVENTH 1.7923810633938984

static void study_read(void)
{
	const char *source = getenv("SRCDIR");
	char *path = xasprintf("%s/tests/data/oracle/data_iso5725.csv", source ? source : ".");
	FILE *in = fopen(path, "r");
	char line[200];
	int n = 0;
	assert_non_null(in);
	while (fgets(line, sizeof line, in)) {
		int group, index;
		double value;
		if (sscanf(line, "bal8x3,%d,%d,%lf", &group, &index, &value) == 3)
			study[group - 1][index - 1] = value, n++;
	}
	assert_int_equal(n, LABORATORIES * RESULTS);
	fclose(in);
	free(path);
}

/* A baseline with one case whose ratios x/r are these. */
static void laboratory_make(struct baseline *b, int number, const char *scenario, const double *x,
			    size_t n)
{
	*b = (struct baseline){.source = xasprintf("lab%d.json", number), .title = xstrdup("t"), .protocol = xstrdup("t"), .date = xstrdup("now"),
			       .program_version = xstrdup("1"), .host = xasprintf("host%d", number)};
	snprintf(b->campaign, sizeof b->campaign, "%016d", number);
	snprintf(b->protocol_hash, sizeof b->protocol_hash, "%s", "same");
	b->scenario = xcalloc(1, sizeof *b->scenario);
	b->scenario[b->n_scenarios++].name = xstrdup(scenario);
	b->cell = xcalloc(1, sizeof *b->cell);
	struct baseline_case *c = &b->cell[b->n_cells++];
	*c = (struct baseline_case){.replayer = xstrdup("event"), .settings = xstrdup(""), .verdict = xstrdup("trusted"), .reason = xstrdup(""), .n = n};
	c->block = xcalloc(n + 1, sizeof *c->block);
	for (int k = 0; k < COLUMN_N; k++)
		c->column[k] = xcalloc(n + 1, sizeof **c->column);
	for (size_t i = 0; i < n; i++) {
		c->block[i] = (unsigned)i + 1;
		c->column[COLUMN_R_MEAN][i] = 2;
		c->column[COLUMN_X_MEAN][i] = 2 * x[i];
		c->column[COLUMN_X_TIME][i] = 5;
		c->column[COLUMN_R_TIME][i] = 4;
	}
}

static struct baseline *laboratories_make(void)
{
	struct baseline *b = xcalloc(LABORATORIES, sizeof *b);
	study_read();
	for (int i = 0; i < LABORATORIES; i++)
		laboratory_make(&b[i], i, "s", study[i], RESULTS);
	return b;
}

static void laboratories_free(struct baseline *b)
{
	for (int i = 0; i < LABORATORIES; i++)
		baseline_release(&b[i]);
	free(b);
}

#define expect_near(value, expected) assert_true(fabs((value) - (expected)) <= 1e-10 * fabs(expected))

static void certified_values(void **state)
{
	(void)state;
	struct baseline *b = laboratories_make();
	struct pool p;
	struct err e = ERR_INIT;
	if (pool_make(&p, b, LABORATORIES, POOL_MEAN, false, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(p.n_cases, 1);
	const struct pool_case *c = &p.one[0];
	assert_int_equal(c->status, STAT_OK);
	assert_int_equal(c->n_groups, LABORATORIES);
	assert_int_equal(c->n_results, LABORATORIES * RESULTS);
	expect_near(c->s_r, S_R_WITHIN);
	expect_near(c->s_R, S_R_BETWEEN);
	expect_near(c->r_limit, 2.8 * S_R_WITHIN);
	expect_near(c->R_limit, 2.8 * S_R_BETWEEN);
	expect_near(c->s_L, sqrt(S_R_BETWEEN * S_R_BETWEEN - S_R_WITHIN * S_R_WITHIN));
	expect_near(c->cochran.statistic, COCHRAN);
	expect_near(c->group[0].h.statistic, H_FIRST);
	expect_near(c->group[6].h.statistic, H_SEVENTH);
	assert_int_equal(c->cochran.class, OUTLIER_OUTLIER); /* beyond 0.615, its 1 % value */
	assert_int_equal(p.laboratory[c->group[c->cochran.group].laboratory].n_outlying, 1);
	assert_string_equal(p.laboratory[3].name, "host3");
	pool_release(&p);
	/* all 5/4: no scatter at all */
	assert_int_equal(pool_make(&p, b, LABORATORIES, POOL_EXECUTION_TIME, false, &e), 0);
	expect_near(p.one[0].mean, 0.25);
	assert_true(p.one[0].s_R == 0);
	assert_int_not_equal(p.one[0].group[0].h.status, STAT_OK);
	pool_release(&p);
	laboratories_free(b);
}

static void laboratories_without_a_case(void **state)
{
	(void)state;
	static const double x[] = {1, 1.1, 1.2}, infinite[] = {1, INFINITY, NAN};
	struct baseline b[4];
	struct pool p;
	struct err e = ERR_INIT;
	laboratory_make(&b[0], 0, "s", x, 3);
	laboratory_make(&b[1], 1, "s", x, 3);
	laboratory_make(&b[2], 2, "other", x, 3);
	laboratory_make(&b[3], 3, "s", infinite, 3); /* a single result that counts: too few */
	if (pool_make(&p, b, 4, POOL_MEAN, false, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(p.n_cases, 2);
	assert_int_equal(p.one[0].n_groups, 2);
	assert_int_equal(p.one[0].status, STAT_OK);
	assert_int_equal(p.one[1].n_groups, 1);
	assert_int_equal(p.one[1].status, STAT_TOO_FEW);
	assert_int_equal(p.n_missing, 2 + 3);
	pool_release(&p);
	for (int i = 0; i < 4; i++)
		baseline_release(&b[i]);
}

static void studies_that_cannot_be_pooled(void **state)
{
	(void)state;
	struct baseline *b = laboratories_make();
	struct pool p;
	struct err e = ERR_INIT;
	assert_int_equal(pool_make(&p, b, 1, POOL_MEAN, false, &e), -EINVAL);
	pool_release(&p);
	memcpy(b[1].campaign, b[0].campaign, sizeof b[0].campaign);
	assert_int_equal(pool_make(&p, b, 2, POOL_MEAN, false, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "lab0.json and lab1.json"));
	pool_release(&p);
	b[2].condition = xcalloc(1, sizeof *b[2].condition);
	b[2].condition[b[2].n_conditions++] = xstrdup("cache = warm");
	strcpy(b[2].protocol_hash, "another");
	assert_int_equal(pool_make(&p, b + 2, LABORATORIES - 2, POOL_MEAN, false, &e), -EPROTO);
	assert_non_null(strstr(e.msg, "cache = warm"));
	pool_release(&p);
	assert_int_equal(pool_make(&p, b + 2, LABORATORIES - 2, POOL_MEAN, true, &e), 0);
	assert_non_null(p.difference);
	pool_release(&p);
	laboratories_free(b);
}

static void requests_set(struct baseline *b, uint64_t hash, const char *min_duration)
{
	struct baseline_scenario *s = &b->scenario[0];
	s->requests = xreallocarray(s->requests, 1, sizeof *s->requests);
	s->requests[0] = hash;
	s->n_requests = 1;
	if (!b->condition)
		b->condition = xcalloc(1, sizeof *b->condition);
	else
		free(b->condition[0]);
	b->n_conditions = 1;
	b->condition[0] = xstrdup(min_duration);
}

/* The hash of the protocol does not cover the settings of replayers and the replayed requests, so
 * the pool compares them. */
static void differences_that_the_protocol_hash_lacks(void **state)
{
	(void)state;
	struct baseline *b = laboratories_make();
	struct pool p;
	struct err e = ERR_INIT;
	free(b[1].cell[0].settings);
	b[1].cell[0].settings = xstrdup("engine=event order=fs");
	assert_int_equal(pool_make(&p, b, LABORATORIES, POOL_MEAN, false, &e), -EPROTO);
	assert_non_null(strstr(e.msg, "order=fs"));
	assert_non_null(strstr(e.msg, "host1"));
	pool_release(&p);
	free(b[0].cell[0].settings);
	free(b[1].cell[0].settings);
	b[0].cell[0].settings = xstrdup("command=/home/me/old --x");
	b[1].cell[0].settings = xstrdup("command=" PROVENANCE_HIDDEN " --x");
	assert_int_equal(pool_make(&p, b, 2, POOL_MEAN, false, &e), 0);
	pool_release(&p);
	for (int i = 0; i < 2; i++)
		requests_set(&b[i], 5 + (uint64_t)i, "min-duration = 0ns");
	assert_int_equal(pool_make(&p, b, 2, POOL_MEAN, false, &e), -EPROTO);
	assert_non_null(
	    strstr(e.msg, "did not replay the same requests in 1 of 1 scenarios (first: s)"));
	pool_release(&p);
	for (int i = 0; i < 2; i++)
		requests_set(&b[i], 5 + (uint64_t)i, "min-duration = 200000000ns");
	assert_int_equal(pool_make(&p, b, 2, POOL_MEAN, false, &e), 0);
	assert_null(p.difference);
	assert_int_equal(p.n_warnings, 1);
	assert_int_equal(p.warning[0].kind, POOL_OTHER_REQUESTS);
	assert_string_equal(p.warning[0].what, "s");
	assert_true(p.warning[0].n == 1 && p.warning[0].of == 1);
	pool_release(&p);
	requests_set(&b[1], 0, "min-duration = 0ns"); /* not known */
	requests_set(&b[0], 5, "min-duration = 0ns");
	assert_int_equal(pool_make(&p, b, 2, POOL_MEAN, false, &e), 0);
	assert_int_equal(p.n_warnings, 0);
	pool_release(&p);
	laboratories_free(b);
}

static void fact_set(struct baseline *b, const char *name, const char *value)
{
	b->fact = xreallocarray(b->fact, b->n_facts + 1, sizeof *b->fact);
	b->fact[b->n_facts++] = (struct baseline_fact){xstrdup(name), xstrdup(value)};
}

static void another_program(void **state)
{
	(void)state;
	struct baseline *b = laboratories_make();
	struct pool p;
	struct err e = ERR_INIT;
	for (int i = 0; i < 2; i++) {
		fact_set(&b[i], "replayers.0.name", "other");
		fact_set(&b[i], "replayers.0.sha256", i ? "aa" : "bb");
		fact_set(&b[i], "replayers.1.name", "event");
		fact_set(&b[i], "replayers.1.sha256", i ? "cc" : "dd");
	}
	fact_set(&b[1], "replayers.1.version", "fio-3.36");
	free(b[1].program_version);
	b[1].program_version = xstrdup("2");
	assert_int_equal(pool_make(&p, b, 2, POOL_MEAN, false, &e), 0);
	assert_int_equal(p.n_warnings, 2);
	assert_int_equal(p.warning[0].kind, POOL_OTHER_PROGRAM);
	assert_string_equal(p.warning[0].what, "event");
	assert_string_equal(p.warning[0].x->name, "host0");
	assert_string_equal(p.warning[0].y->name, "host1");
	assert_null(p.warning[0].x_version);
	assert_string_equal(p.warning[0].y_version, "fio-3.36");
	assert_int_equal(p.warning[1].kind, POOL_OTHER_VERSION);
	pool_release(&p);
	laboratories_free(b);
}

/* If hosts are not known, laboratories are told apart by the source of their results. */
static void names(void **state)
{
	(void)state;
	struct baseline *b = laboratories_make();
	struct pool p;
	struct err e = ERR_INIT;
	free(b[5].host);
	b[5].host = xstrdup("host0");
	assert_int_equal(pool_make(&p, b, LABORATORIES, POOL_MEAN, false, &e), 0);
	assert_string_equal(p.laboratory[0].name, "lab0.json");
	pool_release(&p);
	laboratories_free(b);
}

/* Sets the only case of a laboratory. */
static void case_set(struct baseline *b, const char *replayer, const char *verdict, double bias)
{
	free(b->cell[0].replayer);
	free(b->cell[0].verdict);
	b->cell[0].replayer = xstrdup(replayer);
	b->cell[0].verdict = xstrdup(verdict);
	b->cell[0].bias = bias;
}

/* Four laboratories measured x, y and z. y has no case that is not trusted, z has the larger share
 * of trusted cases among the others, x has an invalid verdict. */
static void league(void **state)
{
	(void)state;
	struct baseline *b = laboratories_make();
	struct pool p;
	struct pool_league l;
	struct err e = ERR_INIT;
	case_set(&b[0], "x", "not trusted", -0.5);
	case_set(&b[1], "x", "<made up>", 0.01);
	case_set(&b[2], "y", "trusted", 0.02);
	case_set(&b[3], "y", "inconclusive", NAN);
	case_set(&b[4], "y", "trusted", -0.01);
	case_set(&b[5], "z", "not trusted", 0.3);
	case_set(&b[6], "z", "trusted", 0);
	case_set(&b[7], "z", "not trusted", 0.4);
	free(b[6].scenario[0].name);
	b[6].scenario[0].name = xstrdup("another class");
	if (pool_make(&p, b, LABORATORIES, POOL_MEAN, true, &e))
		fail_msg("%s", e.msg);
	pool_league_make(&l, &p);
	static const char *const ranks[] = {"y", "z", "x"};
	static const size_t trusted[] = {2, 1, 0}, inconclusive[] = {1, 0, 1}, not_trusted[] = {0, 2, 1};
	static const double worst[] = {0.02, 0.4, -0.5};
	assert_int_equal(l.n_ranks, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(l.rank[i].replayer, ranks[i]);
		assert_int_equal(l.rank[i].n_trusted, trusted[i]);
		assert_int_equal(l.rank[i].n_inconclusive, inconclusive[i]);
		assert_int_equal(l.rank[i].n_not_trusted, not_trusted[i]);
		assert_int_equal(l.rank[i].n_laboratories, trusted[i] + inconclusive[i] + not_trusted[i]);
		assert_true(l.rank[i].worst->bias == worst[i]);
		assert_string_equal(l.rank[i].worst_scenario, "s");
	}
	/* class "s" first, trusted before inconclusive, small bias before large and unknown */
	static const size_t laboratory[] = {4, 2, 1, 3, 5, 7, 0, 6};
	assert_int_equal(l.n_places, LABORATORIES);
	for (size_t i = 0; i < LABORATORIES; i++)
		assert_int_equal(l.place[i].laboratory, laboratory[i]);
	assert_int_equal(l.place[2].verdict, VERDICT_INCONCLUSIVE);
	pool_league_release(&l);
	pool_release(&p);
	laboratories_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(certified_values),
	    cmocka_unit_test(laboratories_without_a_case),
	    cmocka_unit_test(studies_that_cannot_be_pooled),
	    cmocka_unit_test(differences_that_the_protocol_hash_lacks),
	    cmocka_unit_test(another_program),
	    cmocka_unit_test(names),
	    cmocka_unit_test(league),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
