/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include "common/process_memory.h"
#include "common/signals.h"
#include "microbench/block/block_load.h"
#include "microbench/run/run.h"

/* Time from the opening of the gate to the common start, in which all waiting threads wake up. */
#define LEAD_NS 500000
#define LEAD_PER_THREAD_NS 50000
/* largest error that clock_reanchor accepts: deadlines include it, so that no run is shorter than
 * requested */
#define CALIBRATION_ERROR 200e-6

/* --- the gate ------------------------------------------------------------ */

/* The worker's side of the gate. False: the run was cancelled. */
static bool gate_pass(struct gate *g, int error, int scheduling_error)
{
	pthread_mutex_lock(&g->mutex);
	g->n_ready++;
	if (error)
		g->error = error;
	if (scheduling_error)
		g->scheduling_error = scheduling_error;
	pthread_cond_broadcast(&g->changed);
	while (!g->open && !g->cancelled)
		pthread_cond_wait(&g->changed, &g->mutex);
	bool pass = g->open && !g->cancelled;
	pthread_mutex_unlock(&g->mutex);
	return pass;
}

static void gate_release(struct gate *g, bool cancelled)
{
	pthread_mutex_lock(&g->mutex);
	g->open = true;
	g->cancelled = cancelled;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->mutex);
}

/* --- the workers --------------------------------------------------------- */

static int worker_prepare(struct worker *w)
{
	struct bench_run *r = w->run;
	const struct microbench_config *c = r->config;
	w->tid = gettid();
	if (w->cpu >= 0) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET(w->cpu, &set);
		int code = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
		if (code)
			return code;
	}
	/* waiting for a due time is not a pause of the program */
	const int method = w->bench.load ? WAIT_HYBRID : c->pause_by;
	if (method == WAIT_HYBRID)
		waiter_thread_setup();
	waiter_init(&w->bench.waiter, &r->clock, (enum wait_method)method, 0);
	if (w->bench.load)
		return block_begin(r, &w->bench);
	if (w->bench.script)
		script_warm(&w->bench);
	else
		bench_warm(&w->bench, r->workload->call);
	return 0;
}

static void worker_measure(struct worker *w)
{
	struct bench_thread *t = &w->bench;
	struct bench_run *r = w->run;
	int64_t wait_before_ns = thread_runqueue_wait_ns();
	uint64_t now;
	while ((now = clock_now(&r->clock)) < r->start)
		cpu_relax();
	/* a thread that got its CPU late still runs for the whole duration */
	if (t->deadline)
		t->deadline += now - r->start;
	pause_enter(&r->pause, t->index);
	r->workload->loop(t);
	const struct bench_sample none = {.result = -EIO};
	const struct bench_sample *last = t->n_samples ? &t->sample[t->n_samples - 1] : &none;
	bool failed = t->script || t->load ? t->failed
				: last->result < 0 || bench_is_short(t, last);
	if (failed)
		pause_end(&r->pause);
	else if (t->fsync_end && !bench_must_end(t))
		bench_fsync(t, &t->sample[t->n_samples++]);
	pause_leave(&r->pause, t->index);
	int64_t wait_after_ns = thread_runqueue_wait_ns();
	if (wait_before_ns >= 0 && wait_after_ns >= wait_before_ns)
		w->wait_ns = wait_after_ns - wait_before_ns;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	int error = worker_prepare(w);
	if (gate_pass(&w->run->gate, error, scheduling_apply(&w->run->scheduling)))
		worker_measure(w);
	if (w->bench.load)
		block_end(&w->bench);
	scheduling_leave(&w->run->scheduling);
	if (atomic_fetch_sub(&w->run->n_running, 1) == 1)
		(void)eventfd_write(w->run->finished_fd, 1);
	return NULL;
}

/* --- control of the workers --------------------------------------------- */

int bench_interrupted(int signal_fd, struct err *e)
{
	struct signalfd_siginfo info;
	if (signal_fd < 0 || read(signal_fd, &info, sizeof info) != sizeof info)
		return 0;
	return err_set(e, EINTR, "interrupted (%s): no trace was written",
		       strsignal((int)info.ssi_signo));
}

