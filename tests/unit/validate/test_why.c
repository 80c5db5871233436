/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The causes of a difference: constructed campaigns with a known answer; each bad replayer gets its
 * own cause. */
#include "tests/unit/validate/made_campaign.h"

#include "validate/analysis/analysis.h"
#include "validate/analysis/costs.h"
#include "validate/analysis/why.h"
#include "validate/analysis/why_private.h"

enum { BLOCKS = 14 };

struct made { /* one run */
	/* of the requests that find levels 1, 2, ... in flight, and their response times, ns */
	double share[5], mean[5];
	double idle;		  /* share of the time with nothing in flight */
	double level;		  /* mean number in flight in the remaining time */
	double n;		  /* requests */
	double processor;	  /* ns per request; 0: the whole response time */
	double device, queue, faults; /* per request: bytes, ns, count */
	double reordered, reordered_mean; /* share, ns */
	/* share of requests issued 100 us late, ns; < 0: no timed replay */
	double late, late_mean;
};

static const struct made program = {{0.2, 0.8}, {1000, 1500}, 0.05, 1.8, 10000, 0, 0, 0, 0, 0,
				    0,          -1,           0};

static void fill_levels(struct run_summary *s, const struct made *m, double scale)
{
	s->n_levels = 6;
	s->ns_at_level = xreallocarray(s->ns_at_level, 6, sizeof *s->ns_at_level);
	s->requests_at_level = xreallocarray(s->requests_at_level, 6, sizeof *s->requests_at_level);
	s->response_at_level = xcalloc(6, sizeof *s->response_at_level);
	memset(s->ns_at_level, 0, 6 * sizeof *s->ns_at_level);
	memset(s->requests_at_level, 0, 6 * sizeof *s->requests_at_level);
	for (int i = 0; i < 5; i++) {
		s->requests_at_level[i + 1] = (uint64_t)llround(m->share[i] * m->n);
		s->response_at_level[i + 1] = m->share[i] * m->n * m->mean[i] * scale;
	}
	double busy = m->n * s->response.mean / m->level, whole = busy / (1 - m->idle),
	       low = floor(m->level);
	s->execution_ns = llround(whole);
	s->ns_at_level[(int)low + 1] = llround(busy * (m->level - low));
	s->ns_at_level[(int)low] = llround(busy) - s->ns_at_level[(int)low + 1];
	s->ns_at_level[0] = s->execution_ns - llround(busy);
}

static void fill_rest(struct run_summary *s, const struct made *m)
{
	s->response.n = (uint64_t)m->n;
	s->response_median = s->response_trimmed_mean = s->response.mean;
	s->response_p99 = 3 * s->response.mean;
	s->op = xreallocarray(s->op, 1, sizeof *s->op);
	s->n_ops = 1;
	memset(s->op, 0, sizeof *s->op);
	strcpy(s->op[0].op, "pread");
	s->op[0].response = s->response;
	s->has_classes = true;
	s->facts = (struct run_facts){.wall_ns = s->execution_ns, .steal_ns = -1, .runqueue_wait_ns = llround(m->queue * m->n)};
	s->facts.cpu_user_ns =
	    llround((m->processor > 0 ? m->processor : s->response.mean - m->queue) * m->n);
	s->facts.bytes_read_device = (uint64_t)llround(m->device * m->n);
	s->facts.n_minor_faults = (uint64_t)llround(m->faults * m->n);
}

