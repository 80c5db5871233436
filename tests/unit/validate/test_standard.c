/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates of volumes: statistics of generated visits, reading of bad certificates, and the
 * certified range. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <unistd.h>

#include "common/files.h"
#include "common/xalloc.h"
#include "validate/standard/certificate.h"
#include "validate/standard/loops.h"

static gsl_rng *random_source;
static json_t *environment;

/* A visit of 100 requests programmed to 1 ms, with the given bias. */
static void visit(struct standard_point *p, double hours, double bias, double excess_ns)
{
	GROW(p->visit, p->n_visits, p->cap_visits);
	p->visit[p->n_visits++] = (struct standard_visit){.hours = hours, .programmed_ns = 1e6,
	    .response_ns = 1e6 * (1 + bias), .server_ns = 1e6, .lead_ns = 30000, .steady = true,
	    .n_excess = 100};
	for (int i = 0; i < 100; i++) {
		GROW(p->excess_ns, p->n_excess, p->cap_excess);
		p->excess_ns[p->n_excess++] = excess_ns;
	}
}

static struct standard_point made(const char *model, int64_t service_ns, uint32_t depth, double bias)
{
	struct standard_point p = {.model = standard_kind(model), .service_ns = service_ns,
				   .depth = depth};
	for (int i = 0; i < 6; i++)
		visit(&p, 0.01 * i, bias + (i % 2 ? 1e-4 : -1e-4), 1000);
	standard_evaluate(&p);
	return p;
}

static void point_free(struct standard_point *p)
{
	free(p->visit);
	free(p->excess_ns);
}

/* U covers 95 +- 1 % of later visits: 20,000 certificates of 6 visits (one standard error is 0.15 %),
 * and so does U of the other visits of a certificate. */
static void u_covers_a_later_visit(void **state)
{
	(void)state;
	const int n = 20000;
	uint64_t covered = 0, others_covered = 0;
	for (int i = 0; i < n; i++) {
		struct standard_point p = {.model = standard_kind("constant"),
					   .service_ns = 1000000, .depth = 1};
		for (int k = 0; k < 6; k++)
			visit(&p, 0.01 * k, 0.003 + gsl_ran_gaussian(random_source, 0.004), 1000);
		standard_evaluate(&p);
		covered += fabs(0.003 + gsl_ran_gaussian(random_source, 0.004) - p.bias) <= p.expanded;
		struct standard s = {.point = &p, .n = 1};
		standard_widen(&s);
		assert_int_equal(s.n_checked, 6);
		others_covered += s.n_covered;
		point_free(&p);
	}
	const double share = (double)covered / n, others = (double)others_covered / (6.0 * n);
	if (fabs(share - 0.95) > 0.01 || fabs(others - 0.95) > 0.01)
		fail_msg("U covers %.4f of later visits, %.4f of the own ones", share, others);
}

/* A disturbed machine: one visit of ten scatters ten times as much. U of 6 visits covers too few later
 * visits, and still fewer at valid points, which have a small U partly by chance. The widening makes
 * up for both: at the valid points U then covers 94 to 97 % (20 grids of 120 points; one standard
 * error is 0.5 %). U of 5 visits needs a slightly larger factor than U of 6. */
static void a_grid_with_disturbed_visits_is_widened(void **state)
{
	(void)state;
	enum { GRIDS = 20, POINTS = 120, VISITS = 6 };
	uint64_t before = 0, after = 0, own = 0, n_valid = 0, valid = 0;
	for (int g = 0; g < GRIDS; g++) {
		struct standard_point p[POINTS] = {{.n_visits = 0}};
		double later[POINTS];
		struct standard s = {.point = p, .n = POINTS};
		for (int i = 0; i < POINTS; i++) {
			p[i] = (struct standard_point){
			    .model = "constant", .service_ns = 1000000, .depth = 1};
			for (int k = 0; k <= VISITS; k++) {
				const double sd = gsl_rng_uniform(random_source) < 0.1 ? 0.01 : 0.001;
				later[i] = 0.003 + gsl_ran_gaussian(random_source, sd);
				if (k < VISITS)
					visit(&p[i], 0.01 * k, later[i], 1000);
			}
			standard_evaluate(&p[i]);
			before += fabs(later[i] - p[i].bias) <= p[i].expanded;
		}
		standard_widen(&s);
		assert_int_equal(s.n_checked, POINTS * VISITS);
		assert_true(s.widening > 1 && s.widening < 5);
		own += s.n_covered;
		for (int i = 0; i < POINTS; i++) {
			const bool covered = fabs(later[i] - p[i].bias) <= p[i].expanded;
			assert_true(p[i].valid ==
				    (fabs(p[i].bias) + p[i].expanded <= STANDARD_LIMIT));
			after += covered;
			n_valid += p[i].valid;
			valid += p[i].valid && covered;
			point_free(&p[i]);
		}
	}
	const double n = GRIDS * POINTS, share = (double)valid / (double)n_valid;
	if ((double)before / n > 0.93 || fabs(share - 0.955) > 0.015 || (double)after / n < 0.945 ||
	    (double)own / n / VISITS < 0.945)
		fail_msg("U covers %.4f; widened %.4f, %.4f of %d at valid points, %.4f of its own",
			 (double)before / n, (double)after / n, share, (int)n_valid,
			 (double)own / n / VISITS);
}

