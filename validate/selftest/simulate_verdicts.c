/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrong verdicts by the complete decision rule: simulated campaigns pass through analysis_compute,
 * as real campaigns do. */
#include "validate/analysis/analysis.h"
#include "validate/selftest/simulate_private.h"
#include "validate/selftest/synthetic.h"

#define GROUP_FALSE_ALARM "a faultless replayer: called \"not trusted\" in a campaign of 16 cases"
#define GROUP_TRUSTED "a faultless replayer: called \"trusted\""
#define GROUP_AT_LIMIT "a replayer at a limit: called \"trusted\""
#define GROUP_CURVE "a replayer that deviates by a multiple of a limit: called \"not trusted\""
#define GROUP_CURVE_TRUSTED "a replayer that deviates by a multiple of a limit: called \"trusted\""

#define FALSE_ALARM 0.01
#define FALSE_TRUST 0.05
/* number of kinds of scatter that have all campaigns; the other kinds have a fifth */
#define SCATTERS_WHOLE 2
#define SCATTERS_FEWER 5
/* smaller by this factor, because a campaign has 8 cases with the defect */
#define AT_LIMIT_FEWER 20
#define CURVE_FEWER 50

struct verdicts {
	struct synthetic synthetic;
	enum scatter scatter;
	struct defect defect;
};

enum { N_CAMPAIGNS, N_ALARMED, N_CASES, N_TRUSTED, N_NOT_TRUSTED, N_COUNTS };

static void verdicts_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	struct verdicts *v = context;
	SCOPED(analysis_release) struct analysis a = {0};
	bool faultless = v->defect.kind == COMPONENT_N;
	synthetic_draw(&v->synthetic, v->scatter, &v->defect, rng);
	count[N_CAMPAIGNS]++;
	if (analysis_compute(&a, &v->synthetic.results, NULL) < 0)
		return;
	count[N_ALARMED] += a.n_not_trusted > 0;
	for (size_t i = 0; i < a.n_cells; i++) {
		if (!faultless && !synthetic_is_struck(&a.cell[i], &v->defect))
			continue;
		count[N_CASES]++;
		count[N_TRUSTED] += synthetic_is_trusted(&a.cell[i], &v->defect);
		count[N_NOT_TRUSTED] += a.cell[i].verdict == VERDICT_NOT_TRUSTED;
	}
}

static int campaigns_run(const struct simulate_options *o, struct verdicts *v, const char *what,
			 uint64_t n, uint64_t stream, uint64_t *count, struct err *e)
{
	return simulate_trials(o, what, verdicts_trial, v, n, N_COUNTS, stream, count, e);
}

static uint64_t stream_of(const struct verdicts *v)
{
	return ((uint64_t)v->scatter * (COMPONENT_N + 1) + v->defect.kind) * 100 +
	       (uint64_t)lround(10 * v->defect.times);
}

/* --- faultless ----------------------------------------------------------- */

static int faultless_simulate(const struct simulate_options *o, struct verdicts *v,
			      struct rates *rates, struct err *e)
{
	uint64_t count[SCATTER_N][N_COUNTS];
	int ret = 0;
	v->defect = (struct defect){.kind = COMPONENT_N};
	for (v->scatter = 0; v->scatter < SCATTER_N && !ret; v->scatter++)
		ret = campaigns_run(o, v, "faultless replayers",
				    o->n_campaigns /
					(v->scatter < SCATTERS_WHOLE ? 1 : SCATTERS_FEWER),
				    stream_of(v), count[v->scatter], e);
	for (size_t i = 0; i < SCATTER_N && !ret; i++) {
		rate_promise(rate_add(rates, PART_STATISTICS, GROUP_FALSE_ALARM,
			"any case of a campaign", scatter_names[i], count[i][N_ALARMED],
			count[i][N_CAMPAIGNS]), PROMISE_AT_MOST, FALSE_ALARM);
	}
	for (size_t i = 0; i < SCATTER_N && !ret; i++)
		rate_add(rates, PART_STATISTICS, GROUP_TRUSTED, "of all cases", scatter_names[i],
			 count[i][N_TRUSTED], count[i][N_CASES]);
	return ret;
}

/* --- at a limit ---------------------------------------------------------- */

static int at_limits(const struct simulate_options *o, struct verdicts *v, struct rates *rates,
		     struct err *e)
{
	int ret = 0;
	for (int i = 0; i < COMPONENT_N && !ret; i++)
		for (v->scatter = 0; v->scatter < SCATTER_N && !ret; v->scatter++) {
			uint64_t count[N_COUNTS];
			char what[64];
			v->defect = (struct defect){i, 1};
			snprintf(what, sizeof what, "at the limit of %s", component_names[i]);
			ret = campaigns_run(o, v, what, o->n_campaigns / AT_LIMIT_FEWER,
					    stream_of(v), count, e);
			if (ret)
				break;
			rate_promise(rate_add(rates, PART_STATISTICS, GROUP_AT_LIMIT,
				component_names[i], scatter_names[v->scatter], count[N_TRUSTED],
				count[N_CASES]), PROMISE_AT_MOST, FALSE_TRUST);
		}
	return ret;
}

/* --- the operating characteristic ---------------------------------------- */

static const double multiples[] = {0.5, 1, 1.5, 2, 3, 5};
#define N_MULTIPLES (sizeof multiples / sizeof *multiples)

static void curve_add(struct rates *rates, const char *group, enum component_kind kind,
		      double times, uint64_t k, uint64_t n)
{
	char condition[32];
	snprintf(condition, sizeof condition, "%g x limit", times);
	rate_add(rates, PART_STATISTICS, group, component_names[kind], condition, k, n);
}

static int curves_simulate(const struct simulate_options *o, struct verdicts *v,
			   struct rates *rates, struct err *e)
{
	uint64_t count[COMPONENT_N][N_MULTIPLES][N_COUNTS];
	int ret = 0;
	v->scatter = SCATTER_NORMAL;
	for (int i = 0; i < COMPONENT_N && !ret; i++)
		for (size_t j = 0; j < N_MULTIPLES && !ret; j++) {
			v->defect = (struct defect){i, multiples[j]};
			/* not simulated */
			if (i == COMPONENT_IN_FLIGHT_MAX && multiples[j] > 1)
				v->defect.times = 1;
			ret = campaigns_run(o, v, "operating characteristic",
					    o->n_campaigns / CURVE_FEWER, stream_of(v) + 7,
					    count[i][j], e);
		}
	for (int trusted = 0; trusted < 2 && !ret; trusted++)
		for (int i = 0; i < COMPONENT_N; i++)
			for (size_t j = 0; j < N_MULTIPLES; j++)
				if (i != COMPONENT_FIDELITY && i != COMPONENT_IN_FLIGHT_MAX)
					curve_add(rates,
						  trusted ? GROUP_CURVE_TRUSTED : GROUP_CURVE, i,
						  multiples[j],
						  count[i][j][trusted ? N_TRUSTED : N_NOT_TRUSTED],
						  count[i][j][N_CASES]);
	return ret;
}

int simulate_verdicts(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	struct verdicts v = {0};
	synthetic_init(&v.synthetic);
	int ret = faultless_simulate(o, &v, rates, e);
	ret = ret ? ret : at_limits(o, &v, rates, e);
	if (!ret && !o->quick)
		ret = curves_simulate(o, &v, rates, e);
	synthetic_release(&v.synthetic);
	return ret;
}
