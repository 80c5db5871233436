/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/temp_dir.h"
#include "validate/results/design.h"
#include "validate/results/results.h"

static void protocol_make(struct protocol *p, const char *more)
{
	char *dir = temp_dir_make(), *path = xasprintf("%s/p.conf", dir);
	char *text = xasprintf("[protocol]\n%s\n"
			       "[workload a]\ntype = random-read\nlevel = 1,2,3\n"
			       "[workload b]\ntype = random-write\n"
			       "[replayer event]\norder = temporal, fs\n"
			       "[replayer again]\nengine = program\nworkloads = a\n",
			       more);
	struct err e = ERR_INIT;
	file_put(dir, "p.conf", text, strlen(text));
	if (protocol_read(p, path, &e) < 0)
		fail_msg("%s", e.msg);
	free(text);
	free(path);
	temp_dir_remove(dir);
}

/* 3 scenarios of 1 + 3 roles, and a scenario of 1 + 2 */
#define PER_BLOCK (3 * 4 + 3)

static void test_half_of_the_blocks_are_slow(void **state)
{
	(void)state;
	unsigned int first = 0, n = 0;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		const struct protocol p = {.seed = seed};
		assert_false(design_block_is_slow(&p, 0));
		for (uint32_t b = 1; b <= 20; b += 2, n++) {
			assert_int_equal(
			    design_block_is_slow(&p, b) + design_block_is_slow(&p, b + 1), 1);
			first += design_block_is_slow(&p, b);
		}
	}
	assert_in_range(first, n / 2 - 100, n / 2 + 100); /* 4.5 standard deviations */
}

static void test_balanced(void **state)
{
	(void)state;
	struct protocol p;
	struct design d;
	protocol_make(&p, "replicates = 30\nbank = 4");
	design_make(&d, &p);
	assert_int_equal(d.n_bank_runs, 4 * 4);
	assert_int_equal(d.n_runs, 4 * 4 + 31 * PER_BLOCK);
	assert_int_equal(d.n_runs, protocol_n_runs(&p));
	unsigned int recorded[4][4] = {{0}};
	for (size_t i = 0; i < d.n_bank_runs; i++) {
		assert_int_equal(d.run[i].role, ROLE_RECORD);
		assert_int_equal(d.run[i].position, i);
		recorded[d.run[i].scenario][d.run[i].bank]++;
	}
	for (int s = 0; s < 4; s++)
		for (int k = 0; k < 4; k++)
			assert_int_equal(recorded[s][k], 1);
	for (uint32_t b = 0; b <= 30; b++) {
		unsigned int made[4][4] = {{0}}, switches = 0;
		const struct design_run *run = d.run + d.n_bank_runs + b * PER_BLOCK;
		for (size_t i = 0; i < PER_BLOCK; i++) {
			assert_int_equal(run[i].block, b);
			assert_int_equal(run[i].position, i);
			assert_int_equal(run[i].bank, b % 4);
			assert_in_range(run[i].role + 1, 0, 3);
			made[run[i].scenario][run[i].role + 1]++;
			switches += i && run[i].scenario != run[i - 1].scenario;
		}
		assert_int_equal(switches, 3); /* the runs of a scenario are adjacent */
		for (int s = 0; s < 4; s++)
			for (int r = 0; r < 4; r++)
				assert_int_equal(made[s][r], s == 3 && r == 3 ? 0 : 1);
	}
	assert_int_equal(design_n_runs_until(&d, 10), 16 + 11 * PER_BLOCK);
	assert_int_equal(design_n_runs_until(&d, 30), d.n_runs);
	design_release(&d);
	protocol_release(&p);
}

/* Over many blocks every role takes every place in its scenario about equally often, and so does
 * every scenario in the block. */
static void test_random(void **state)
{
	(void)state;
	struct protocol p;
	struct design d;
	protocol_make(&p, "replicates = 1999\nbank = 1");
	design_make(&d, &p);
	unsigned int role_at[4][4] = {{0}}, scenario_at[4][4] = {{0}};
	for (size_t i = d.n_bank_runs; i < d.n_runs;) {
		uint32_t block = d.run[i].block;
		for (unsigned int place = 0; i < d.n_runs && d.run[i].block == block; place++) {
			uint32_t scenario = d.run[i].scenario;
			scenario_at[scenario][place]++;
			for (unsigned int k = 0; i < d.n_runs && d.run[i].block == block &&
						 d.run[i].scenario == scenario;
			     i++, k++)
				if (scenario == 0)
					role_at[d.run[i].role + 1][k]++;
		}
	}
	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++) { /* 500 expected, sd 19 */
			assert_in_range(role_at[a][b], 400, 600);
			assert_in_range(scenario_at[a][b], 400, 600);
		}
	design_release(&d);
	protocol_release(&p);
}

