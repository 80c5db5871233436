/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A crew of processes: one for each traced process, with its threads. Each process inherits all
 * prepared memory, closes the descriptors of other processes, and runs its share of the runners.
 * Progress, outcomes and reports are in shared memory. The calling process watches these processes
 * and kills all of them when one fails.
 *
 * All processes start together. A process that its traced parent forked late waits for the
 * predecessors of its first request, as any request does. A fork at the traced time would add the
 * copying of page tables and later page faults to the measured times. Moreover, a child of a
 * process with several threads may only call async-signal-safe functions. */
#include <linux/futex.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "replay/issue/balloon.h"
#include "replay/content/captured_take.h"
#include "replay/issue/passing.h"
#include "replay/issue/watchdog.h"

enum { GO_WAIT, GO_START };

struct report { /* result of one process */
	struct run_facts facts;
	uint64_t n_futex_sleeps, n_timed_sleeps, n_late_wakes, n_relays;
	int error; /* why it could not start */
	char message[400];
};

struct process_board { /* in shared memory */
	_Atomic uint32_t go; /* a futex */
	_Atomic uint32_t n_ready;
	uint64_t start_ticks;
	struct report report[];
};

struct process {
	uint32_t from, to; /* its runners */
	/* index into the plan's processes; NONE32: a process of the engine without a traced
	 * process */
	uint32_t number;
	pid_t pid;
	int watch; /* pidfd, readable when the process has ended; -1: the process was reaped */
};

struct crew_processes {
	struct crew *crew;
	struct process *process; /* process[n] */
	uint32_t n, n_left;
	struct process_board *board;
	struct vm_region memory; /* of the board */
	struct passing *passing;
	int ready; /* eventfd */
	struct pollfd *poll; /* poll[n + 1] */
};

/* --- a process ----------------------------------------------------------- */

static void descriptors_own(const struct replay_plan *p, uint32_t number)
{
	for (uint32_t i = 0; i < p->n_slots; i++)
		if (p->calls.slot[i].process != number)
			fd_close(atomic_exchange(&p->fds[i], -1));
}

/* Makes memory that is written during the run present before the run. */
static void memory_own(const struct crew *c)
{
	const struct replay_plan *p = c->plan;
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		if (c->to <= p->n_lanes && (i < c->from || i >= c->to))
			continue;
		vm_own(p->lane[i].outcome, p->lane[i].n * sizeof *p->lane[i].outcome);
		if (p->lane[i].repeated)
			vm_own(p->lane[i].repeated, p->lane[i].n * sizeof *p->lane[i].repeated);
	}
	vm_own((void *)p->fds, p->n_slots * sizeof *p->fds);
	vm_own((void *)p->calls.stream, p->calls.n_slots * sizeof *p->calls.stream);
	placement_own(&c->placement, c->from, c->to);
	vm_own(c->common_memory.base, c->common_memory.n_bytes);
	captured_own(p->calls.content);
	vm_own(p->calls.memory.base, p->calls.memory.n_bytes);
}

static int process_run(struct crew_processes *ps, const struct process *own, struct report *r,
		       struct err *e)
{
	struct crew *c = ps->crew;
	struct replay_plan *p = c->plan;
	struct run_facts_snapshot before, after;
	c->from = own->from;
	c->to = own->to;
	descriptors_own(p, own->number);
	memory_own(c);
	int ret = gates_join(&c->gates, e);
	ret = ret ? ret : passing_join(ps->passing, own->number, p->fds, e);
	ret = ret ? ret : crew_start(c, e);
	if (ret)
		return ret;
	run_facts_take(&before);
	uint64_t one = 1;
	atomic_fetch_add(&ps->board->n_ready, 1);
	if (write(ps->ready, &one, sizeof one) != sizeof one)
		_exit(1);
	while (atomic_load(&ps->board->go) == GO_WAIT)
		syscall(SYS_futex, &ps->board->go, FUTEX_WAIT, GO_WAIT, NULL, NULL, 0);
	p->start_ticks = ps->board->start_ticks;
	crew_open(c, false);
	crew_join(c);
	passing_leave(ps->passing, own->number);
	call_table_finish(p);
	run_facts_take(&after);
	run_facts_between(&before, &after, &p->facts);
	crew_gather(c);
	r->facts = p->facts;
	r->n_futex_sleeps = p->n_futex_sleeps;
	r->n_timed_sleeps = p->n_timed_sleeps;
	r->n_late_wakes = p->n_late_wakes;
	r->n_relays = p->n_relays;
	return 0;
}

static _Noreturn void process_main(struct crew_processes *ps, uint32_t i, pid_t parent)
{
	struct err e = ERR_INIT;
	struct report *r = &ps->board->report[i];
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* end with the watching process */
	if (getppid() != parent)
		_exit(1);
	int ret = process_run(ps, &ps->process[i], r, &e);
	if (ret) {
		snprintf(r->message, sizeof r->message, "%.399s", e.msg);
		r->error = -ret;
	}
	_exit(ret ? 1 : 0);
}

