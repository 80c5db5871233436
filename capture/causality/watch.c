/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/causality/judge.h"
#include "capture/causality/thread_look.h"
#include "common/clock.h"
#include "common/strbuf.h"
#include "common/xalloc.h"

enum {
	LOOK_NS = 250000,	/* between two looks while somebody is held */
	BEAT_NS = 100000000,	/* without anybody held */
	BIRTH_QUIETS = 3000,	/* a thread that was begun is there after so many times the quiet, on a busy machine too */
	STUCK_FACTOR = 20,	/* of the longest that passed between two requests */
	EXTRA_THREAD_LOOKS = 50 /* a thread without a slot that runs at so many looks polls as well */
};
#define STUCK_FLOORS 1000 /* at least so often compute_floor_ns */
#define ASLEEP_FLOOR_NS INT64_C(50000000)

struct so_far { /* of a thread since its last request */
	int64_t compute_ns, blocked_ns, off_cpu_ns;
};

struct seen { /* of a slot */
	uint32_t held;		 /* which time somebody was held back when it was first looked at */
	uint64_t n_requests, n_idle; /* then */
	uint64_t n_idle_of; /* after how many requests n_idle was taken, where that was later */
	struct so_far then;
	int64_t compute_ns; /* since its last request, at the last look */
	struct judge_sight mark; /* at the first look since which nothing has changed */
	enum judge_verdict verdict;
	struct judge_limits limits;
	int64_t blocked_max_ns;
	bool has_limits;
};

struct watch {
	struct watch_config config;
	char *root;
	struct cause_page *page;
	pthread_t thread;
	bool runs;
	_Atomic bool ends;
	struct seen *seen; /* seen[CAUSE_SLOTS] */
	int64_t quiet_since_ns; /* 0: it is not quiet */
	int64_t held_since_ns;
	uint32_t n_extra_looks, n_stillborn, n_holds;
	int64_t progress_ns; /* when requests were last seen to go on */
	uint64_t n_progress;
	int64_t stuck_after_ns;
	struct watch_wait *wait;
	uint64_t n_waits, waits_cap;
	uint64_t n_woken; /* of them, those whose end was looked for */
	uint32_t last_release; /* what the others wait for the end of */
	uint64_t last_requests; /* of the throttled one, before the one that was held back then */
	struct watch_thread *list;
	uint32_t n_list;
	struct watch_outcome outcome;
};

/* --- limits -------------------------------------------------------------------------------------------------------------- */

static int64_t times(double factor, int64_t ns, int64_t floor_ns)
{
	double v = factor * (double)ns;
	return v > (double)floor_ns ? v < 1e18 ? (int64_t)v : (int64_t)1e18 : floor_ns;
}

/* Of a thread that was in the run without delays; else of the longest of all. */
static void limits_find(const struct watch *w, uint64_t key, struct seen *s)
{
	const struct watch_config *c = &w->config;
	struct watch_thread most = {0};
	for (uint32_t i = 0; i < c->n_known; i++) {
		const struct watch_thread *t = &c->known[i];
		if (t->key == key) {
			most = *t;
			break;
		}
		most.compute_max_ns = t->compute_max_ns > most.compute_max_ns ? t->compute_max_ns : most.compute_max_ns;
		most.phase_max_ns = t->phase_max_ns > most.phase_max_ns ? t->phase_max_ns : most.phase_max_ns;
		most.blocked_max_ns = t->blocked_max_ns > most.blocked_max_ns ? t->blocked_max_ns : most.blocked_max_ns;
	}
	s->limits.compute = times(c->factor, most.compute_max_ns, c->compute_floor_ns);
	s->limits.phase = times(c->factor, most.phase_max_ns, c->compute_floor_ns);
	s->limits.asleep = times(c->factor, most.blocked_max_ns, ASLEEP_FLOOR_NS);
	s->blocked_max_ns = times(c->factor, most.blocked_max_ns, 0);
	s->has_limits = true;
}

/* --- looking ---------------------------------------------------------------------------------------------------------------- */

static uint32_t slots_used(const struct watch *w)
{
	uint32_t n = atomic_load(&w->page->n_slots);
	return n < CAUSE_SLOTS ? n : CAUSE_SLOTS;
}