/* Two of six visits are disturbed: the point has the values of the other four. With four disturbed
 * visits, the point has the scatter of all. */
static void disturbed_visits_are_left_out(void **state)
{
	(void)state;
	for (int n_disturbed = 2; n_disturbed <= 4; n_disturbed += 2) {
		struct standard_point p = {.model = standard_kind("constant"),
					   .service_ns = 1000000, .depth = 1};
		for (int i = 0; i < 6; i++) {
			const bool disturbed = i < n_disturbed;
			visit(&p, 0.01 * i, disturbed ? 1.0 : 0.001 + 1e-5 * i,
			      disturbed ? 1e6 : 1000);
			p.visit[i].waited = 0.3 + (disturbed ? 0.05 : 0.004 * i);
		}
		p.waited = n_disturbed == 2 ? NAN : 0.3; /* of these visits, or certified */
		assert_int_equal(standard_undisturbed(&p), 6 - n_disturbed);
		standard_evaluate(&p);
		assert_int_equal(p.n_visits, n_disturbed == 2 ? 4 : 6);
		assert_int_equal(p.n_left_out, n_disturbed == 2 ? 2 : 0);
		assert_int_equal(p.n_excess, 100 * p.n_visits);
		assert_true(p.valid == (n_disturbed == 2));
		assert_true(fabs(p.bias - (n_disturbed == 2 ? 0.001035 : 0.667)) < 1e-3);
		assert_true(p.excess_p99_ns == (n_disturbed == 2 ? 1000 : 1e6));
		point_free(&p);
	}
}

/* Five loops of 60 ms. In one of them the client waited for 2 ms, which is a small share of the time
 * of a visit with many requests in flight. */
static void disturbed_loops_are_left_out(void **state)
{
	(void)state;
	struct loops l = {.n_requests = 3};
	uint64_t n_left_out = 4;
	for (int i = 0; i < 5; i++) {
		struct volume_request *r = loops_room(&l);
		for (int k = 0; k < 3; k++)
			r[k] = (struct volume_request){.response_ns = 10 * i + k};
		loops_add(&l, 60000000, 7200000 + 100000 * i + (i == 2 ? 2000000 : 0));
	}
	assert_int_equal(loops_usable_ns(&l), 4 * 60000000);
	const double waited = loops_leave_out(&l, &n_left_out);
	assert_true(fabs(waited - 7400000.0 / 60000000) < 1e-12);
	assert_int_equal(n_left_out, 5);
	assert_int_equal(l.n, 4);
	for (int i = 0; i < 12; i++)
		assert_int_equal(l.request[i].response_ns, 10 * (i / 3 + (i >= 6)) + i % 3);
	assert_int_equal(loops_usable_ns(&l), 4 * 60000000);
	loops_release(&l);
}

/* Five equal visits and another one: only the other one is not covered by the rest. */
static void visits_beyond_u_are_counted(void **state)
{
	(void)state;
	struct standard_point p[2] = {made("constant", 1000000, 1, 0), made("constant", 1000000, 4, 0)};
	struct standard s = {.point = p, .n = 2};
	p[0].visit[3].response_ns *= 1.05;
	p[1].n_visits = 3; /* too few for a check */
	standard_widen(&s);
	assert_int_equal(s.n_checked, 6);
	assert_int_equal(s.n_covered, 5);
	assert_true(s.widening == 1); /* of six visits no quantile is known */
	for (size_t i = 0; i < 2; i++)
		point_free(&p[i]);
}

