/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/crew.h"

#include "common/process_memory.h"
#include "common/processors.h"
#include "replay/issue/balloon.h"
#include "replay/issue/feed.h"
#include "replay/issue/watchdog.h"
#include "replay/plan/pinning.h"

/* Time from the release of the threads to the common start: all of them must be awake by then. */
#define LEAD_NS 1000000
#define LEAD_PER_THREAD_NS 50000
/* Time to spin if there are more runners than CPUs: the awaited thread may need the CPU on which
 * the waiting thread spins. */
#define CROWDED_SPIN_NS 2000

#define STACK_BYTES ((size_t)256 << 10)

static void runners_place(struct crew *c)
{
	SCOPED(processors_release) struct processor_list list = {.cpu = NULL};
	const char *cpus = c->config->cpus, *each = cpus ? pinning_next(cpus) : NULL;
	if (cpus && !each && processors_parse(&list, cpus, NULL)) /* checked before */
		processors_release(&list);
	for (uint32_t i = 0; i < c->n; i++) {
		int cpu = list.n ? list.cpu[i % list.n] : c->config->pin ? processor_nth(i) : -1;
		c->runner[i] = (struct runner){
			.crew = c, .index = i, .cpu = cpu, .cpus = each, .wait_ns = -1};
		c->runner[i].store.n = call_store_size(c->n);
		each = each ? pinning_next(each) : NULL;
	}
}

static int common_init(struct crew *c, struct err *e)
{
	int ret = vm_get(&c->common_memory, VM_SHARED, sizeof *c->common, "the workers", e);
	if (ret)
		return ret;
	c->common = c->common_memory.base;
	atomic_init(&c->common->stop, false);
	pthread_mutexattr_t across;
	pthread_mutexattr_init(&across);
	pthread_mutexattr_setpshared(&across, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&c->common->serial, &across);
	pthread_mutexattr_destroy(&across);
	return 0;
}

static int crew_scheduling(struct crew *c, struct err *e)
{
	if (c->config->scheduler) {
		struct scheduling wanted = {.set = false};
		int ret = scheduling_parse(c->config->scheduler, &wanted, e);
		if (ret)
			return ret;
		c->scheduling = c->plan->scheduling = scheduling_of(&wanted, c->n);
	}
	if (!c->config->pre_spin || c->config->wait != WAIT_HYBRID || c->n < 2)
		return 0;
	/* sched_yield() would end the runtime of a SCHED_DEADLINE thread for its period */
	return wait_group_init(&c->group, c->n, (uint32_t)processors_allowed(),
			       !c->scheduling.runtime_ns, c->config->processes, e);
}

/* Allocates the buffers. Those of a worker fit the requests of its lane, or all requests if any
 * worker may take any request. */
static int buffers_place(struct crew *c, const struct replay_config *config, struct err *e)
{
	const struct replay_plan *p = c->plan;
	const bool any = p->pool || c->n != p->n_lanes;
	SCOPED_FREE size_t *own = xcalloc((size_t)c->n + 1, sizeof *own);
	size_t most = 0;
	struct placement_need need = {.block_bytes = own,
				      .n_threads = c->n,
				      .direct = p->direct,
				      .across = config->processes};
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		most = p->lane[i].own_bytes > most ? p->lane[i].own_bytes : most;
		need.common_bytes = p->lane[i].common_bytes > need.common_bytes
					? p->lane[i].common_bytes
					: need.common_bytes;
	}
	for (uint32_t i = 0; i < c->n; i++)
		own[i] = any ? most : p->lane[i].own_bytes;
	int ret =
	    placement_init_each(&c->placement, (enum placement_kind)config->placement, &need, e);
	if (!ret && config->processes && memory_available_bytes() < c->placement.region.n_bytes)
		ret = err_set(
		    e, ENOMEM,
		    "not enough memory for the buffers of all processes: they need %zu bytes",
		    c->placement.region.n_bytes);
	if (ret && p->longest.n_bytes)
		ret = err_context(e, "%u workers, whose longest request is record %u, a %s of %llu "
			"bytes by thread %u", c->n, p->longest.record, op_name(p->longest.op),
			(unsigned long long)p->longest.n_bytes, p->longest.tid);
	return ret;
}

