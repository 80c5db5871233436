/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/synthetic.h"

#include <gsl/gsl_randist.h>

#include "validate/results/design.h"
#include "validate/selftest/noise.h"

const char *const scatter_names[SCATTER_N] = {
    "normal", "pairs",    "drift", "t3",          "lognormal",   "outliers", "AR 0.6",
    "AR 0.8", "sessions", "noisy", "AR 0.6 both", "AR 0.8 both", "volume",   "bank"};

#define N_REQUESTS 2000
#define N_LEVELS 9      /* number of concurrency levels without a defect */
#define N_LEVELS_MAX 11 /* number of levels if the maximum in flight is 25 % larger */
#define OWN_SD 0.03
#define NOISY_SD 0.12
#define PAIRS_SD 0.04
#define DRIFT 0.20
#define OUTLIERS 0.05
#define OUTLIER 10.0
#define SESSIONS 0.10
#define BANK 8
#define BANK_SD 0.02 /* sd of the part of a replay that its recording determines */
#define LEVEL_SD 0.002 /* sd of a run's share of time at a level */
/* Limits of components without a default limit; the replays of these components are timed. */
#define LIMIT_ISSUE_ERROR_NS 1000000
#define LIMIT_SHARE_LATE 0.05
#define LIMIT_ON_DEMAND 0.10
#define REQUESTS_FOR_P999 5000 /* five beyond it */
/* sd of a normal distribution with outliers, relative to that of the normal: 1 + p m^2/3 - (p
 * m/2)^2 */
#define OUTLIERS_SD                                                                                \
	sqrt(1 + OUTLIERS * OUTLIER * OUTLIER / 3 - OUTLIERS * OUTLIER / 2 * OUTLIERS * OUTLIER / 2)
/* sd at which U reaches the limit: U is 1.96 sqrt(s^2 (1 + 1/n) + s_r^2/n), s of the replays and
 * s_r of the program */
#define SD_AT_UNCERTAINTY(limit, sd_r)                                                             \
	sqrt(((limit) / 1.959963984540054 * (limit) / 1.959963984540054 -                          \
	      (sd_r) * (sd_r) / SYNTHETIC_BLOCKS) /                                                \
	     (1 + 1.0 / SYNTHETIC_BLOCKS))

static const double level_share[N_LEVELS] = {0.30, 0.40, 0.20,  0.05, 0.02,
					     0.01, 0.01, 0.005, 0.005};

enum { N_ROLES = 1 + SYNTHETIC_REPLAYERS }; /* the program, then the replayers */

static struct run *run_of(const struct synthetic *s, size_t block, size_t scenario, size_t role)
{
	return &s->results .run[((block - 1) * s->results.protocol.n_scenarios + scenario) *
		N_ROLES + role];
}

static void protocol_init(struct protocol *p, size_t n_scenarios, unsigned int n_blocks)
{
	static const char *const types[] = {"random-read", "random-write", "sequential-read",
					    "sequential-write"};
	*p = (struct protocol){
		.n_scenarios = n_scenarios, .n_replayers = SYNTHETIC_REPLAYERS, .n_targets = 1,
		.n_replicates_min = n_blocks, .n_replicates_max = n_blocks, .n_looks = 1,
		.look = {n_blocks}, .accept = accept_defaults,
	};
	p->accept.execution_time_timed = 0.10; /* as protocols/quick.conf */
	p->target = xcalloc(1, sizeof *p->target);
	p->scenario = xcalloc(p->n_scenarios, sizeof *p->scenario);
	p->replayer = xcalloc(p->n_replayers, sizeof *p->replayer);
	for (size_t i = 0; i < p->n_scenarios; i++)
		p->scenario[i] = (struct scenario){.name = xasprintf("%s level=%zu", types[i / 2],
								     i % 2 + 1),
						   .workload = xstrdup(types[i / 2]),
						   .type = xstrdup(types[i / 2]),
						   .level = i % 2 + 1,
						   .group = i / 2};
	for (size_t i = 0; i < p->n_replayers; i++)
		p->replayer[i] = (struct replayer){.name = xasprintf("replayer %zu", i),
		    .total_order = i == 0};
}

void synthetic_init(struct synthetic *s)
{
	synthetic_init_of(s, SYNTHETIC_SCENARIOS, SYNTHETIC_BLOCKS);
}