/* Independent computation for two values of the scatter: s = 1e-4 sqrt(6/5), t(0.975; 5) = 2.5706. */
static void known_values(void **state)
{
	(void)state;
	struct standard_point p = made("constant", 1000000, 1, 0.005);
	const double s = 1e-4 * sqrt(6.0 / 5), u_a = s * sqrt(7.0 / 6), u_clock = 5e-4 / sqrt(3);
	assert_true(fabs(p.bias - 0.005) < 1e-12);
	assert_true(fabs(p.scatter - s) < 1e-12);
	const double u = hypot(u_a, u_clock);
	assert_true(fabs(p.expanded / p.k - u) < 1e-9);
	assert_true(p.k > 1.96 && p.k < 2.5706);
	assert_int_equal(p.lead_ns, 30000);
	assert_true(p.valid && !p.fault && !p.drifts);
	point_free(&p);
}

/* Six visits that agree by chance do not make U small: the points with the same service time and
 * depth show the usual scatter. One of them is disturbed, and points with another service time do not
 * count. Median of chi-square with 5 degrees of freedom: 4.3515. */
static void points_share_their_scatter(void **state)
{
	(void)state;
	static const char *const model[] = {"constant", "exponential", "lognormal", "ssd", "constant"};
	static const double deviation[] = {1e-4, 1e-3, 1e-3, 0.1, 1e-5};
	struct standard_point p[5];
	struct standard s = {.point = p, .n = 5};
	for (int i = 0; i < 5; i++) {
		p[i] = (struct standard_point){.model = standard_kind(model[i]),
		    .service_ns = i == 4 ? 200000 : 1000000, .depth = 1};
		for (int k = 0; k < 6; k++)
			visit(&p[i], 0.01 * k, k % 2 ? deviation[i] : -deviation[i], 1000);
		standard_evaluate(&p[i]);
	}
	const double alone = p[4].expanded, own = 1.2 * 1e-8, beside = 1.2 * 1e-6 * 5 / 4.3515;
	standard_widen(&s);
	assert_int_equal(s.n_checked, 30);
	assert_true(s.widening == 1);
	const double u_a = sqrt((own + beside) / 2 * 7 / 6), u = hypot(u_a, 5e-4 / sqrt(3));
	assert_true(p[0].k > 1.96 && p[0].k <= 2.2282); /* at least 10 degrees of freedom */
	assert_true(fabs(p[0].expanded / p[0].k - u) < 1e-8);
	assert_true(fabs(p[0].scatter - sqrt(own)) < 1e-12);
	assert_true(p[4].expanded == alone);
	for (int i = 0; i < 5; i++)
		point_free(&p[i]);
}

static void expect_invalid(struct standard_point *p, enum standard_fault fault)
{
	standard_evaluate(p);
	assert_false(p->valid);
	assert_int_equal(p->fault, fault);
	point_free(p);
}

static void invalid_points_say_why(void **state)
{
	(void)state;
	struct standard_point few = {.model = "constant", .service_ns = 1000000, .depth = 1};
	visit(&few, 0, 0, 1000);
	visit(&few, 0.1, 0.001, 1000);
	expect_invalid(&few, STANDARD_FEW_VISITS);
	struct standard_point biased = made("constant", 1000000, 1, 0.025);
	expect_invalid(&biased, STANDARD_BIASED);
	struct standard_point early = made("constant", 1000000, 1, -0.025);
	expect_invalid(&early, STANDARD_BIASED);
	struct standard_point busy = made("constant", 200000, 1, 0);
	busy.excess_ns[0] = busy.excess_ns[1] = busy.excess_ns[2] = busy.excess_ns[3] = 60000;
	busy.excess_ns[4] = busy.excess_ns[5] = busy.excess_ns[6] = 60000;
	expect_invalid(&busy, STANDARD_EXCESS);
	struct standard_point slow = made("constant", 5000000, 1, 0); /* 5 % are 250 us */
	for (int i = 0; i < 7; i++)
		slow.excess_ns[i] = 60000;
	standard_evaluate(&slow);
	assert_true(slow.valid);
	for (int i = 0; i < 4; i++)
		slow.visit[i].steady = false;
	expect_invalid(&slow, STANDARD_UNSTEADY);
	assert_int_equal(slow.n_unsteady, 4);
	struct standard_point scattered = {.model = "constant", .service_ns = 1000000, .depth = 1};
	for (int i = 0; i < 6; i++) /* no bias, but U is too large */
		visit(&scattered, i, i % 2 ? 0.02 : -0.02, 1000);
	expect_invalid(&scattered, STANDARD_BIASED);
}