struct raw_sight { /* a slot at one instant */
	uint64_t changes, n_requests, n_idle;
	enum cause_state state;
	int64_t since_ns, since_cpu_ns, compute_ns, blocked_ns;
};

static void slot_read(const struct cause_slot *s, struct raw_sight *to)
{
	for (int i = 0; i < 100; i++) { /* until it stood still meanwhile, or nearly */
		to->changes = atomic_load_explicit(&s->changes, memory_order_acquire);
		to->state = (enum cause_state)(atomic_load(&s->state) % CAUSE_STATES);
		to->n_requests = atomic_load(&s->n_requests);
		to->n_idle = atomic_load(&s->n_idle);
		to->since_ns = atomic_load(&s->since_ns);
		to->since_cpu_ns = atomic_load(&s->since_cpu_ns);
		to->compute_ns = atomic_load(&s->compute_ns);
		to->blocked_ns = atomic_load(&s->blocked_ns);
		if (atomic_load(&s->changes) == to->changes)
			break;
	}
}

static struct so_far so_far_of(const struct raw_sight *r, int64_t cpu_ns, int64_t now)
{
	const int64_t passed = now > r->since_ns ? now - r->since_ns : 0, used = cpu_ns > r->since_cpu_ns ? cpu_ns - r->since_cpu_ns : 0;
	struct so_far f = {r->compute_ns, r->blocked_ns, passed > used ? passed - used : 0};
	if (r->state == CAUSE_COMPUTING)
		f.compute_ns += used;
	else if (r->state == CAUSE_SLEEPING)
		f.compute_ns += passed;
	else if (r->state == CAUSE_WAITING || r->state == CAUSE_POLLING || r->state == CAUSE_STARTING)
		f.blocked_ns += passed;
	return f;
}

static int64_t less(int64_t a, int64_t b)
{
	return a > b ? a - b : 0;
}

static enum judge_verdict slot_judge(struct watch *w, uint32_t i, struct judge_sight *to, int64_t now)
{
	const struct cause_slot *s = &w->page->slot[i];
	struct seen *seen = &w->seen[i];
	struct raw_sight r;
	uint32_t pid = __atomic_load_n(&s->pid, __ATOMIC_ACQUIRE);
	*to = (struct judge_sight){0};
	if (!pid)
		return JUDGE_ACTIVE; /* it is just beginning */
	if (!seen->has_limits)
		limits_find(w, s->key, seen);
	slot_read(s, &r);
	to->state = r.state;
	to->changes = r.changes;
	to->n_idle = r.n_idle;
	to->os_state = thread_look(pid, s->tid, &to->cpu_ns, &to->n_slices);
	struct so_far f = so_far_of(&r, to->cpu_ns, now);
	seen->compute_ns = f.compute_ns;
	if (seen->held != w->n_holds) {
		seen->held = w->n_holds;
		seen->n_requests = r.n_requests;
		seen->then = f;
		seen->n_idle = r.n_idle;
	}
	const bool same = seen->n_requests == r.n_requests;
	if (!same && seen->n_idle_of != r.n_requests) { /* since its last request: from here on */
		seen->n_idle_of = r.n_requests;
		seen->n_idle = r.n_idle;
	}
	to->n_idle_held = r.n_idle - seen->n_idle;
	to->compute_ns = same ? less(f.compute_ns, seen->then.compute_ns) : f.compute_ns;
	to->blocked_ns = same ? less(f.blocked_ns, seen->then.blocked_ns) : f.blocked_ns;
	to->off_cpu_ns = less(f.off_cpu_ns, less(f.off_cpu_ns, now - w->held_since_ns));
	return r.state == CAUSE_HELD || s->flags & CAUSE_LEFT ? JUDGE_GONE : judge_thread(to, &seen->limits);
}

struct extra {
	const struct watch *w;
	uint32_t pid;
	bool runs;
};