int crew_init(struct crew *c, struct replay_plan *p, const struct replay_config *config,
	      uint32_t n_runners, void (*loop)(struct runner *w), struct err *e)
{
	*c = (struct crew){
	    .plan = p, .config = config, .loop = loop, .n = n_runners, .to = n_runners};
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->changed, NULL);
	pause_init(&c->pause);
	int64_t spin_ns = config->spin_ns;
	bool crowded = c->n > (uint32_t)processors_allowed();
	if (crowded && spin_ns > CROWDED_SPIN_NS)
		spin_ns = CROWDED_SPIN_NS;
	c->queue = xaligned(128, p->n_lanes, sizeof *c->queue);
	c->runner = xaligned(128, c->n, sizeof *c->runner);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		atomic_init(&c->queue[i].next, 0);
	runners_place(c);
	int ret = common_init(c, e);
	ret = ret ? ret : crew_scheduling(c, e);
	if (!ret)
		ret = gates_init(&c->gates, p->n_lanes, &p->clock,
				 (uint64_t)((double)spin_ns / p->clock.ns_per_tick), crowded,
				 config->processes, e);
	ret = ret ? ret : buffers_place(c, config, e);
	if (!ret) { /* fill the buffers with random data: some storage treats zeros specially */
		vm_fill_random(&c->placement.region, p->seed);
		vm_fill_random(&c->placement.common_region, p->seed);
	}
	if (!ret && p->file.fd)
		ret = feed_open(&c->feed, p, config->stop_on_mismatch, e);
	return ret;
}

void crew_release(struct crew *c)
{
	if (c->abandoned)
		return;
	if (c->feed)
		feed_close(c->feed);
	placement_release(&c->placement);
	vm_free(&c->gates.memory);
	if (c->group.n)
		wait_group_release(&c->group);
	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t k = 0; k < c->runner[i].store.n; k++)
			if (c->runner[i].store.item[k].place)
				close(c->runner[i].store.item[k].fd);
	FREE_EACH(c->queue, c->runner);
	vm_free(&c->common_memory);
	pause_release(&c->pause);
	pthread_mutex_destroy(&c->mutex);
	pthread_cond_destroy(&c->changed);
}

/* --- the runner ---------------------------------------------------------- */

static void runner_prepare(const struct runner *w, int *pin_error, int *scheduling_error)
{
	const struct crew *c = w->crew;
	*pin_error = w->cpus ? thread_bind(w->cpus) : w->cpu >= 0 ? thread_pin(w->cpu) : 0;
	if (c->config->wait != WAIT_NANOSLEEP)
		waiter_thread_setup();
	/* call every function once with an invalid descriptor, so that lazy binding is not
	 * measured */
	void *buffer = placement_buffer(&c->placement, w->index, 0);
	ssize_t none = read(-1, buffer, 1) + write(-1, buffer, 1) + pread(-1, buffer, 1, 0) +
		       pwrite(-1, buffer, 1, 0);
	none += lseek(-1, 0, SEEK_SET) + fsync(-1) + fdatasync(-1) + close(-1);
	(void)none;
	*scheduling_error = c->scheduling.set ? scheduling_apply(&c->scheduling) : 0;
}

static bool start_pass(struct crew *c, int pin_error, int scheduling_error)
{
	pthread_mutex_lock(&c->mutex);
	c->n_ready++;
	if (pin_error)
		c->pin_error = pin_error;
	if (scheduling_error)
		c->scheduling_error = scheduling_error;
	pthread_cond_broadcast(&c->changed);
	while (!c->open && !c->cancelled)
		pthread_cond_wait(&c->changed, &c->mutex);
	bool pass = !c->cancelled;
	pthread_mutex_unlock(&c->mutex);
	return pass;
}

static void runner_loop(struct runner *w)
{
	struct crew *c = w->crew;
	int64_t before_ns = thread_runqueue_wait_ns();
	wait_until(&w->waiter, c->plan->start_ticks);
	pause_enter(&c->pause, w->index);
	c->loop(w);
	pause_leave(&c->pause, w->index);
	int64_t after_ns = thread_runqueue_wait_ns();
	if (before_ns >= 0 && after_ns >= before_ns)
		w->wait_ns = after_ns - before_ns;
}

