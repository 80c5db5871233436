/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start and end of capturing in processes and threads, and their windows (window.c). Code in this
 * file runs with all signals blocked, outside any timed region. */
#include "capture/preload/core.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "capture/preload/in_line.h"

enum { N_RECORDERS = 4096, VFORK_DEPTH = 4 };

/* State of this process. In a forked child, this memory is zeroed. */
struct core_process {
	/* 0: new, 1: another thread initialises it, 2: ready, 3: initialisation failed */
	_Atomic uint32_t state;
	uint32_t pid;
	struct window_file file;
	struct recorder recorder[N_RECORDERS] __attribute__((aligned(64)));
};

uint8_t capture_state;
uint32_t capture_flags;
bool capture_confined;
struct clock capture_clock;
char capture_directory[512], capture_library[1024];
__thread struct recorder *capture_self __attribute__((tls_model("initial-exec")));
__thread bool capture_within __attribute__((tls_model("initial-exec")));
/* the window of the parent of a vfork child */
struct outer {
	char *next;
	uint32_t generation, own_pid;
};
static __thread struct outer outer[VFORK_DEPTH] __attribute__((tls_model("initial-exec")));
/* process ID in a vfork child, otherwise 0 */
static __thread uint32_t own_pid __attribute__((tls_model("initial-exec")));

/* two threads share this thread-local storage */
static __thread bool is_shared __attribute__((tls_model("initial-exec")));

static struct log_control *control;
static struct core_process *process;

#if !defined(__x86_64__)
long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	int saved = errno;
	/* not the hook of syscall, which would record the call */
	long got = REAL(syscall)(number, a, b, c, d, e, f);
	got = got == -1 ? -errno : got;
	errno = saved;
	return got;
}
#endif

static void signals_block(uint64_t *was)
{
	uint64_t all = ~UINT64_C(0);
	RAW(SYS_rt_sigprocmask, SIG_SETMASK, &all, was, sizeof all);
}

static void signals_restore(const uint64_t *was)
{
	RAW(SYS_rt_sigprocmask, SIG_SETMASK, was, NULL, sizeof *was);
}

void *capture_real(const char *name)
{
	/* looks up dlsym() by its version, because dlsym() itself has a hook: since glibc 2.34;
	 * before (x86-64, AArch64) */
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", NULL};
	static __typeof__(&dlsym) look_up;
	int saved = errno;
	for (const char *const *v = versions; !look_up && *v; v++)
		look_up = (__typeof__(&dlsym))dlvsym(RTLD_NEXT, "dlsym", *v);
	void *found = look_up ? look_up(RTLD_NEXT, name) : NULL;
	errno = saved;
	return found;
}

void capture_lost(void)
{
	if (control)
		atomic_fetch_add_explicit(&control->n_lost, 1, memory_order_relaxed);
}

void capture_blind(void)
{
	if (capture_state == CAPTURE_ON)
		capture_lost();
	capture_state = CAPTURE_OFF;
}

struct log_control *capture_control(void)
{
	return control;
}

uint32_t capture_pid(void)
{
	return own_pid ? own_pid : (uint32_t)RAW(SYS_getpid);
}

/* --- threads -------------------------------------------------------------- */

static bool recorder_claim(struct core_process *p, uint32_t i, uint32_t was, uint32_t tid)
{
	struct recorder *r = &p->recorder[i];
	if (!atomic_compare_exchange_strong(&r->tid, &was, tid))
		return false;
	window_give(r->next, r->generation, WINDOW_ORPHAN);
	r->next = NULL;
	r->depth = 0;
	r->slot = 0;
	if (!is_shared)
		capture_self = r;
	return true;
}

static struct recorder *recorder_of(struct core_process *p, uint32_t tid)
{
	for (uint32_t k = 0; k < N_RECORDERS; k++)
		if (atomic_load_explicit(&p->recorder[k].tid, memory_order_relaxed) == tid)
			return &p->recorder[k];
	return NULL;
}

struct recorder *capture_mine(void)
{
	if (likely(!is_shared))
		return capture_self;
	return process && !capture_confined ? recorder_of(process, (uint32_t)RAW(SYS_gettid))
					    : NULL;
}

void capture_share(void)
{
	is_shared = true;
	capture_self = NULL; /* a thread with shared storage finds its recorder by its thread ID */
}

/* Finds a recorder for this thread: a free recorder, or that of a thread that has ended, because
 * threads do not report their end. */
