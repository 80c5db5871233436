/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watchdog without a replay: a constructed plan whose requests end when the test says so, and a
 * time limit that expires at once or never. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "replay/issue/watchdog.h"

#define NEVER_NS 3600000000000 /* an hour */

/* Two lanes of two requests; the second request of lane 1 waits for the end of the first request of
 * lane 0. */
struct scene {
	struct replay_config config;
	struct replay_plan plan;
	struct crew crew;
	struct lane lane[2];
	struct hot_request request[2][2];
	struct outcome outcome[2][2];
	int64_t due[2][2];
	struct hot_wait wait;
	struct lane_place place[4];
	struct queue queue[2];
	struct hot_open open[2];
};

static struct scene *scene_make(void)
{
	static struct scene s;
	memset(&s, 0, sizeof s);
	replay_config_init(&s.config);
	assert_int_equal(clock_init(&s.plan.clock, 1000000, NULL), 0);
	s.wait = (struct hot_wait){.lane = 0, .threshold = 2};
	for (int i = 0; i < 2; i++) {
		s.lane[i] = (struct lane){.request = s.request[i], .outcome = s.outcome[i], .n = 2};
		for (int k = 0; k < 2; k++) {
			s.request[i][k] = (struct hot_request){.op = OP_PREAD, .slot = 1};
			s.place[2 * i + k] = (struct lane_place){(uint32_t)i, (uint32_t)k};
		}
	}
	s.request[0][0].op = OP_FSYNC;
	s.request[1][1].n_waits = 1;
	s.lane[1].wait = &s.wait;
	s.lane[0].wait = &s.wait; /* nothing of it is lane 0's */
	s.open[1].path = "the/file";
	s.plan.lane = s.lane, s.plan.n_lanes = 2, s.plan.n = 4;
	s.plan.place = s.place, s.plan.n_records = 4;
	s.plan.open = s.open, s.plan.n_slots = 2;
	s.crew.plan = &s.plan, s.crew.config = &s.config, s.crew.queue = s.queue, s.crew.n = 2;
	pause_init(&s.crew.pause);
	assert_int_equal(gates_init(&s.crew.gates, 2, &s.plan.clock, 0, false, false, NULL), 0);
	return &s;
}

static void scene_end(struct scene *s, struct watchdog *w)
{
	free(w->next);
	vm_free(&s->crew.gates.memory);
}

static void ends(struct scene *s, int lane, int k)
{
	s->outcome[lane][k].begin_ticks = 1;
	s->outcome[lane][k].end_ticks = clock_now(&s->plan.clock);
	gate_publish(&s->crew.gates, (uint32_t)lane, 2 * (uint32_t)k + 2);
}

/* Longer than the time limit of 1 us. */
static void while_passes(const struct scene *s)
{
	uint64_t until = clock_now(&s->plan.clock) + (uint64_t)(50000 / s->plan.clock.ns_per_tick);
	while (clock_now(&s->plan.clock) < until)
		;
}

static void quiet_is_when_nothing_ends(void **state)
{
	(void)state;
	struct scene *s = scene_make();
	struct watchdog w;
	watchdog_init(&w, &s->crew, 1000);
	while_passes(s);
	assert_true(watchdog_is_quiet(&w));
	ends(s, 1, 0);
	assert_false(watchdog_is_quiet(&w)); /* something has ended since */
	while_passes(s);
	assert_true(watchdog_is_quiet(&w));
	watchdog_restart(&w);
	w.ticks = UINT64_MAX;
	assert_false(watchdog_is_quiet(&w));
	scene_end(s, &w);
}

/* In a paused replay no request ends, but it is not blocked. */
static void paused_time_is_no_patience(void **state)
{
	(void)state;
	struct scene *s = scene_make();
	struct watchdog w;
	watchdog_init(&w, &s->crew, 1000);
	watchdog_is_quiet(&w);
	w.quiet_since = w.looked; /* the time until here may exceed the limit */
	atomic_store(s->crew.pause.word, PAUSE_HOLD);
	while_passes(s);
	assert_false(watchdog_is_quiet(&w));
	atomic_store(s->crew.pause.word, 0);
	while_passes(s);
	assert_true(watchdog_is_quiet(&w));
	scene_end(s, &w);
}

static void patience_may_be_endless(void **state)
{
	(void)state;
	struct scene *s = scene_make();
	struct watchdog w;
	watchdog_init(&w, &s->crew, 0);
	while_passes(s);
	assert_false(watchdog_is_quiet(&w));
	free(w.next);
	watchdog_init(&w, &s->crew, NEVER_NS);
	while_passes(s);
	assert_false(watchdog_is_quiet(&w));
	scene_end(s, &w);
}

/* A lane that waits for its due time is not blocked, however long the wait; after the due time it
 * may be. */
static void waiting_for_a_due_time_is_no_silence(void **state)
{
	(void)state;
	static const enum replay_timing timings[] = {TIMING_TIMESTAMP, TIMING_THINK};
	for (int i = 0; i < 2; i++) {
		struct scene *s = scene_make();
		struct watchdog w;
		s->config.timing = (int)timings[i];
		s->lane[0].due = s->due[0], s->lane[1].due = s->due[1];
		s->plan.start_ticks = clock_now(&s->plan.clock);
		ends(s, 0, 0);
		s->due[0][1] = (int64_t)(60e9 / s->plan.clock.ns_per_tick); /* a minute on */
		watchdog_init(&w, &s->crew, 1000);
		while_passes(s);
		assert_false(watchdog_is_quiet(&w));
		s->due[0][1] = 1;
		/* sees that the due time has passed, and starts its time limit now */
		watchdog_is_quiet(&w);
		while_passes(s);
		assert_true(watchdog_is_quiet(&w));
		scene_end(s, &w);
	}
}

static void the_blocked_request_and_its_waiter_are_named(void **state)
{
	(void)state;
	struct scene *s = scene_make();
	struct watchdog w;
	struct strbuf text = STRBUF_INIT;
	watchdog_init(&w, &s->crew, 1000);
	ends(s, 1, 0);
	watchdog_is_quiet(&w);
	watchdog_describe(&w, &text);
	assert_string_equal(text.s, "request 0 (fsync of the/file) does not return, and request 3 "
				    "(pread of the/file) waits for "
				    "request 0 (fsync of the/file)");
	strbuf_release(&text);
	ends(s, 0, 0);
	watchdog_is_quiet(&w);
	watchdog_describe(&w, &text);
	/* no request waits for it */
	assert_string_equal(text.s, "request 1 (pread of the/file) does not return");
	strbuf_release(&text);
	scene_end(s, &w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(quiet_is_when_nothing_ends),
	    cmocka_unit_test(paused_time_is_no_patience),
		cmocka_unit_test(patience_may_be_endless),
	    cmocka_unit_test(waiting_for_a_due_time_is_no_silence),
	    cmocka_unit_test(the_blocked_request_and_its_waiter_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
