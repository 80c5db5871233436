/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/vfs_private.h"
#include "common/sort.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define RING_BYTES (16u << 20)
#define POLL_NS 10000000
#define WATCHED_MAX 65536
#define RETRIES_MAX 16384
#define RING_HEADER 8u
#define RING_BUSY 0x80000000u
#define RING_DISCARDED 0x40000000u

#define OPCODES_MAX 256

enum { LINK_ENTER, LINK_EXIT, LINK_ENDED, LINK_NEWTASK, LINK_SUBMIT, LINK_DONE, LINK_AIO, N_LINKS };

struct user_memory_found { /* position of a record in the file */
	uint32_t tid;
	int64_t ns;
	uint64_t at;
};

struct user_memory {
	struct um_maps map;
	int program[N_LINKS], link[N_LINKS];
	int file;
	/* the ring buffer; two copies of the data follow the producer page */
	unsigned char *consumer, *producer;
	size_t page;
	uint64_t n_bytes;
	pthread_t reader;
	bool reading;
	_Atomic bool stop;
	int write_error;
	unsigned char *data; /* the mapped file */
	struct user_memory_found *index;
	size_t n, cap;
	struct user_memory_facts facts;
	const struct ring_entries *rings; /* borrowed */
	struct user_memory_found *ring; /* events of io_uring: ring[n_ring] */
	size_t n_ring, ring_cap, ring_at;
};

/* --- bpf(2) -------------------------------------------------------------- */

static int bpf_call(int command, union bpf_attr *a)
{
	return (int)syscall(SYS_bpf, command, a, sizeof *a);
}

static int map_make(int *fd, unsigned int type, unsigned int key_bytes, unsigned int value_bytes,
		    unsigned int n, struct err *e)
{
	union bpf_attr a;
	memset(&a, 0, sizeof a);
	a.map_type = type;
	a.key_size = key_bytes;
	a.value_size = value_bytes;
	a.max_entries = n;
	*fd = bpf_call(BPF_MAP_CREATE, &a);
	return *fd < 0 ? err_sys(e, errno, "cannot create a BPF map") : 0;
}

static int map_set(int fd, const void *key, const void *value)
{
	union bpf_attr a;
	memset(&a, 0, sizeof a);
	a.map_fd = (uint32_t)fd;
	a.key = (uintptr_t)key;
	a.value = (uintptr_t)value;
	a.flags = BPF_ANY;
	return bpf_call(BPF_MAP_UPDATE_ELEM, &a) < 0 ? -errno : 0;
}

static int program_load(int *fd, unsigned int type, const struct um_code *c, const char *name,
			struct err *e)
{
	union bpf_attr a;
	SCOPED_FREE char *log = xcalloc(1, 65536);
	memset(&a, 0, sizeof a);
	a.prog_type = type;
	a.insns = (uintptr_t)c->insn;
	a.insn_cnt = c->n;
	a.license = (uintptr_t)"GPL";
	*fd = bpf_call(BPF_PROG_LOAD, &a);
	int code = *fd < 0 ? errno : 0;
	if (code && code != EPERM) { /* repeats the call to get the kernel's log */
		a.log_level = 1;
		a.log_buf = (uintptr_t)log;
		a.log_size = 65536;
		*fd = bpf_call(BPF_PROG_LOAD, &a);
		code = *fd < 0 ? errno : 0;
	}
	const size_t len = strlen(log);
	if (code)
		err_sys(e, code, "cannot load the BPF program %s (%s)", name,
			len ? log + (len > 300 ? len - 300 : 0) : "no reason is given");
	return code ? -code : 0;
}

static int link_raw(int *fd, int program, const char *name, struct err *e)
{
	union bpf_attr a;
	memset(&a, 0, sizeof a);
	a.raw_tracepoint.name = (uintptr_t)name;
	a.raw_tracepoint.prog_fd = (uint32_t)program;
	*fd = bpf_call(BPF_RAW_TRACEPOINT_OPEN, &a);
	return *fd < 0 ? err_sys(e, errno, "cannot attach BPF to the raw tracepoint %s", name)
		       : 0;
}

