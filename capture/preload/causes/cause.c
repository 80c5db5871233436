/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slot of a thread: its state, the start of the state, and sums of times. Only the thread
 * writes its slot. Time in a signal handler counts for the interrupted state. */
#include "capture/preload/cause_hooks.h"
#include "capture/preload/causes/cause_key.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "capture/preload/core.h"
#include "common/splitmix.h"

#define NO_SLOT UINT32_MAX
#define CAUSE_NO_FD INT32_MIN /* the message is not sent through a descriptor */

__thread bool cause_lock_next __attribute__((tls_model("initial-exec")));
__thread bool cause_of_library __attribute__((tls_model("initial-exec")));
/* key of a thread that a hooked call created, or of a forked child */
static __thread uint64_t own_key __attribute__((tls_model("initial-exec")));
/* key of the child during a fork */
static __thread uint64_t child_key __attribute__((tls_model("initial-exec")));
/* set while a request is held, because a signal handler may run then */
static __thread bool is_busy __attribute__((tls_model("initial-exec")));

/* The current or last request of the thread. If a thread makes the same request on the same name
 * repeatedly and it fails, the thread polls: it waits until another thread creates the file. */
static __thread struct attempt {
	uint64_t path; /* hash of the name; 0: none */
	/* failed_op: operation of the last attempt at this name, if it failed */
	uint16_t op, failed_op;
	int error;
	int64_t begin_ns;
	uint64_t begin_ticks;
} attempt __attribute__((tls_model("initial-exec")));

static struct cause_page *page; /* NULL: the application is not watched */
static bool page_looked_for;

