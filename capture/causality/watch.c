/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "capture/causality/thread_look.h"
#include "capture/causality/watch_private.h"
#include "common/clock.h"
#include "common/sort.h"
#include "common/unnamed_file.h"

enum {
	LOOK_NS = 250000,    /* time between two inspections while a thread is held */
	BEAT_NS = 100000000, /* time between inspections while no thread is held */
	STUCK_FACTOR = 20,   /* multiple of the longest time between two requests */
	/* number of requests beyond those of the run without delays that indicates an endless
	 * series (a merge could report fewer) */
	MORE_REQUESTS = 100,
};
#define STOPPED_NS INT64_C(10000000000) /* time between two checks for stopped threads */
#define STUCK_FLOORS 1000 /* minimum, in multiples of compute_floor_ns */

/* --- release ------------------------------------------------------------- */

static int64_t throttled_index(const struct watch *w)
{
	uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n; i++)
		if (w->page->slot[i].key == w->config.throttled &&
		    atomic_load(&w->page->slot[i].state) == CAUSE_HELD)
			return i;
	return -1;
}

/* Records when the threads continued that waited during the last hold. */
static void wakes_note(struct watch *w)
{
	for (; w->n_woken < w->n_waits; w->n_woken++) {
		struct watch_wait *x = &w->wait[w->n_woken];
		const struct cause_slot *s = &w->page->slot[x->waiter];
		if (x->by_computing || atomic_load(&s->woken_of) != w->last_release)
			continue;
		const uint64_t n = atomic_load(&s->woken_requests);
		const int64_t delay_ns = atomic_load(&s->woken_run_delay_ns) - x->run_delay_ns;
		x->woken_ns = atomic_load(&s->woken_ns) - (delay_ns > 0 ? delay_ns : 0);
		if (x->throttled == WAIT_THROTTLED_ELSEWHERE) {
			x->n_ended = WAIT_ENDED_UNKNOWN;
			continue;
		}
		x->n_ended = n > w->last_requests ? n - w->last_requests : 0;
		x->ended_compute_ns = x->n_ended ? atomic_load(&s->woken_compute_ns) : 0;
	}
}

bool watch_some_start(const struct watch *w)
{
	const uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n; i++)
		if (w->seen[i].verdict == JUDGE_STARTS)
			return true;
	return false;
}

static void waits_note(struct watch *w, int64_t at)
{
	const int64_t here = throttled_index(w),
		      t = here < 0 && w->config.by_agent ? WAIT_THROTTLED_ELSEWHERE : here;
	const uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n && t >= 0; i++) {
		if (i == t || w->seen[i].verdict == JUDGE_GONE)
			continue;
		GROW(w->wait, w->n_waits, w->waits_cap);
		const struct watch_seen *s = &w->seen[i];
		w->wait[w->n_waits++] = (struct watch_wait){
		    at,
		    (uint32_t)t,
		    i,
		    s->verdict == JUDGE_TOO_LONG && s->state != CAUSE_WAITING,
		    s->compute_ns,
		    0,
		    0,
		    0,
		    s->verdict == JUDGE_TOO_LONG,
		    s->run_delay_ns};
	}
	if (here >= 0) {
		future_nodes_note(&w->future_nodes, w->page, at, (uint32_t)here);
		w->last_requests = atomic_load(&w->page->slot[here].n_requests);
	}
	w->last_release = atomic_load(&w->page->held);
}

void watch_look_begin(struct watch *w, int64_t now)
{
	wakes_note(w);
	w->held_since_ns = now;
	w->n_holds++;
	w->quiet_since_ns = 0;
	w->n_extra_looks = 0;
}