static int link_tracepoint(int *fd, int program, int id, const char *name, struct err *e)
{
	struct perf_event_attr a = {.type = PERF_TYPE_TRACEPOINT,
				    .size = sizeof a,
				    .config = (uint64_t)id,
				    .sample_period = 1};
	*fd = (int)syscall(SYS_perf_event_open, &a, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (*fd < 0 || ioctl(*fd, PERF_EVENT_IOC_SET_BPF, program) < 0)
		return err_sys(e, errno, "cannot attach BPF to the tracepoint %s", name);
	return 0;
}

/* --- setting up ---------------------------------------------------------- */

static int maps_make(struct user_memory *m, struct err *e)
{
	struct um_maps *p = &m->map;
	const struct {
		int *fd;
		unsigned int type, key_bytes, value_bytes, n;
	} maps[] = {
	    {&p->calls, BPF_MAP_TYPE_ARRAY, 4, SYSCALL_MEMORIES * sizeof(uint32_t), UM_NUMBERS},
	    {&p->watched, BPF_MAP_TYPE_HASH, 4, 4, WATCHED_MAX},
	    {&p->scratch, BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct um_scratch), 1},
	    {&p->retry, BPF_MAP_TYPE_HASH, 8, sizeof(struct um_retry), RETRIES_MAX},
	    {&p->state, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct um_state), 1},
	    {&p->ring, BPF_MAP_TYPE_RINGBUF, 0, 0, RING_BYTES},
	};
	int ret = 0;
	for (size_t i = 0; i < sizeof maps / sizeof *maps && !ret; i++)
		ret = map_make(maps[i].fd, maps[i].type, maps[i].key_bytes, maps[i].value_bytes,
			       maps[i].n, e);
	return ret;
}

static int maps_fill(struct user_memory *m, struct err *e)
{
	int ret = 0;
	for (const struct syscall_row *row = syscall_rows; row->name && !ret; row++) {
		struct syscall_pointee p;
		uint32_t item[SYSCALL_MEMORIES] = {0}, number = (uint32_t)row->number;
		for (unsigned int i = 0; i < SYSCALL_MEMORIES && syscall_pointee(row, i, &p); i++)
			item[i] = um_item(p.arg, p.what, p.size);
		if (item[0] && row->number >= 0 && row->number < UM_NUMBERS)
			ret = map_set(m->map.calls, &number, item);
	}
	return ret ? err_sys(e, -ret, "cannot fill a BPF map") : 0;
}

int user_memory_watch(struct user_memory *m, const int32_t *tid, size_t n, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = map_set(m->map.watched, &tid[i], &tid[i]);
	return ret ? err_sys(e, -ret, "cannot fill a BPF map") : 0;
}

/* Loads a program and attaches it to a raw tracepoint. */
static int program_start(struct user_memory *m, int i, const struct um_code *c,
			 const char *tracepoint, struct err *e)
{
	int ret = program_load(&m->program[i], BPF_PROG_TYPE_RAW_TRACEPOINT, c, tracepoint, e);
	return ret ? ret : link_raw(&m->link[i], m->program[i], tracepoint, e);
}

static int newtask_start(struct user_memory *m, const struct user_memory_options *o,
			 const struct um_ring_layout *layout, struct um_code *c, struct err *e)
{
	static const char name[] = "task:task_newtask";
	um_code_newtask(c, &m->map, layout ? layout->task_pid : -1, o->newtask_pid_offset);
	/* a raw tracepoint is detached without the delay of 0.07 s that the other kind has */
	if (layout)
		return program_start(m, LINK_NEWTASK, c, "task_newtask", e);
	int *program = &m->program[LINK_NEWTASK];
	int ret = program_load(program, BPF_PROG_TYPE_TRACEPOINT, c, name, e);
	return ret ? ret
		   : link_tracepoint(&m->link[LINK_NEWTASK], *program, o->newtask_id, name, e);
}

static int programs_start(struct user_memory *m, const struct user_memory_options *o, struct err *e)
{
	const struct um_ring_layout *layout = o->rings ? ring_entries_layout(o->rings) : NULL;
	SCOPED_FREE struct um_code *c = xcalloc(1, sizeof *c);
	int ret = newtask_start(m, o, layout, c, e);
	um_code_ended(c, &m->map);
	ret = ret ? ret : program_start(m, LINK_ENDED, c, "sched_process_exit", e);
	um_code_exit(c, &m->map);
	ret = ret ? ret : program_start(m, LINK_EXIT, c, "sys_exit", e);
	um_code_enter(c, &m->map, layout ? layout->task_status : -1);
	m->facts.counts_32_bits = !ret && layout && layout->task_status >= 0 &&
			    !program_start(m, LINK_ENTER, c, "sys_enter", NULL);
	if (ret || m->facts.counts_32_bits)
		return ret;
	um_code_enter(c, &m->map, -1); /* Linux before 5.11 cannot read the task structure */
	return program_start(m, LINK_ENTER, c, "sys_enter", e);
}

