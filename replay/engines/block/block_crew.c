/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/block_crew.h"

#include "common/processors.h"
#include "common/scheduling.h"
#include "common/units.h"

/* --- watchdog ------------------------------------------------------------ */

struct block_watchdog { /* all zero at first */
	uint64_t n_ended;
	int64_t since_ns;
};

/* Returns the request that was submitted first, among those in flight, or (`failed`) among those
 * that have failed; NULL: none. */
static const struct block_hot *first_submitted(const struct block_crew *c, bool failed)
{
	const struct block_hot *first = NULL;
	for (uint32_t i = 0; i < c->plan->n_lanes; i++)
		for (uint32_t k = 0; k < c->plan->lane[i].n; k++) {
			const volatile struct block_hot *r = &c->plan->lane[i].request[k];
			const bool ended = r->end != NOT_ENDED;
			if (r->begin != NOT_ENDED && ended == failed &&
			    (!failed || r->result < 0) && (!first || r->begin < first->begin))
				first = (const struct block_hot *)r;
		}
	return first;
}

static bool is_quiet(struct block_watchdog *v, const struct block_crew *c)
{
	uint64_t n_ended = 0;
	int64_t now_ns = clock_monotonic_ns();
	for (uint32_t i = 0; i < c->plan->n_lanes; i++)
		n_ended += atomic_load(&c->worker[i].n_ended);
	if (n_ended != v->n_ended || !v->since_ns) {
		v->n_ended = n_ended;
		v->since_ns = now_ns;
	}
	if (c->config->watchdog_ns <= 0 || now_ns - v->since_ns < c->config->watchdog_ns)
		return false;
	if (first_submitted(c, false))
		return true;
	v->since_ns = now_ns; /* nothing is in flight: the workers wait for a due time */
	return false;
}

static uint64_t record_of(const struct block_plan *p, const struct block_hot *r, uint64_t n_records)
{
	for (uint64_t i = 0; i < n_records; i++)
		if (p->at[i].lane < p->n_lanes &&
		    &p->lane[p->at[i].lane].request[p->at[i].index] == r)
			return i;
	return 0;
}

static int stuck_error(const struct block_crew *c, struct err *e)
{
	static const char *const names[] = {"read", "write", "discard", "flush"};
	const struct block_hot *r = first_submitted(c, false);
	const struct short_text time = duration_text((double)c->config->watchdog_ns);
	if (!r)
		return err_set(e, ETIMEDOUT,
			       "no request has ended for %s (--watchdog sets this time)", time.s);
	return err_set(e, ETIMEDOUT, "no request has ended for %s (--watchdog sets this "
		"time); the %s of %" PRIu64 " bytes at offset %" PRIu64 " (record %" PRIu64
		") does not return", time.s, r->direction < 4 ? names[r->direction] : "request",
		r->length, r->offset, record_of(c->plan, r, c->n_records));
}

/* Returns ENODEV with a message that names the first request that failed. */
static int block_watch_gone(const struct block_crew *c, struct err *e)
{
	const struct block_hot *r = first_submitted(c, true);
	if (!r)
		return err_set(e, ENODEV, "%s disappeared during the replay", c->config->device);
	return err_set(e, ENODEV, "%s disappeared during the replay: record %" PRIu64
		" failed %s after the start (%s)", c->config->device,
		record_of(c->plan, r, c->n_records),
		duration_text((double)(r->end > 0 ? r->end : 0) * c->clock->ns_per_tick).s,
		strerror(-r->result));
}

/* Called periodically during the replay. Errors: ETIMEDOUT, with the oldest request, if requests
 * are in flight but none has ended for the time of --watchdog; ENODEV if the device is lost. */
static int block_watch_look(struct block_watchdog *v, const struct block_crew *c, struct err *e)
{
	if (device_gone(c->device))
		return block_watch_gone(c, e);
	return is_quiet(v, c) ? stuck_error(c, e) : 0;
}

/* --- buffers ------------------------------------------------------------- */

#define MOST_READ_BYTES ((size_t)256 << 20)
/* room in addition to the longest write, so that consecutive writes have different content */
#define CONTENT_BYTES ((size_t)16 << 20)

/* `longest`: the longest requests of this worker. `common` is at least as long as the longest read
 * above BUFFER_OWN_MAX. Errors: ENOMEM. `content` and `common` are borrowed. */
