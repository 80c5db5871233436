/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/parallel/rank_loop.h"

#include <sched.h>

#include "microbench/script.h"

static int64_t cpu_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Computes until it has used this CPU time. Time without a CPU does not count. */
static void cpu_use(uint32_t ns)
{
	const int64_t end = cpu_ns() + ns;
	while (cpu_ns() < end)
		for (unsigned int i = 0; i < 8; i++)
			cpu_relax();
}

static void word_await(const struct rank_messages *m, uint32_t rank, uint32_t value)
{
	while (atomic_load_explicit(m->word[rank], memory_order_acquire) < value)
		if (m->gives_way)
			sched_yield();
		else
			cpu_relax();
}

static void between_run(const struct rank_messages *m, const struct bench_step *s)
{
	switch ((enum script_between)s->op) {
	case STEP_COMPUTE:
		cpu_use(s->value);
		break;
	case STEP_BARRIER:
		m->barrier(m->context);
		break;
	case STEP_SEND:
		m->send(m->context, s->name, s->value);
		break;
	case STEP_RECEIVE:
		m->receive(m->context, s->name, s->value);
		break;
	case STEP_EXCHANGE:
		m->exchange(m->context, s->name, s->value);
		break;
	case STEP_RAISE:
		atomic_store_explicit(m->word[m->rank], s->value, memory_order_release);
		break;
	case STEP_AWAIT:
		word_await(m, s->name, s->value);
		break;
	}
}

void rank_loop(struct bench_thread *t, const struct rank_messages *m)
{
	const struct script *script = t->script;
	struct bench_sample *out = t->sample;
	uint64_t n_units = 0;
	for (size_t i = 0; i < script->n && !t->failed; i++) {
		const struct bench_step *s = &script->step[i];
		if (step_is_call(s)) {
			*out = script_play(t, s, placement_buffer(t->placement, 0, i));
			t->failed =
			    s->expect == EXPECT_ANY ? out->result < 0 : out->result != s->expect;
			out++;
		} else {
			between_run(m, s);
		}
		n_units += s->ends_unit;
		if (s->ends_unit && t->pauses && n_units < script->n_units)
			bench_pause(t, n_units - 1, clock_now(t->clock));
	}
	t->n_requests_done = n_units;
	t->n_samples = (uint64_t)(out - t->sample);
}