static int ring_ops_fill(struct user_memory *m, const struct ring_entries *r, struct err *e)
{
	int ret = 0;
	for (uint32_t i = 0; i < OPCODES_MAX && !ret; i++) {
		const uint64_t items = ring_entries_items(r, i);
		ret = items ? map_set(m->map.ring_ops, &i, &items) : 0;
	}
	return ret ? err_sys(e, -ret, "cannot fill a BPF map") : 0;
}

/* Starts reading requests of io_uring. If that fails, everything else works. */
static int rings_start(struct user_memory *m, const struct user_memory_options *o, struct err *e)
{
	SCOPED_FREE struct um_code *c = xcalloc(1, sizeof *c);
	int ret = map_make(&m->map.ring_ops, BPF_MAP_TYPE_ARRAY, 4, 8, OPCODES_MAX, e);
	ret = ret ? ret : map_make(&m->map.inflight, BPF_MAP_TYPE_HASH, 8, 8, WATCHED_MAX, e);
	ret = ret ? ret : ring_ops_fill(m, o->rings, e);
	um_code_ring_done(c, &m->map, ring_entries_layout(o->rings));
	ret = ret ? ret : program_start(m, LINK_DONE, c, "io_uring_complete", e);
	um_code_ring_submit(c, &m->map, ring_entries_layout(o->rings));
	return ret ? ret : program_start(m, LINK_SUBMIT, c, "io_uring_submit_req", e);
}

/* Starts reading requests of io_submit(). Kernels before 5.3 refuse programs with a loop. */
static int aio_start(struct user_memory *m)
{
	SCOPED_FREE struct um_code *c = xcalloc(1, sizeof *c);
	um_code_aio(c, &m->map);
	return program_start(m, LINK_AIO, c, "sys_enter", NULL);
}

const struct user_memory_facts *user_memory_facts(const struct user_memory *m)
{
	return &m->facts;
}

static int ring_map(struct user_memory *m, struct err *e)
{
	m->page = (size_t)sysconf(_SC_PAGESIZE);
	m->consumer = mmap(NULL, m->page, PROT_READ | PROT_WRITE, MAP_SHARED, m->map.ring, 0);
	if (m->consumer == MAP_FAILED)
		m->consumer = NULL;
	if (m->consumer)
		m->producer = mmap(NULL, m->page + 2 * (size_t)RING_BYTES, PROT_READ, MAP_SHARED,
				   m->map.ring, (off_t)m->page);
	if (m->producer == MAP_FAILED)
		m->producer = NULL;
	return m->producer ? 0 : err_sys(e, errno, "cannot map the BPF ring");
}

/* --- the ring ------------------------------------------------------------ */

/* Copies the complete records, with their headers, to the file. */
static void ring_drain(struct user_memory *m)
{
	_Atomic uint64_t *const consumed = (_Atomic uint64_t *)(void *)m->consumer;
	_Atomic uint64_t *const produced = (_Atomic uint64_t *)(void *)m->producer;
	const unsigned char *data = m->producer + m->page;
	const uint64_t from = atomic_load(consumed), to = atomic_load(produced);
	uint64_t at = from;
	while (at < to) {
		uint32_t len = atomic_load(
		    (const _Atomic uint32_t *)(const void *)(data + (at & (RING_BYTES - 1))));
		if (len & RING_BUSY)
			break;
		at += (RING_HEADER + (len & ~RING_DISCARDED) + 7) & ~(uint64_t)7;
	}
	const size_t n = (size_t)(at - from);
	if (!n)
		return;
	ssize_t written = m->write_error ? (ssize_t)n
					 : pwrite(m->file, data + (from & (RING_BYTES - 1)), n,
						  (off_t)m->n_bytes);
	if (written != (ssize_t)n)
		m->write_error = written < 0 ? errno : ENOSPC;
	if (!m->write_error)
		m->n_bytes += n;
	atomic_store(consumed, at);
}

