/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims: what a claim limits, changes of a protocol's text, error rates with a look after every
 * pair, the number of pairs against a fixed design of equal power, and a lower bound of it
 * (doc/claim.md). */
/* long: 12 s */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "common/xalloc.h"
#include "validate/components/component.h"
#include "validate/protocol/protocol_read.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/paired_mean.h"

static int claim_read(struct protocol *p, const char *text, struct err *e)
{
	*p = (struct protocol){.accept = accept_defaults, .claimed = (char *)text};
	return claim_limits(p, e);
}

static void test_a_claim_limits_what_it_names(void **state)
{
	(void)state;
	struct protocol p;
	struct err e = ERR_INIT;
	assert_int_equal(claim_read(&p, "Mean response  time within 5 %, p99 within 10%, IOPS "
					"within 2 %", &e), 0);
	for (int k = 0; k < COMPONENT_N; k++) {
		const double limit = accept_limit(&p.accept, k),
			     wanted = k == COMPONENT_BIAS       ? 0.05
				      : k == COMPONENT_P99      ? 0.10
				      : k == COMPONENT_IOPS     ? 0.02
				      : k == COMPONENT_FIDELITY ? 0
								: NAN;
		assert_true(limit == wanted || (isnan(limit) && isnan(wanted)));
	}
	assert_true(isnan(p.accept.execution_time_timed));
	assert_int_equal(claim_read(&p, "latency within 0.1 and p99.9 latency within 20 %; "
					"execution time within 3 %", &e), 0);
	assert_true(p.accept.bias == 0.1 && p.accept.p999 == 0.2 && p.accept.execution_time == 0.03 &&
		    p.accept.execution_time_timed == 0.03 && isnan(p.accept.p99));
}

static void test_other_texts_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} bad[] = {
	    {"p99", "\"p99\": a part of a claim is QUANTITY within PERCENT"},
	    {"p99 within 10 %,", ""},
	    {"p98 within 10 %", "\"p98\" is not a quantity of a claim"},
	    {"p99 within", "\"p99 within\": a part of a claim"},
	    {"p99 within x", "p99: \"x\""},
	    {"p99 within 200 %", "p99: "},
	    {"p99 within 10 %, p99 latency within 5 %", "the claim limits \"p99\" twice"},
	    {"precision within 5 %", "\"precision\" is not a quantity"},
	    {", p99 within 10 %", "\"\": a part of a claim"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct protocol p;
		struct err e = ERR_INIT;
		const int ret = claim_read(&p, bad[i].text, &e);
		if (!*bad[i].message) { /* a comma at the end is no further part */
			assert_int_equal(ret, 0);
			continue;
		}
		assert_true(ret == -EINVAL || ret == -ERANGE);
		if (!strstr(e.msg, bad[i].message))
			fail_msg("%s: %s", bad[i].text, e.msg);
	}
}

static void test_the_text_of_a_protocol_changes(void **state)
{
	(void)state;
	static const char before[] = "; x\n[protocol]\nreplicates = 20,\n   30\nbank = 20\nsessions = 5\nseed = 2\n"
				     "[accept]\nbias = 1%\n[replayer a]\nengine = event\n"
				     "[workload w]\ntype = rw\n[replayer ab]\nengine = fio\n";
	static const char after[] = "; x\n[protocol]\nclaim = p99 within 1 %\nbudget = 1s\n"
				    "replicates = 8..9\nbank = 10\nsessions = 4\nseed = 2\n[replayer a]\n"
				    "engine = event\n"
				    "[workload w]\ntype = rw\n\n[replayer n]\n";
	struct strbuf text = STRBUF_INIT;
	const char *const keep[] = {"a", NULL};
	strbuf_addstr(&text, before);
	assert_true(protocol_text_has(text.s, "replayer", "ab"));
	assert_false(protocol_text_has(text.s, "replayer", "b"));
	protocol_text_change(&text, &(struct protocol_given){.replicates = "8..9", .budget = "1s",
							     .claim = "p99 within 1 %",
							     .replayers = keep,
							     .sections = "[replayer n]\n"}, 20, 5);
	assert_string_equal(text.s, after);
	strbuf_release(&text);
}

/* --- simulated claims of one part ------------------------------------------ */

enum { FIRST = 8, LOOKS_END = 60, MOST = 90, TRIALS = 400 };
#define LIMIT 0.05
#define POWER 0.95
#define SD 0.06 /* of ln(replay/program) from pair to pair */

/* The smallest P-values of a series after each number of pairs. */
struct course {
	double accept[MOST + 1]; /* larger of the two */
	double outside[MOST + 1];
};