static int buffers_init(struct block_buffers *b, uint32_t n_slots, struct block_longest longest,
	const struct vm_region *content, const struct vm_region *common, struct err *e)
{
	const size_t read = round_up(longest.read ? longest.read : 1, BUFFER_ALIGN),
		     write = round_up(longest.write ? longest.write : 1, BUFFER_ALIGN);
	size_t room = read * n_slots;
	int ret = 0;
	*b = (struct block_buffers){
	    .read_stride = read, .content = content, .is_common = longest.read > BUFFER_OWN_MAX};
	if (room > MOST_READ_BYTES)
		room = MOST_READ_BYTES;
	if (b->is_common)
		b->reads = *common;
	else
		ret = vm_alloc(&b->reads, room, "the buffers of reads", e);
	if (ret)
		return ret;
	b->read_room = (b->reads.n_bytes - read) / BUFFER_ALIGN * BUFFER_ALIGN + BUFFER_ALIGN;
	b->content_room =
	    content->n_bytes > write ? content->n_bytes - write + BUFFER_ALIGN : BUFFER_ALIGN;
	return 0;
}

/* Allocates the region for reads above BUFFER_OWN_MAX. It is empty if there are none. */
static int common_init(struct vm_region *r, uint64_t longest_read, struct err *e)
{
	const size_t longest = round_up(longest_read, BUFFER_ALIGN);
	*r = (struct vm_region){.base = NULL};
	if (longest_read <= BUFFER_OWN_MAX)
		return 0;
	return vm_alloc(r, longest > MOST_READ_BYTES ? longest : MOST_READ_BYTES,
			"the common buffer of reads", e);
}

/* --- preparation --------------------------------------------------------- */

/* Time from the opening of the gate to the common start, in which all threads wake up. */
#define LEAD_NS 2000000
#define JOIN_NS 200000000
#define GIVE_UP_NS 1000000000
#define FIRST_BUNDLE_NS 2000 /* default until the cost of a submission has been measured */
/* time slice of a worker: the shortest that the kernel sets */
#define SLICE_NS 100000
#define PROBE_PLACES 16 /* largest number of offsets that the probe tries */

static void schedule_make(struct block_crew *c, struct block_worker *w)
{
	const struct block_plan *p = c->plan;
	const struct block_options *o = &c->config->block;
	const struct block_lane *a = &p->lane[w->index];
	w->schedule = (struct block_schedule){.mode = (enum block_mode)o->mode,
					      .request = a->request,
					      .place = a->place,
					      .n = a->n,
					      .parents = a->parents,
					      .shift = p->shift,
					      .bundle_max = (uint32_t)o->bundle_max,
					      .slack_most = p->slack_most,
					      .regains = o->limit == LIMIT_SLACK,
					      .progress = c->progress,
					      .index = w->index,
					      .n_workers = p->n_lanes,
					      .mutant = p->mutant,
					      .follow = (enum block_follow)o->follow};
	struct block_schedule_room room = {(uint32_t)p->inferred.width_max,
					   (uint32_t)p->inferred.n_parents_max, p->n};
	if (p->mutant.kind == FAULT_DOUBLE || room.n_ready > a->n)
		room.n_ready = a->n;
	schedule_init(&w->schedule, &room);
}

/* Sets the members that depend on the clock. */
static void schedule_ticks(struct block_crew *c, struct block_worker *w)
{
	const struct block_options *o = &c->config->block;
	double ticks_per_ns = 1 / c->clock->ns_per_tick;
	int64_t bundle_ns = o->bundle_ns >= 0 ? o->bundle_ns : FIRST_BUNDLE_NS;
	if (w->schedule.bundle_max > w->backend->bundle_max)
		w->schedule.bundle_max = w->backend->bundle_max;
	w->bundle_follows = o->bundle_ns < 0;
	w->schedule.bundle = (int64_t)((double)bundle_ns * ticks_per_ns);
	w->schedule.ms = (int64_t)(1000000 * ticks_per_ns);
	w->schedule.mutant = c->plan->mutant;
	w->schedule.paced = w->schedule.paced_due = w->schedule.n ? w->schedule.request[0].due : 0;
	w->clock = *c->clock;
}

static struct block_longest longest_of(const struct block_lane *a)
{
	struct block_longest most = {.read = 0};
	for (uint32_t k = 0; k < a->n; k++) {
		const struct block_hot *h = &a->request[k];
		uint64_t *of = h->direction == BLOCK_READ    ? &most.read
			       : h->direction == BLOCK_WRITE ? &most.write
							     : NULL;
		if (of && h->length > *of)
			*of = h->length;
	}
	return most;
}