static void *reader_main(void *arg)
{
	struct user_memory *m = arg;
	const struct timespec pause = {.tv_nsec = POLL_NS};
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (bool last = false; !last;) {
		last = atomic_load(&m->stop);
		ring_drain(m);
		if (!last)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

int user_memory_open(struct user_memory **out, const struct user_memory_options *o, struct err *e)
{
	*out = NULL;
#if !defined(__x86_64__) && !defined(__aarch64__)
	return err_set(e, ENOTSUP, "the register layout of this CPU architecture is not known");
#endif
	struct user_memory *m = xcalloc(1, sizeof *m);
	m->file = -1;
	m->rings = o->rings;
	err_clear(&m->facts.no_rings);
	m->map = (struct um_maps){-1, -1, -1, -1, -1, -1, -1, -1};
	for (int i = 0; i < N_LINKS; i++)
		m->program[i] = m->link[i] = -1;
	m->file = tracing_scratch_file(o->scratch, e);
	int ret = m->file < 0 ? m->file : maps_make(m, e);
	ret = ret ? ret : maps_fill(m, e);
	ret = ret ? ret : user_memory_watch(m, o->tid, o->n, e);
	ret = ret ? ret : ring_map(m, e);
	ret = ret ? ret : programs_start(m, o, e);
	m->facts.reads_rings = !ret && o->rings && rings_start(m, o, &m->facts.no_rings) == 0;
	m->facts.reads_aio = !ret && aio_start(m) == 0;
	int code = ret ? 0 : pthread_create(&m->reader, NULL, reader_main, m);
	if (code)
		ret = err_sys(e, code, "cannot start the reader of the BPF ring");
	m->reading = !ret;
	if (ret)
		user_memory_close(m);
	else
		*out = m;
	return ret;
}

/* --- reading the records ------------------------------------------------ */

ORDER_BY(by_thread_and_time, struct user_memory_found, tid, ns, at)

ORDER_BY(by_time, struct user_memory_found, ns, at)

static int index_make(struct user_memory *m, struct err *e)
{
	if (!m->n_bytes)
		return 0;
	m->data = mmap(NULL, m->n_bytes, PROT_READ, MAP_PRIVATE, m->file, 0);
	if (m->data == MAP_FAILED) {
		m->data = NULL;
		return err_sys(e, errno, "cannot map the recorded data of pointer arguments");
	}
	for (uint64_t at = 0; at + RING_HEADER + sizeof(struct um_record) <= m->n_bytes;) {
		uint32_t len;
		struct um_record r;
		memcpy(&len, m->data + at, sizeof len);
		memcpy(&r, m->data + at + RING_HEADER, sizeof r);
		const bool kept = !(len & RING_DISCARDED) && len >= sizeof r;
		if (kept && r.number >= UM_RING_SUBMIT) {
			GROW(m->ring, m->n_ring, m->ring_cap);
			m->ring[m->n_ring++] = (struct user_memory_found){r.tid, r.ns,
									  at + RING_HEADER};
		} else if (kept) {
			GROW(m->index, m->n, m->cap);
			m->index[m->n++] = (struct user_memory_found){r.tid, r.ns,
								      at + RING_HEADER};
		}
		at += (RING_HEADER + (len & ~RING_DISCARDED) + 7) & ~(uint64_t)7;
	}
	if (m->n)
		qsort(m->index, m->n, sizeof *m->index, by_thread_and_time);
	if (m->n_ring)
		qsort(m->ring, m->n_ring, sizeof *m->ring, by_time);
	return 0;
}

static void links_close(struct user_memory *m)
{
	for (int i = 0; i < N_LINKS; i++) {
		fd_close(m->link[i]);
		fd_close(m->program[i]);
		m->link[i] = m->program[i] = -1;
	}
}

int user_memory_stop(struct user_memory *m, struct err *e)
{
	struct um_state state = {0};
	union bpf_attr a;
	uint32_t key = 0;
	if (!m->reading)
		return 0;
	links_close(m);
	atomic_store(&m->stop, true);
	pthread_join(m->reader, NULL);
	m->reading = false;
	memset(&a, 0, sizeof a);
	a.map_fd = (uint32_t)m->map.state;
	a.key = (uintptr_t)&key;
	a.value = (uintptr_t)&state;
	if (bpf_call(BPF_MAP_LOOKUP_ELEM, &a) == 0)
		m->facts.n_lost = state.n_lost;
	m->facts.n_ring_lost = state.n_ring_lost;
	m->facts.n_calls32 = state.n_calls32;
	int ret = index_make(m, e);
	if (!ret && m->write_error)
		ret = err_sys(e, m->write_error, "cannot store the data of pointer arguments in "
			      "the scratch directory (choose another directory with --scratch)");
	return ret;
}

void user_memory_close(struct user_memory *m)
{
	if (!m)
		return;
	user_memory_stop(m, NULL);
	links_close(m);
	const int fds[] = {m->map.calls,    m->map.watched,  m->map.scratch,
			   m->map.retry,    m->map.state,    m->map.ring,
			   m->map.ring_ops, m->map.inflight, m->file};
	if (m->consumer)
		munmap(m->consumer, m->page);
	if (m->producer)
		munmap(m->producer, m->page + 2 * (size_t)RING_BYTES);
	if (m->data)
		munmap(m->data, m->n_bytes);
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		fd_close(fds[i]);
	FREE_EACH(m->index, m->ring, m);
}

/* Finds the data of the pointers of entry m->ring[i], which are in the records after it. */
static void pointees_find(const struct user_memory *m, size_t i,
			  struct syscall_memory memory[SYSCALL_MEMORIES])
{
	const struct user_memory_found *first = &m->ring[i];
	struct um_record r;
	for (size_t k = i + 1; k < m->n_ring && m->ring[k].ns == first->ns; k++) {
		const unsigned char *at = m->data + m->ring[k].at;
		memcpy(&r, at, sizeof r);
		if (r.tid != first->tid || r.number != UM_RING_SUBMIT || !r.item ||
		    r.item > UM_RING_POINTERS || r.len > UM_TEXT_MAX)
			continue;
		const uint64_t items = ring_entries_items(
		    m->rings,
		    (unsigned int)((const struct um_ring_entry *)(const void *)(m->data +
										first->at +
										sizeof r))
			->opcode);
		memory[r.item - 1] = (struct syscall_memory){
		    at + sizeof r, r.len - (!(items & UM_RING_VECTOR) && r.len)};
	}
}

bool user_memory_ring_next(struct user_memory *m, int64_t until_ns, struct user_ring_event *to)
{
	struct um_record r;
	for (; m->ring_at < m->n_ring && m->ring[m->ring_at].ns <= until_ns; m->ring_at++) {
		const struct user_memory_found *f = &m->ring[m->ring_at];
		memcpy(&r, m->data + f->at, sizeof r);
		if (r.item || r.len < sizeof *to->entry)
			continue;
		*to = (struct user_ring_event){.ns = r.ns,
					       .tid = r.tid,
					       .done = r.number == UM_RING_DONE,
					       .is_aio = r.number == UM_AIO_SUBMIT,
					       .entry = (const void *)(m->data + f->at + sizeof r)};
		if (!to->done && !to->is_aio)
			pointees_find(m, m->ring_at, to->memory);
		m->ring_at++;
		return true;
	}
	return false;
}

/* Finds the thread's first record after `ns`. */
static size_t first_after(const struct user_memory *m, uint32_t tid, int64_t ns)
{
	size_t from = 0;
	BISECT(from, m->n, i, m->index[i].tid < tid ||
		       (m->index[i].tid == tid && m->index[i].ns <= ns))
	return from;
}

void user_memory_find(const struct user_memory *m, uint32_t tid, const struct syscall_row *row,
	int64_t after_ns, int64_t end_ns, struct syscall_memory memory[SYSCALL_MEMORIES])
{
	struct um_record r;
	struct syscall_pointee p;
	memset(memory, 0, SYSCALL_MEMORIES * sizeof *memory);
	for (size_t i = first_after(m, tid, after_ns);
	     i < m->n && m->index[i].tid == tid && m->index[i].ns <= end_ns; i++) {
		const unsigned char *at = m->data + m->index[i].at;
		memcpy(&r, at, sizeof r);
		if (r.number != (uint32_t)row->number || r.len > UM_TEXT_MAX ||
		    r.item >= SYSCALL_MEMORIES || !syscall_pointee(row, r.item, &p))
			continue;
		memory[r.item] = (struct syscall_memory){at + sizeof r,
							 r.len - (p.what == POINTER_TEXT && r.len)};
	}
}