static void course_make(struct course *c, const double *d, size_t last)
{
	const double low = log1p(-LIMIT), high = log1p(LIMIT);
	for (size_t n = FIRST; n <= last; n++) {
		struct paired_mean m;
		assert_int_equal(paired_mean_of(d, n, &m), STAT_OK);
		const struct ratio_evidence e = {
		    .d = (double *)d, .n = n, .t = m.t, .wide = m.wide, .serial = m.serial};
		const struct mean_p p = ratio_p(&e, low, high, &(struct levels){.cautious = true});
		c->accept[n] = p.accept;
		c->outside[n] = p.reject / 2;
	}
}

enum outcome { INCONCLUSIVE, SHOWN, REFUTED };

/* The first decision with a look after each pair from FIRST to `last`; first == last: one look. */
static enum outcome outcome_of(const struct course *c, size_t first, size_t last, size_t *n_pairs)
{
	const double span = log((double)last / (double)first), level = sequential_level(0.05, span);
	for (*n_pairs = first; *n_pairs <= last; ++*n_pairs) {
		if (2 * sequential_p(c->outside[*n_pairs], span) <= 0.01)
			return REFUTED;
		if (c->accept[*n_pairs] <= level)
			return SHOWN;
	}
	*n_pairs = last;
	return INCONCLUSIVE;
}

/* Series with a true deviation; t3: heavy tails; ar: both roles depend on the run before. */
enum scatter { NORMAL, T3, AR6, N_SCATTERS };
static const char *const scatter_names[] = {"normal", "t3", "AR 0.6"};

static void courses_draw(struct course *c, int n_trials, size_t last, enum scatter scatter,
			 double deviation, unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	for (int trial = 0; trial < n_trials; trial++) {
		double d[MOST], state = gsl_ran_gaussian(rng, 1);
		for (size_t i = 0; i < MOST; i++) {
			state = 0.6 * state + 0.8 * gsl_ran_gaussian(rng, 1);
			d[i] = log1p(deviation) +
			       SD * (scatter == NORMAL ? gsl_ran_gaussian(rng, 1)
				     : scatter == T3   ? gsl_ran_tdist(rng, 3) / sqrt(3)
						     : state);
		}
		course_make(&c[trial], d, last);
	}
	gsl_rng_free(rng);
}

static size_t count(const struct course *c, int n_trials, size_t first, size_t last,
		    enum outcome wanted, double *mean_pairs)
{
	size_t n = 0, n_pairs, sum = 0;
	for (int trial = 0; trial < n_trials; trial++) {
		n += outcome_of(&c[trial], first, last, &n_pairs) == wanted;
		sum += n_pairs;
	}
	*mean_pairs = (double)sum / n_trials;
	return n;
}

static double most_of(double rate, int n_trials)
{
	return n_trials * rate + 3 * sqrt(n_trials * rate * (1 - rate));
}

/* CLAIM_SERIES=N simulates N series of each kind. */
static void test_errors(void **state)
{
	(void)state;
	const char *given = getenv("CLAIM_SERIES");
	const int n_trials = given ? atoi(given) : TRIALS;
	assert_true(n_trials >= TRIALS);
	struct course *c = xcalloc((size_t)n_trials, sizeof *c);
	double pairs;
	for (enum scatter scatter = 0; scatter < N_SCATTERS; scatter++) {
		courses_draw(c, n_trials, LOOKS_END, scatter, LIMIT, 1 + scatter);
		const size_t shown = count(c, n_trials, FIRST, LOOKS_END, SHOWN, &pairs),
			     refuted = count(c, n_trials, FIRST, LOOKS_END, REFUTED, &pairs);
		print_message("%s, at the limit: shown %.2f %%, refuted %.2f %% of %d\n",
			      scatter_names[scatter], 100 * (double)shown / n_trials,
			      100 * (double)refuted / n_trials, n_trials);
		assert_true(shown <= most_of(0.05, n_trials));
		assert_true(refuted <= most_of(0.01, n_trials));
	}
	free(c);
}

/* A design must be chosen before the deviation is known. So the fixed design has the smallest
 * number of pairs, and the sequential design the smallest maximum, with which each claim of these
 * deviations is decided with the power. */