static void fill_replay(struct run_summary *s, const struct made *m)
{
	uint64_t n = (uint64_t)m->n, n_late = (uint64_t)llround(m->late * m->n);
	s->has_input = true;
	s->n_input = 10000;
	s->reorder_all = s->reorder_thread = s->reorder_object =
	    (struct reorder_summary){.n_received = n, .n_reordered = (uint64_t)llround(m->reordered * m->n)};
	s->response_reordered_all = s->response_reordered_thread =
	    m->reordered * m->n * m->reordered_mean;
	if (m->late < 0)
		return;
	s->has_issue_error = true;
	s->issue_error = (struct moments){n, 1e5 * m->late, 10, 0, 1e5};
	s->issue_error_p50 = m->late > 0.5 ? 1e5 : 100;
	s->issue_error_p99 = m->late > 0.01 ? 1e5 : 100;
	s->share_late = m->late;
	s->requests_at_lateness = xcalloc(SUMMARY_N_LATENESS, sizeof *s->requests_at_lateness);
	s->response_at_lateness = xcalloc(SUMMARY_N_LATENESS, sizeof *s->response_at_lateness);
	s->requests_at_lateness[0] = n - n_late;
	s->requests_at_lateness[7] = n_late;
	s->response_at_lateness[7] = (double)n_late * m->late_mean;
	s->response_at_lateness[0] = s->response.mean * m->n - s->response_at_lateness[7];
}

static void fill(struct run_summary *s, const struct made *m, double noise)
{
	double mean = 0;
	for (int i = 0; i < 5; i++)
		mean += m->share[i] * m->mean[i];
	s->response = (struct moments){(uint64_t)m->n, mean * noise, mean / 4, mean / 2, mean * 9};
	free(s->response_at_level);
	fill_levels(s, m, noise);
	fill_rest(s, m);
}

struct made_case {
	struct campaign c;
	struct analysis a;
};

/* A campaign of the program r and a replayer x; both sides of a block share most of their noise. */
static void make(struct made_case *k, const struct made *r, const struct made *x, uint64_t n_lost)
{
	struct err e = ERR_INIT;
	gsl_rng *rng = generator(5);
	campaign_make(&k->c, 1, 1, BLOCKS);
	struct protocol *p = &k->c.results.protocol;
	p->scenario[0].level = 2;
	p->replayer[0].timed = x->late >= 0;
	p->accept.issue_error_ns = x->late >= 0 ? 10000 : -1;
	k->c.results.environment = json_pack("{s:{s:f}}", "costs", "minor_fault_ns", 500.0);
	for (unsigned int b = 0; b <= BLOCKS; b++) {
		double shared = exp(gsl_ran_gaussian(rng, 0.01));
		summary_make(&run_add(&k->c, b, 0, ROLE_PROGRAM)->summary, 1000, 1);
		fill(&run_find(&k->c, b, 0, ROLE_PROGRAM)->summary, r,
		     shared * exp(gsl_ran_gaussian(rng, 0.002)));
		struct run *run = run_add(&k->c, b, 0, 0);
		summary_make(&run->summary, 1000, 1);
		fill(&run->summary, x, shared * exp(gsl_ran_gaussian(rng, 0.002)));
		fill_replay(&run->summary, x);
		run->summary.n_lost = n_lost;
	}
	gsl_rng_free(rng);
	if (analysis_compute(&k->a, &k->c.results, &e))
		fail_msg("%s", e.msg);
}

static void drop(struct made_case *k)
{
	json_decref(k->c.results.environment);
	done(&k->c, &k->a);
}

static const struct why_part *part(const struct made_case *k, enum split_quantity q,
				   enum cause cause)
{
	const struct split *s = &k->a.why[0].split[q];
	for (size_t i = 0; i < s->n_parts; i++)
		if (s->part[i].cause == cause)
			return &s->part[i];
	fail_msg("no part %s of the %s", cause_names[cause], split_names[q]);
	return NULL;
}

/* Parts add up, whatever their values. */
static void assert_adds_up(const struct made_case *k)
{
	for (int q = 0; q < SPLIT_N; q++) {
		const struct split *s = &k->a.why[0].split[q];
		double sum = 0, shares = 0;
		if (s->whole.status)
			fail_msg("no %s", split_names[q]);
		for (size_t i = 0; i < s->n_parts; i++)
			if (!s->part[i].beside && !s->part[i].part.status) {
				sum += s->part[i].part.value;
				shares += s->part[i].share;
			}
		assert_true(fabs(sum - s->whole.value) < 1e-9);
		assert_true(!s->significant || fabs(shares - 1) < 1e-9);
	}
}