void synthetic_init_of(struct synthetic *s, size_t n_scenarios, unsigned int n_blocks)
{
	*s = (struct synthetic){.n_blocks = n_blocks};
	struct results *r = &s->results;
	protocol_init(&r->protocol, n_scenarios, n_blocks);
	r->finished = r->verdicts_only = true;
	r->n_runs = n_blocks * n_scenarios * N_ROLES;
	r->run = xcalloc(r->n_runs, sizeof *r->run);
	for (size_t i = 0; i < r->n_runs; i++) {
		struct run *run = &r->run[i];
		*run = (struct run){.id = (uint32_t)i,
				    .block = (uint32_t)(i / (n_scenarios * N_ROLES) + 1),
				    .scenario = (uint32_t)(i / N_ROLES % n_scenarios),
				    .role = i % N_ROLES ? (int32_t)(i % N_ROLES) - 1 : ROLE_PROGRAM,
				    .state = RUN_OK,
				    .has_summary = true};
		run->bank = run->block;
		run->summary.ns_at_level = xcalloc(N_LEVELS_MAX, sizeof *run->summary.ns_at_level);
		run->summary.requests_at_level =
		    xcalloc(N_LEVELS_MAX, sizeof *run->summary.requests_at_level);
		run->summary.op = xcalloc(2, sizeof *run->summary.op);
		strcpy(run->summary.op[0].op, "read");
		strcpy(run->summary.op[1].op, "write");
	}
}

void synthetic_release(struct synthetic *s)
{
	struct protocol *p = &s->results.protocol;
	for (size_t i = 0; i < s->results.n_runs; i++) {
		FREE_EACH(s->results.run[i].summary.ns_at_level,
			s->results.run[i].summary.requests_at_level, s->results.run[i].summary.op);
	}
	for (size_t i = 0; i < p->n_scenarios; i++)
		FREE_EACH(p->scenario[i].name, p->scenario[i].workload, p->scenario[i].type);
	for (size_t i = 0; i < p->n_replayers; i++)
		free(p->replayer[i].name);
	FREE_EACH(p->target, p->scenario, p->replayer, s->results.run);
}

/* --- response times ------------------------------------------------------ */

static void blocks_draw(enum scatter scatter, gsl_rng *rng, double *block, size_t n)
{
	double sd = scatter == SCATTER_PAIRS ? PAIRS_SD : scatter == SCATTER_DRIFT ? 0.01 : 0;
	if (scatter == SCATTER_SHARED6 || scatter == SCATTER_SHARED8) {
		noise_draw(scatter == SCATTER_SHARED6 ? NOISE_AR6 : NOISE_AR8, rng, block, n);
		for (size_t b = 0; b < n; b++)
			block[b] *= PAIRS_SD;
		return;
	}
	for (size_t b = 0; b < n; b++) {
		block[b] = sd > 0 ? gsl_ran_gaussian_ziggurat(rng, sd) : 0;
		if (scatter == SCATTER_DRIFT)
			block[b] += DRIFT * (double)b / (double)n;
		if (scatter == SCATTER_SESSIONS && b >= n / 2)
			block[b] += SESSIONS;
	}
}

/* Draws a series of consecutive runs with standard deviation 1. It is dependent if response times
 * are. */
static void course_draw(enum scatter scatter, gsl_rng *rng, double *z, size_t n)
{
	noise_draw(scatter == SCATTER_AR6   ? NOISE_AR6
		   : scatter == SCATTER_AR8 ? NOISE_AR8
					: NOISE_NORMAL,
		   rng, z, n);
}

/* Draws each run's own part, with standard deviation `sd`. With outliers, every twentieth run is
 * larger by up to 10 times that. */
static void own_draw(enum scatter scatter, double sd, gsl_rng *rng, double *own, size_t n)
{
	enum noise kind = scatter == SCATTER_T3	     ? NOISE_T3
			  : scatter == SCATTER_LOGNORMAL ? NOISE_LOGNORMAL
			  : scatter == SCATTER_AR6	     ? NOISE_AR6
			  : scatter == SCATTER_AR8	     ? NOISE_AR8
						     : NOISE_NORMAL;
	noise_draw(kind, rng, own, n);
	for (size_t b = 0; b < n; b++) {
		if (scatter == SCATTER_OUTLIERS && gsl_rng_uniform(rng) < OUTLIERS)
			own[b] += OUTLIER * gsl_rng_uniform(rng);
		own[b] *= sd;
	}
}

