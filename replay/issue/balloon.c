/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/balloon.h"

#include <sys/resource.h>

#include "common/cgroup_where.h"
#include "common/process_memory.h"
#include "common/sort.h"
#include "common/units.h"
#include "replay/issue/feed.h"

#define STEP_BYTES ((uint64_t)64 << 10) /* changes below are not followed */
#define LOOK_NS 5000000
/* reserve within the limit of a memory cgroup, for kernel memory and for memory that is charged in
 * advance */
#define SLACK_BYTES ((uint64_t)1 << 20)
#define SAMPLES_MAX 1000000

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

/* --- steps --------------------------------------------------------------- */

int balloon_text_check(const char *text, struct err *e)
{
	uint64_t bytes;
	if (!text || !strcmp(text, "off") || !strcmp(text, "traced") ||
	    !parse_size(text, &bytes, NULL))
		return 0;
	return err_set(e, EINVAL, "balloon: \"%s\": expected off, traced or a size", text);
}

static void step_add(struct balloon *b, size_t *cap, struct balloon_step step)
{
	if (b->n_steps) {
		uint64_t last = b->step[b->n_steps - 1].bytes;
		if ((step.bytes > last ? step.bytes - last : last - step.bytes) < STEP_BYTES)
			return;
	}
	APPEND(b->step, b->n_steps, *cap, step);
}

/* Reads the samples of the trace. The trace is untrusted, so their times are checked: they must be
 * ascending. */
static int steps_read(struct balloon *b, const json_t *list, const struct replay_config *c,
		      const struct load *l, struct err *e)
{
	size_t cap = 0, n = json_array_size(list);
	int64_t last_ns = INT64_MIN;
	uint64_t n_requests = 0;
	for (size_t i = 0; i < n; i++) {
		const json_t *t = json_object_get(json_array_get(list, i), "t_ns");
		const json_t *bytes = json_object_get(json_array_get(list, i), "bytes");
		int64_t ns = json_integer_value(t), value = json_integer_value(bytes);
		if (!json_is_integer(t) || !json_is_integer(bytes) || ns < last_ns || value < 0 ||
		    value > INT64_MAX / 4 || n > SAMPLES_MAX)
			return err_set(e, EINVAL, "the trace's memory use (anonymous_memory): "
				"sample %zu is invalid", i);
		last_ns = ns;
		uint64_t from = n_requests;
		while (from < l->n && l->request[from].begin_ns <= ns)
			from++;
		n_requests = from;
		double due = ((double)ns - (double)l->first_begin_ns) / c->speed;
		step_add(b, &cap,
			 (struct balloon_step){n_requests,
					       due > 9e18    ? INT64_MAX
					       : due < -9e18 ? INT64_MIN
							     : (int64_t)due,
					       (uint64_t)value});
	}
	return 0;
}

static int steps_of_trace(struct balloon *b, const struct replay_config *c,
			  const struct trace_meta *meta, const struct load *l, struct err *e)
{
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	int ret = steps_read(b, json_object_get(extra, "anonymous_memory"), c, l, e);
	if (!ret && !b->n_steps)
		return err_set(e, EINVAL, "balloon = traced: the trace lacks the memory use of the "
			"program (\"validate capture app --memory\" records it)");
	return ret;
}

int balloon_init(struct balloon *b, const struct replay_config *c, const struct trace_meta *meta,
		 const struct load *l, struct err *e)
{
	*b = (struct balloon){.by_time = c->timing == TIMING_TIMESTAMP};
	int ret = balloon_text_check(c->balloon, e);
	if (ret || !c->balloon || !strcmp(c->balloon, "off"))
		return ret;
	if (!strcmp(c->balloon, "traced"))
		return steps_of_trace(b, c, meta, l, e);
	b->step = xcalloc(1, sizeof *b->step);
	b->n_steps = 1;
	return parse_size(c->balloon, &b->step[0].bytes, e);
}

void balloon_release(struct balloon *b)
{
	balloon_let_go(b);
	free(b->step);
	*b = (struct balloon){.step = NULL};
}

