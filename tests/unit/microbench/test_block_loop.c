/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop of block workloads on a simulated queue. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>

#include "microbench/block/block_load.h"
#include "microbench/loop.h"

#define DEPTH 4
#define N 8

struct block_queue {
	int n_harvests;
};

static int submit(struct block_queue *q, const struct block_command *command, uint32_t n)
{
	(void)q, (void)command;
	return (int)n;
}

/* The first request ends. Then the device is lost. */
static int harvest(struct block_queue *q, struct block_done *done, uint32_t max, int64_t wait_ns)
{
	(void)wait_ns;
	assert_true(max > 0);
	if (q->n_harvests++)
		return -ENODEV;
	/* the stack of unused slots returns the last slot first */
	done[0] = (struct block_done){DEPTH - 1, 4096};
	return 1;
}

static void requests_of_a_queue_that_fails_have_an_end(void **state)
{
	(void)state;
	const struct block_backend backend = {.name = "made up", .bundle_max = DEPTH, .submit = submit, .harvest = harvest};
	struct block_queue queue = {0};
	struct clock clock;
	struct drawn_request request[N];
	struct bench_sample sample[N] = {0};
	uint32_t sample_of[DEPTH], unused[DEPTH] = {0, 1, 2, 3};
	struct block_load load = {.backend = &backend, .queue = &queue, .request = request, .sample_of = sample_of, .unused = unused,
				  .depth = DEPTH, .n_unused = DEPTH, .max_length = 4096, .failed = UINT64_MAX};
	struct pause pause;
	struct bench_thread t = {.clock = &clock, .waiter = {.clock = &clock}, .n_requests = N, .capacity = N, .pause = &pause, .load = &load, .sample = sample};
	assert_int_equal(clock_init(&clock, 5000000, NULL), 0);
	pause_init(&pause);
	for (int k = 0; k < N; k++)
		request[k] = (struct drawn_request){.offset = 4096u * (unsigned int)k, .length = 4096, .direction = BLOCK_READ, .due = INT64_MIN};
	t.start = clock_now(&clock);
	block_loop(&t);
	assert_true(t.failed);
	assert_int_equal(load.fatal, ENODEV);
	assert_true(t.n_samples >= DEPTH);
	assert_int_equal(sample[0].result, 4096);
	for (uint64_t k = 0; k < t.n_samples; k++)
		assert_true(sample[k].end >= sample[k].begin);
	for (uint64_t k = 1; k < t.n_samples; k++)
		assert_int_equal(sample[k].result, -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_of_a_queue_that_fails_have_an_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