static void assert_main(const struct made_case *k, enum cause cause, enum why_name name)
{
	const struct why *w = &k->a.why[0];
	assert_true(w->shown && w->rejected);
	if (w->main != cause)
		fail_msg("mainly %s", w->main == CAUSE_N ? "nothing" : cause_names[w->main]);
	assert_int_equal(w->main_name, name);
	assert_adds_up(k);
}

/* value within tol of the expected value, and in its own interval */
static void assert_part(const struct made_case *k, enum split_quantity q, enum cause cause,
			double expected, double tol)
{
	const struct why_part *p = part(k, q, cause);
	assert_int_equal(p->part.status, STAT_OK);
	assert_between(expected - tol, p->part.value, expected + tol);
	if (!isnan(p->part.lo95))
		assert_between(p->part.lo95, p->part.value, p->part.hi95);
}

/* A case whose replays have these factors on the tail and on the second half. */
static void assert_differences(double tail, double half, enum component_kind kind, const char *part)
{
	struct err e = ERR_INIT;
	struct made_case k;
	make(&k, &program, &program, 0);
	analysis_release(&k.a);
	for (unsigned int b = 0; b <= BLOCKS; b++) {
		struct run_summary *s = &run_find(&k.c, b, 0, 0)->summary;
		s->response_tail *= tail;
		s->half[1].mean *= half;
	}
	if (analysis_compute(&k.a, &k.c.results, &e))
		fail_msg("%s", e.msg);
	const struct why *w = &k.a.why[0];
	assert_int_equal(w->shown, kind != COMPONENT_N);
	assert_int_equal(w->n_differences, kind != COMPONENT_N);
	if (w->n_differences) {
		assert_int_equal(w->difference[0].kind, kind);
		assert_string_equal(w->difference[0].part, part);
	}
	assert_int_equal(w->main, CAUSE_N);
	drop(&k);
}

/* With the same means on both sides. An accepted component is named too, if nothing else
 * differs. */
static void a_difference_of_another_component_is_shown(void **state)
{
	(void)state;
	assert_differences(1, 1, COMPONENT_N, "");
	assert_differences(1.08, 1, COMPONENT_TAIL, "");
	assert_differences(1.8, 1, COMPONENT_TAIL, "");
	assert_differences(1, 1.08, COMPONENT_HALF, "second half");
	assert_differences(1.08, 1.8, COMPONENT_HALF, "second half");
}

static void lost_concurrency(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.share[0] = 1;
	x.share[1] = 0;
	x.level = 1;
	make(&k, &program, &x, 0);
	assert_main(&k, CAUSE_CONCURRENCY, WHY_LESS_CONCURRENCY);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_CONCURRENCY, -400.0 / 1400, 0.005);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_SERVICE, 0, 0.005);
	drop(&k);
}

/* Requests that compete with fewer others take less time at each level too. In a timed replay, the
 * shorter service is the cause. */
static void lost_concurrency_that_shortens_the_service(void **state)
{
	(void)state;
	struct made r = program, x = program;
	struct made_case k;
	r.mean[0] = 3000;
	x.share[0] = 1;
	x.share[1] = 0;
	x.mean[0] = 700;
	x.level = 1;
	make(&k, &r, &x, 0);
	assert_main(&k, CAUSE_CONCURRENCY, WHY_LESS_CONCURRENCY);
	drop(&k);
	x.late = 0;
	make(&k, &r, &x, 0);
	assert_main(&k, CAUSE_SERVICE, WHY_UNEXPLAINED);
	drop(&k);
}