const struct balloon_step *balloon_step_at(const struct balloon *b, uint64_t n_requests, int64_t ns)
{
	size_t later = 1; /* the first step is always reached */
	BISECT(later, b->n_steps, i,
	       b->by_time ? b->step[i].due_ns <= ns : b->step[i].n_requests <= n_requests);
	return &b->step[later - 1];
}

json_t *balloon_to_json(const struct balloon *b)
{
	uint64_t least = b->least_bytes < b->most_bytes ? b->least_bytes : b->most_bytes;
	return json_pack("{s:I, s:I, s:I, s:I}", "own_bytes", (json_int_t)b->own_bytes,
			 "least_bytes", (json_int_t)least, "most_bytes", (json_int_t)b->most_bytes,
			 "n_changes", (json_int_t)b->n_changes);
}

/* --- the memory ---------------------------------------------------------- */

static uint64_t pages_round(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	return (bytes + page - 1) / page * page;
}

static void held_set(struct balloon *b, uint64_t bytes)
{
	if (bytes > b->held_bytes) {
		/* every word differs, so no page is zero, can be compressed or equals another
		 * page */
		struct vm_region part = {b->base + b->held_bytes, bytes - b->held_bytes};
		vm_fill_random(&part, b->held_bytes + 1);
	} else if (bytes < b->held_bytes) {
		char *from = b->base + bytes;
		uint64_t n = b->held_bytes - bytes;
		if (madvise(from, n, MADV_DONTNEED_LOCKED) < 0 && !munlock(from, n) &&
		    !madvise(from, n, MADV_DONTNEED))
			(void)mlock2(from, n, MLOCK_ONFAULT); /* a kernel before 5.18 */
	}
	b->n_changes += bytes != b->held_bytes;
	b->held_bytes = bytes;
	b->least_bytes = bytes < b->least_bytes ? bytes : b->least_bytes;
	b->most_bytes = bytes > b->most_bytes ? bytes : b->most_bytes;
}

/* Returns the present memory of all processes of the replay, without the balloon and without other
 * processes of their cgroup. */
static uint64_t own_now(const struct balloon *b)
{
	uint64_t all = process_anonymous_bytes(getpid()) +
		       (b->beside ? process_anonymous_bytes(b->beside) : 0);
	for (uint32_t i = 0; i < b->n_pids; i++)
		all += process_anonymous_bytes(b->pids[i]);
	return all > b->held_bytes ? all - b->held_bytes : 0;
}

static uint64_t bytes_wanted(const struct balloon *b, const struct balloon_step *step)
{
	uint64_t own = own_now(b), bytes = step->bytes > own ? pages_round(step->bytes - own) : 0;
	return bytes < b->room_bytes ? bytes : b->room_bytes;
}

/* --- before the run ------------------------------------------------------ */

static int limit_refuse(const struct balloon *b, int code, const char *limit, uint64_t limit_bytes,
			struct err *e)
{
	return err_set(e, code, "the balloon needs %s of memory in addition to the %s of the "
		"replay "
		"itself, but %s is %s (--balloon off replays without it)",
		size_text(b->room_bytes).s, size_text(b->own_bytes).s, limit,
		size_text(limit_bytes).s);
}

/* Checks that the balloon fits. Otherwise filling it would invoke the out-of-memory killer. */
static int room_check(const struct balloon *b, struct err *e)
{
	struct cgroup_room room = cgroup_room("");
	uint64_t left = room.limit_bytes - room.anonymous_bytes,
		 available = memory_available_bytes();
	if (room.limit_bytes != UINT64_MAX &&
	    (left < SLACK_BYTES || b->room_bytes > left - SLACK_BYTES))
		return limit_refuse(b, ENOMEM, "the limit of its memory cgroup", room.limit_bytes,
				    e);
	if (b->room_bytes > available)
		return limit_refuse(b, ENOMEM, "the available memory of this machine", available,
				    e);
	return 0;
}