static int worker_make(struct block_crew *c, uint32_t i, struct err *e)
{
	struct block_worker *w = &c->worker[i];
	const uint32_t n = c->plan->n_slots;
	*w = (struct block_worker){
	    .crew = c, .index = i, .n_slots = n, .wait_ns = -1, .notes = STRBUF_INIT};
	w->crowded = c->plan->n_lanes > (uint32_t)processors_allowed();
	w->cpu = c->config->pin ? processor_nth(i) : -1;
	w->slot = xaligned(128, n, sizeof *w->slot);
	w->unused = xcalloc(n, sizeof *w->unused);
	while (w->n_unused < n) {
		w->unused[w->n_unused] = n - 1 - w->n_unused;
		w->n_unused++;
	}
	due_heap_init(&w->held, n);
	schedule_make(c, w);
	return buffers_init(&w->buffers, n, longest_of(&c->plan->lane[i]), &c->content, &c->reads,
			    e);
}

static bool begins_at(const struct block_input *l, uint64_t offset)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->r[i].offset == offset)
			return true;
	return false;
}

/* Chooses the backend by trial reads, whose lengths are those of requests in the whole trace. If
 * possible, they begin at offsets that no request has, so that an observer of the device can
 * distinguish them. */
static void backend_probe(struct block_crew *c, const struct block_input *l)
{
	struct block_probe p = {.fd = c->device->fd};
	uint64_t longest = 0, n_moving = 0;
	for (uint32_t i = 0; i < l->n; i++)
		n_moving += l->r[i].direction <= BLOCK_WRITE;
	const uint64_t every = n_moving / BLOCK_PROBE_MAX + 1;
	for (uint64_t i = 0, k = 0; i < l->n && p.n < BLOCK_PROBE_MAX; i++)
		if (l->r[i].direction <= BLOCK_WRITE && k++ % every == 0)
			p.length[p.n++] = l->r[i].length;
	for (uint32_t i = 0; p.n && p.n < BLOCK_PROBE_MAX; i++)
		p.length[p.n++] = p.length[i];
	for (uint32_t i = 0; i < p.n; i++)
		longest = p.length[i] > longest ? p.length[i] : longest;
	const uint64_t grain = c->device->logical_bytes,
		       last = (c->device->n_bytes - longest) / grain;
	p.offset = last * grain;
	for (uint64_t k = 0; k < PROBE_PLACES && k <= last; k++)
		if (!begins_at(l, (last - k) * grain)) {
			p.offset = (last - k) * grain;
			break;
		}
	block_choose(&c->choice, &p);
}

int block_crew_init(struct block_crew *c, const struct block_input *l, bool has_writes,
		    struct err *e)
{
	const uint32_t n = c->plan->n_lanes;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->changed, NULL);
	c->notes = (struct strbuf)STRBUF_INIT;
	c->worker = xaligned(128, n, sizeof *c->worker);
	c->progress = xaligned(128, n, sizeof *c->progress);
	struct block_longest most = {.read = 0};
	for (uint32_t i = 0; i < n; i++) {
		const struct block_longest own = longest_of(&c->plan->lane[i]);
		most.read = own.read > most.read ? own.read : most.read;
		most.write = own.write > most.write ? own.write : most.write;
	}
	const size_t content = round_up(most.write, BUFFER_ALIGN) + CONTENT_BYTES;
	int ret = has_writes ? vm_alloc(&c->content, content, "the content of writes", e) : 0;
	if (!ret && has_writes)
		vm_fill_random(&c->content, c->seed);
	ret = ret ? ret : common_init(&c->reads, most.read, e);
	for (uint32_t i = 0; !ret && i < n; i++)
		ret = worker_make(c, i, e);
	if (!ret) {
		const struct block_options *o = &c->config->block;
		if (o->backend)
			c->choice =
			    (struct block_choice){block_backends[o->backend - 1], "--backend"};
		else if (o->sq_poll)
			c->choice = (struct block_choice){&block_uring, "--sq-poll"};
		else
			backend_probe(c, l);
	}
	return ret == -ENOMEM
		   ? err_context(
			 e, "%u workers, with reads of up to %llu bytes and writes of up to %llu",
			 n, (unsigned long long)most.read, (unsigned long long)most.write)
		   : ret;
}

void block_crew_release(struct block_crew *c)
{
	if (c->abandoned)
		return;
	for (uint32_t i = 0; c->worker && i < c->plan->n_lanes; i++) {
		struct block_worker *w = &c->worker[i];
		if (!w->buffers.is_common)
			vm_free(&w->buffers.reads);
		schedule_release(&w->schedule);
		due_heap_release(&w->held);
		strbuf_release(&w->notes);
		FREE_EACH(w->slot, w->unused);
	}
	vm_free(&c->content);
	vm_free(&c->reads);
	strbuf_release(&c->notes);
	FREE_EACH(c->worker, c->progress);
	pthread_mutex_destroy(&c->mutex);
	pthread_cond_destroy(&c->changed);
}

