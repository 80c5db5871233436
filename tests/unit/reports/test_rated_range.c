/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rated ranges from constructed verdicts, and limits of quantification from constructed blank
 * replays. */
#define REASONS_IN_WORDS
#include "reports/reasons.h"
#include "tests/unit/validate/made_campaign.h"

#include "validate/analysis/rated_range.h"

/* A case: its rate in requests per second of a thread, and its verdict. Names are as in a
 * protocol. */
struct point {
	uint64_t level;
	const char *pause, *speed;
	double rate;
	enum verdict verdict;
};

struct ranges {
	struct results results;
	struct analysis a;
	struct cell cell[8];
	struct scenario scenario[8];
	struct replayer replayer[8];
	struct setting setting[8];
};

/* One workload and replayer; a scenario and a replayer for each case. */
static void make(struct ranges *r, const struct point *q, size_t n)
{
	memset(r, 0, sizeof *r);
	r->results.protocol = (struct protocol){.scenario = r->scenario, .replayer = r->replayer, .n_scenarios = n, .n_replayers = n};
	r->a = (struct analysis){.results = &r->results, .cell = r->cell, .n_cells = n};
	for (size_t i = 0; i < n; i++) {
		r->scenario[i].name = xasprintf("mix level=%d%s%s direct=yes", (int)q[i].level,
						*q[i].pause ? " pause=" : "", q[i].pause);
		r->scenario[i].level = q[i].level;
		r->setting[i] =
		    (struct setting){(char *)"speed", (char *)(q[i].speed ? q[i].speed : "1")};
		r->replayer[i] = (struct replayer){.name = xasprintf("event%s%s order=fs", q[i].speed ? " speed=" : "", q[i].speed ? q[i].speed : ""),
						   .option = &r->setting[i],
						   .n_options = 1,
						   .timed = q[i].speed};
		r->cell[i] = (struct cell){.scenario = i, .replayer = i, .verdict = q[i].verdict, .r_rate = {.mean = q[i].rate}, .r = {.mean = 900},
					     .n_lanes = (double)q[i].level, .concurrency = {.mean_r = q[i].rate * 1e-6}};
	}
	rated_ranges_compute(&r->a);
}

static void drop(struct ranges *r)
{
	for (size_t i = 0; i < r->a.n_cells; i++) {
		free(r->scenario[i].name);
		free(r->replayer[i].name);
	}
	rated_ranges_release(&r->a);
}

static const enum verdict yes = VERDICT_TRUSTED, no = VERDICT_NOT_TRUSTED,
			  open_ = VERDICT_INCONCLUSIVE;

static void up_to_the_first_that_is_not_trusted(void **state)
{
	(void)state;
	const struct point q[] = {{1, "10us", NULL, 9000, yes},
				  {2, "10us", NULL, 18000, open_},
				  {1, "", NULL, 50000, yes},
				  {1, "1ms", NULL, 900, yes},
				  {2, "1ms", NULL, 1800, yes}};
	struct ranges r;
	make(&r, q, 5);
	assert_int_equal(r.a.n_rated, 1);
	const struct rated_range *g = &r.a.rated[0];
	assert_string_equal(g->name, "mix direct=yes");
	assert_string_equal(g->replayer, "event order=fs");
	assert_int_equal(g->n, 5);
	assert_int_equal(g->rate.last, 2); /* 900, 1800, 9000 */
	assert_true(g->point[g->rate.last].rate == 9000);
	assert_int_equal(g->point[g->rate.next].verdict, open_);
	assert_true(g->point[g->rate.next].rate == 18000);
	assert_int_equal(g->rate.n_beyond, 1);
	/* The number in flight belongs to 1 us per request. The mean response time is shorter, as in
	 * a run in slices, where it lacks some requests. Gaps of level/rate - 1 us: 1110, 1110,
	 * 110, 110, 19 us; equal gaps in the order of their rates */
	assert_between(110110, g->point[g->gap.last].gap_ns, 110112);
	assert_true(g->point[g->gap.next].rate == 18000);
	assert_int_equal(g->gap.n_beyond, 1);
	drop(&r);
}

static void all_or_none(void **state)
{
	(void)state;
	const struct point q[] = {
	    {1, "", NULL, 100, yes}, {2, "", NULL, 200, yes}, {4, "", NULL, 400, yes}};
	struct ranges r;
	make(&r, q, 3);
	assert_true(r.a.rated[0].rate.last == 2 && r.a.rated[0].rate.next == RATED_NONE);
	assert_int_equal(r.a.rated[0].gap.next, RATED_NONE);
	drop(&r);
	const struct point none[] = {{1, "", NULL, 100, no}, {2, "", NULL, 200, yes}};
	make(&r, none, 2);
	assert_true(r.a.rated[0].rate.last == RATED_NONE && r.a.rated[0].rate.next == 0 &&
		    r.a.rated[0].rate.n_beyond == 1);
	drop(&r);
}

static void a_speed_factor_asks_more(void **state)
{
	(void)state;
	const struct point q[] = {
	    {1, "", "1", 1000, yes}, {1, "", "4", 1000, no}, {1, "", "2", 1000, yes}};
	struct ranges r;
	make(&r, q, 3);
	assert_int_equal(r.a.n_rated, 1);
	const struct rated_range *g = &r.a.rated[0];
	assert_true(g->point[g->rate.last].rate == 2000 && g->point[g->rate.next].rate == 4000);
	assert_true(g->point[g->gap.last].gap_ns == 999000 / 2.0 &&
		    g->point[g->gap.next].gap_ns == 999000 / 4.0);
	drop(&r);
}