static void a_drift_widens_u(void **state)
{
	(void)state;
	struct standard_point still = {.model = "constant", .service_ns = 1000000, .depth = 1},
			      moving = still;
	const double noise[] = {1e-4, -1e-4, -1e-4, 1e-4, 1e-4, -1e-4, -1e-4, 1e-4};
	for (int i = 0; i < 8; i++) {
		visit(&still, i, noise[i], 1000);
		visit(&moving, i, noise[i] + 1e-3 * i, 1000);
	}
	standard_evaluate(&still);
	standard_evaluate(&moving);
	assert_false(still.drifts);
	assert_true(moving.drifts);
	assert_true(fabs(moving.drift_per_hour - 1e-3) < 5e-5);
	/* without the drift's own component: t * s sqrt(1 + 1/n) */
	assert_true(moving.expanded > 2.36 * moving.scatter * sqrt(1 + 1 / 8.0));
	point_free(&still);
	point_free(&moving);
}

/* --- certificates -------------------------------------------------------- */

static char *path;

static void certificate_make(struct standard *s)
{
	static const struct {
		const char *model;
		int64_t service_ns;
		uint32_t depth;
		double bias;
	} point[] = {
		{"constant", 100000, 1, 0.03}, {"constant", 100000, 16, 0.5},
		{"constant", 200000, 1, 0.01}, {"constant", 200000, 16, 0.03},
		{"constant", 1000000, 1, 0.01}, {"constant", 1000000, 16, 0.01},
		{"exponential", 200000, 1, 0.01}, {"exponential", 1000000, 1, 0.1},
	};
	*s = (struct standard){.machine = standard_machine(environment),
			       .made = xstrdup("2026-01-31T00:00:00Z"), .duration_s = 100,
			       .others_share = 0.01, .stolen_share = NAN, .loop = true,
			       .n_checked = 48, .n_covered = 46, .widening = 1.25};
	s->point = xcalloc(8, sizeof *s->point);
	for (; s->n < 8; s->n++)
		s->point[s->n] = made(point[s->n].model, point[s->n].service_ns, point[s->n].depth,
				      point[s->n].bias);
}

static void write_json(json_t *o)
{
	char *text = json_dumps(o, JSON_REAL_PRECISION(17));
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
	free(text);
}