static void test_pairs_at_equal_power(void **state)
{
	(void)state;
	static const double deviations[] = {0, 2 * LIMIT, 4 * LIMIT};
	enum { N = sizeof deviations / sizeof *deviations };
	struct course *c[N];
	double sum = 0;
	size_t fixed = FIRST, last = FIRST, fixed_of[N], last_of[N];
	for (size_t i = 0; i < N; i++) {
		const enum outcome wanted = deviations[i] > 0 ? REFUTED : SHOWN;
		double pairs;
		c[i] = xcalloc(TRIALS, sizeof **c);
		courses_draw(c[i], TRIALS, MOST, NORMAL, deviations[i], 11 + i);
		fixed_of[i] = FIRST;
		while (fixed_of[i] < MOST &&
		       (double)count(c[i], TRIALS, fixed_of[i], fixed_of[i], wanted, &pairs) < POWER * TRIALS)
			fixed_of[i]++;
		fixed = fixed_of[i] > fixed ? fixed_of[i] : fixed;
		last_of[i] = FIRST;
		while (last_of[i] < MOST &&
		       (double)count(c[i], TRIALS, FIRST, last_of[i], wanted, &pairs) < POWER * TRIALS)
			last_of[i]++;
		last = last_of[i] > last ? last_of[i] : last;
	}
	for (size_t i = 0; i < N; i++) {
		double pairs, alone;
		count(c[i], TRIALS, FIRST, last_of[i], SHOWN, &alone);
		count(c[i], TRIALS, FIRST, last, SHOWN, &pairs);
		print_message("deviation %.0f %%: at most %zu pairs, on average %.1f; fixed design for "
			      "all %zu; for this deviation alone: at most %zu, on average %.1f; "
			      "fixed %zu\n",
			      100 * deviations[i], last, pairs, fixed, last_of[i], alone, fixed_of[i]);
		sum += pairs;
		free(c[i]);
	}
	print_message("all: %.0f %% of the fixed design\n", 100 * sum / N / (double)fixed);
	assert_true(fixed < MOST && last < MOST);
	assert_true(sum / N <= 0.60 * (double)fixed);
}

/* --- what no test can save ------------------------------------------------- */

enum { GRID = 501, LAST = 70 };
#define GRID_STEP 0.08 /* of the sum of deviates */

/* Lower bound of the mean number of pairs at deviation 0 for every sequential test that shows the
 * claim there with POWER, and at the limits with at most 5 %: normal pairs of known scatter,
 * `limit` in standard deviations. For all prices a of a false and b of a missed claim, a test's
 * pairs + a P(shown at a limit) + b P(not shown at 0) are at least the cost of the best rule, found
 * by backward induction over the number of pairs and their sum. The prices decide only how tight
 * the bound is. LAST cuts the search off where nearly every series is decided: it makes the best
 * rule dearer by less than 0.01 pairs. Source: Lorden (1976) and Kiefer and Weiss (1957) for the
 * problem. */
static double fewest_pairs(double limit)
{
	static const double a = 72.757, b = 17.866;
	double cost[GRID], next[GRID], step[GRID], sum = 0;
	for (int k = 0; k < GRID; k++)
		step[k] = exp(-pow(k * GRID_STEP, 2) / 2);
	for (int k = 0; k < GRID; k++)
		sum += (k ? 2 : 1) * step[k];
	for (int n = LAST; n >= 0; n--) {
		for (int i = 0; i < GRID; i++) {
			const double x = (i - GRID / 2) * GRID_STEP,
				     likely = exp(-n * limit * limit / 2) * cosh(x * limit);
			double more = n < LAST ? 1 : INFINITY;
			for (int j = 0; n < LAST && j < GRID; j++)
				more += step[abs(i - j)] / sum * next[j];
			cost[i] = fmin(more, n ? fmin(a * likely, b) : INFINITY);
		}
		memcpy(next, cost, sizeof next);
	}
	return cost[GRID / 2] - 0.05 * a - (1 - POWER) * b;
}

static void test_no_test_needs_far_fewer_pairs(void **state)
{
	(void)state;
	const double limit = LIMIT / SD;
	unsigned int fixed = 1; /* two one-sided tests of a known scatter */
	while (1 - 2 * gsl_cdf_ugaussian_Q(sqrt(fixed) * limit - gsl_cdf_ugaussian_Qinv(0.05)) <
	       POWER)
		fixed++;
	const double fewest = fewest_pairs(limit);
	print_message("known scatter, deviation 0: no test needs fewer than %.1f pairs on average; "
		      "fixed design %u (%.0f %%)\n", fewest, fixed, 100 * fewest / fixed);
	assert_int_equal(fixed, 19);
	assert_true(fewest > 11.6 && fewest < 11.9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_claim_limits_what_it_names),
	    cmocka_unit_test(test_other_texts_are_refused),
	    cmocka_unit_test(test_the_text_of_a_protocol_changes),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_pairs_at_equal_power),
	    cmocka_unit_test(test_no_test_needs_far_fewer_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