static void lost_concurrency_and_a_delay(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.share[0] = 1;
	x.share[1] = 0;
	x.mean[0] = 1300; /* 300 more at the level that both sides reached */
	make(&k, &program, &x, 0);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_CONCURRENCY, -400.0 / 1400, 0.005);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_SERVICE, 300.0 / 1400, 0.005);
	assert_adds_up(&k);
	drop(&k);
}

static void excess_concurrency(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.share[0] = 0.1, x.share[1] = 0.2, x.share[2] = 0.3, x.share[3] = 0.4;
	x.mean[2] = 2200, x.mean[3] = 3000;
	x.level = 3.4;
	make(&k, &program, &x, 0);
	assert_main(&k, CAUSE_CONCURRENCY, WHY_MORE_CONCURRENCY);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_CONCURRENCY, (100 + 300 + 660 + 1200 - 1400) / 1400.0,
		    0.01);
	drop(&k);
}

static void excess_concurrency_waits_for_cpus(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.share[0] = 0, x.share[1] = 0.2, x.share[2] = 0, x.share[3] = 0.8;
	x.mean[1] = x.mean[3] = 2800; /* the level does not explain the times */
	x.queue = 1400;
	x.level = 3.6;
	make(&k, &program, &x, 0);
	assert_int_equal(k.a.why[0].main, CAUSE_CONCURRENCY);
	assert_adds_up(&k);
	drop(&k);
}

static void a_delay_is_service(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.mean[0] += 700;
	x.mean[1] += 700;
	make(&k, &program, &x, 0);
	assert_main(&k, CAUSE_SERVICE, WHY_UNEXPLAINED);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_SERVICE, 0.5, 0.005);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_CONCURRENCY, 0, 0.005);
	assert_part(&k, SPLIT_TIME, CAUSE_SERVICE, 0.5, 0.01);
	assert_part(&k, SPLIT_TIME, CAUSE_LATE_ISSUE, 0, 0.005);
	drop(&k);
}

/* A machine on which threads wait for a CPU for half of the time: a longer service has longer
 * waits, which is no other cause. */
static void a_delay_on_a_busy_machine_is_service(void **state)
{
	(void)state;
	struct made r = program, x = program;
	struct made_case k;
	r.queue = 700 / (1 - r.idle) / r.level * 2; /* facts are of all the time */
	for (int i = 0; i < 2; i++)
		x.mean[i] *= 3;
	x.queue = 3 * r.queue;
	make(&k, &r, &x, 0);
	assert_main(&k, CAUSE_SERVICE, WHY_UNEXPLAINED);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_RUN_QUEUE, 0, 0.02);
	drop(&k);
}

static void waiting_for_cpus(void **state)
{
	(void)state;
	struct made r = program, x = program;
	struct made_case k;
	x.mean[0] += 700;
	x.mean[1] += 700;
	r.idle = x.idle = 0;
	r.level = x.level = 2;
	x.queue = 700;
	make(&k, &r, &x, 0);
	assert_main(&k, CAUSE_RUN_QUEUE, WHY_CPU_WAIT);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_RUN_QUEUE, 0.5, 0.01);
	drop(&k);
}

static void stalls_are_late_issue(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.idle = 0.25;
	make(&k, &program, &x, 0);
	assert_main(&k, CAUSE_LATE_ISSUE, WHY_MORE_IDLE);
	assert_part(&k, SPLIT_TIME, CAUSE_LATE_ISSUE, 0.95 / 0.75 - 1, 0.005);
	drop(&k);
}