static struct cause_page *page_map(void)
{
	char path[600];
	size_t len = strlen(capture_directory);
	if (!len || len + sizeof "/" CAUSE_FILE > sizeof path)
		return NULL;
	memcpy(path, capture_directory, len);
	memcpy(path + len, "/" CAUSE_FILE, sizeof "/" CAUSE_FILE);
	long fd = RAW(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return NULL;
	struct cause_page *p = capture_map(fd, sizeof *p, MAP_SHARED);
	RAW(SYS_close, fd);
	if (!p)
		return NULL;
	if (p->magic == CAUSE_MAGIC) {
		if (!cause_is_launcher())
			return p;
		struct cause_slot *s =
		    cause_slot_of(p, (uint32_t)RAW(SYS_getpid), (uint32_t)RAW(SYS_gettid));
		if (s && s->flags & CAUSE_EXEC)
			s->flags = CAUSE_LAUNCHER;
	}
	RAW(SYS_munmap, p, sizeof *p);
	return NULL;
}

/* Two threads may map the page at the same time, which does no harm. */
static struct cause_page *page_find(void)
{
	if (likely(page_looked_for))
		return page;
	if (!capture_is_on() || capture_confined)
		return NULL;
	struct cause_page *p = page_map();
	page = p;
	__atomic_store_n(&page_looked_for, true, __ATOMIC_RELEASE);
	return p;
}

bool cause_is_watched(void)
{
	return page_find() != NULL;
}

/* --- clocks --------------------------------------------------------------- */

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t cpu_ns(void)
{
	struct timespec t = {0, 0};
	RAW(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* --- the slot ------------------------------------------------------------- */

static bool key_sends(const struct cause_page *p, uint64_t key)
{
	for (uint32_t i = 0; i < p->n_senders && i < CAUSE_SLOTS; i++)
		if (p->sender[i] == key)
			return true;
	return p->all_send;
}

static uint32_t slot_claim(struct cause_page *p)
{
	uint32_t pid = (uint32_t)RAW(SYS_getpid), tid = (uint32_t)RAW(SYS_gettid),
		 parent = (uint32_t)RAW(SYS_getppid);
	struct cause_slot *s = cause_slot_of(p, pid, tid);
	int32_t rank;
	if (s && s->flags & CAUSE_EXEC) {
		s->flags = 0;
		s->depth = 0;
	} else {
		if (!own_key)
			atomic_fetch_add(&p->n_created, 1);
		const uint64_t key = cause_key_find(p, pid, tid, parent, own_key, &rank);
		uint32_t i = atomic_fetch_add(&p->n_slots, 1);
		if (i >= CAUSE_SLOTS)
			return NO_SLOT;
		s = &p->slot[i];
		s->parent = parent;
		s->rank = rank;
		s->key = key;
		atomic_store(&s->messages, key_sends(p, key));
		s->outside_ticks = clock_now(&capture_clock);
		s->tid = tid;
		__atomic_store_n(&s->pid, pid, __ATOMIC_RELEASE);
	}
	atomic_store_explicit(&s->since_ns, now_ns(), memory_order_relaxed);
	atomic_store_explicit(&s->since_cpu_ns, cpu_ns(), memory_order_relaxed);
	atomic_store(&s->state, CAUSE_COMPUTING);
	return (uint32_t)(s - p->slot);
}

/* Returns the thread's slot or NULL. The index of the slot is in memory that is zeroed in a forked
 * child. */
static struct cause_slot *slot_mine(struct cause_page *p)
{
	struct recorder *r = capture_mine();
	if (unlikely(!r || !atomic_load_explicit(&r->tid, memory_order_relaxed)) &&
	    (!capture_more() || !(r = capture_mine())))
		return NULL;
	if (r->depth) /* a vfork child in the memory of its parent */
		return NULL;
	if (unlikely(!r->slot))
		r->slot = slot_claim(p) + 1; /* NO_SLOT + 1 is 0, so the next call tries again */
	return r->slot ? &p->slot[r->slot - 1] : NULL;
}

/* --- states --------------------------------------------------------------- */

#define ADD(field, ns)                                                                             \
	atomic_store_explicit(&(field),                                                            \
			      atomic_load_explicit(&(field), memory_order_relaxed) + (ns),         \
			      memory_order_relaxed)

static void maximum_raise(int64_t *to, int64_t ns)
{
	if (ns > *to)
		*to = ns;
}

/* Adds the duration of the state that ends. */
static void state_account(struct cause_slot *s, int64_t now, int64_t cpu)
{
	const int64_t passed = now - s->since_ns, used = cpu - s->since_cpu_ns;
	switch ((enum cause_state)atomic_load_explicit(&s->state, memory_order_relaxed)) {
	case CAUSE_COMPUTING:
		ADD(s->compute_ns, used);
		s->compute_sum_ns += used;
		break;
	case CAUSE_SLEEPING:
		ADD(s->compute_ns, passed);
		ADD(s->slept_ns, passed);
		s->compute_sum_ns += passed;
		break;
	case CAUSE_POLLING:
		s->off_cpu_ns += passed > used ? passed - used : 0;
		__attribute__((fallthrough));
	case CAUSE_WAITING:
	case CAUSE_LOOKING:
	case CAUSE_STARTING:
		ADD(s->blocked_ns, passed);
		s->blocked_sum_ns += passed;
		maximum_raise(&s->blocked_max_ns, passed);
		break;
	case CAUSE_REQUEST:
		s->request_sum_ns += passed;
		maximum_raise(&s->request_max_ns, passed);
		break;
	case CAUSE_HELD:
	case CAUSE_STATES:
		break;
	}
}

static void state_set(struct cause_slot *s, enum cause_state state)
{
	const int64_t now = now_ns(), cpu = cpu_ns();
	state_account(s, now, cpu);
	atomic_store_explicit(&s->since_ns, now, memory_order_relaxed);
	atomic_store_explicit(&s->since_cpu_ns, cpu, memory_order_relaxed);
	atomic_store_explicit(&s->state, (uint32_t)state, memory_order_relaxed);
	atomic_store_explicit(&s->changes,
			      atomic_load_explicit(&s->changes, memory_order_relaxed) + 1,
			      memory_order_release);
}

/* --- requests ------------------------------------------------------------- */

static void compute_note(struct cause_slot *s, uint32_t flags)
{
	const uint64_t begin = s->outside_ticks, end = clock_now(&capture_clock);
	const int64_t off_us = s->off_cpu_ns / 1000;
	const uint32_t off_cpu = off_us < CAUSE_OFF_CPU_MAX ? (uint32_t)off_us : CAUSE_OFF_CPU_MAX;
	const struct note n = {.begin = begin,
			       .end = end > begin ? end : begin,
			       .op = OP_COMPUTE,
			       .fd = -1,
			       .flags = flags | off_cpu << CAUSE_OFF_CPU_SHIFT,
			       .length = (uint64_t)s->compute_ns,
			       .offset = (uint64_t)s->blocked_ns,
			       .result = s->slept_ns};
	maximum_raise(&s->compute_max_ns, s->compute_ns);
	maximum_raise(&s->phase_max_ns, s->compute_ns + s->blocked_ns);
	capture_note(&n);
}

/* Waits until the collector has found that all other threads wait. */
static void slot_hold(struct cause_page *p, struct cause_slot *s)
{
	const struct timespec look = {0, 50000000};
	state_set(s, CAUSE_HELD);
	ADD(s->n_held, 1);
	atomic_store(&p->held_slot, (uint32_t)(s - p->slot));
	const uint32_t mine = atomic_fetch_add(&p->held, 1) + 1;
	RAW(SYS_futex, &p->held, FUTEX_WAKE, 1);
	for (;;) {
		uint32_t got = atomic_load(&p->released);
		if ((int32_t)(got - mine) >= 0)
			break;
		if (now_ns() - atomic_load(&p->beat_ns) > CAUSE_BEAT_MAX_NS)
			break;
		RAW(SYS_futex, &p->released, FUTEX_WAIT, got, &look);
	}
}

/* The messages before the first request do not count. */
static void messages_end(struct cause_slot *s)
{
	const int64_t compute_ns = s->earlier_compute_ns + s->compute_ns,
		      blocked_ns = s->earlier_blocked_ns + s->blocked_ns;
	maximum_raise(&s->compute_max_ns, compute_ns);
	maximum_raise(&s->phase_max_ns, compute_ns + blocked_ns);
	atomic_store(&s->n_requests, 0);
	atomic_store(&s->messages, 0);
}

static void request_begin(struct cause_page *p, struct cause_slot *s, bool waits)
{
	state_set(s, CAUSE_COMPUTING); /* accounts the time so far */
	compute_note(s, 0);
	if (unlikely(atomic_load_explicit(&s->messages, memory_order_relaxed)))
		messages_end(s);
	uint64_t n = atomic_load_explicit(&s->n_requests, memory_order_relaxed);
	if (unlikely(p->throttled == s->key) && p->period && n % p->period == 0)
		slot_hold(p, s);
	atomic_store_explicit(&s->n_requests, n + 1, memory_order_relaxed);
	state_set(s, waits ? CAUSE_WAITING : CAUSE_REQUEST);
}

static void phase_begin(struct cause_slot *s)
{
	atomic_store_explicit(&s->compute_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&s->blocked_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&s->slept_ns, 0, memory_order_relaxed);
	s->off_cpu_ns = 0;
	s->outside_ticks = clock_now(&capture_clock);
}

static void request_end(struct cause_slot *s, enum cause_state outside)
{
	state_set(s, outside);
	phase_begin(s);
}

/* --- looking for a file --------------------------------------------------- */

static uint64_t path_hash(const struct subject *subject)
{
	if (subject->kind != SUBJECT_PATH)
		return 0;
	uint64_t x = (uint64_t)(uint32_t)subject->fd + 1;
	for (const char *c = subject->path; *c; c++)
		x = splitmix_mix(x * SPLITMIX_STEP + (unsigned char)*c);
	return x ? x : 1;
}

static bool is_lookup(uint16_t op)
{
	return op == OP_STAT || op == OP_STATX || op == OP_ACCESS || op == OP_OPEN;
}

void cause_recorded(uint16_t op, int error)
{
	if (!is_lookup(op))
		return;
	attempt.op = op;
	attempt.error = error;
}

static void attempt_begin(const struct subject *subject)
{
	const uint64_t path = path_hash(subject);
	if (path != attempt.path)
		attempt.failed_op = OP_INVALID;
	attempt.path = path;
	attempt.op = OP_INVALID;
}

/* Returns whether the same request on the same name failed twice in succession. */
static bool attempt_end(void)
{
	const bool failed = attempt.path && attempt.op && attempt.error;
	const bool again = failed && attempt.op == attempt.failed_op;
	attempt.failed_op = failed ? attempt.op : OP_INVALID;
	return again;
}

/* Whether the request of a thread that looks for a file is the same request again. If not, the
 * thread no longer looks for the file. */
static bool looks_again(struct cause_slot *s, const struct subject *subject)
{
	if (path_hash(subject) != attempt.path) {
		state_set(s, CAUSE_COMPUTING);
		return false;
	}
	attempt.op = OP_INVALID;
	attempt.begin_ns = now_ns();
	attempt.begin_ticks = clock_now(&capture_clock);
	return true;
}

/* The thread has found the file. It was blocked until the last attempt, which counts as the
 * request. */
static void look_end(struct cause_slot *s)
{
	if (attempt.error && attempt.op == attempt.failed_op) {
		ADD(s->n_idle, 1);
		return;
	}
	const struct note n = {.begin = s->outside_ticks,
			       .end = attempt.begin_ticks,
			       .op = OP_COMPUTE,
			       .fd = -1,
			       .offset = (uint64_t)(attempt.begin_ns - s->since_ns)};
	attempt.failed_op = OP_INVALID;
	capture_note(&n);
	request_end(s, CAUSE_COMPUTING);
}

/* --- calls ---------------------------------------------------------------- */

static struct cause_call call_of(const struct cause_slot *s, uint32_t state)
{
	return (struct cause_call){CAUSE_A_CALL, (int)state,
				   atomic_load_explicit(&s->n_idle, memory_order_relaxed)};
}

struct cause_call cause_enter(const struct subject *subject, bool waits)
{
	struct cause_call c = {CAUSE_NOTHING, 0};
	struct cause_page *p = page_find();
	if (!p || is_busy || capture_confined)
		return c;
	const int saved = errno;
	is_busy = true;
	struct cause_slot *s = slot_mine(p);
	uint32_t state = s ? atomic_load_explicit(&s->state, memory_order_relaxed) : CAUSE_HELD;
	if (state != CAUSE_REQUEST && state != CAUSE_HELD && !cause_of_library &&
	    cause_counts(p, subject)) {
		if (state == CAUSE_LOOKING && looks_again(s, subject)) {
			c = (struct cause_call){CAUSE_A_LOOK, (int)state};
		} else {
			state = state == CAUSE_LOOKING ? CAUSE_COMPUTING : state;
			c = (struct cause_call){CAUSE_A_REQUEST, (int)state};
			attempt_begin(subject);
			request_begin(p, s, waits);
		}
	} else if (state == CAUSE_COMPUTING ||
		   /* MPI uses a file of its own, so it does not poll at this time */
		   (state == CAUSE_POLLING && subject->kind == SUBJECT_PATH)) {
		c = call_of(s, state);
		state_set(s, CAUSE_WAITING);
	}
	is_busy = false;
	errno = saved;
	return c;
}

struct cause_call cause_wait_begin(enum cause_state how)
{
	struct cause_call c = {CAUSE_NOTHING, 0};
	struct cause_page *p = page_find();
	if (!p || is_busy || capture_confined)
		return c;
	const int saved = errno;
	is_busy = true;
	struct cause_slot *s = slot_mine(p);
	uint32_t state = s ? atomic_load_explicit(&s->state, memory_order_relaxed) : CAUSE_HELD;
	if (state == CAUSE_COMPUTING) {
		c = call_of(s, state);
		state_set(s, how);
	}
	is_busy = false;
	errno = saved;
	return c;
}

static void message_take(struct cause_page *p, struct cause_slot *s)
{
	const uint64_t n = atomic_load_explicit(&s->n_requests, memory_order_relaxed);
	state_set(s, CAUSE_COMPUTING);
	compute_note(s, CAUSE_GOES_ON | CAUSE_BEFORE_MESSAGE);
	if (p->throttled == s->key && p->period && n % p->period == 0)
		slot_hold(p, s);
	const uint64_t at = clock_now(&capture_clock);
	const struct note message = {
	    .begin = at, .end = at, .op = OP_SIGNAL, .fd = -1, .flags = CAUSE_IS_MESSAGE};
	capture_note(&message);
	atomic_store_explicit(&s->n_requests, n + 1, memory_order_relaxed);
	s->earlier_compute_ns += s->compute_ns;
	s->earlier_blocked_ns += s->blocked_ns;
	state_set(s, CAUSE_COMPUTING);
	phase_begin(s);
}

static bool descriptor_wakes(int fd)
{
	struct stat st;
	return !RAW(SYS_fstat, fd, &st) &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || !(st.st_mode & S_IFMT));
}

void cause_message_to(int fd)
{
	struct cause_page *p = page_find();
	if (!p || (!p->all_send && !p->n_senders) || is_busy || capture_confined ||
	    cause_of_library)
		return;
	const int saved = errno;
	is_busy = true;
	struct cause_slot *s = slot_mine(p);
	if (s && atomic_load_explicit(&s->messages, memory_order_relaxed) &&
	    atomic_load_explicit(&s->state, memory_order_relaxed) == CAUSE_COMPUTING &&
	    (fd == CAUSE_NO_FD || descriptor_wakes(fd)))
		message_take(p, s);
	is_busy = false;
	errno = saved;
}

void cause_message(void)
{
	cause_message_to(CAUSE_NO_FD);
}

/* Second field of the thread's scheduler statistics, in ns; 0: unknown. */
static int64_t run_delay_ns(void)
{
	char text[80];
	const long fd =
	    RAW(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC, 0);
	const long n = fd < 0 ? 0 : RAW(SYS_read, fd, text, sizeof text - 1);
	if (fd >= 0)
		RAW(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	const char *second = strchr(text, ' ');
	int64_t ns = 0;
	while (second && *++second >= '0' && *second <= '9')
		ns = ns * 10 + (*second - '0');
	return ns;
}

/* A waiting call has ended. If it is the first since the release of a held node, that node or a
 * node that waited for it ended the call. */
static void woken_note(const struct cause_page *p, struct cause_slot *s)
{
	const uint32_t released = atomic_load_explicit(&p->released, memory_order_acquire);
	if (likely(released == atomic_load_explicit(&s->woken_of, memory_order_relaxed)))
		return;
	const struct cause_slot *by = &p->slot[atomic_load(&p->held_slot) % CAUSE_SLOTS];
	uint64_t changes, n_requests = 0;
	int64_t compute_ns = 0;
	int tries = 0;
	do { /* repeats until the values were almost stable during the read */
		changes = atomic_load_explicit(&by->changes, memory_order_acquire);
		n_requests =
		    atomic_load(&by->n_requests) - (atomic_load(&by->state) == CAUSE_REQUEST);
		compute_ns = atomic_load(&by->compute_ns);
	} while (atomic_load(&by->changes) != changes && ++tries < 10);
	/* start of the current state: the waiting call has just ended */
	atomic_store_explicit(&s->woken_ns,
			      atomic_load_explicit(&s->since_ns, memory_order_relaxed),
			      memory_order_relaxed);
	atomic_store_explicit(&s->woken_run_delay_ns, run_delay_ns(), memory_order_relaxed);
	atomic_store_explicit(&s->woken_requests, n_requests, memory_order_relaxed);
	atomic_store_explicit(&s->woken_compute_ns, compute_ns, memory_order_relaxed);
	atomic_store_explicit(&s->woken_of, released, memory_order_release);
}

void cause_leave(struct cause_call *c)
{
	if (likely(c->what == CAUSE_NOTHING))
		return;
	const int saved = errno;
	is_busy = true;
	struct cause_slot *s = page ? slot_mine(page) : NULL;
	if (s && c->what == CAUSE_A_REQUEST) {
		const bool looks = attempt_end() && c->state_before == CAUSE_COMPUTING;
		request_end(s, looks ? CAUSE_LOOKING : (enum cause_state)c->state_before);
	} else if (s && c->what == CAUSE_A_LOOK) {
		look_end(s);
		if (atomic_load_explicit(&s->state, memory_order_relaxed) != CAUSE_LOOKING)
			woken_note(page, s);
	} else if (s) {
		if (atomic_load_explicit(&s->n_idle, memory_order_relaxed) - c->n_idle >=
		    CAUSE_WAITED_IDLE)
			ADD(s->n_waited, 1);
		state_set(s, (enum cause_state)c->state_before);
		if (c->state_before == CAUSE_COMPUTING) /* otherwise, the call of MPI continues */
			woken_note(page, s);
	}
	is_busy = false;
	errno = saved;
}

/* --- calls of other hooks ------------------------------------------------- */

uint64_t cause_child_key(void)
{
	struct cause_page *p = page_find();
	struct cause_slot *s = p && !capture_confined ? slot_mine(p) : NULL;
	if (!s)
		return 0;
	atomic_fetch_add(&p->n_created, 1);
	return cause_key_of_child(s);
}

void cause_phase_end(void)
{
	struct cause_slot *s = page && !capture_confined ? slot_mine(page) : NULL;
	if (!s || atomic_load_explicit(&s->state, memory_order_relaxed) != CAUSE_COMPUTING)
		return;
	state_set(s, CAUSE_COMPUTING);
	compute_note(s, CAUSE_GOES_ON);
	phase_begin(s);
}

void cause_fork_prepare(void)
{
	child_key = cause_child_key();
}

void cause_forked(void)
{
	cause_thread_begin(child_key);
}

void cause_thread_begin(uint64_t key)
{
	struct cause_page *p = page_find();
	own_key = key;
	if (p && !capture_confined)
		slot_mine(p);
}

void cause_exec(bool failed)
{
	struct cause_page *p = page_find();
	struct cause_slot *s = p && !capture_confined
				   ? cause_slot_of(p, (uint32_t)RAW(SYS_getpid),
						   (uint32_t)RAW(SYS_gettid))
				   : NULL;
	if (!s)
		return;
	s->flags = failed ? 0 : CAUSE_EXEC;
	/* the state until the new program reports its own */
	atomic_store(&s->state, failed ? CAUSE_COMPUTING : CAUSE_WAITING);
}

void cause_idle(void)
{
	struct recorder *r = page ? capture_mine() : NULL;
	if (r && r->slot)
		ADD(page->slot[r->slot - 1].n_idle, 1);
}

void cause_asynchronous(void)
{
	if (page_find())
		atomic_fetch_add(&page->n_async, 1);
}