static void *runner_main(void *arg)
{
	struct runner *w = arg;
	struct crew *c = w->crew;
	int pin_error, scheduling_error;
	runner_prepare(w, &pin_error, &scheduling_error);
	if (start_pass(c, pin_error, scheduling_error))
		runner_loop(w);
	if (c->scheduling.set)
		scheduling_leave(&c->scheduling);
	return NULL;
}

/* --- start and end ------------------------------------------------------- */

/* A process of one runner has no other thread, so the runner's descriptors are in a table that no
 * other thread uses. As for a traced process of one thread, the kernel then counts the users of a
 * descriptor without atomic operations. */
static struct runner *runner_alone(const struct crew *c)
{
	return c->config->processes && c->to - c->from == 1 ? &c->runner[c->from] : NULL;
}

static int runners_start(struct crew *c)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	int code = 0;
	for (; c->n_started < c->to - c->from && !code; c->n_started += !code) {
		struct runner *w = &c->runner[c->from + c->n_started];
		code = pthread_create(&w->id, &attributes, runner_main, w);
	}
	pthread_attr_destroy(&attributes);
	pthread_mutex_lock(&c->mutex);
	while (c->n_ready < c->n_started)
		pthread_cond_wait(&c->changed, &c->mutex);
	pthread_mutex_unlock(&c->mutex);
	return code;
}

int crew_start(struct crew *c, struct err *e)
{
	struct waiter waiter;
	const struct runner *alone = runner_alone(c);
	if (c->config->wait != WAIT_NANOSLEEP) /* workers inherit the timer slack */
		waiter_thread_setup();
	waiter_init(&waiter, &c->plan->clock, (enum wait_method)c->config->wait, 0);
	for (uint32_t i = c->from; i < c->to; i++) {
		c->runner[i].waiter = waiter;
		if (c->group.n)
			waiter_join(&c->runner[i].waiter, &c->group, i);
	}
	int code = 0;
	if (alone)
		runner_prepare(alone, &c->pin_error, &c->scheduling_error);
	else
		code = runners_start(c);
	if (code)
		return err_sys(e, code, "cannot start thread %u of %u",
			       c->from + c->n_started + 1, c->n);
	if (c->scheduling_error)
		return scheduling_refused(&c->scheduling, c->scheduling_error, c->n, e);
	return c->pin_error ? err_sys(e, c->pin_error, "cannot pin a thread to its CPU") : 0;
}

void crew_open(struct crew *c, bool cancelled)
{
	pthread_mutex_lock(&c->mutex);
	c->open = true;
	c->cancelled = cancelled;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->mutex);
}

void crew_join(struct crew *c)
{
	struct runner *alone = runner_alone(c);
	if (alone && !c->cancelled)
		runner_loop(alone);
	if (alone && c->scheduling.set)
		scheduling_leave(&c->scheduling);
	for (uint32_t i = 0; i < c->n_started; i++)
		pthread_join(c->runner[c->from + i].id, NULL);
}

/* Joins a thread and checks the watchdog in the meantime. If no request completes for the
 * watchdog's time, waits for locks are abandoned. Returns false if that does not help. */
static bool runner_join(struct crew *c, struct watchdog *w, uint32_t i, struct strbuf *blocked)
{
	for (int64_t pause_ns = CREW_LOOK_FIRST_NS;; pause_ns = CREW_LOOK_NEXT_NS) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		int64_t ns = until.tv_nsec + pause_ns;
		until.tv_sec += ns / 1000000000;
		until.tv_nsec = ns % 1000000000;
		if (pthread_timedjoin_np(c->runner[i].id, NULL, &until) == 0)
			return true;
		if (!w->crew)
			watchdog_init(w, c, c->config->watchdog_ns);
		if (watchdog_is_quiet(w) && !watchdog_give_up(w, blocked))
			return false;
	}
}

