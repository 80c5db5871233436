/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results for cases that were observed at their device: only observed runs count, block 0 is left
 * out, and missing data give an unknown value. */
#include "made_campaign.h"
#include "validate/analysis/at_device.h"

enum { BLOCKS = 10 };

static void device_set(struct run *r, uint64_t n_requests, uint64_t n_seen, double mean_ns)
{
	r->has_device = r->has_own = true;
	r->own_mean_ns = mean_ns;
	r->device.n_requests = n_requests;
	r->device.n_seen = n_seen;
}

static void again_at_device(struct analysis *a)
{
	free(a->device);
	at_device_compute(a);
}

static void nothing_was_observed(void **state)
{
	struct campaign c;
	struct analysis a;
	(void)state;
	analysed(&c, &a, &faultless, 1, 1, BLOCKS, 1);
	again_at_device(&a);
	assert_false(a.device[0].there);
	done(&c, &a);
}

static void means_over_the_runs(void **state)
{
	struct campaign c;
	struct analysis a;
	(void)state;
	analysed(&c, &a, &faultless, 2, 1, BLOCKS, 2);
	for (unsigned int b = 0; b <= BLOCKS; b++) {
		struct run *x = run_find(&c, b, 1, 0), *r = run_find(&c, b, 1, ROLE_PROGRAM);
		device_set(x, 1000, b ? 990 : 1, b ? 2000 + b : 1e9); /* block 0 is never used */
		device_set(r, 1000, 1000, b ? 1000 : 1e9);
		x->device.n_split = b;
		x->device.n_extra = 2 * b;
		x->device.n_outside = 3;
		x->device.own_in_flight = 4;
		x->device.own_in_flight_max = 8;
		r->device.n_received = 1000;
		r->device.n_reordered = b ? 10 : 1000;
	}
	again_at_device(&a);
	assert_false(a.device[0].there); /* the other scenario */
	const struct at_device *d = &a.device[1];
	assert_true(d->there);
	assert_between(0.99 - 1e-12, d->seen, 0.99 + 1e-12);
	assert_between(5.5 - 1e-12, d->n_split, 5.5 + 1e-12);
	assert_between(11 - 1e-12, d->n_extra, 11 + 1e-12);
	assert_between(3, d->n_outside, 3);
	assert_between(2005.5 - 1e-9, d->replay.response.value, 2005.5 + 1e-9);
	assert_between(1000, d->program.response.value, 1000);
	assert_between(4, d->replay.in_flight, 4);
	assert_between(8, d->replay.in_flight_max, 8);
	assert_between(0.01 - 1e-12, d->reordered_program, 0.01 + 1e-12);
	/* mean of 2001..2010, s = 3.0277, t(0.975, 9) = 2.2622: half-width 2.1659 */
	assert_between(2005.5 - 2.1660, d->replay.response.lo95, 2005.5 - 2.1658);
	assert_between(2005.5 + 2.1658, d->replay.response.hi95, 2005.5 + 2.1660);
	done(&c, &a);
}

/* A replayer without stamps of its own: the device was observed, the replayer's own view is
 * unknown. */
static void without_stamps_of_its_own(void **state)
{
	struct campaign c;
	struct analysis a;
	(void)state;
	analysed(&c, &a, &faultless, 1, 1, BLOCKS, 3);
	for (unsigned int b = 1; b <= BLOCKS; b++) {
		device_set(run_find(&c, b, 0, 0), 1000, 1000, 0);
		run_find(&c, b, 0, 0)->has_own = false;
	}
	device_set(run_find(&c, 1, 0, ROLE_PROGRAM), 0, 0, 700); /* only of a run of the program */
	again_at_device(&a);
	const struct at_device *d = &a.device[0];
	assert_true(d->there);
	assert_int_equal(d->replay.response.status, STAT_NOT_ASSESSED);
	assert_true(isnan(d->replay.in_flight) && isnan(d->replay.in_flight_max));
	assert_between(700, d->program.response.value, 700);
	assert_true(isnan(d->reordered_program)); /* none received */
	done(&c, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_was_observed),
		cmocka_unit_test(means_over_the_runs),
		cmocka_unit_test(without_stamps_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