static void round_trip(void **state)
{
	(void)state;
	struct standard s, again;
	struct err e = ERR_INIT;
	certificate_make(&s);
	json_t *o = standard_to_json(&s);
	assert_non_null(o);
	write_json(o);
	if (standard_read(&again, path, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(again.n, s.n);
	assert_int_equal(again.n_checked, 48);
	assert_int_equal(again.n_covered, 46);
	assert_true(again.widening == 1.25);
	for (size_t i = 0; i < s.n; i++) {
		assert_true(again.point[i].model == s.point[i].model);
		assert_int_equal(again.point[i].service_ns, s.point[i].service_ns);
		assert_true(again.point[i].bias == s.point[i].bias);
		assert_true(again.point[i].expanded == s.point[i].expanded);
		assert_int_equal(again.point[i].valid, s.point[i].valid);
		assert_string_equal(again.point[i].reason, s.point[i].reason);
	}
	json_t *twice = standard_to_json(&again);
	assert_true(json_equal(o, twice));
	assert_int_equal(standard_is_here(&again, path, environment, &e), 0);
	json_decref(twice);
	json_decref(o);
	standard_release(&s);
	standard_release(&again);
}

static void other_machines_are_refused(void **state)
{
	(void)state;
	static const char *const facts[] = {"machine", "CPU model", "number of CPUs", "kernel",
					    "version of validate"};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		struct standard s;
		struct err e = ERR_INIT;
		certificate_make(&s);
		json_object_set_new(s.machine, facts[i], json_string("something else"));
		assert_int_equal(standard_is_here(&s, "c.json", environment, &e), -EXDEV);
		assert_non_null(strstr(e.msg, facts[i]));
		assert_non_null(strstr(e.msg, "something else"));
		json_object_del(s.machine, facts[i]);
		assert_int_equal(standard_is_here(&s, "c.json", environment, &e), -EXDEV);
		standard_release(&s);
	}
}

static void expect_refused(json_t *o, int code, const char *message)
{
	struct standard s;
	struct err e = ERR_INIT;
	write_json(o);
	assert_int_equal(standard_read(&s, path, &e), -code);
	if (!strstr(e.msg, message) || !strstr(e.msg, path))
		fail_msg("\"%s\" lacks \"%s\"", e.msg, message);
}

static void bad_certificates(void **state)
{
	(void)state;
	static const char *const numbers[] = {"service_ns", "depth", "visits", "programmed_ns",
	    "bias", "expanded_uncertainty", "scatter", "excess_p99_ns", "lead_ns"};
	struct standard s;
	struct err e = ERR_INIT;
	certificate_make(&s);
	json_t *o = standard_to_json(&s);
	standard_release(&s);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		json_t *bad = json_deep_copy(o),
		       *point = json_array_get(json_object_get(bad, "points"), 2);
		json_object_set_new(point, numbers[i], json_string("1"));
		expect_refused(bad, EINVAL, "point 3");
		json_object_set_new(point, numbers[i], json_integer(-2000000000000000000));
		expect_refused(bad, EINVAL, "point 3");
		json_object_del(point, numbers[i]);
		expect_refused(bad, EINVAL, "point 3");
		json_decref(bad);
	}
	json_t *bad = json_deep_copy(o);
	json_object_set_new(json_array_get(json_object_get(bad, "points"), 0), "model",
			    json_string("quantum"));
	expect_refused(bad, EINVAL, "point 1");
	json_object_set_new(bad, "points", json_array());
	expect_refused(bad, EINVAL, "missing");
	json_object_set_new(bad, "version", json_integer(2));
	expect_refused(bad, EILSEQ, "version");
	json_object_set_new(bad, "format", json_string("something"));
	expect_refused(bad, EILSEQ, "not a certificate");
	json_decref(bad);
	assert_int_equal(file_write_atomic(path, "{\"a\": ", 6, NULL), 0);
	assert_int_equal(standard_read(&s, path, &e), -EILSEQ);
	unlink(path);
	assert_int_equal(standard_read(&s, path, &e), -ENOENT);
	json_decref(o);
}

/* --- the range ----------------------------------------------------------- */

static int covers(const struct standard *s, const char *service, uint64_t depth)
{
	const struct standard_point *worst;
	struct err e = ERR_INIT;
	return standard_covers(s, service, 1 << 30, depth, &worst, &e);
}

static void the_range(void **state)
{
	(void)state;
	struct standard s;
	struct err e = ERR_INIT;
	certificate_make(&s);
	assert_int_equal(standard_range_ns(&s, "constant", 1), 200000);
	assert_int_equal(standard_range_ns(&s, "constant", 16), 1000000);
	/* a longer service time is not valid, so no shorter one is */
	assert_int_equal(standard_range_ns(&s, "exponential", 1), -1);
	assert_int_equal(covers(&s, "constant:time=200us", 1), 0);
	assert_int_equal(covers(&s, "constant:read=300us,write=200us", 1), 0);
	assert_int_equal(covers(&s, "constant:read=199us,write=300us", 1), -ERANGE);
	assert_int_equal(covers(&s, "constant:time=200us", 4), -ERANGE); /* as at 16 */
	assert_int_equal(covers(&s, "constant:time=1ms", 4), 0);
	assert_int_equal(covers(&s, "constant:time=1ms", 17), -ERANGE);
	assert_int_equal(covers(&s, "exponential:mean=1ms", 1), -ERANGE);
	assert_int_equal(covers(&s, "uniform", 1), -ERANGE);
	assert_int_equal(covers(&s, "constant:time=soon", 1), -EINVAL);
	assert_int_equal(covers(&s, "constant:time=1001us", 1), -ERANGE);
	const struct standard_point *worst;
	assert_int_equal(standard_covers(&s, "constant:time=100us", 1 << 30, 1, &worst, &e), -ERANGE);
	assert_non_null(strstr(e.msg, "constant:time=100us with 1 requests in flight"));
	assert_int_equal(standard_covers(&s, "constant:time=999us", 1 << 30, 1, &worst, &e), 0);
	assert_int_equal(worst->service_ns, 200000);
	standard_release(&s);
}

