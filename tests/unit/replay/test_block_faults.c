/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deliberate faults of the block engine, on the simulated device: their number and size are as
 * requested. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "block_rig.h"

static void rig_run(struct block_rig *g, enum block_mode mode, const char *mutant)
{
	block_rig_init(g, mode);
	g->c.mutant = mutant;
	g->c.block.limit = mode == MODE_HF ? LIMIT_NONE : LIMIT_SLACK;
	for (int i = 0; i < 200; i++)
		block_rig_add(g, 100 * i, 100 * i + 30, 30);
	block_rig_plan(g, 0);
	block_rig_run(g);
}

static void lost_are_never_issued(void **state)
{
	(void)state;
	for (int mode = MODE_HF; mode <= MODE_DEP; mode++) {
		struct block_rig g;
		uint32_t n = 0;
		rig_run(&g, (enum block_mode)mode, "lost:10%");
		for (int i = 0; i < 200; i++)
			n += g.begin[i] == NOT_ENDED;
		assert_int_equal(n, 20);
		assert_int_equal(g.n_issued, 180);
		block_rig_release(&g);
	}
}

static void repeated_are_issued_twice(void **state)
{
	(void)state;
	for (int mode = MODE_HF; mode <= MODE_DEP; mode++) {
		struct block_rig g;
		uint32_t n[200] = {0}, twice = 0;
		rig_run(&g, (enum block_mode)mode, "repeat:10%");
		assert_int_equal(g.n_issued, 220);
		for (uint32_t i = 0; i < g.n_issued; i++)
			n[g.order[i]]++;
		for (int i = 0; i < 200; i++) {
			assert_in_range(n[i], 1, 2);
			twice += n[i] == 2;
		}
		assert_int_equal(twice, 20);
		block_rig_release(&g);
	}
}

static void swapped_change_places(void **state)
{
	(void)state;
	struct block_rig g;
	uint32_t n = 0;
	rig_run(&g, MODE_HF, "swap:10%");
	for (uint32_t i = 0; i < 200; i++)
		if (g.order[i] != i) {
			assert_int_equal(g.order[i], i + 1);
			assert_int_equal(g.order[i + 1], i);
			assert_int_equal(g.begin[i], 100 * (i + 1));
			i++;
			n++;
		}
	assert_int_equal(n, 20);
	block_rig_release(&g);
}

static void offsets_and_sizes_are_wrong(void **state)
{
	(void)state;
	static const char *const mutants[] = {"offset:10%", "size:10%"};
	for (int k = 0; k < 2; k++) {
		struct block_rig g;
		uint32_t n = 0;
		rig_run(&g, MODE_HF, mutants[k]);
		for (uint32_t i = 0; i < 200; i++) {
			const struct block_hot *r = &g.p.lane[0].request[i];
			n += k ? r->length == 2048 : r->offset != 4096 * (uint64_t)i;
			assert_true(r->length == 4096 || (k && r->length == 2048));
		}
		assert_int_equal(n, 20);
		block_rig_release(&g);
	}
}

static void times_are_wrong(void **state)
{
	(void)state;
	struct block_rig g;
	rig_run(&g, MODE_HF, "drift:1%");
	for (int i = 0; i < 200; i++)
		assert_int_equal(g.begin[i], 101 * i);
	block_rig_release(&g);
	rig_run(&g, MODE_HF, "coarse:1us");
	for (int i = 0; i < 200; i++)
		assert_int_equal(g.begin[i] % 1000, 0);
	assert_int_equal(g.begin[11], 2000);
	block_rig_release(&g);
	rig_run(&g, MODE_DEP, "coarse:1us");
	for (int i = 0; i < 200; i++)
		assert_int_equal(g.begin[i] % 1000, 0);
	block_rig_release(&g);
	for (int mode = MODE_HF; mode <= MODE_DEP; mode++) {
		rig_run(&g, (enum block_mode)mode, "stall:1us/4us");
		for (int i = 0; i < 200; i++)
			assert_true(g.begin[i] % 4000 >= 1000);
		block_rig_release(&g);
	}
}

static void concurrency_is_wrong(void **state)
{
	(void)state;
	struct block_rig g;
	block_rig_init(&g, MODE_AFAP);
	g.c.mutant = "serialise";
	for (int i = 0; i < 50; i++)
		block_rig_add(&g, 0, 100, 10);
	block_rig_plan(&g, 0);
	block_rig_run(&g);
	for (int i = 0; i < 50; i++)
		assert_int_equal(g.begin[i], 10 * i);
	block_rig_release(&g);
	for (int mode = MODE_HF; mode <= MODE_DEP; mode += MODE_DEP) {
		rig_run(&g, (enum block_mode)mode, "double");
		for (int i = 0; i < 200; i += 2)
			assert_int_equal(g.begin[i], g.begin[i + 1]);
		block_rig_release(&g);
	}
}

static void inapplicable_faults_are_refused(void **state)
{
	(void)state;
	struct block_rig g;
	struct err e = ERR_INIT;
	block_rig_init(&g, MODE_HF);
	g.c.mutant = "lost:1%";
	for (int i = 0; i < 10; i++)
		block_rig_add(&g, 10 * i, 10 * i + 5, 5);
	assert_int_equal(block_plan_make(&g.p, &g.l, &g.c, 0, &e), -EINVAL);
	block_plan_release(&g.p);
	free(g.l.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_are_never_issued),
		cmocka_unit_test(repeated_are_issued_twice),
		cmocka_unit_test(swapped_change_places),
		cmocka_unit_test(offsets_and_sizes_are_wrong),
		cmocka_unit_test(times_are_wrong),
		cmocka_unit_test(concurrency_is_wrong),
		cmocka_unit_test(inapplicable_faults_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