/* The parts add up to the winsorised deviation, which decides the execution time. */
static void parts_add_up_to_the_judged_execution_time(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct made x = program;
	struct made_case k;
	x.idle = 0.25;
	make(&k, &program, &x, 0);
	analysis_release(&k.a);
	for (unsigned int b = 1; b <= 4; b++) {
		struct run_summary *s = &run_find(&k.c, b, 0, 0)->summary;
		s->ns_at_level[0] += 3 * s->execution_ns;
		s->execution_ns *= 4;
	}
	if (analysis_compute(&k.a, &k.c.results, &e))
		fail_msg("%s", e.msg);
	const struct estimate *whole = &k.a.why[0].split[SPLIT_TIME].whole;
	assert_true(fabs(whole->value - k.a.cell[0].execution_time.value) < 1e-9);
	assert_between(0.26, whole->value, 0.32);
	assert_adds_up(&k);
	assert_part(&k, SPLIT_TIME, CAUSE_LATE_ISSUE, whole->value, 0.005);
	drop(&k);
}

static void late_requests(void **state)
{
	(void)state;
	struct made r = program, x = program;
	struct made_case k;
	r.idle = x.idle = 0.8;
	x.late = 0.5;
	x.late_mean = 1600; /* of 1400: the other requests take 1200 */
	make(&k, &r, &x, 0);
	assert_main(&k, CAUSE_LATE_ISSUE, WHY_LATE_ISSUE);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_LATE_ISSUE, 0.5 * 400 / 1400, 0.02);
	drop(&k);
	x.late = 1; /* no request was on time: the cost of lateness is unknown */
	make(&k, &r, &x, 0);
	assert_main(&k, CAUSE_LATE_ISSUE, WHY_LATE_ISSUE);
	assert_int_equal(k.a.why[0].main, CAUSE_LATE_ISSUE);
	drop(&k);
}

static void reordering(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.reordered = 0.1;
	x.reordered_mean = 1400;
	make(&k, &program, &x, 0);
	assert_true(k.a.why[0].rejected);
	assert_int_equal(k.a.why[0].main, CAUSE_REORDERING);
	drop(&k);
	x.reordered_mean = 3200; /* and they take longer: 1800 more than the 1400 of the others */
	x.mean[0] += 180;
	x.mean[1] += 180;
	make(&k, &program, &x, 0);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_REORDERING, 180.0 / 1400, 0.005);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_SERVICE, 0, 0.005);
	drop(&k);
}

static void lost_requests(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.n = 9000;
	make(&k, &program, &x, 1000);
	assert_main(&k, CAUSE_REQUESTS, WHY_LOST);
	assert_part(&k, SPLIT_TIME, CAUSE_REQUESTS, -0.1, 0.005);
	drop(&k);
}

/* A program that reads from the device, and a replay that reads from the cache. */
static void cache_hits(void **state)
{
	(void)state;
	struct made r = program, x = program;
	struct made_case k;
	r.idle = x.idle = 0;
	r.level = x.level = 2;
	r.mean[0] = r.mean[1] = 90000;
	r.processor = 4000;
	r.device = 4096;
	x.mean[0] = x.mean[1] = 4000;
	make(&k, &r, &x, 0);
	assert_main(&k, CAUSE_CACHE, WHY_MORE_HITS);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_CACHE, -86.0 / 90, 0.01);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_SERVICE, 0, 0.01);
	drop(&k);
}

/* If runs differ in what they read, the slope gives the cost of a byte, and an additional delay is
 * not taken for cache misses. */
static void cache_hits_by_slope(void **state)
{
	(void)state;
	struct made_case k;
	struct err e = ERR_INIT;
	make(&k, &program, &program, 0);
	for (unsigned int b = 1; b <= BLOCKS; b++)
		for (int role = ROLE_PROGRAM; role <= 0; role++) {
			double device = role == 0 ? 100.0 * b : 100.0 * b + 2000,
			       delay = role == 0 ? 1000 : 0;
			struct made m = program;
			m.device = device;
			m.mean[0] = m.mean[1] = 1000 + delay + 10 * device;
			struct run_summary *s = &run_find(&k.c, b, 0, role)->summary;
			fill(s, &m, 1 + 0.0001 * (double)(b * 7 % 5));
			if (role == 0)
				fill_replay(s, &m);
		}
	analysis_release(&k.a);
	assert_int_equal(analysis_compute(&k.a, &k.c.results, &e), 0);
	double reference = 1000 + 10 * (100 * (BLOCKS + 1) / 2.0 + 2000);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_CACHE, -20000 / reference, 0.01);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_SERVICE, 1000 / reference, 0.01);
	assert_int_equal(part(&k, SPLIT_RESPONSE, CAUSE_CACHE)->how, METHOD_BYTES_SLOPE);
	drop(&k);
}