/* --- the processes ------------------------------------------------------- */

/* Assigns runners to processes. The threads of a process are adjacent (load.h). Further runners of
 * an engine form another process. */
static void processes_find(struct crew_processes *ps)
{
	const struct crew *c = ps->crew;
	const struct replay_plan *p = c->plan;
	ps->process = xcalloc((size_t)c->n + 1, sizeof *ps->process);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t number = i < p->n_lanes ? p->process_of[i] : NONE32;
		if (!ps->n || ps->process[ps->n - 1].number != number)
			ps->process[ps->n++] =
			    (struct process){.from = i, .number = number, .watch = -1};
		ps->process[ps->n - 1].to = i + 1;
	}
}

static int passing_make(struct crew_processes *ps, struct err *e)
{
	const struct call_table *calls = &ps->crew->plan->calls;
	SCOPED_FREE uint8_t *receives = xcalloc((size_t)calls->n_processes + 1, 1);
	for (uint32_t i = 0; i < calls->n_slots; i++)
		for (uint32_t h = calls->slot[i].heir; h; h = calls->slot[h].next_heir)
			receives[calls->slot[h].process] = 1;
	int ret = passing_open(&ps->passing, receives, calls->n_processes, calls->n_slots + 1, e);
	ps->crew->plan->passing = ps->passing;
	return ret;
}

static int processes_init(struct crew_processes *ps, struct crew *c, struct err *e)
{
	*ps = (struct crew_processes){.crew = c, .ready = -1};
	processes_find(ps);
	ps->poll = xcalloc((size_t)ps->n + 1, sizeof *ps->poll);
	int ret = passing_make(ps, e);
	if (!ret)
		ret = vm_get(&ps->memory, VM_SHARED,
			sizeof *ps->board + ps->n * sizeof *ps->board->report, "the processes", e);
	if (ret)
		return ret;
	ps->board = ps->memory.base;
	ps->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return ps->ready < 0 ? err_sys(e, errno, "cannot create an eventfd") : 0;
}

/* --- watching ------------------------------------------------------------ */

static int process_start(struct crew_processes *ps, uint32_t i, struct err *e)
{
	struct process *x = &ps->process[i];
	pid_t parent = getpid();
	x->pid = fork();
	if (x->pid == 0)
		process_main(ps, i, parent);
	if (x->pid < 0)
		return err_sys(e, errno, "cannot start process %u of %u", i + 1, ps->n);
	ps->n_left++;
	x->watch = (int)syscall(SYS_pidfd_open, x->pid, 0);
	return x->watch < 0 ? err_sys(e, errno, "cannot watch process %u of %u", i + 1, ps->n) : 0;
}