/* Draws the part of the scatter of replays that comes from their recordings, with standard
 * deviation BANK_SD. */
static void bank_draw(gsl_rng *rng, double sd, double *own, size_t n)
{
	const double rest = sqrt(1 - BANK_SD * BANK_SD / (sd * sd));
	double of_recording[BANK];
	for (size_t i = 0; i < BANK; i++)
		of_recording[i] = gsl_ran_gaussian_ziggurat(rng, BANK_SD);
	for (size_t b = 0; b < n; b++)
		own[b] = own[b] * rest + of_recording[b % BANK];
}

/* Returns the standard deviation of the part that both roles of a block share over the campaign. */
static double shared_sd(enum scatter scatter)
{
	return scatter == SCATTER_PAIRS || scatter == SCATTER_SHARED6 || scatter == SCATTER_SHARED8
		   ? PAIRS_SD
	       : scatter == SCATTER_DRIFT    ? hypot(0.01, DRIFT / sqrt(12))
	       : scatter == SCATTER_SESSIONS ? SESSIONS / 2
					     : 0;
}

/* Returns the standard deviation of a role's own part. A scatter of twice the program's includes
 * the part that blocks share. */
static double own_sd(enum scatter scatter, const struct defect *d, bool struck)
{
	double sd = scatter == SCATTER_NOISY ? NOISY_SD : OWN_SD, shared = shared_sd(scatter);
	double outliers = scatter == SCATTER_OUTLIERS ? OUTLIERS_SD : 1;
	if (struck && d->kind == COMPONENT_UNCERTAINTY) {
		double whole = SD_AT_UNCERTAINTY(accept_defaults.uncertainty * d->times,
						 hypot(sd * outliers, shared));
		return sqrt(whole * whole - shared * shared) / outliers;
	}
	if (!struck || d->kind != COMPONENT_PRECISION)
		return sd;
	double ratio = d->times * accept_defaults.precision_ratio;
	return sqrt(ratio * ratio * (sd * sd + shared * shared) - shared * shared);
}

/* Returns the factor on the mean response time. A line through two levels can deviate only in its
 * slope: half below, half above. */
static double bias_of(const struct defect *d, size_t scenario, bool struck)
{
	if (struck && d->kind == COMPONENT_BIAS)
		return 1 + d->times * accept_defaults.bias;
	if (struck && d->kind == COMPONENT_LINEARITY)
		return 1 + (scenario % 2 ? 0.5 : -0.5) * d->times * accept_defaults.linearity;
	return 1;
}

/* --- the rest of a summary ----------------------------------------------- */

/* The courses of one role. */
struct synthetic_course {
	double own[SYNTHETIC_BLOCKS_MAX]; /* logarithm of the response time */
	/* of standard deviation 1 */
	double level[SYNTHETIC_BLOCKS_MAX], order[SYNTHETIC_BLOCKS_MAX],
	    issue[SYNTHETIC_BLOCKS_MAX];
	bool dependent;
};

/* Draws the number of requests with this share: binomial, or, if runs are dependent, a variable
 * with the same mean and variance. */
static uint64_t requests_of(double share, const struct synthetic_course *c, double z, gsl_rng *rng)
{
	share = fmin(1, share);
	if (!c->dependent)
		return gsl_ran_binomial(rng, share, N_REQUESTS);
	double n = N_REQUESTS * share + z * sqrt(N_REQUESTS * share * (1 - share));
	return (uint64_t)lround(fmin(N_REQUESTS, fmax(0, n)));
}

