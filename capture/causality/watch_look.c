/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inspects what each thread does, and whether all threads wait. */
#include "capture/causality/thread_look.h"
#include "capture/causality/watch_private.h"
#include "common/clock.h"

enum {
	/* limit for the appearance of a created thread, in quiet times; large, because the machine
	 * may be busy */
	NEW_THREAD_QUIETS = 3000,
	EXTRA_THREAD_LOOKS =
	    50 /* a thread without a slot that runs at this many inspections counts as polling */
};
#define ASLEEP_FLOOR_NS INT64_C(50000000)

/* --- limits -------------------------------------------------------------- */

int64_t watch_times(double factor, int64_t ns, int64_t floor_ns)
{
	double v = factor * (double)ns;
	return v > (double)floor_ns ? v < 1e18 ? (int64_t)v : (int64_t)1e18 : floor_ns;
}

/* Sets the limits of a thread from the run without delays. An unknown thread gets the largest
 * limits. */
static void limits_find(const struct watch *w, uint64_t key, struct watch_seen *s)
{
	const struct watch_config *c = &w->config;
	struct watch_thread most = {0};
	for (uint32_t i = 0; i < c->n_known; i++) {
		const struct watch_thread *t = &c->known[i];
		if (t->key == key) {
			most = *t;
			break;
		}
		most.compute_max_ns = t->compute_max_ns > most.compute_max_ns ? t->compute_max_ns
									      : most.compute_max_ns;
		most.phase_max_ns =
		    t->phase_max_ns > most.phase_max_ns ? t->phase_max_ns : most.phase_max_ns;
		most.blocked_max_ns = t->blocked_max_ns > most.blocked_max_ns ? t->blocked_max_ns
									      : most.blocked_max_ns;
	}
	s->limits.compute = watch_times(c->factor, most.compute_max_ns, c->compute_floor_ns);
	s->limits.phase = watch_times(c->factor, most.phase_max_ns, c->compute_floor_ns);
	s->limits.asleep = watch_times(c->factor, most.blocked_max_ns, ASLEEP_FLOOR_NS);
	s->blocked_max_ns = watch_times(c->factor, most.blocked_max_ns, 0);
	for (uint32_t i = 0; i < c->n_known; i++)
		if (c->known[i].key == key && c->known[i].n_requests > s->n_known)
			s->n_known = c->known[i].n_requests;
	s->has_limits = true;
}

/* --- inspection ---------------------------------------------------------- */

struct raw_sight { /* values of a slot at one instant */
	uint64_t changes, n_requests, n_idle, n_waited;
	enum cause_state state;
	int64_t since_ns, since_cpu_ns, compute_ns, blocked_ns, slept_ns;
};

static void slot_read(const struct cause_slot *s, struct raw_sight *to)
{
	for (int i = 0; i < 100; i++) { /* until no value changes while it is read */
		to->changes = atomic_load_explicit(&s->changes, memory_order_acquire);
		to->state = (enum cause_state)(atomic_load(&s->state) % CAUSE_STATES);
		to->n_requests = atomic_load(&s->n_requests);
		to->n_idle = atomic_load(&s->n_idle);
		to->n_waited = atomic_load(&s->n_waited);
		to->since_ns = atomic_load(&s->since_ns);
		to->since_cpu_ns = atomic_load(&s->since_cpu_ns);
		to->compute_ns = atomic_load(&s->compute_ns);
		to->blocked_ns = atomic_load(&s->blocked_ns);
		to->slept_ns = atomic_load(&s->slept_ns);
		if (atomic_load(&s->changes) == to->changes)
			break;
	}
}

static struct watch_so_far so_far_of(const struct raw_sight *r, const struct thread_times *t,
				     int64_t now)
{
	const int64_t passed = now > r->since_ns ? now - r->since_ns : 0,
		      used = t->cpu_ns > r->since_cpu_ns ? t->cpu_ns - r->since_cpu_ns : 0;
	struct watch_so_far f = {r->compute_ns, r->blocked_ns, r->slept_ns,
				 passed > used ? passed - used : 0, t->run_delay_ns};
	if (r->state == CAUSE_COMPUTING)
		f.compute_ns += used;
	if (r->state == CAUSE_SLEEPING) {
		f.compute_ns += passed;
		f.slept_ns += passed;
	}
	if (r->state == CAUSE_WAITING || r->state == CAUSE_POLLING || r->state == CAUSE_LOOKING ||
	    r->state == CAUSE_STARTING)
		f.blocked_ns += passed;
	return f;
}