static bool same(const struct design *a, const struct design *b, size_t n)
{
	return !memcmp(a->run, b->run, n * sizeof *a->run);
}

static void test_seed(void **state)
{
	(void)state;
	struct protocol p, q, r, longer;
	struct design a, b, c, l;
	protocol_make(&p, "seed = 5\nbank = 3");
	protocol_make(&q, "seed = 5\nbank = 3");
	protocol_make(&r, "seed = 6\nbank = 3");
	protocol_make(&longer, "seed = 5\nbank = 3\nreplicates = 20..60");
	design_make(&a, &p);
	design_make(&b, &q);
	design_make(&c, &r);
	design_make(&l, &longer);
	assert_int_equal(a.n_runs, b.n_runs);
	assert_true(same(&a, &b, a.n_runs));
	assert_false(same(&a, &c, a.n_runs));
	/* more replicates do not change the first blocks */
	assert_true(same(&a, &l, a.n_runs));
	assert_true(design_workload_seed(&p, 0) == design_workload_seed(&q, 0));
	assert_true(design_workload_seed(&p, 0) != design_workload_seed(&p, 1));
	assert_true(design_workload_seed(&p, 0) != design_workload_seed(&r, 0));
	design_release(&a);
	design_release(&b);
	design_release(&c);
	design_release(&l);
	protocol_release(&p);
	protocol_release(&q);
	protocol_release(&r);
	protocol_release(&longer);
}

static void test_reference_trace(void **state)
{
	(void)state;
	struct protocol p;
	struct design d;
	protocol_make(&p, "reference = trace\nreplicates = 5");
	design_make(&d, &p);
	assert_int_equal(d.n_runs, protocol_n_runs(&p));
	assert_int_equal(d.n_bank_runs, 6 * 4); /* one per block */
	for (size_t i = d.n_bank_runs; i < d.n_runs; i++) {
		assert_true(d.run[i].role >= 0);
		assert_int_equal(d.run[i].bank, d.run[i].block);
	}
	design_release(&d);
	protocol_release(&p);
}

static void test_json(void **state)
{
	(void)state;
	struct protocol p, other;
	struct design d, back;
	struct err e = ERR_INIT;
	protocol_make(&p, "replicates = 3");
	protocol_make(&other, "replicates = 2");
	design_make(&d, &p);
	json_t *o = design_to_json(&d, &p);
	assert_int_equal(design_from_json(&back, &p, o, &e), 0);
	assert_int_equal(back.n_runs, d.n_runs);
	assert_int_equal(back.n_bank_runs, d.n_bank_runs);
	assert_true(same(&d, &back, d.n_runs));
	design_release(&back);

	assert_int_equal(design_from_json(&back, &other, o, &e), -EINVAL); /* a block too many */
	json_object_set_new(o, "version", json_integer(2));
	assert_int_equal(design_from_json(&back, &p, o, &e), -EINVAL);
	json_object_set_new(o, "version", json_integer(1));
	json_array_set_new(json_object_get(o, "runs"), 3, json_pack("[i,i,i,i,i]", 0, 0, 0, 99, 0));
	assert_int_equal(design_from_json(&back, &p, o, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "run 3 "));
	json_array_set_new(json_object_get(o, "runs"), 3, json_string("x"));
	assert_int_equal(design_from_json(&back, &p, o, &e), -EINVAL);
	json_array_set_new(json_object_get(o, "scenarios"), 0, json_string("renamed"));
	assert_int_equal(design_from_json(&back, &p, o, &e), -EINVAL);
	json_decref(o);
	o = json_object();
	assert_int_equal(design_from_json(&back, &p, o, &e), -EINVAL);
	json_decref(o);
	design_release(&d);
	protocol_release(&p);
	protocol_release(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_balanced),
	    cmocka_unit_test(test_half_of_the_blocks_are_slow),
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_seed),
	    cmocka_unit_test(test_reference_trace),
	    cmocka_unit_test(test_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