/* Requests that are left out at a switch of slices read bytes and take time like the others, so a
 * replay with more of them has neither more cache misses per request nor fewer requests. */
static void requests_that_are_left_out_are_no_cause(void **state)
{
	(void)state;
	struct made r = program, x = program;
	struct made_case k;
	struct err e = ERR_INIT;
	r.idle = x.idle = 0;
	r.level = x.level = 2;
	r.mean[0] = r.mean[1] = 90000;
	x.mean[0] = x.mean[1] = 108000;
	r.processor = x.processor = 4000;
	r.device = x.device = 4096;
	make(&k, &r, &x, 0);
	analysis_release(&k.a);
	for (unsigned int b = 0; b <= BLOCKS; b++) {
		struct run_summary *s = &run_find(&k.c, b, 0, 0)->summary;
		s->n_left_out = s->response.n / 10;
		s->response.n -= s->n_left_out;
		s->op[0].response.n = s->response.n;
		for (size_t i = 0; i < s->n_levels; i++) {
			s->requests_at_level[i] = s->requests_at_level[i] * 9 / 10;
			s->response_at_level[i] *= 0.9;
		}
	}
	if (analysis_compute(&k.a, &k.c.results, &e))
		fail_msg("%s", e.msg);
	assert_main(&k, CAUSE_SERVICE, WHY_UNEXPLAINED);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_CACHE, 0, 0.005);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_SERVICE, 0.2, 0.01);
	assert_part(&k, SPLIT_TIME, CAUSE_SERVICE, 0.2, 0.01);
	assert_part(&k, SPLIT_TIME, CAUSE_REQUESTS, 0, 0.005);
	assert_part(&k, SPLIT_TIME, CAUSE_CONCURRENCY, 0, 0.005);
	drop(&k);
}

static void page_faults(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	x.mean[0] += 1000;
	x.mean[1] += 1000;
	x.faults = 2; /* at 500 ns */
	make(&k, &program, &x, 0);
	assert_main(&k, CAUSE_FAULTS, WHY_MORE_FAULTS);
	assert_part(&k, SPLIT_RESPONSE, CAUSE_FAULTS, 1000.0 / 1400, 0.005);
	k.c.results.protocol.scenario[0].observe = OBSERVE_BLOCK; /* faults cost no device time */
	again(&k.c, &k.a);
	assert_main(&k, CAUSE_SERVICE, WHY_UNEXPLAINED);
	const struct split *s = &k.a.why[0].split[SPLIT_RESPONSE];
	for (size_t i = 0; i < s->n_parts; i++) {
		assert_int_not_equal(s->part[i].cause, CAUSE_FAULTS);
		assert_int_not_equal(s->part[i].cause, CAUSE_RUN_QUEUE);
	}
	drop(&k);
}

/* A good replayer gets no cause, and missing facts give none. */
static void unknown_facts_are_not_claimed(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	make(&k, &program, &x, 0);
	assert_false(k.a.why[0].rejected);
	drop(&k);
	x.mean[0] += 700;
	x.mean[1] += 700;
	make(&k, &program, &x, 0);
	for (size_t i = 0; i < k.c.results.n_runs; i++) {
		k.c.results.run[i].summary.has_facts = false;
		k.c.results.run[i].summary.has_classes = false;
	}
	again(&k.c, &k.a);
	assert_main(&k, CAUSE_SERVICE, WHY_UNEXPLAINED);
	costs_compute(&k.a);
	assert_int_equal(k.a.cost[0].cpu_program.status, STAT_NOT_ASSESSED);
	assert_int_equal(k.a.cost[0].cpu_replay.status, STAT_NOT_ASSESSED);
	static const enum cause unknown[] = {CAUSE_CONCURRENCY, CAUSE_REORDERING, CAUSE_CACHE,
					     CAUSE_FAULTS,      CAUSE_RUN_QUEUE,  CAUSE_STEAL};
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		assert_int_not_equal(part(&k, SPLIT_RESPONSE, unknown[i])->part.status, STAT_OK);
		assert_true(isnan(part(&k, SPLIT_RESPONSE, unknown[i])->share));
	}
	drop(&k);
}