/* Draws shares of time by concurrency level, with the defect's shift and a small scatter z. */
static size_t levels_draw(double *share, const struct defect *d, bool struck, double z)
{
	size_t n = N_LEVELS;
	memset(share, 0, N_LEVELS_MAX * sizeof *share);
	memcpy(share, level_share, sizeof level_share);
	double mean = 0, move = LEVEL_SD * z;
	for (size_t i = 0; i < N_LEVELS; i++)
		mean += (double)i * share[i];
	/* move a part one level up and an equal part one level down, so the mean does not change */
	if (struck && d->kind == COMPONENT_CONCURRENCY)
		move += d->times * accept_defaults.concurrency;
	share[1] -= 2 * move;
	share[0] += move;
	share[2] += move;
	if (struck && d->kind == COMPONENT_IN_FLIGHT) { /* five levels up: a small distance */
		double up = d->times * accept_defaults.in_flight * mean / 5;
		share[0] -= up;
		share[5] += up;
	}
	if (struck && d->kind == COMPONENT_IN_FLIGHT_MAX) {
		n += (size_t)lround(d->times * accept_defaults.in_flight_max * (N_LEVELS - 1));
		share[n - 1] += 0.0005;
		share[0] -= 0.0005;
	}
	return n;
}

static void levels_set(struct run_summary *s, const struct defect *d, bool struck, double z)
{
	double share[N_LEVELS_MAX];
	int64_t left = s->execution_ns;
	uint64_t requests = N_REQUESTS;
	s->n_levels = levels_draw(share, d, struck, z);
	for (size_t i = 1; i < s->n_levels; i++) {
		s->ns_at_level[i] = (int64_t)(share[i] * (double)s->execution_ns);
		s->requests_at_level[i] = (uint64_t)(share[i] * N_REQUESTS);
		left -= s->ns_at_level[i];
		requests -= s->requests_at_level[i];
	}
	s->ns_at_level[0] = left;
	s->requests_at_level[0] = 0;
	s->requests_at_level[1] += requests;
}

static void order_set(struct run_summary *s, const struct defect *d, bool struck,
		      const struct synthetic_course *c, size_t block, gsl_rng *rng)
{
	double share = struck && d->kind == COMPONENT_REORDERING
			   ? d->times * accept_defaults.reordered
			   : 0.001;
	uint64_t n = requests_of(share, c, c->order[block - 1], rng);
	s->has_input = true;
	s->n_input = N_REQUESTS;
	/* the smallest possible fault: one request in one run, which is before the first look */
	s->n_lost = struck && d->kind == COMPONENT_FIDELITY && block == 1 ? 1 : 0;
	s->reorder_all = s->reorder_thread = s->reorder_object =
		(struct reorder_summary){.n_received = N_REQUESTS, .n_reordered = n};
}

static void issue_set(struct run_summary *s, const struct defect *d, bool struck,
		      const struct synthetic_course *c, size_t block, gsl_rng *rng)
{
	double error = struck && d->kind == COMPONENT_ISSUE_ERROR ? d->times * LIMIT_ISSUE_ERROR_NS
								  : LIMIT_ISSUE_ERROR_NS / 4;
	double late = struck && d->kind == COMPONENT_SHARE_LATE ? d->times * LIMIT_SHARE_LATE
								: LIMIT_SHARE_LATE / 10;
	s->has_issue_error = true;
	s->issue_error = (struct moments){.n = N_REQUESTS, .mean = error / 10, .sd = error / 5,
	    .max = 2 * error};
	s->issue_error_p99 = fmax(0, error * (1 + 0.2 * c->issue[block - 1]));
	s->issue_error_p50 = s->issue_error_p99 / 20;
	s->share_late = (double)requests_of(late, c, -c->issue[block - 1], rng) / N_REQUESTS;
}

static void times_set(struct run_summary *s, double mean_ns, double execution_ns)
{
	int64_t *ns = s->ns_at_level;
	uint64_t *requests = s->requests_at_level;
	struct op_summary *op = s->op;
	*s = (struct run_summary){
		.response = {.n = N_REQUESTS, .mean = mean_ns, .sd = mean_ns / 4,
		.min = mean_ns / 2, .max = mean_ns * 9},
		.response_median = mean_ns * 0.9, .response_trimmed_mean = mean_ns * 0.95,
		.response_p90 = mean_ns * 1.5, .response_p99 = mean_ns * 3,
		.response_p999 = mean_ns * 5, .execution_ns = (int64_t)execution_ns,
		.clock_resolution_ns = 1, .clock_read_cost_ns = 30, .ns_at_level = ns,
		.requests_at_level = requests, .op = op, .n_ops = 2,
	};
}

/* Returns the share of the requests below an edge: uniform from 0 to 2, and a tail beyond the last
 * quantile. With the defect some requests are higher by the largest tested distance. */