static int workers_start(struct bench_run *r, struct err *e)
{
	atomic_store(&r->n_running, r->n_workers);
	for (; r->n_started < r->n_workers; r->n_started++) {
		struct worker *w = &r->worker[r->n_started];
		int code = pthread_create(&w->id, NULL, worker_main, w);
		if (code)
			return err_sys(e, code, "cannot start thread %u of %u", r->n_started + 1,
				       r->n_workers);
	}
	struct gate *g = &r->gate;
	pthread_mutex_lock(&g->mutex);
	while (g->n_ready < r->n_workers)
		pthread_cond_wait(&g->changed, &g->mutex);
	pthread_mutex_unlock(&g->mutex);
	if (r->gate.scheduling_error)
		return scheduling_refused(&r->scheduling, r->gate.scheduling_error, r->n_workers,
					  e);
	int code = r->gate.error;
	for (unsigned int i = 0; code && i < r->n_workers; i++)
		if (r->worker[i].bench.load && r->worker[i].bench.load->err.msg[0])
			return err_set(e, code, "%s", r->worker[i].bench.load->err.msg);
	return code ? err_sys(e, code, "cannot pin a thread to its CPU") : 0;
}

/* Waits until the last worker has finished, or until a signal ends the run. */
static int workers_watch(struct bench_run *r, int signal_fd, struct err *e)
{
	struct pollfd fds[] = {{.fd = r->finished_fd, .events = POLLIN}, {.fd = signal_fd,
	    .events = POLLIN}};
	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return err_sys(e, errno, "cannot wait for the threads (poll)");
		int ret = fds[1].revents ? bench_interrupted(signal_fd, e) : 0;
		if (ret || fds[0].revents)
			return ret;
	}
}

static void workers_join(struct bench_run *r)
{
	for (unsigned int i = 0; i < r->n_started; i++)
		pthread_join(r->worker[i].id, NULL);
}

int bench_measure(struct bench_run *r, int signal_fd, struct err *e)
{
	int ret = pause_threads(&r->pause, r->n_workers, e);
	ret = ret ? ret : workers_start(r, e);
	ret = ret ? ret : clock_reanchor(&r->clock, e);
	if (ret) {
		gate_release(&r->gate, true);
		workers_join(r);
		return ret;
	}
	struct run_facts_snapshot before, after;
	run_facts_take(&before);
	r->wall_epoch_ns = clock_realtime_ns();
	uint64_t now = clock_now(&r->clock);
	uint64_t lead = clock_ticks_of_ns(&r->clock, clock_ns_of_ticks(&r->clock,
		now) + LEAD_NS + LEAD_PER_THREAD_NS * (int64_t)r->n_workers) - now;
	r->start = now + lead;
	uint64_t lasts = (uint64_t)((double)r->config->min_duration_ns * (1 + CALIBRATION_ERROR) /
				    r->clock.ns_per_tick);
	for (unsigned int i = 0; i < r->n_workers; i++) {
		r->worker[i].bench.start = r->start;
		r->worker[i].bench.deadline = lasts ? r->start + lasts : 0;
	}
	gate_release(&r->gate, false);
	ret = workers_watch(r, signal_fd, e);
	if (ret) {
		pause_end(&r->pause);
		/* A second request ends a run that hangs in a call. A second signal that belongs
		 * to the first request must not end it. */
		nanosleep(&(struct timespec){0, SIGNALS_APART_NS}, NULL);
		signals_discard(&r->held);
		pthread_sigmask(SIG_UNBLOCK, &r->held, NULL);
	}
	workers_join(r);
	run_facts_take(&after);
	if (ret)
		return ret;
	pause_finish(&r->pause);
	r->anonymous_after_bytes = process_anonymous_bytes(getpid());
	run_facts_between(&before, &after, &r->facts);
	r->wall_epoch_ns += (int64_t)((double)lead * r->clock.ns_per_tick);
	return clock_reanchor(&r->clock, e);
}