static int room_reserve(struct balloon *b, struct err *e)
{
	struct rlimit limit = {.rlim_cur = 0};
	b->base = mmap(NULL, b->room_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b->base == MAP_FAILED) {
		b->base = NULL;
		return err_sys(e, errno, "cannot reserve memory for the balloon");
	}
	(void)madvise(b->base, b->room_bytes, MADV_NOHUGEPAGE); /* exact size in small pages */
	(void)madvise(b->base, b->room_bytes, MADV_UNMERGEABLE);
	(void)madvise(b->base, b->room_bytes, MADV_DONTFORK);
	if (!mlock2(b->base, b->room_bytes, MLOCK_ONFAULT))
		return 0;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	return limit_refuse(
	    b, EACCES,
	    "the limit of locked memory without CAP_IPC_LOCK (RLIMIT_MEMLOCK, ulimit -l)",
	    limit.rlim_cur, e);
}

/* --- during the replay --------------------------------------------------- */

static uint64_t n_ended(struct balloon *b)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < b->plan->n_lanes; i++) {
		b->next[i] = plan_first_left(b->plan, i, b->next[i]);
		n += b->next[i];
	}
	return n;
}

static const struct balloon_step *step_now(struct balloon *b)
{
	const struct clock *clock = &b->plan->clock;
	double ns = ((double)clock_now(clock) - (double)b->plan->start_ticks) * clock->ns_per_tick;
	return balloon_step_at(b, b->by_time ? 0 : n_ended(b), (int64_t)ns);
}

static void *balloon_main(void *arg)
{
	struct balloon *b = arg;
	const struct balloon_step *last = &b->step[0];
	pthread_mutex_lock(&b->mutex);
	while (!b->ending) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&b->changed, &b->mutex, &until);
		const struct balloon_step *step = b->ending ? last : step_now(b);
		if (step != last)
			held_set(b, bytes_wanted(b, step));
		last = step;
	}
	pthread_mutex_unlock(&b->mutex);
	return NULL;
}

int balloon_follow(struct balloon *b, struct err *e)
{
	pthread_condattr_t monotonic;
	if (!b->base || b->n_steps < 2)
		return 0;
	b->next = xcalloc((size_t)b->plan->n_lanes + 1, sizeof *b->next);
	pthread_mutex_init(&b->mutex, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&b->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	int code = pthread_create(&b->id, NULL, balloon_main, b);
	b->running = !code;
	return code ? err_sys(e, code, "cannot start the balloon's thread") : 0;
}

int balloon_hold(struct balloon *b, const struct replay_plan *p, const pid_t *pids, uint32_t n_pids,
		 struct err *e)
{
	uint64_t largest = 0;
	if (!b->n_steps || b->base)
		return 0;
	for (size_t i = 0; i < b->n_steps; i++)
		largest = b->step[i].bytes > largest ? b->step[i].bytes : largest;
	b->plan = p;
	b->n_pids = n_pids;
	b->pids = xcalloc((size_t)n_pids + 1, sizeof *b->pids);
	for (uint32_t i = 0; i < n_pids; i++)
		b->pids[i] = pids[i];
	b->own_bytes = own_now(b);
	b->room_bytes = largest > b->own_bytes ? pages_round(largest - b->own_bytes) : 0;
	if (!b->room_bytes)
		return 0; /* the replay itself already uses that much memory */
	int ret = room_check(b, e);
	ret = ret ? ret : room_reserve(b, e);
	if (ret) {
		balloon_let_go(b);
		return ret;
	}
	b->least_bytes = UINT64_MAX;
	held_set(b, bytes_wanted(b, &b->step[0]));
	return 0;
}

void balloon_let_go(struct balloon *b)
{
	if (b->running) {
		pthread_mutex_lock(&b->mutex);
		b->ending = true;
		pthread_cond_signal(&b->changed);
		pthread_mutex_unlock(&b->mutex);
		pthread_join(b->id, NULL);
		b->running = false;
	}
	if (b->next) {
		pthread_mutex_destroy(&b->mutex);
		pthread_cond_destroy(&b->changed);
		free(b->next);
		b->next = NULL;
	}
	if (b->base)
		munmap(b->base, b->room_bytes);
	b->base = NULL;
	b->held_bytes = 0;
	free(b->pids);
	b->pids = NULL;
	b->n_pids = 0;
}