static bool extra_look(void *ctx, uint32_t tid)
{
	struct extra *x = ctx;
	int64_t cpu;
	uint64_t slices;
	for (uint32_t i = 0; i < slots_used(x->w); i++)
		if (x->w->page->slot[i].tid == tid && x->w->page->slot[i].pid == x->pid)
			return true;
	char state = thread_look(x->pid, tid, &cpu, &slices);
	x->runs = state == 'R' || state == 'D';
	return !x->runs;
}

/* Somebody was begun and has not come to run yet; who never will (the call failed, or its program cannot be watched) is not waited for again. */
static bool births_rest(struct watch *w, int64_t now)
{
	const uint32_t missing = atomic_load(&w->page->n_born) - slots_used(w);
	if ((int32_t)missing <= (int32_t)w->n_stillborn)
		return true;
	if (now - w->held_since_ns < BIRTH_QUIETS * w->config.quiet_ns)
		return false;
	w->n_stillborn = missing;
	return true;
}

/* Threads that never called anything of ours compute for those that did. */
static bool extra_threads_rest(struct watch *w)
{
	uint32_t n = slots_used(w);
	for (uint32_t i = 0; i < n; i++) {
		const struct cause_slot *s = &w->page->slot[i];
		struct extra x = {w, s->pid, false};
		if (s->pid == s->tid && w->seen[i].verdict != JUDGE_GONE && !threads_each(s->pid, extra_look, &x) &&
		    w->n_extra_looks++ < EXTRA_THREAD_LOOKS)
			return false;
	}
	return true;
}

/* Whether everybody has waited for long enough by now. */
static bool all_wait(struct watch *w, int64_t now)
{
	struct judge_sight sight;
	bool restart = !w->quiet_since_ns, wait_on = false;
	int64_t needed = w->config.quiet_ns;
	uint32_t n = slots_used(w);
	for (uint32_t i = 0; i < n; i++) {
		struct seen *s = &w->seen[i];
		s->verdict = slot_judge(w, i, &sight, now);
		if (s->verdict == JUDGE_ACTIVE) {
			w->quiet_since_ns = 0;
			return false;
		}
		if (w->quiet_since_ns) {
			enum judge_change c = judge_since(s->verdict, &s->mark, &sight, w->config.quiet_ns, s->blocked_max_ns, &needed);
			restart |= c == JUDGE_CHANGED;
			wait_on |= c == JUDGE_NOT_YET;
		}
		if (!w->quiet_since_ns || restart)
			s->mark = sight;
	}
	if (restart) { /* (marks of those before the one that changed are older than they need be) */
		bool first = !w->quiet_since_ns;
		w->quiet_since_ns = first ? now : 0;
		return false;
	}
	return !wait_on && now - w->quiet_since_ns >= needed && births_rest(w, now) && extra_threads_rest(w);
}

/* --- letting go ---------------------------------------------------------------------------------------------------------- */