/* --- a worker's thread --------------------------------------------------- */

static int queue_open_by(struct block_worker *w, const struct block_backend *b)
{
	const struct block_crew *c = w->crew;
	const struct block_options *o = &c->config->block;
	struct block_queue_config q = {.fd = c->device->fd,
				       .is_block = c->device->is_block,
				       .n_slots = w->n_slots,
				       .sq_poll = o->sq_poll,
				       .registered = o->registered,
				       .harvester = o->harvester,
				       .reads = &w->buffers.reads,
				       .content = &c->content,
				       .waiting = w->alarms.open ? &w->alarms.waiting : NULL};
	int ret = b->open(&w->queue, &q, &w->notes, &w->err);
	w->backend = b;
	if (ret) {
		b->close(w->queue);
		w->queue = NULL;
	}
	return ret;
}

static bool start_pass(struct block_crew *c)
{
	pthread_mutex_lock(&c->mutex);
	c->n_ready++;
	pthread_cond_broadcast(&c->changed);
	while (!c->open)
		pthread_cond_wait(&c->changed, &c->mutex);
	bool pass = !c->cancelled;
	pthread_mutex_unlock(&c->mutex);
	return pass;
}

static struct scheduling scheduling_wanted(const struct block_crew *c)
{
	struct scheduling s = {.set = false};
	if (c->config->scheduler)
		(void)scheduling_parse(c->config->scheduler, &s, NULL); /* checked before */
	return scheduling_of(&s, c->plan->n_lanes);
}

static int worker_ready(struct block_worker *w)
{
	struct block_crew *c = w->crew;
	const struct scheduling scheduling = scheduling_wanted(c);
	int code = thread_pin(w->cpu);
	if (code)
		return err_sys(&w->err, code, "cannot pin a thread to its CPU");
	code = scheduling_apply(&scheduling);
	if (code)
		return scheduling_refused(&scheduling, code, c->plan->n_lanes, &w->err);
	if (c->config->wait != WAIT_NANOSLEEP)
		waiter_thread_setup();
	/* a thread that sleeps until a due time must get a CPU soon after it wakes up */
	if (c->config->block.mode == MODE_HF || c->config->block.mode == MODE_DEP)
		(void)scheduling_slice(SLICE_NS);
	/* If the kernel forbids or lacks io_uring, libaio is used, and a note says so. */
	const struct block_backend *const b = c->choice.backend;
	if (c->config->block.mode == MODE_HF && c->config->wait == WAIT_HYBRID &&
	    c->plan->n_lanes == 1 && !c->config->block.harvester && b != &block_psync)
		(void)alarms_open(&w->alarms); /* without them, the worker sleeps as usual */
	int ret = queue_open_by(w, b);
	if (ret && b == &block_uring) {
		strbuf_addf(&w->notes, "%s: libaio is used instead\n", w->err.msg);
		ret = queue_open_by(w, &block_libaio);
	} else if (ret && !c->config->block.backend) {
		strbuf_addf(&w->notes, "%s: io_uring is used instead\n", w->err.msg);
		ret = queue_open_by(w, &block_uring);
	}
	return ret;
}

static void *worker_main(void *arg)
{
	struct block_worker *w = arg;
	struct block_crew *c = w->crew;
	const struct scheduling scheduling = scheduling_wanted(c);
	int ret = worker_ready(w);
	w->fatal = -ret;
	if (start_pass(c) && !ret) {
		schedule_ticks(c, w);
		w->start = c->start_ticks;
		w->waiter.clock = &w->clock;
		err_clear(&w->err);
		if (c->config->block.harvester)
			ret = harvester_start(
			    &w->harvester, w->backend, w->queue, w->n_slots, &w->clock,
			    c->config->pin ? processor_nth(w->index + 1) : -1, &w->err);
		int64_t before_ns = thread_runqueue_wait_ns();
		w->fatal = -ret;
		wait_until(&w->waiter, w->start);
		worker_run(w, &c->stop);
		if (w->fatal) /* other workers may wait for the turn of this worker */
			atomic_store(&c->stop, true);
		int64_t after_ns = thread_runqueue_wait_ns();
		w->wait_ns = before_ns >= 0 && after_ns >= before_ns ? after_ns - before_ns : -1;
	}
	scheduling_leave(&scheduling);
	alarms_close(&w->alarms);
	if (w->schedule.in_flight) /* closing the queue would wait for the requests in flight */
		return NULL;
	harvester_stop(w->harvester);
	if (w->queue)
		w->backend->close(w->queue);
	w->queue = NULL;
	return NULL;
}