static bool recorder_find(struct core_process *p, uint32_t tid)
{
	for (uint32_t k = 0; k < N_RECORDERS; k++)
		if (!atomic_load_explicit(&p->recorder[k].tid, memory_order_relaxed) &&
		    recorder_claim(p, k, 0, tid))
			return true;
	for (uint32_t k = 0; k < N_RECORDERS; k++) {
		uint32_t was = atomic_load_explicit(&p->recorder[k].tid, memory_order_relaxed);
		if (was && RAW(SYS_tkill, was, 0) == -ESRCH && recorder_claim(p, k, was, tid))
			return true;
	}
	return false;
}

static bool process_ready(struct core_process *p, bool *fresh_one)
{
	uint32_t fresh = 0;
	if (likely(atomic_load_explicit(&p->state, memory_order_acquire) == 2))
		return true;
	if (atomic_compare_exchange_strong(&p->state, &fresh, 1)) {
		p->pid = (uint32_t)RAW(SYS_getpid);
		*fresh_one = window_file_open(&p->file, p->pid);
		atomic_store_explicit(&p->state, *fresh_one ? 2 : 3, memory_order_release);
	}
	while (atomic_load_explicit(&p->state, memory_order_acquire) == 1)
		RAW(SYS_sched_yield);
	return atomic_load_explicit(&p->state, memory_order_acquire) == 2;
}

/* Takes the next window without a system call. A signal handler may take a window at the same time;
 * the collector finds that window when the thread has ended. */
static bool more_confined(void)
{
	struct core_process *p = process;
	struct recorder *r = is_shared ? NULL : capture_self;
	uint32_t tid = r ? atomic_load_explicit(&r->tid, memory_order_relaxed) : 0;
	if (!tid || r->depth || atomic_load_explicit(&p->state, memory_order_acquire) != 2)
		return false;
	window_give(r->next, r->generation, WINDOW_FULL);
	r->next = NULL;
	struct log_window *w = window_acquire(&p->file, p->pid, tid);
	if (!w)
		return false;
	w->cpus_known = 0;
	r->generation = log_generation(w);
	r->next = (char *)(w + 1);
	return true;
}

void capture_confine_prepare(void)
{
	uint64_t was;
	signals_block(&was);
	if (capture_state == CAPTURE_ON && !capture_confined &&
	    atomic_load_explicit(&process->state, memory_order_acquire) == 2)
		window_file_map_all(&process->file);
	signals_restore(&was);
}

/* Records the affinity of the thread with each window, because it may have changed since the last
 * window. */
static void affinity_note(struct log_window *w)
{
	uint64_t set[16] = {0};
	w->cpus_known = 0;
	long got = RAW(SYS_sched_getaffinity, 0, sizeof set, set);
	for (int i = AFFINITY_WORDS; i < 16 && got > 0; i++)
		got = set[i] ? 0 : got;
	if (got <= 0)
		return;
	memcpy(w->cpus, set, sizeof w->cpus);
	w->cpus_known = 1;
}

static bool window_next(bool *announce)
{
	struct core_process *p = process;
	if (!process_ready(p, announce))
		return false;
	uint32_t tid = (uint32_t)RAW(SYS_gettid);
	struct recorder *r = is_shared ? recorder_of(p, tid) : capture_self;
	if (!r || !atomic_load_explicit(&r->tid, memory_order_relaxed)) {
		if (!recorder_find(p, tid))
			return false;
		r = is_shared ? recorder_of(p, tid) : capture_self;
		r->begins = !is_shared && tid != p->pid;
	}
	window_give(r->next, r->generation, WINDOW_FULL);
	r->next = NULL;
	struct log_window *w = window_acquire(&p->file,
					      is_shared ? (uint32_t)RAW(SYS_getpid)
					      : own_pid ? own_pid
							: p->pid,
					      own_pid && !is_shared ? own_pid : tid);
	if (!w)
		return false;
	affinity_note(w);
	r->generation = log_generation(w);
	r->next = (char *)(w + 1);
	return true;
}

bool capture_more(void)
{
	uint64_t was;
	bool announce = false;
	if (capture_state != CAPTURE_ON)
		return false;
	if (capture_confined)
		return more_confined();
	signals_block(&was);
	bool got = window_next(&announce);
	if (got && announce)
		process_announce(process->pid);
	signals_restore(&was);
	return got;
}

/* --- vfork: the child runs in its parent's memory, and the parent waits --- */

void capture_vfork_child(uint32_t pid)
{
	struct recorder *r = capture_self;
	/* a thread with shared storage has no recorder here */
	if (capture_state != CAPTURE_ON || !r)
		return;
	if (r->depth++ >= VFORK_DEPTH) /* a deeper child is recorded as its parent */
		return;
	outer[r->depth - 1] = (struct outer){r->next, r->generation, own_pid};
	r->next = NULL;
	own_pid = pid;
}

