/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/rounds.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <poll.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "validate/campaign/launch.h"

#define LOOK_NS 1000000 /* interval of checks, because an exited process does not change its page */
#define STOP_LOOK_NS 50000
#define STALE_LOOKS 40
/* Limit for a request in flight: it may wait for a request of a paused thread, and that would take
 * forever. */
#define QUIET_LIMIT_NS 1000000000

static bool has_ended(const struct round_role *x)
{
	siginfo_t info = {.si_pid = 0};
	return waitid(P_PID, (id_t)x->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid;
}

/* Whether every thread of the process has stopped. */
static bool is_stopped(const struct round_role *x)
{
	siginfo_t info = {.si_pid = 0};
	if (x->target)
		return descendants_are_stopped(&x->below);
	return waitid(P_PID, (id_t)x->pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid;
}

/* --- one slice ----------------------------------------------------------- */

static struct slice *slice_add(struct round_role *x)
{
	GROW(x->slices.slice, x->slices.n, x->cap_slices);
	return &x->slices.slice[x->slices.n++];
}

/* Waits until the slice has ended, or the last request was made. */
static void slice_wait(const struct round_role *x, int64_t until_ns)
{
	for (;;) {
		const uint32_t seen = atomic_load(&x->page->n_events);
		const int64_t left_ns = until_ns - clock_monotonic_ns();
		if (left_ns <= 0 || pause_look(x->page) == PAUSE_DONE)
			return;
		pause_events_wait(x->page, seen, left_ns);
	}
}

/* Waits for a change of the page, or a SIGCHLD of a stopped child. Returns true if the campaign
 * must end. */
static bool event_wait(const struct round_role *x, uint32_t seen, int signal_fd)
{
	if (x->by == PAUSE_GATE) {
		pause_events_wait(x->page, seen, LOOK_NS);
	} else {
		struct pollfd p = {.fd = signal_fd, .events = POLLIN};
		/* no signal reports a grandchild */
		const struct timespec limit = {0, x->target ? STOP_LOOK_NS : LOOK_NS};
		ppoll(&p, 1, &limit, NULL);
	}
	return signals_pending(signal_fd);
}

static void new_processes_stop(struct round_role *x)
{
	descendants_find(&x->below, atomic_load(&x->page->keeper));
	descendants_signal(&x->below, SIGSTOP);
}

/* Waits until the process, which was asked to pause, is paused. */
static int quiet_wait(struct round_role *x, int signal_fd)
{
	const int64_t limit_ns =
	    clock_monotonic_ns() + (x->quiet_limit_ns ? x->quiet_limit_ns : QUIET_LIMIT_NS);
	for (unsigned int n_looks = 1;; n_looks++) {
		const uint32_t seen = atomic_load(&x->page->n_events);
		const enum pause_look look = pause_look(x->page);
		if (x->by == PAUSE_GATE ? look != PAUSE_BUSY : is_stopped(x))
			return 0;
		if (has_ended(x)) {
			x->state = ROUND_GONE;
			return 0;
		}
		if (clock_monotonic_ns() > limit_ns) {
			x->n_late++;
			return 0;
		}
		if (event_wait(x, seen, signal_fd))
			return -EINTR;
		/* a process may have left the group that was signalled */
		if (x->target && n_looks % STALE_LOOKS == 0)
			new_processes_stop(x);
	}
}

/* Asks the process to pause and waits until it does. */
static int role_hold(struct round_role *x, int signal_fd)
{
	pause_clock_stop(x->page);
	if (x->target)
		descendants_signal(&x->below, SIGSTOP);
	else if (x->by == PAUSE_GATE)
		pause_hold(x->page);
	else
		kill(-x->pid, SIGSTOP);
	return quiet_wait(x, signal_fd);
}

/* Stops new processes. A process that was started in a new process group runs until it is found
 * here. */
static int new_processes_hold(struct round_role *x, int signal_fd)
{
	new_processes_stop(x);
	return quiet_wait(x, signal_fd);
}

static double role_cpu_s(const struct round_role *x)
{
	return x->target ? descendants_cpu_s(&x->below) : process_cpu_s(x->pid);
}

static int slice_make(const struct rounds *r, struct round_role *x)
{
	struct others_reading before, after;
	struct slice *s = slice_add(x);
	int ret = 0;
	others_read(&before);
	const double own_before_s = role_cpu_s(x);
	s->open_ns = clock_monotonic_ns();
	bool is_first = x->slices.n == 1;
	pause_clock_go(x->page);
	if (x->target)
		descendants_signal(&x->below, SIGCONT);
	else if (x->by == PAUSE_GATE || is_first)
		pause_go(x->page);
	else
		kill(-x->pid, SIGCONT);
	slice_wait(x, s->open_ns + r->slice_ns);
	s->close_ns = clock_monotonic_ns();
	if (pause_look(x->page) == PAUSE_DONE)
		x->state = ROUND_DONE;
	else if (has_ended(x))
		x->state = ROUND_GONE;
	else
		ret = role_hold(x, r->signal_fd);
	s->quiet_ns = clock_monotonic_ns();
	const double own_s = role_cpu_s(x) - own_before_s;
	/* the sum may have become smaller, because one of several processes has exited */
	x->own_s += own_s > 0 || !x->target ? own_s : 0;
	others_read(&after);
	others_add(&x->others, &before, &after);
	x->left_ns -= s->quiet_ns - s->open_ns;
	if (!ret && x->target && x->state == ROUND_GOING && x->slices.n % ROUND_FIND_SLICES == 0)
		ret = new_processes_hold(x, r->signal_fd);
	if (x->state == ROUND_GOING && x->left_ns < 0)
		x->state = ROUND_TIMED_OUT;
	return ret;
}

/* --- the first request --------------------------------------------------- */

/* Whether a replayer of another project has begun its session. */
static bool has_begun(struct round_role *x)
{
	const pid_t keeper = atomic_load(&x->page->keeper);
	if (!keeper)
		return false;
	descendants_find(&x->below, keeper);
	if (!descendants_use(&x->below, x->target))
		return false;
	/* read again: the session may have been created after the group was read */
	descendants_find(&x->below, keeper);
	return true;
}

/* Runs the process until it begins. This is its first slice. */
static int foreign_ready(struct round_role *x, int signal_fd)
{
	bool begun = false;
	int ret = 0;
	while (!begun && x->state == ROUND_GOING) {
		const uint32_t seen = atomic_load(&x->page->n_events);
		if (signals_pending(signal_fd))
			return -EINTR;
		if (pause_look(x->page) == PAUSE_DONE)
			x->state = ROUND_DONE;
		else if (has_ended(x))
			x->state = ROUND_GONE;
		else if (clock_monotonic_ns() - x->start_ns > x->left_ns)
			x->state = ROUND_TIMED_OUT;
		else if (!(begun = has_begun(x)))
			pause_events_wait(x->page, seen, LOOK_NS);
	}
	struct slice *s = slice_add(x);
	*s = (struct slice){.open_ns = x->start_ns, .close_ns = clock_monotonic_ns()};
	if (begun)
		ret = role_hold(x, signal_fd);
	/* also stop processes that it started during the search */
	if (begun && !ret)
		ret = new_processes_hold(x, signal_fd);
	s->quiet_ns = clock_monotonic_ns();
	x->left_ns -= s->quiet_ns - x->start_ns;
	return ret;
}

int round_role_ready(struct round_role *x, int signal_fd)
{
	x->state = ROUND_GOING;
	if (x->target)
		return foreign_ready(x, signal_fd);
	for (;;) {
		const uint32_t seen = atomic_load(&x->page->n_events);
		const enum pause_look look = pause_look(x->page);
		const int64_t spent_ns = clock_monotonic_ns() - x->start_ns;
		if (signals_pending(signal_fd))
			return -EINTR;
		if (has_ended(x))
			x->state = ROUND_GONE;
		else if (spent_ns > x->left_ns)
			x->state = ROUND_TIMED_OUT;
		if (look == PAUSE_QUIET || look == PAUSE_DONE || x->state != ROUND_GOING) {
			x->left_ns -= spent_ns;
			return 0;
		}
		pause_events_wait(x->page, seen, LOOK_NS);
	}
}

/* --- the rounds ---------------------------------------------------------- */

static int round_make(struct rounds *r, gsl_rng *rng, size_t *order)
{
	size_t n = 0;
	int ret = 0;
	for (size_t i = 0; i < r->n; i++)
		if (r->role[i].state == ROUND_GOING)
			order[n++] = i;
	/* only for n > 1, because with n = 0 the library reads beyond the end */
	if (n > 1)
		gsl_ran_shuffle(rng, order, n, sizeof *order);
	for (size_t i = 0; !ret && i < n; i++)
		ret = slice_make(r, &r->role[order[i]]);
	if (!ret && n && signals_pending(r->signal_fd))
		ret = -EINTR;
	return ret ? ret : (int)n;
}

/* Raises the priority of this thread. It ends the slices, so its run-queue delay must not exceed
 * that of the processes. Under a real-time policy it gets a higher priority. Returns its previous
 * policy; *was is the parameter. */
static int controller_raise(const struct scheduling *s, struct sched_param *was)
{
	const int policy = sched_getscheduler(0);
	const int most = sched_get_priority_max(SCHED_FIFO);
	const int theirs = s ? s->priority : 0;
	const struct sched_param p = {.sched_priority = theirs < most ? theirs + 1 : most};
	sched_getparam(0, was);
	/* RLIMIT_RTPRIO may equal the priority of the processes: then use the same priority */
	if (s && scheduling_is_realtime(s) && sched_setscheduler(0, SCHED_FIFO, &p) < 0)
		sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = theirs});
	return policy;
}

int rounds_run(struct rounds *r)
{
	struct sched_param was;
	const int policy = controller_raise(r->scheduling, &was);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	SCOPED_FREE size_t *order = xcalloc(r->n + 1, sizeof *order);
	int ret;
	gsl_rng_set(rng, (unsigned long)r->seed);
	for (size_t i = 0; i < r->n; i++)
		r->role[i].slices.settle_ns = ROUND_SETTLE_NS;
	while ((ret = round_make(r, rng, order)) > 0)
		;
	sched_setscheduler(0, policy, &was);
	gsl_rng_free(rng);
	return ret;
}

void round_role_finish(struct round_role *x)
{
	pause_go(x->page);
	pause_let_finish(x->page);
	pause_clock_go(x->page);
	descendants_signal(&x->below, SIGCONT);
	kill(-x->pid, SIGCONT);
}

void round_role_release(struct round_role *x)
{
	free(x->slices.slice);
	descendants_release(&x->below);
}