void watch_release(struct watch *w, int64_t now, int64_t at)
{
	struct cause_page *p = w->page;
	const bool here = atomic_load(&p->held) != atomic_load(&p->released);
	if (!here) /* held on another host: count the hold and release here, too */
		atomic_fetch_add(&p->held, 1);
	if (at)
		waits_note(w, at);
	w->outcome.n_held += here;
	w->outcome.held_ns += here ? now - w->held_since_ns : 0;
	w->held_since_ns = 0;
	atomic_store(&p->released, atomic_load(&p->held));
	syscall(SYS_futex, &p->released, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void held_look(struct watch *w, int64_t now)
{
	if (!w->held_since_ns)
		watch_look_begin(w, now);
	/* while a rank is being initialised, it is unknown for what the others wait */
	if (watch_all_wait(w, now))
		watch_release(w, now,
			      watch_some_start(w)
				  ? 0
				  : w->quiet_since_ns + (now - w->quiet_since_ns) / 2);
}

/* --- detection of stuck applications ------------------------------------- */

static void stuck_report(struct watch *w, int64_t now)
{
	static const char *const names[] = {"computes", "waits",        "polls",    "starts",
					    "sleeps",   "is in a request", "is delayed",
					    "looks for a file"};
	SCOPED_STRBUF b = STRBUF_INIT;
	uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n && b.len < sizeof w->outcome.stuck_at; i++) {
		const struct cause_slot *s = &w->page->slot[i];
		struct judge_sight sight;
		if (watch_judge(w, i, &sight, now) == JUDGE_GONE && sight.state != CAUSE_HELD)
			continue;
		strbuf_addf(&b, "%s%s %d %s", b.len ? ", " : "", s->rank >= 0 ? "rank" : "process",
			    s->rank >= 0 ? (int)s->rank : (int)s->pid, names[sight.state]);
	}
	snprintf(w->outcome.stuck_at, sizeof w->outcome.stuck_at, "%s", b.s);
}

/* Detects a thread that makes endless requests while another thread is held. */
static void excess_watch(struct watch *w)
{
	const uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n && !w->outcome.runs_on[0]; i++) {
		const struct cause_slot *s = &w->page->slot[i];
		const uint64_t n_requests = atomic_load(&s->n_requests), most = w->seen[i].n_known;
		if (most && n_requests > most + MORE_REQUESTS)
			snprintf(w->outcome.runs_on, sizeof w->outcome.runs_on,
				 "%s %d made %" PRIu64 " requests, but only %" PRIu64 " in the "
				 "whole first run",
				 s->rank >= 0 ? "rank" : "process",
				 s->rank >= 0 ? (int)s->rank : (int)s->pid, n_requests, most);
	}
	if (w->outcome.runs_on[0])
		descendants_kill();
}

static bool is_stopped(const struct cause_slot *s)
{
	struct thread_times times;
	return s->pid && thread_look(s->pid, s->tid, &times) == 'T';
}

/* Whether an earlier slot is that of a stopped thread of the same process. */
static bool is_stopped_before(const struct watch *w, uint32_t i)
{
	uint32_t k = 0;
	while (k < i && !(w->page->slot[k].pid == w->page->slot[i].pid &&
			  is_stopped(&w->page->slot[k])))
		k++;
	return k < i;
}

/* Finds processes that a signal has stopped. */
static void stopped_look(struct watch *w)
{
	struct strbuf b = STRBUF_INIT;
	const uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n && b.len < sizeof w->outcome.stopped; i++) {
		const struct cause_slot *s = &w->page->slot[i];
		if (is_stopped(s) && !is_stopped_before(w, i))
			strbuf_addf(&b, "%s%s %d", b.len ? ", " : "",
				    s->rank >= 0 ? "rank" : "process",
				    s->rank >= 0 ? (int)s->rank : (int)s->pid);
	}
	snprintf(w->outcome.stopped, sizeof w->outcome.stopped, "%s", b.s);
	strbuf_release(&b);
	if (w->outcome.stopped[0])
		descendants_kill();
}

static void progress_watch(struct watch *w, int64_t now)
{
	uint64_t sum = atomic_load(&w->page->released);
	uint32_t n = slots_used(w->page);
	for (uint32_t i = 0; i < n; i++)
		sum += atomic_load(&w->page->slot[i].n_requests);
	if (sum != w->n_progress) {
		w->n_progress = sum;
		w->progress_ns = w->looked_ns = now;
	}
	if (w->outcome.stuck || w->outcome.stopped[0])
		return;
	if (w->config.throttled && now - w->progress_ns >= w->stuck_after_ns) {
		w->outcome.stuck = true;
		stuck_report(w, now);
		descendants_kill();
	} else if (now - w->looked_ns >= STOPPED_NS) {
		w->looked_ns = now;
		stopped_look(w);
	}
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
		if (any && !w->config.by_agent)
			held_look(w, now);
		if (w->config.throttled)
			excess_watch(w);
		const struct timespec nap = {0, any ? LOOK_NS : BEAT_NS};
		if (w->outcome.stuck || w->outcome.stopped[0])
			descendants_kill(); /* repeats, for processes that were created meanwhile */
		if (w->config.by_agent)
			watch_exchange(w, LOOK_NS);
		else if (any)
			nanosleep(&nap, NULL);
		else
			syscall(SYS_futex, &p->held, FUTEX_WAIT, held, &nap, NULL, 0);
	}
	return NULL;
}

/* --- watchdog ----------------------------------------------------------- */