static double share_below(double edge, double less)
{
	double share = edge < 2 ? 0.495 * edge : fmin(1, 0.99 + 0.01 * (edge - 2) / 8);
	return fmin(1, fmax(0, share - (edge > 0.25 && edge < 1.75 ? less : 0)));
}

/* Returns the deviation of a component on demand. */
static double on_demand(const struct defect *d, bool struck, enum component_kind k)
{
	return struck && d->kind == k ? 1 + d->times * LIMIT_ON_DEMAND : 1;
}

/* Sets the distribution: `z` is a small scatter; `faultless_mean` is the mean without a defect. */
static void distribution_set(struct run_summary *s, const struct defect *d, bool struck, double z,
			     double faultless_mean)
{
	double mean = s->response.mean, off = 1 + 0.003 * z;
	double typical =
	    struck && d->kind == COMPONENT_TYPICAL ? 1 + d->times * accept_defaults.typical : 1;
	double tail = struck && d->kind == COMPONENT_TAIL ? 1 + d->times * accept_defaults.tail : 1;
	double half = struck && d->kind == COMPONENT_HALF ? d->times * accept_defaults.half : 0;
	double operation =
	    struck && d->kind == COMPONENT_OPERATION ? d->times * accept_defaults.operation : 0;
	double less = 0.002 * z +
		      (struck && d->kind == COMPONENT_SHAPE ? d->times * accept_defaults.shape : 0);
	if (d->kind == COMPONENT_P999)
		s->response.n = REQUESTS_FOR_P999;
	s->response_median *= on_demand(d, struck, COMPONENT_MEDIAN) * off;
	s->response_p90 *= on_demand(d, struck, COMPONENT_P90) * off;
	s->response_p99 *= on_demand(d, struck, COMPONENT_P99) * off;
	s->response_p999 *= on_demand(d, struck, COMPONENT_P999) * off;
	s->response_tail = mean * 4 * tail * off;
	s->response_typical = faultless_mean * 0.85 * typical;
	s->has_halves = true;
	/* one half becomes faster by as much as the other becomes slower, so the mean does not
	 * change */
	for (int i = 0; i < 2; i++)
		s->half[i] = (struct moments){.n = N_REQUESTS / 2,
		    .mean = mean * (1 + (i ? -half : half)), .sd = mean / 4};
	for (int i = 0; i < 2; i++)
		s->op[i].response = (struct moments){.n = N_REQUESTS / 2,
		    .mean = mean * (1 + (i ? -operation : operation)), .sd = mean / 4};
	s->has_shape = true;
	for (size_t k = 0; k < SUMMARY_N_SHAPE; k++)
		s->shape[k] =
		    (uint64_t)lround(N_REQUESTS * share_below(summary_shape_edge(k), less));
}

static bool is_timed(const struct defect *d)
{
	return d->kind == COMPONENT_ISSUE_ERROR || d->kind == COMPONENT_SHARE_LATE;
}

/* Returns the factor on the times of this block: as much as the storage slows down, except for
 * replays with the defect. Blocks form pairs, and the seed draws which block is slow. */
static double storage_factor(struct run *run, enum scatter scatter, const struct defect *d,
			     bool struck, const struct protocol *p)
{
	const bool changes = scatter == SCATTER_VOLUME || d->kind == COMPONENT_RESPONSIVENESS;
	run->service_factor = !changes ? 0 : design_block_is_slow(p, run->block) ? SLOW_FACTOR : 1;
	if (run->service_factor <= 1)
		return 1;
	return SLOW_FACTOR *
	       (struck && d->kind == COMPONENT_RESPONSIVENESS
		    ? fmax(1 / SLOW_FACTOR, 1 - d->times * accept_defaults.responsiveness)
		    : 1);
}