enum judge_verdict watch_judge(struct watch *w, uint32_t i, struct judge_sight *to, int64_t now)
{
	const struct cause_slot *s = &w->page->slot[i];
	struct watch_seen *seen = &w->seen[i];
	struct raw_sight r;
	uint32_t pid = __atomic_load_n(&s->pid, __ATOMIC_ACQUIRE);
	*to = (struct judge_sight){0};
	if (!pid)
		return JUDGE_ACTIVE; /* the thread is starting */
	if (!seen->has_limits)
		limits_find(w, s->key, seen);
	slot_read(s, &r);
	to->state = seen->state = r.state;
	to->changes = r.changes;
	to->n_idle = r.n_idle;
	struct thread_times times = {0};
	to->os_state = thread_look(pid, s->tid, &times);
	to->cpu_ns = times.cpu_ns;
	to->n_slices = times.n_slices;
	struct watch_so_far f = so_far_of(&r, &times, now);
	seen->compute_ns = f.compute_ns;
	seen->run_delay_ns = f.run_delay_ns;
	/* after it has waited, the thread makes progress: the time and the polls do not count */
	if (seen->held != w->n_holds || seen->n_waited != r.n_waited) {
		seen->held = w->n_holds;
		seen->n_waited = r.n_waited;
		seen->n_requests = r.n_requests;
		seen->then = f;
		seen->n_idle = r.n_idle;
	}
	const bool same = seen->n_requests == r.n_requests;
	if (!same && seen->n_idle_of != r.n_requests) { /* since its last request: start here */
		seen->n_idle_of = r.n_requests;
		seen->n_idle = r.n_idle;
	}
	to->n_idle_held = r.n_idle - seen->n_idle;
	to->compute_ns = same ? judge_less(f.compute_ns, seen->then.compute_ns) : f.compute_ns;
	to->blocked_ns = same ? judge_less(f.blocked_ns, seen->then.blocked_ns) : f.blocked_ns;
	to->slept_ns = same ? judge_less(f.slept_ns, seen->then.slept_ns) : f.slept_ns;
	to->run_delay_ns = judge_less(f.run_delay_ns, seen->then.run_delay_ns);
	to->state_ns =
	    judge_less(now, r.since_ns > w->held_since_ns ? r.since_ns : w->held_since_ns);
	const int64_t used_ns = judge_less(to->cpu_ns, r.since_cpu_ns);
	to->state_cpu_ns = used_ns < to->state_ns ? used_ns : to->state_ns;
	to->off_cpu_ns = judge_less(f.off_cpu_ns, judge_less(f.off_cpu_ns, now - w->held_since_ns));
	return r.state == CAUSE_HELD || s->flags & CAUSE_LAUNCHER ? JUDGE_GONE
							      : judge_thread(to, &seen->limits);
}

struct extra {
	const struct watch *w;
	uint32_t pid;
	bool runs;
};

static bool extra_look(void *ctx, uint32_t tid)
{
	struct extra *x = ctx;
	struct thread_times times;
	for (uint32_t i = 0; i < slots_used(x->w->page); i++)
		if (x->w->page->slot[i].tid == tid && x->w->page->slot[i].pid == x->pid)
			return true;
	char state = thread_look(x->pid, tid, &times);
	x->runs = state == 'R' || state == 'D';
	return !x->runs;
}

/* Whether no created thread is still to appear. A thread that never appears (its creation failed,
 * or its program cannot be watched) is waited for only once. */
static bool new_threads_rest(struct watch *w, int64_t now)
{
	const uint32_t missing = atomic_load(&w->page->n_created) - slots_used(w->page);
	if ((int32_t)missing <= (int32_t)w->n_never_ran)
		return true;
	if (now - w->held_since_ns < NEW_THREAD_QUIETS * w->config.quiet_ns)
		return false;
	w->n_never_ran = missing;
	return true;
}

/* Whether no thread without a slot runs. Such threads count as computing for the others. */
static bool extra_threads_rest(struct watch *w)
{
	uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n; i++) {
		const struct cause_slot *s = &w->page->slot[i];
		struct extra x = {w, s->pid, false};
		if (s->pid == s->tid && w->seen[i].verdict != JUDGE_GONE &&
		    !threads_each(s->pid, extra_look, &x) &&
		    w->n_extra_looks++ < EXTRA_THREAD_LOOKS)
			return false;
	}
	return true;
}

bool watch_all_wait(struct watch *w, int64_t now)
{
	struct judge_sight sight;
	bool restart = !w->quiet_since_ns, wait_on = false;
	int64_t needed = w->config.quiet_ns;
	uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n; i++) {
		struct watch_seen *s = &w->seen[i];
		s->verdict = watch_judge(w, i, &sight, now);
		if (s->verdict == JUDGE_ACTIVE) {
			w->quiet_since_ns = 0;
			return false;
		}
		if (w->quiet_since_ns) {
			enum judge_change c = judge_since(s->verdict, &s->mark, &sight,
				w->config.quiet_ns, s->blocked_max_ns, &needed);
			restart |= c == JUDGE_CHANGED;
			wait_on |= c == JUDGE_NOT_YET;
		}
		if (!w->quiet_since_ns || restart)
			s->mark = sight;
	}
	/* marks of threads with a lower index are older than necessary, which does no harm */
	if (restart) {
		bool first = !w->quiet_since_ns;
		/* not `now`: the watchdog may have had no CPU since then, and threads may have
		 * computed */
		w->quiet_since_ns = first ? clock_monotonic_ns() : 0;
		return false;
	}
	return !wait_on && now - w->quiet_since_ns >= needed && new_threads_rest(w, now) &&
	       extra_threads_rest(w);
}