/* Errors: ETIMEDOUT. */
static int crew_join_watched(struct crew *c, struct err *e)
{
	struct watchdog w = {.crew = NULL}; /* until the first look */
	SCOPED_STRBUF blocked = STRBUF_INIT;
	if (c->config->watchdog_ns <= 0) {
		crew_join(c);
		return 0;
	}
	for (uint32_t i = 0; i < c->n_started && !c->abandoned; i++)
		c->abandoned = !runner_join(c, &w, i, &blocked);
	c->plan->abandoned = c->abandoned;
	free(w.next);
	return blocked.len ? err_set(e, ETIMEDOUT, "%s (--watchdog sets the time limit)",
				     blocked.s)
			   : 0;
}

void crew_due_to_ticks(struct replay_plan *p, double ticks_per_ns)
{
	p->due_ticks_per_ns = ticks_per_ns;
	for (uint32_t i = 0; i < p->n_lanes && !p->file.fd; i++)
		for (uint32_t k = 0; p->lane[i].due && k < p->lane[i].n; k++)
			p->lane[i].due[k] = plan_ticks((double)p->lane[i].due[k], ticks_per_ns);
}

void crew_gather(struct crew *c)
{
	struct replay_plan *p = c->plan;
	p->facts.runqueue_wait_ns = 0;
	for (uint32_t i = c->from; i < c->to; i++) {
		const struct runner *w = &c->runner[i];
		p->n_futex_sleeps += w->gate_waiter.n_sleeps;
		p->n_timed_sleeps += w->waiter.n_sleeps;
		p->n_late_wakes += w->waiter.n_late;
		p->n_relays += w->waiter.n_relays;
		bool known = w->wait_ns >= 0 && p->facts.runqueue_wait_ns >= 0;
		p->facts.runqueue_wait_ns = known ? p->facts.runqueue_wait_ns + w->wait_ns : -1;
	}
	p->stopped = atomic_load(&c->common->stop);
}

int64_t crew_lead_ns(const struct crew *c, uint32_t n_processes)
{
	return LEAD_NS + LEAD_PER_THREAD_NS * ((int64_t)c->n + n_processes);
}

/* Sets the time of the start: as soon as all threads can be ready, or by the engine's function. */
static int start_choose(struct crew *c, struct err *e)
{
	struct replay_plan *p = c->plan;
	if (c->meet)
		return c->meet(c, e);
	p->start_ticks =
	    clock_now(&p->clock) + (uint64_t)((double)crew_lead_ns(c, 0) / p->clock.ns_per_tick);
	return 0;
}

int crew_run(struct crew *c, struct err *e)
{
	/* the recorded modes already contain the program's umask (load.h) */
	const mode_t mask = umask(0);
	struct replay_plan *p = c->plan;
	struct run_facts_snapshot before, after;
	int ret = pause_join(&c->pause, e);
	ret = ret ? ret : pause_threads(&c->pause, c->n, e);
	if (ret)
		goto out;
	if (c->config->processes) {
		ret = crew_run_processes(c, e);
		goto out;
	}
	ret = crew_start(c, e);
	if (!ret && p->balloon)
		ret = balloon_hold(p->balloon, p, NULL, 0, e);
	ret = ret ? ret : clock_reanchor(&p->clock, e);
	if (!ret && c->config->timing != TIMING_FULLSPEED)
		crew_due_to_ticks(p, 1 / p->clock.ns_per_tick);
	if (!ret && c->feed)
		ret = feed_start(c->feed, p->due_ticks_per_ns, e);
	run_facts_take(&before);
	ret = ret ? ret : start_choose(c, e);
	if (ret) {
		crew_open(c, true);
		crew_join(c);
		goto out;
	}
	crew_open(c, false);
	int followed = p->balloon ? balloon_follow(p->balloon, e) : 0;
	ret = crew_join_watched(c, followed ? NULL : e);
	ret = ret ? ret : followed;
	if (ret)
		goto out;
	pause_finish(&c->pause);
	if (atomic_load(&p->calls.streams))
		call_table_finish(p);
	run_facts_take(&after);
	if (p->balloon)
		balloon_let_go(p->balloon);
	run_facts_between(&before, &after, &p->facts);
	crew_gather(c);
	ret = c->feed ? feed_stop(c->feed, e) : 0;
	ret = ret ? ret : clock_reanchor(&p->clock, e);
out:
	umask(mask);
	return ret;
}