static void check_points(void **state)
{
	(void)state;
	struct standard s, points;
	certificate_make(&s);
	standard_check_points(&s, true, &points);
	assert_int_equal(points.n, 4); /* every valid one */
	standard_release(&points);
	standard_check_points(&s, false, &points);
	assert_int_equal(points.n, 2); /* constant 200 us at depth 1, and exponential */
	assert_int_equal(points.point[0].service_ns, 200000);
	assert_int_equal(points.point[0].depth, 1);
	assert_string_equal(points.point[1].model, "exponential");
	standard_release(&s);
	standard_release(&points);
}

static void comparisons(void **state)
{
	(void)state;
	struct standard_point then = made("constant", 1000000, 1, 0.005),
			      same = made("constant", 1000000, 1, 0.0051),
			      other = made("constant", 1000000, 1, 0.008),
			      busy = made("constant", 1000000, 1, 0.005),
			      biased = made("constant", 1000000, 1, 0.03);
	struct standard_comparison c = standard_compare(&then, &same);
	/* u of six visits: 2.5706 s / sqrt 6 */
	const double u = 2.570582 * 1e-4 * sqrt(6.0 / 5) / sqrt(6);
	assert_true(fabs(c.u_now - u) < 1e-9);
	assert_true(fabs(c.e_n - 0.0001 / hypot(then.expanded, u)) < 1e-6);
	assert_true(c.agrees);
	assert_int_equal(c.n_covered, 6);
	c = standard_compare(&then, &other);
	assert_int_equal(c.n_covered, 0);
	assert_true(c.e_n > 1 && !c.agrees);
	other.visit[2].waited = other.visit[3].waited = 0.021; /* says nothing about U */
	other.visit[3].response_ns = other.visit[3].programmed_ns * (1 + then.bias);
	c = standard_compare(&then, &other);
	assert_int_equal(c.n_undisturbed, 4);
	assert_int_equal(c.n_covered, 0);
	busy.excess_p99_ns = 60000;
	assert_false(standard_compare(&then, &busy).agrees);
	then.expanded = 1; /* a bias beyond the limit disagrees whatever U is */
	assert_true(fabs(standard_compare(&then, &biased).e_n) < 1);
	assert_false(standard_compare(&then, &biased).agrees);
	same.n_visits = 1;
	assert_false(standard_compare(&then, &same).agrees);
	point_free(&then);
	point_free(&same);
	point_free(&other);
	point_free(&busy);
	point_free(&biased);
}

static void clocks(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	const struct standard_clocks now = standard_clocks_read(), again = standard_clocks_read();
	assert_int_equal(standard_clocks_check(&now, &again, &e), 0);
	struct standard_clocks stepped = now, slept = now;
	stepped.wall_ns -= 3000000;
	assert_int_equal(standard_clocks_check(&now, &stepped, &e), -EIO);
	assert_non_null(strstr(e.msg, "wall clock was stepped by -0.003 s"));
	slept.boot_ns += 5000000000;
	slept.wall_ns += 5000000000;
	assert_int_equal(standard_clocks_check(&now, &slept, &e), -EIO);
	assert_non_null(strstr(e.msg, "suspended for 5 s"));
}

static int setup(void **state)
{
	(void)state;
	environment = json_pack(
	    "{s:s, s:{s:s, s:i}, s:{s:s}, s:{s:s}}", "host", "here", "machine", "cpu_model", "a CPU",
	    "n_cpus_online", 2, "kernel", "release", "6.1", "program", "version", "0.2.0");
	random_source = gsl_rng_alloc(gsl_rng_mt19937);
	path = xasprintf("%s/test_standard.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
			 (int)getpid());
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gsl_rng_free(random_source);
	json_decref(environment);
	unlink(path);
	free(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(u_covers_a_later_visit),
		cmocka_unit_test(a_grid_with_disturbed_visits_is_widened),
		cmocka_unit_test(disturbed_visits_are_left_out),
		cmocka_unit_test(disturbed_loops_are_left_out),
		cmocka_unit_test(visits_beyond_u_are_counted),
		cmocka_unit_test(known_values),
		cmocka_unit_test(points_share_their_scatter),
		cmocka_unit_test(invalid_points_say_why),
		cmocka_unit_test(a_drift_widens_u),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(other_machines_are_refused),
		cmocka_unit_test(bad_certificates),
		cmocka_unit_test(the_range),
		cmocka_unit_test(check_points),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(clocks),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