static void release(struct watch *w)
{
	struct cause_page *p = w->page;
	atomic_store(&p->released, atomic_load(&p->held));
	syscall(SYS_futex, &p->released, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static int64_t throttled_index(const struct watch *w)
{
	uint32_t n = slots_used(w);
	for (uint32_t i = 0; i < n; i++)
		if (w->page->slot[i].key == w->config.throttled && atomic_load(&w->page->slot[i].state) == CAUSE_HELD)
			return i;
	return -1;
}

/* When those that waited at the last hold went on. (Who waits on is noted again at the next.) */
static void wakes_note(struct watch *w)
{
	for (; w->n_woken < w->n_waits; w->n_woken++) {
		struct watch_wait *x = &w->wait[w->n_woken];
		const struct cause_slot *s = &w->page->slot[x->waiter];
		if (x->by_computing || atomic_load(&s->woken_of) != w->last_release)
			continue;
		const uint64_t n = atomic_load(&s->woken_requests);
		x->n_ended = n > w->last_requests ? n - w->last_requests : 0;
		x->woken_ns = atomic_load(&s->woken_ns);
		x->ended_compute_ns = x->n_ended ? atomic_load(&s->woken_compute_ns) : 0;
	}
}

static void waits_note(struct watch *w, int64_t now)
{
	const int64_t t = throttled_index(w), at = w->quiet_since_ns + (now - w->quiet_since_ns) / 2;
	uint32_t n = slots_used(w);
	for (uint32_t i = 0; i < n; i++)
		if (w->seen[i].verdict == JUDGE_STARTS) /* it cannot be told what the others wait for */
			return;
	for (uint32_t i = 0; i < n && t >= 0; i++) {
		if (i == t || w->seen[i].verdict == JUDGE_GONE)
			continue;
		GROW(w->wait, w->n_waits, w->waits_cap);
		const struct seen *s = &w->seen[i];
		w->wait[w->n_waits++] = (struct watch_wait){at, (uint32_t)t, i, s->verdict == JUDGE_TOO_LONG, s->compute_ns, 0, 0, 0};
	}
	if (t >= 0)
		w->last_requests = atomic_load(&w->page->slot[t].n_requests);
	w->last_release = atomic_load(&w->page->held);
}

static void held_look(struct watch *w, int64_t now)
{
	if (!w->held_since_ns) {
		wakes_note(w);
		w->held_since_ns = now;
		w->n_holds++;
		w->quiet_since_ns = 0;
		w->n_extra_looks = 0;
	}
	if (!all_wait(w, now))
		return;
	waits_note(w, now);
	w->outcome.n_held++;
	w->outcome.held_ns += now - w->held_since_ns;
	w->held_since_ns = 0;
	release(w);
}

/* --- when nothing goes on ------------------------------------------------------------------------------------------------ */

static void stuck_tell(struct watch *w, int64_t now)
{
	static const char *const names[] = {"computes", "waits", "polls", "starts", "sleeps", "in a request", "held back"};
	struct strbuf b = STRBUF_INIT;
	uint32_t n = slots_used(w);
	for (uint32_t i = 0; i < n && b.len < sizeof w->outcome.stuck_at; i++) {
		const struct cause_slot *s = &w->page->slot[i];
		struct judge_sight sight;
		if (slot_judge(w, i, &sight, now) == JUDGE_GONE && sight.state != CAUSE_HELD)
			continue;
		strbuf_addf(&b, "%s%s %d %s", b.len ? ", " : "", s->rank >= 0 ? "rank" : "process", s->rank >= 0 ? (int)s->rank : (int)s->pid,
			    names[sight.state]);
	}
	snprintf(w->outcome.stuck_at, sizeof w->outcome.stuck_at, "%s", b.s);
	strbuf_release(&b);
}

static void progress_watch(struct watch *w, int64_t now)
{
	uint64_t sum = atomic_load(&w->page->released);
	uint32_t n = slots_used(w);
	for (uint32_t i = 0; i < n; i++)
		sum += atomic_load(&w->page->slot[i].n_requests);
	if (sum != w->n_progress || !w->config.throttled) {
		w->n_progress = sum;
		w->progress_ns = now;
	}
	if (now - w->progress_ns < w->stuck_after_ns || w->outcome.stuck)
		return;
	w->outcome.stuck = true;
	stuck_tell(w, now);
	descendants_kill();
}

static void *watch_run(void *ctx)
{
	struct watch *w = ctx;
	struct cause_page *p = w->page;
	while (!atomic_load(&w->ends)) {
		const int64_t now = clock_monotonic_ns();
		atomic_store(&p->beat_ns, now);
		progress_watch(w, now);
		const uint32_t held = atomic_load(&p->held);
		const bool any = held != atomic_load(&p->released);
		if (any)
			held_look(w, now);
		const struct timespec nap = {0, any ? LOOK_NS : BEAT_NS};
		if (w->outcome.stuck)
			descendants_kill(); /* until the last that was just being made */
		if (any)
			nanosleep(&nap, NULL);
		else
			syscall(SYS_futex, &p->held, FUTEX_WAIT, held, &nap, NULL, 0);
	}
	return NULL;
}

/* --- the whole ------------------------------------------------------------------------------------------------------------ */

void watch_open(struct watch **w, const struct watch_config *c)
{
	*w = xcalloc(1, sizeof **w);
	(*w)->config = *c;
	(*w)->root = c->root ? realpath(c->root, NULL) : NULL; /* (what is no directory is said by app_capture) */
	(*w)->seen = xcalloc(CAUSE_SLOTS, sizeof *(*w)->seen);
	int64_t longest = 0;
	for (uint32_t i = 0; i < c->n_known; i++)
		longest = c->known[i].phase_max_ns > longest ? c->known[i].phase_max_ns : longest;
	(*w)->stuck_after_ns = times(STUCK_FACTOR * c->factor, longest, STUCK_FLOORS * c->compute_floor_ns);
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	struct watch_outcome ignored;
	watch_end(w, &ignored);
	free(w->root);
	free(w->seen);
	free(w->wait);
	free(w->list);
	free(w);
}

static int page_make(struct watch *w, const char *dir, struct err *e)
{
	char *path = xasprintf("%s/" CAUSE_FILE, dir);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code = fd < 0 ? errno : posix_fallocate(fd, 0, sizeof *w->page); /* a page that has no room would be a SIGBUS later */
	int rc = code ? err_sys(e, code, "%s", path) : 0;
	void *at = rc ? MAP_FAILED : mmap(NULL, sizeof *w->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!rc && at == MAP_FAILED)
		rc = err_sys(e, errno, "%s", path);
	if (fd >= 0)
		close(fd);
	free(path);
	if (rc)
		return rc;
	w->page = at;
	w->page->throttled = w->config.throttled;
	w->page->period = w->config.period;
	w->page->has_root = w->root != NULL;
	snprintf(w->page->root, sizeof w->page->root, "%s", w->root ? w->root : "");
	atomic_store(&w->page->beat_ns, clock_monotonic_ns());
	w->page->magic = CAUSE_MAGIC;
	return 0;
}

int watch_prepare(void *watch, const char *scratch_dir, struct err *e)
{
	struct watch *w = watch;
	sigset_t all, was;
	if (w->root && strlen(w->root) >= CAUSE_ROOT_MAX)
		return err_set(e, ENAMETOOLONG, "--root %s", w->root);
	int rc = page_make(w, scratch_dir, e);
	if (rc)
		return rc;
	w->progress_ns = clock_monotonic_ns();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	rc = pthread_create(&w->thread, NULL, watch_run, w);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	w->runs = !rc;
	return rc ? err_sys(e, rc, "starting the watchdog") : 0;
}

void watch_output(struct watch *w, int fd)
{
	struct stat st;
	if (fstat(fd, &st))
		return;
	w->page->output_device = st.st_dev;
	w->page->output_inode = st.st_ino;
}

static void threads_copy(struct watch *w)
{
	w->n_list = slots_used(w);
	w->list = xcalloc(w->n_list + 1, sizeof *w->list);
	for (uint32_t i = 0; i < w->n_list; i++) {
		const struct cause_slot *s = &w->page->slot[i];
		w->list[i] = (struct watch_thread){
		    s->key, s->pid, s->tid, s->parent, s->rank, atomic_load(&s->n_requests), s->compute_max_ns, s->blocked_max_ns, s->phase_max_ns,
		    s->request_max_ns, s->compute_sum_ns, s->blocked_sum_ns, s->request_sum_ns};
	}
}

void watch_end(struct watch *w, struct watch_outcome *o)
{
	if (w->runs) {
		atomic_store(&w->ends, true);
		atomic_fetch_add(&w->page->held, 1); /* so that it does not sleep on */
		syscall(SYS_futex, &w->page->held, FUTEX_WAKE, 1, NULL, NULL, 0);
		pthread_join(w->thread, NULL);
		w->runs = false;
	}
	if (w->page) {
		w->outcome.n_async = atomic_load(&w->page->n_async);
		w->outcome.n_ranks = atomic_load(&w->page->n_ranks);
		w->outcome.too_many = atomic_load(&w->page->n_slots) > CAUSE_SLOTS;
		wakes_note(w);
		threads_copy(w);
		munmap(w->page, sizeof *w->page);
		w->page = NULL;
	}
	*o = w->outcome;
}

const struct watch_thread *watch_threads(const struct watch *w, uint32_t *n)
{
	*n = w->n_list;
	return w->list;
}

const struct watch_wait *watch_waits(const struct watch *w, uint64_t *n)
{
	*n = w->n_waits;
	return w->wait;
}