static void role_draw(struct synthetic *s, enum scatter scatter, const struct defect *d,
		      size_t scenario, size_t role, const double *block, gsl_rng *rng)
{
	struct synthetic_course c = {.dependent = scatter == SCATTER_AR6 || scatter == SCATTER_AR8};
	double level = (double)(scenario % 2 + 1);
	bool struck = role == 1 && d->kind != COMPONENT_N;
	double longer = struck && d->kind == COMPONENT_EXECUTION_TIME
			    ? 1 + d->times * s->results.protocol.accept.execution_time
			    : 1 / on_demand(d, struck, COMPONENT_IOPS);
	const size_t n = s->n_blocks;
	const double sd = own_sd(scatter, d, struck);
	own_draw(scatter, sd, rng, c.own, n);
	if (scatter == SCATTER_BANK && role > 0)
		bank_draw(rng, sd, c.own, n);
	course_draw(scatter, rng, c.level, n);
	course_draw(scatter, rng, c.order, n);
	course_draw(scatter, rng, c.issue, n);
	for (size_t b = 1; b <= n; b++) {
		struct run *run = run_of(s, b, scenario, role);
		struct run_summary *sum = &run->summary;
		double noise = exp(block[b - 1] + c.own[b - 1]);
		run->bank = scatter == SCATTER_BANK ? (uint32_t)(b - 1) % BANK + 1 : run->block;
		double mean = 100000 * level * noise *
			      storage_factor(run, scatter, d, struck, &s->results.protocol);
		/* the gaps between requests compensate for longer requests, so that a fault affects
		 * only one component */
		times_set(sum, mean * bias_of(d, scenario, struck),
			  mean * N_REQUESTS / level * 1.02 * longer);
		levels_set(sum, d, struck, c.level[b - 1]);
		distribution_set(sum, d, struck, c.level[b - 1], mean);
		if (role > 0)
			order_set(sum, d, struck, &c, b, rng);
		if (role > 0 && is_timed(d))
			issue_set(sum, d, struck, &c, b, rng);
	}
}

void synthetic_draw(struct synthetic *s, enum scatter scatter, const struct defect *d, gsl_rng *rng)
{
	struct protocol *p = &s->results.protocol;
	double block[SYNTHETIC_BLOCKS_MAX];
	p->seed = gsl_rng_get(rng);
	/* this scatter exceeds the program's, so only U may judge it */
	p->accept.precision_ratio =
	    d->kind == COMPONENT_UNCERTAINTY ? NAN : accept_defaults.precision_ratio;
	p->accept.issue_error_ns = is_timed(d) ? LIMIT_ISSUE_ERROR_NS : -1;
	p->accept.share_late = is_timed(d) ? LIMIT_SHARE_LATE : NAN;
	p->accept.median = d->kind == COMPONENT_MEDIAN ? LIMIT_ON_DEMAND : NAN;
	p->accept.p90 = d->kind == COMPONENT_P90 ? LIMIT_ON_DEMAND : NAN;
	p->accept.p99 = d->kind == COMPONENT_P99 ? LIMIT_ON_DEMAND : NAN;
	p->accept.p999 = d->kind == COMPONENT_P999 ? LIMIT_ON_DEMAND : NAN;
	p->accept.iops = d->kind == COMPONENT_IOPS ? LIMIT_ON_DEMAND : NAN;
	/* requests per second and execution time deviate together, so the execution time has no
	 * limit */
	p->accept.execution_time = d->kind == COMPONENT_IOPS ? NAN : accept_defaults.execution_time;
	for (size_t i = 0; i < p->n_replayers; i++)
		p->replayer[i].timed = is_timed(d);
	for (size_t scenario = 0; scenario < p->n_scenarios; scenario++) {
		blocks_draw(scatter, rng, block, s->n_blocks);
		for (size_t role = 0; role < N_ROLES; role++)
			role_draw(s, scatter, d, scenario, role, block, rng);
	}
}

void synthetic_made_until(struct synthetic *s, unsigned int n_blocks)
{
	for (size_t i = 0; i < s->results.n_runs; i++)
		s->results.run[i].state =
		    s->results.run[i].block <= n_blocks ? RUN_OK : RUN_PENDING;
	s->results.finished = n_blocks >= s->n_blocks;
}

bool synthetic_is_struck(const struct cell *c, const struct defect *d)
{
	return d->kind != COMPONENT_N && c->replayer == 0 &&
	       (d->kind != COMPONENT_LINEARITY || c->scenario % 2);
}

bool synthetic_is_trusted(const struct cell *c, const struct defect *d)
{
	return c->verdict == VERDICT_TRUSTED && ((d->kind != COMPONENT_UNCERTAINTY &&
		(d->kind < COMPONENT_ON_DEMAND || d->kind == COMPONENT_N)) ||
		c->component[d->kind].decision == DECISION_ACCEPT);
}