static void other_factors_are_other_ranges(void **state)
{
	(void)state;
	const struct point q[] = {
	    {1, "", NULL, 100, yes}, {2, "", NULL, 200, no}, {1, "", NULL, NAN, yes}};
	struct ranges r;
	make(&r, q, 3);
	rated_ranges_release(&r.a);
	free(r.replayer[1].name);
	r.replayer[1].name = xstrdup("event order=thread");
	rated_ranges_compute(&r.a);
	assert_int_equal(r.a.n_rated, 2); /* the case without a rate is in no range */
	assert_true(r.a.rated[0].n == 1 && r.a.rated[1].n == 1);
	drop(&r);
}

/* --- blanks -------------------------------------------------------------- */

static void set_blanks(struct campaign *c, unsigned int n, double mean, double step)
{
	for (unsigned int b = 0; b <= n; b++) {
		struct run *run = run_find(c, b, 0, 0);
		run->has_blank = true;
		/* block 0 is never used */
		run->blank_mean_ns = b ? mean + step * (b % 2 ? 1 : -1) : 1e9;
	}
}

static void limit_of_quantification(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 3);
	assert_int_equal(a.cell[0].blank.status, STAT_NOT_ASSESSED);
	set_blanks(&c, 10, 25, 2);
	again(&c, &a);
	const struct blank *b = &a.cell[0].blank;
	assert_int_equal(b->status, STAT_OK);
	assert_int_equal(b->n, 10);
	assert_between(25 - 1e-9, b->mean_ns, 25 + 1e-9);
	assert_between(10 * sqrt(40 / 9.0) - 1e-9, b->loq_ns, 10 * sqrt(40 / 9.0) + 1e-9);
	assert_false(b->below);
	assert_int_equal(a.cell[0].component[COMPONENT_BIAS].decision, DECISION_ACCEPT);
	const struct budget_row *zero = NULL;
	for (size_t i = 0; i < a.cell[0].budget.n_rows; i++)
		if (!strcmp(a.cell[0].budget.row[i].source, "mean of the blank replays"))
			zero = &a.cell[0].budget.row[i];
	assert_non_null(zero);
	double u = sqrt(40 / 9.0 / 10) / a.cell[0].r.mean;
	assert_between(u * (1 - 1e-9), zero->u, u * (1 + 1e-9));
	assert_true(zero->type == 'A' && zero->nu == 9);
	done(&c, &a);
}

/* A reference of 1000 ns and a limit of quantification of 1054 ns: relative values are not decided,
 * however clear they look; counts are. */
static void below_the_limit_nothing_relative_is_decided(void **state)
{
	(void)state;
	static const struct effect biased = {.bias = 3, .sd_x = 0.01, .sd_r = 0.01, .common = 0.02};
	const struct effect *effect[] = {&faultless, &biased};
	for (int i = 0; i < 2; i++) {
		struct campaign c;
		struct analysis a;
		analysed(&c, &a, effect[i], 1, 1, 20, 3);
		assert_int_equal(a.cell[0].component[COMPONENT_BIAS].decision,
				 i ? DECISION_REJECT : DECISION_ACCEPT);
		set_blanks(&c, 10, 400, 100);
		again(&c, &a);
		assert_true(a.cell[0].blank.below);
		const struct component *k = &a.cell[0].component[COMPONENT_BIAS];
		assert_int_equal(k->decision, DECISION_INCONCLUSIVE);
		assert_true(isnan(k->p_reject) && k->n_more == 0);
		assert_non_null(strstr(k->reason, "limit of quantification, 1054 ns"));
		assert_int_equal(a.cell[0].component[COMPONENT_PRECISION].decision,
				 DECISION_INCONCLUSIVE);
		assert_int_equal(a.cell[0].component[COMPONENT_UNCERTAINTY].decision,
				 DECISION_INCONCLUSIVE);
		assert_int_equal(a.cell[0].component[COMPONENT_FIDELITY].decision, DECISION_ACCEPT);
		assert_int_equal(a.cell[0].component[COMPONENT_REORDERING].decision,
				 DECISION_ACCEPT);
		assert_int_not_equal(a.cell[0].verdict, VERDICT_TRUSTED);
		done(&c, &a);
	}
}

static void one_blank_or_blanks_alike_set_no_limit(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 3);
	set_blanks(&c, 1, 25, 2);
	again(&c, &a);
	assert_int_equal(a.cell[0].blank.status, STAT_TOO_FEW);
	set_blanks(&c, 10, 25, 0);
	again(&c, &a);
	assert_int_not_equal(a.cell[0].blank.status, STAT_NOT_ASSESSED);
	assert_false(a.cell[0].blank.below);
	done(&c, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(up_to_the_first_that_is_not_trusted),
	    cmocka_unit_test(all_or_none),
	    cmocka_unit_test(a_speed_factor_asks_more),
	    cmocka_unit_test(other_factors_are_other_ranges),
	    cmocka_unit_test(limit_of_quantification),
	    cmocka_unit_test(below_the_limit_nothing_relative_is_decided),
	    cmocka_unit_test(one_blank_or_blanks_alike_set_no_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