void watch_open(struct watch **w, const struct watch_config *c)
{
	*w = xcalloc(1, sizeof **w);
	(*w)->config = *c;
	/* realpath() may fail: app_capture reports a root that is not a directory */
	(*w)->root = c->root ? realpath(c->root, NULL) : NULL;
	(*w)->seen = xcalloc(CAUSE_SLOTS, sizeof *(*w)->seen);
	int64_t longest = 0;
	for (uint32_t i = 0; i < c->n_known; i++)
		longest = c->known[i].phase_max_ns > longest ? c->known[i].phase_max_ns : longest;
	future_nodes_init(&(*w)->future_nodes, c->known, c->n_known);
	(*w)->stuck_after_ns =
	    watch_times(STUCK_FACTOR * c->factor, longest, STUCK_FLOORS * c->compute_floor_ns);
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	struct watch_outcome ignored;
	watch_end(w, &ignored);
	FREE_EACH(w->root, w->seen);
	future_nodes_release(&w->future_nodes);
	FREE_EACH(w->wait, w->list, w);
}

static int page_make(struct watch *w, const char *dir, struct err *e)
{
	char *path = xasprintf("%s/" CAUSE_FILE, dir);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* allocate the page now: a page without room would raise SIGBUS later */
	int code = fd < 0 ? errno : -file_reserve(fd, sizeof *w->page);
	int ret = code ? err_sys(e, code, "cannot create %s", path) : 0;
	void *at = ret ? MAP_FAILED
		      : mmap(NULL, sizeof *w->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!ret && at == MAP_FAILED)
		ret = err_sys(e, errno, "cannot map %s", path);
	fd_close(fd);
	free(path);
	if (ret)
		return ret;
	w->page = at;
	w->page->throttled = w->config.throttled;
	w->page->period = w->config.period;
	w->page->has_root = w->root != NULL;
	w->page->all_send = w->config.all_send;
	for (uint32_t i = 0; i < w->config.n_known && w->page->n_senders < CAUSE_SLOTS; i++)
		if (w->config.known[i].sends)
			w->page->sender[w->page->n_senders++] = w->config.known[i].key;
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
		return err_set(e, ENAMETOOLONG, "--root %s: the path has more than %d bytes",
			       w->root, CAUSE_ROOT_MAX - 1);
	int ret = page_make(w, scratch_dir, e);
	if (ret)
		return ret;
	/* an agent waits for the agents of other hosts until the collector asks for its clock */
	w->progress_ns = w->looked_ns = w->config.by_agent ? INT64_MAX : clock_monotonic_ns();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	ret = pthread_create(&w->thread, NULL, watch_run, w);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	w->runs = !ret;
	return ret ? err_sys(e, ret, "cannot start the watchdog") : 0;
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
	w->n_list = slots_used(w->page);
	w->list = xcalloc(w->n_list + 1, sizeof *w->list);
	for (uint32_t i = 0; i < w->n_list; i++) {
		const struct cause_slot *s = &w->page->slot[i];
		w->list[i] = (struct watch_thread){s->key,
						   s->pid,
						   s->tid,
						   s->parent,
						   s->rank,
						   atomic_load(&s->n_requests),
						   atomic_load(&s->messages) &&
						       atomic_load(&s->n_requests),
						   s->compute_max_ns,
						   s->blocked_max_ns,
						   s->phase_max_ns,
						   s->request_max_ns,
						   s->compute_sum_ns,
						   s->blocked_sum_ns,
						   s->request_sum_ns};
	}
}

ORDER_BY(by_instant, struct watch_wait, at_ns)

/* Settles the waits of nodes that did not exist: most have a slot by now. Threads that were never
 * created waited for nothing. */
static void future_nodes_settle(struct watch *w)
{
	const struct future_nodes *u = &w->future_nodes;
	for (uint32_t i = 0; i < u->n; i++) {
		const uint32_t waiter =
		    u->last[i].at_ns ? slot_of_key(w->page, u->known[i].key) : SLOT_NONE;
		if (waiter == SLOT_NONE)
			continue;
		GROW(w->wait, w->n_waits, w->waits_cap);
		w->wait[w->n_waits++] = (struct watch_wait){
		    u->last[i].at_ns, u->last[i].throttled, waiter, false, -1, 0, 0, 0, false, 0};
	}
	if (w->n_waits)
		qsort(w->wait, w->n_waits, sizeof *w->wait, by_instant);
}

void watch_end(struct watch *w, struct watch_outcome *o)
{
	if (w->runs) {
		atomic_store(&w->ends, true);
		atomic_fetch_add(&w->page->held, 1); /* ends the sleep of the watchdog's thread */
		syscall(SYS_futex, &w->page->held, FUTEX_WAKE, 1, NULL, NULL, 0);
		pthread_join(w->thread, NULL);
		w->runs = false;
	}
	if (w->page) {
		w->outcome.n_async = atomic_load(&w->page->n_async);
		w->outcome.n_ranks = atomic_load(&w->page->n_ranks);
		w->outcome.too_many = atomic_load(&w->page->n_slots) > CAUSE_SLOTS;
		wakes_note(w);
		future_nodes_settle(w);
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