static void few_pairs_and_odd_runs(void **state)
{
	(void)state;
	struct made x = program;
	struct made_case k;
	struct err e = ERR_INIT;
	x.mean[0] *= 9;
	make(&k, &program, &x, 0);
	run_find(&k.c, 3, 0, 0)->summary.execution_ns = 0; /* a run without duration */
	again(&k.c, &k.a);
	assert_int_not_equal(k.a.why[0].split[SPLIT_TIME].whole.status, STAT_OK);
	for (unsigned int b = 3; b <= BLOCKS; b++)
		run_find(&k.c, b, 0, 0)->state = RUN_PENDING;
	analysis_release(&k.a);
	/* two pairs: no split, no crash */
	assert_int_equal(analysis_compute(&k.a, &k.c.results, &e), 0);
	assert_int_not_equal(k.a.why[0].split[SPLIT_RESPONSE].whole.status, STAT_OK);
	drop(&k);
}

/* Kitagawa's sum compared with a sum computed by hand. */
static void standardisation(void **state)
{
	(void)state;
	bool alone;
	const double share_x[] = {0, 0.5, 0.5}, sum_x[] = {0, 50, 100}, share_r[] = {0, 0.9, 0.1},
		     sum_r[] = {0, 72, 16};
	/* means 100, 200 and 80, 160: (0.5 - 0.9) 90 + (0.5 - 0.1) 180 = 36 */
	assert_between(
	    36 - 1e-9,
	    classes_composition(&(struct classes){share_x, sum_x, share_r, sum_r, 3}, &alone),
	    36 + 1e-9);
	assert_false(alone);
	const double only_x[] = {1, 0}, only_sum_x[] = {100, 0}, only_r[] = {0, 1},
		     only_sum_r[] = {0, 300};
	assert_between(-200 - 1e-9,
		       classes_composition(
			   &(struct classes){only_x, only_sum_x, only_r, only_sum_r, 2}, &alone),
		       -200 + 1e-9);
	assert_true(alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(standardisation),
	    cmocka_unit_test(a_difference_of_another_component_is_shown),
	    cmocka_unit_test(lost_concurrency),
	    cmocka_unit_test(lost_concurrency_that_shortens_the_service),
	    cmocka_unit_test(lost_concurrency_and_a_delay),
	    cmocka_unit_test(excess_concurrency),
	    cmocka_unit_test(excess_concurrency_waits_for_cpus),
	    cmocka_unit_test(a_delay_is_service),
	    cmocka_unit_test(a_delay_on_a_busy_machine_is_service),
	    cmocka_unit_test(waiting_for_cpus),
	    cmocka_unit_test(stalls_are_late_issue),
	    cmocka_unit_test(parts_add_up_to_the_judged_execution_time),
	    cmocka_unit_test(late_requests),
	    cmocka_unit_test(reordering),
	    cmocka_unit_test(lost_requests),
	    cmocka_unit_test(cache_hits),
	    cmocka_unit_test(cache_hits_by_slope),
	    cmocka_unit_test(requests_that_are_left_out_are_no_cause),
	    cmocka_unit_test(page_faults),
	    cmocka_unit_test(unknown_facts_are_not_claimed),
	    cmocka_unit_test(few_pairs_and_odd_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