void capture_vfork_parent(void)
{
	struct recorder *r = capture_self;
	if (capture_state != CAPTURE_ON || !r || !r->depth)
		return;
	/* This process is a vfork child, and its own child was killed before it changed `own_pid`.
	 */
	if (own_pid == (uint32_t)RAW(SYS_getpid))
		return;
	if (r->depth-- > VFORK_DEPTH)
		return;
	const struct outer *o = &outer[r->depth];
	/* The child has ended or runs another program. */
	window_give(r->next, r->generation, WINDOW_ORPHAN);
	r->next = o->next;
	r->generation = o->generation;
	own_pid = o->own_pid;
}

bool capture_as_child_begin(uint32_t pid, uint64_t *signals)
{
	const struct recorder *r = capture_self;
	if (capture_state != CAPTURE_ON || capture_confined || !r || r->depth >= VFORK_DEPTH)
		return false;
	signals_block(signals);
	capture_vfork_child(pid);
	return true;
}

void capture_as_child_end(const uint64_t *signals)
{
	capture_vfork_parent();
	signals_restore(signals);
}

/* --- start and end -------------------------------------------------------- */

static const char *variable_find(const char *name)
{
	size_t len = strlen(name);
	for (char **v = environ; v && *v; v++)
		if (!strncmp(*v, name, len) && (*v)[len] == '=')
			return *v + len + 1;
	return NULL;
}

void *capture_map(long fd, size_t size, int flags)
{
	long got = RAW(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
	return got < 0 && got > -4096 ? NULL : (void *)got;
}

static struct log_control *control_map(const char *dir)
{
	char path[600] = "", *end = path + sizeof path - 1;
	capture_text_add(capture_text_add(path, end, dir), end, "/control");
	long fd = RAW(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return NULL;
	struct log_control *c = capture_map(fd, sizeof *c, MAP_SHARED);
	RAW(SYS_close, fd);
	return c && c->magic == LOG_MAGIC ? c : NULL;
}

static bool library_start(void)
{
	const char *dir = variable_find(LOG_DIR_VARIABLE);
	Dl_info self;
	if (!dir || strlen(dir) >= sizeof capture_directory)
		return false;
	capture_text_add(capture_directory, capture_directory + sizeof capture_directory - 1, dir);
	if (dladdr((void *)&capture_state, &self) && self.dli_fname)
		capture_text_add(capture_library, capture_library + sizeof capture_library - 1,
				 self.dli_fname);
	control = control_map(dir);
	if (!control)
		return false;
	capture_clock.source =
	    control->clock_source == CLOCK_SOURCE_TSC ? CLOCK_SOURCE_TSC : CLOCK_SOURCE_MONOTONIC;
	capture_flags = control->flags;
	process = capture_map(-1, sizeof *process, MAP_PRIVATE | MAP_ANONYMOUS);
	return process && !RAW(SYS_madvise, process, sizeof *process, MADV_WIPEONFORK);
}

void capture_start(void)
{
	static _Atomic uint32_t who; /* thread ID of the thread that initialises; 0: none */
	uint32_t none = 0;
	uint64_t was;
	int saved = errno;
	signals_block(&was);
	if (atomic_compare_exchange_strong(&who, &none, (uint32_t)RAW(SYS_gettid)))
		__atomic_store_n(&capture_state, library_start() ? CAPTURE_ON : CAPTURE_OFF,
				 __ATOMIC_RELEASE);
	/* If this thread itself initialises, dladdr() has called a hook, which returns at once. If
	 * another thread initialises, waits for it. */
	while (__atomic_load_n(&capture_state, __ATOMIC_ACQUIRE) == CAPTURE_UNKNOWN &&
	       who != (uint32_t)RAW(SYS_gettid))
		RAW(SYS_sched_yield);
	signals_restore(&was);
	errno = saved;
}

/* Announces the program even if it makes no captured call. */
static __attribute__((constructor)) void capture_begin(void)
{
	if (!capture_is_on() || (!capture_self && !capture_more()))
		return;
	process_objects_note();
	cause_thread_begin(0);
}

bool capture_owns_process(void)
{
	return capture_confined || process->pid == (uint32_t)RAW(SYS_getpid);
}

/* Records the characters in streams that the library is about to flush, and the libraries that the
 * program loaded since the start. */
static __attribute__((destructor)) void capture_end(void)
{
	if (capture_state != CAPTURE_ON || !capture_owns_process())
		return;
	in_line_note_all();
	if (!capture_confined)
		process_objects_note();
	const uint64_t begin = clock_now(&capture_clock), end = begin;
	NOTE_RESULT(0, .op = LOG_END, .dir = AT_FDCWD, .path = "");
}
