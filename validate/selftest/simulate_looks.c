/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns with a budget and a look after every pair: a case ends with its first verdict that is
 * not inconclusive. */
#include "validate/analysis/analysis.h"
#include "validate/selftest/simulate_private.h"
#include "validate/selftest/synthetic.h"

#define GROUP_FALSE_ALARM                                                                          \
	"a look after every pair, a faultless replayer: called \"not trusted\" in a campaign of " \
	"16 cases"
#define GROUP_DECIDED "a look after every pair, a faultless replayer: called \"trusted\""
#define GROUP_AT_LIMIT "a look after every pair, a replayer at a limit: called \"trusted\""
#define FALSE_ALARM 0.01
#define FALSE_TRUST 0.05
#define FIRST_LOOK 8
#define LAST_LOOK SYNTHETIC_BLOCKS_MAX
#define LAST_LOOK_QUICK 24 /* with --quick: a look costs the more, the more pairs there are */
/* factor by which the number of campaigns is smaller than with one look */
#define CAMPAIGNS_FEWER 50
#define AT_LIMIT_FEWER 20  /* campaigns of one scenario */
#define CELLS_MAX (SYNTHETIC_SCENARIOS * SYNTHETIC_REPLAYERS)

struct looks {
	struct synthetic synthetic;
	enum scatter scatter;
	struct defect defect;
	unsigned int last_look;
};

enum { N_CAMPAIGNS, N_ALARMED, N_CASES, N_TRUSTED, N_COUNTS };

static void looks_init(struct looks *l, const struct simulate_options *o, size_t n_scenarios)
{
	l->last_look = o->quick ? LAST_LOOK_QUICK : LAST_LOOK;
	synthetic_init_of(&l->synthetic, n_scenarios, l->last_look);
	struct protocol *p = &l->synthetic.results.protocol;
	p->budget_ns = 1;
	p->n_replicates_min = FIRST_LOOK;
}

/* Sets the verdicts at the first look at which each case is decided. */
static size_t look_take(struct looks *l, unsigned int n_blocks, enum verdict verdict[CELLS_MAX],
			bool counts[CELLS_MAX])
{
	SCOPED(analysis_release) struct analysis a = {0};
	size_t n_open = 0;
	synthetic_made_until(&l->synthetic, n_blocks);
	if (analysis_compute(&a, &l->synthetic.results, NULL) < 0)
		return 0;
	for (size_t i = 0; i < a.n_cells; i++) {
		counts[i] =
		    l->defect.kind == COMPONENT_N || synthetic_is_struck(&a.cell[i], &l->defect);
		if (verdict[i] == VERDICT_INCONCLUSIVE &&
		    (a.cell[i].verdict != VERDICT_TRUSTED ||
		     synthetic_is_trusted(&a.cell[i], &l->defect)))
			verdict[i] = a.cell[i].verdict;
		n_open += counts[i] && verdict[i] == VERDICT_INCONCLUSIVE;
	}
	return n_open;
}

static void looks_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	struct looks *l = context;
	enum verdict verdict[CELLS_MAX];
	bool counts[CELLS_MAX] = {false}, alarmed = false;
	size_t n_open = 1;
	for (size_t i = 0; i < CELLS_MAX; i++)
		verdict[i] = VERDICT_INCONCLUSIVE;
	synthetic_draw(&l->synthetic, l->scatter, &l->defect, rng);
	/* permutations take most of the time, so precision is examined only in campaigns with a
	 * defect of precision */
	if (l->defect.kind != COMPONENT_PRECISION)
		l->synthetic.results.protocol.accept.precision_ratio = NAN;
	for (unsigned int n = FIRST_LOOK; n <= l->last_look && n_open; n++)
		n_open = look_take(l, n, verdict, counts);
	for (size_t i = 0; i < CELLS_MAX; i++) {
		count[N_CASES] += counts[i];
		count[N_TRUSTED] += counts[i] && verdict[i] == VERDICT_TRUSTED;
		alarmed |= counts[i] && verdict[i] == VERDICT_NOT_TRUSTED;
	}
	count[N_CAMPAIGNS]++;
	count[N_ALARMED] += alarmed;
}

static int campaigns_run(const struct simulate_options *o, struct looks *l, const char *what,
			 uint64_t n, uint64_t *count, struct err *e)
{
	const uint64_t stream = 95000 + (uint64_t)l->scatter * (COMPONENT_N + 1) + l->defect.kind;
	return simulate_trials(o, what, looks_trial, l, n, N_COUNTS, stream, count, e);
}

static int faultless_simulate(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	static const enum scatter scatters[] = {SCATTER_NORMAL, SCATTER_T3, SCATTER_AR6,
						SCATTER_SHARED6, SCATTER_BANK};
	enum { N_SCATTERS = sizeof scatters / sizeof *scatters };
	uint64_t count[N_SCATTERS][N_COUNTS];
	struct looks l = {.defect = {.kind = COMPONENT_N}};
	int ret = 0;
	looks_init(&l, o, SYNTHETIC_SCENARIOS);
	for (size_t i = 0; i < N_SCATTERS && !ret; i++) {
		l.scatter = scatters[i];
		ret = campaigns_run(o, &l, "looks after every pair",
				    o->n_campaigns / CAMPAIGNS_FEWER, count[i], e);
	}
	for (size_t i = 0; i < N_SCATTERS && !ret; i++) {
		rate_promise(rate_add(rates, PART_STATISTICS, GROUP_FALSE_ALARM,
			"any case of a campaign", scatter_names[scatters[i]], count[i][N_ALARMED],
			count[i][N_CAMPAIGNS]), PROMISE_AT_MOST, FALSE_ALARM);
	}
	for (size_t i = 0; i < N_SCATTERS && !ret; i++)
		rate_add(rates, PART_STATISTICS, GROUP_DECIDED, "of all cases",
			 scatter_names[scatters[i]], count[i][N_TRUSTED], count[i][N_CASES]);
	synthetic_release(&l.synthetic);
	return ret;
}

static int at_limits(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	static const enum scatter scatters[] = {SCATTER_NORMAL, SCATTER_T3,      SCATTER_LOGNORMAL,
						SCATTER_AR6,    SCATTER_SHARED6, SCATTER_BANK};
	struct looks l = {.scatter = SCATTER_NORMAL};
	int ret = 0;
	for (int k = 0; k < COMPONENT_N && !ret; k++) {
		looks_init(&l, o, k == COMPONENT_LINEARITY ? 2 : 1); /* it needs two levels */
		l.defect = (struct defect){k, 1};
		for (size_t i = 0; i < sizeof scatters / sizeof *scatters && !ret; i++) {
			uint64_t count[N_COUNTS];
			char what[80];
			l.scatter = scatters[i];
			snprintf(what, sizeof what, "a look after every pair, at the limit of "
				"%s", component_names[k]);
			ret = campaigns_run(o, &l, what, o->n_campaigns / AT_LIMIT_FEWER, count, e);
			if (ret)
				break;
			rate_promise(rate_add(rates, PART_STATISTICS, GROUP_AT_LIMIT,
				component_names[k], scatter_names[scatters[i]], count[N_TRUSTED],
				count[N_CASES]), PROMISE_AT_MOST, FALSE_TRUST);
		}
		synthetic_release(&l.synthetic);
	}
	return ret;
}

int simulate_looks(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	int ret = faultless_simulate(o, rates, e);
	return ret ? ret : at_limits(o, rates, e);
}