static int ending_describe(struct crew_processes *ps, uint32_t i, int status,
			   const struct watchdog *w, struct err *e)
{
	const struct process *x = &ps->process[i];
	const struct report *r = &ps->board->report[i];
	SCOPED_STRBUF text = STRBUF_INIT;
	if (x->number == NONE32)
		strbuf_addstr(&text, "the coordinator's process");
	else
		strbuf_addf(&text, "process %u of the trace",
			    call_process_pid(&ps->crew->plan->calls, x->number));
	if (WIFEXITED(status) && r->error)
		return err_set(e, r->error, "%s: %s", text.s, r->message);
	if (WIFSIGNALED(status))
		strbuf_addf(&text, ": its replay was ended by signal %d (%s)", WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else
		strbuf_addf(&text, ": its replay ended with status %d", WEXITSTATUS(status));
	if (w && x->number != NONE32)
		watchdog_describe_lanes(w, x->from, x->to, &text);
	return err_set(e, EIO, "%s", text.s);
}

/* Reaps a process that has ended. Errors: the error of the process, or EIO if it failed without
 * one. */
static int process_reap(struct crew_processes *ps, uint32_t i, const struct watchdog *w,
			struct err *e)
{
	struct process *x = &ps->process[i];
	int status = 0;
	TEMP_FAILURE_RETRY(waitpid(x->pid, &status, 0));
	fd_close(x->watch);
	x->watch = -1;
	x->pid = 0;
	ps->n_left--;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : ending_describe(ps, i, status, w, e);
}

/* Waits until a process ends or is ready, at most `ns`. Errors: those of process_reap. */
static int processes_look(struct crew_processes *ps, int64_t ns, const struct watchdog *w,
			  struct err *e)
{
	uint64_t n;
	for (uint32_t i = 0; i < ps->n; i++)
		ps->poll[i] = (struct pollfd){.fd = ps->process[i].watch, .events = POLLIN};
	ps->poll[ps->n] = (struct pollfd){.fd = ps->ready, .events = POLLIN};
	if (poll(ps->poll, ps->n + 1, (int)(ns / 1000000)) <= 0)
		return 0;
	if (ps->poll[ps->n].revents)
		(void)!read(ps->ready, &n, sizeof n);
	for (uint32_t i = 0; i < ps->n; i++)
		if (ps->poll[i].fd >= 0 && ps->poll[i].revents) {
			int ret = process_reap(ps, i, w, e);
			if (ret)
				return ret;
		}
	return 0;
}

static void processes_go(struct process_board *b)
{
	atomic_store(&b->go, GO_START);
	syscall(SYS_futex, &b->go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Fills the balloon. This process holds it for all processes, whose own memory is known now. */
static int balloon_of_processes(const struct crew_processes *ps, struct err *e)
{
	SCOPED_FREE pid_t *pids = xcalloc((size_t)ps->n + 1, sizeof *pids);
	for (uint32_t i = 0; i < ps->n; i++)
		pids[i] = ps->process[i].pid;
	struct balloon *b = ps->crew->plan->balloon;
	return b ? balloon_hold(b, ps->crew->plan, pids, ps->n, e) : 0;
}

static int processes_start(struct crew_processes *ps, struct err *e)
{
	struct crew *c = ps->crew;
	struct replay_plan *p = c->plan;
	int ret = clock_reanchor(&p->clock, e);
	crew_due_to_ticks(p, 1 / p->clock.ns_per_tick);
	for (uint32_t i = 0; !ret && i < ps->n; i++)
		ret = process_start(ps, i, e);
	/* descriptors that stay open here would keep files open after the processes close them */
	descriptors_own(p, NONE32);
	while (!ret && atomic_load(&ps->board->n_ready) < ps->n)
		ret = processes_look(ps, CREW_LOOK_FIRST_NS, NULL, e);
	ret = ret ? ret : balloon_of_processes(ps, e);
	if (ret)
		return ret;
	p->start_ticks = clock_now(&p->clock) +
			 (uint64_t)((double)crew_lead_ns(c, ps->n) / p->clock.ns_per_tick);
	ps->board->start_ticks = p->start_ticks;
	processes_go(ps->board);
	return p->balloon ? balloon_follow(p->balloon, e) : 0;
}

/* Watches the processes. If no request completes for the watchdog's time, waits for locks are
 * abandoned; if that does not help, the replay ends. Errors: ETIMEDOUT; those of look. */
static int processes_watch(struct crew_processes *ps, struct err *e)
{
	struct crew *c = ps->crew;
	struct watchdog w;
	SCOPED_STRBUF blocked = STRBUF_INIT;
	int ret = 0;
	watchdog_init(&w, c, c->config->watchdog_ns > 0 ? c->config->watchdog_ns : 0);
	while (!ret && ps->n_left) {
		ret = processes_look(ps, CREW_LOOK_FIRST_NS, &w, e);
		if (!ret && ps->n_left && watchdog_is_quiet(&w) && !watchdog_give_up(&w, &blocked))
			break;
	}
	if (!ret && blocked.len)
		ret = err_set(e, ETIMEDOUT, "%s (--watchdog sets the time limit)", blocked.s);
	free(w.next);
	return ret;
}

/* --- results ------------------------------------------------------------- */

/* Gathers the reports. This process reads wall time and steal time; all other facts are sums over
 * the processes. */
static void reports_gather(struct crew_processes *ps, const struct run_facts_snapshot *before,
			   const struct run_facts_snapshot *after)
{
	struct replay_plan *p = ps->crew->plan;
	struct run_facts seen;
	run_facts_between(before, after, &seen);
	p->facts = (struct run_facts){.wall_ns = seen.wall_ns, .steal_ns = seen.steal_ns};
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct report *r = &ps->board->report[i];
		run_facts_add(&p->facts, &r->facts);
		p->n_futex_sleeps += r->n_futex_sleeps;
		p->n_timed_sleeps += r->n_timed_sleeps;
		p->n_late_wakes += r->n_late_wakes;
		p->n_relays += r->n_relays;
	}
	p->stopped = atomic_load(&ps->crew->common->stop);
}

int crew_run_processes(struct crew *c, struct err *e)
{
	struct crew_processes ps;
	struct run_facts_snapshot before, after;
	int ret = processes_init(&ps, c, e);
	ret = ret ? ret : processes_start(&ps, e);
	run_facts_take(&before);
	ret = ret ? ret : processes_watch(&ps, e);
	for (uint32_t i = 0; i < ps.n; i++)
		if (ps.process[i].pid > 0)
			kill(ps.process[i].pid, SIGKILL);
	for (uint32_t i = 0; i < ps.n; i++)
		if (ps.process[i].pid > 0)
			process_reap(&ps, i, NULL, NULL);
	if (!ret)
		pause_finish(&c->pause);
	run_facts_take(&after);
	if (c->plan->balloon)
		balloon_let_go(c->plan->balloon);
	if (!ret) {
		reports_gather(&ps, &before, &after);
		ret = clock_reanchor(&c->plan->clock, e);
	}
	fd_close(ps.ready);
	passing_close(ps.passing);
	ps.crew->plan->passing = NULL;
	vm_free(&ps.memory);
	FREE_EACH(ps.poll, ps.process);
	return ret;
}