/* --- start and end ------------------------------------------------------- */

static void gate_open(struct block_crew *c, bool cancelled)
{
	pthread_mutex_lock(&c->mutex);
	c->open = true;
	c->cancelled = cancelled;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->mutex);
}

static int workers_start(struct block_crew *c, struct err *e)
{
	struct waiter waiter;
	int code = 0;
	if (c->config->wait != WAIT_NANOSLEEP) /* workers inherit the timer slack */
		waiter_thread_setup();
	waiter_init(&waiter, c->clock, (enum wait_method)c->config->wait, 0);
	waiter_spare(&waiter);
	for (; c->n_started < c->plan->n_lanes && !code; c->n_started += !code) {
		struct block_worker *w = &c->worker[c->n_started];
		w->waiter = waiter;
		code = pthread_create(&w->id, NULL, worker_main, w);
	}
	pthread_mutex_lock(&c->mutex);
	while (c->n_ready < c->n_started)
		pthread_cond_wait(&c->changed, &c->mutex);
	pthread_mutex_unlock(&c->mutex);
	if (code)
		return err_sys(e, code, "cannot start worker %u of %u", c->n_started + 1,
			       c->plan->n_lanes);
	for (uint32_t i = 0; i < c->n_started; i++)
		if (c->worker[i].fatal) {
			*e = c->worker[i].err;
			return -c->worker[i].fatal;
		}
	if (c->choice.backend != c->worker[0].backend)
		c->choice = (struct block_choice){c->worker[0].backend,
						  "the preferred interface failed"};
	strbuf_addstr(&c->notes, c->worker[0].notes.s ? c->worker[0].notes.s : "");
	return 0;
}

static bool join_until(struct block_crew *c, uint32_t i, int64_t ns)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	ns += until.tv_nsec;
	until.tv_sec += ns / 1000000000;
	until.tv_nsec = ns % 1000000000;
	return pthread_timedjoin_np(c->worker[i].id, NULL, &until) == 0;
}

static int workers_join(struct block_crew *c, struct err *e)
{
	struct block_watchdog v = {0, 0};
	int ret = 0;
	for (uint32_t i = 0; i < c->n_started; i++)
		while (!join_until(c, i, JOIN_NS)) {
			if (ret) { /* the worker did not stop */
				c->abandoned = true;
				break;
			}
			ret = block_watch_look(&v, c, e);
			if (!ret)
				continue;
			atomic_store(&c->stop, true);
			if (!join_until(c, i, GIVE_UP_NS))
				c->abandoned = true;
			break;
		}
	for (uint32_t i = 0; i < c->n_started; i++)
		c->abandoned |= c->worker[i].schedule.in_flight > 0;
	return ret;
}

int block_crew_run(struct block_crew *c, struct err *e)
{
	struct run_facts_snapshot before, after;
	int ret = workers_start(c, e);
	ret = ret ? ret : clock_reanchor(c->clock, e);
	if (ret) {
		gate_open(c, true);
		workers_join(c, NULL);
		return ret;
	}
	block_plan_to_ticks(c->plan, c->clock);
	run_facts_take(&before);
	c->start_ticks = clock_now(c->clock) + (uint64_t)(LEAD_NS / c->clock->ns_per_tick);
	gate_open(c, false);
	ret = workers_join(c, e);
	for (uint32_t i = 0; !ret && i < c->n_started; i++)
		if (c->worker[i].err.code) { /* no harvester */
			*e = c->worker[i].err;
			ret = -e->code;
		} else if (c->worker[i].fatal) {
			ret = err_sys(e, c->worker[i].fatal,
				      "a worker cannot use %s to fetch the completions of its "
				      "requests",
				      c->choice.backend->name);
		}
	if (!ret && device_gone(c->device)) /* gone before the first check */
		ret = block_watch_gone(c, e);
	if (ret)
		return ret;
	run_facts_take(&after);
	run_facts_between(&before, &after, &c->facts);
	c->facts.runqueue_wait_ns = 0;
	for (uint32_t i = 0; i < c->n_started; i++) {
		const struct block_worker *w = &c->worker[i];
		bool known = w->wait_ns >= 0 && c->facts.runqueue_wait_ns >= 0;
		c->facts.runqueue_wait_ns = known ? c->facts.runqueue_wait_ns + w->wait_ns : -1;
	}
	return clock_reanchor(c->clock, e);
}
