/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/eventfd.h>

#include "common/process_memory.h"
#include "common/processors.h"
#include "microbench/block/block_load.h"
#include "microbench/draw.h"
#include "microbench/run/run.h"

#define MEMORY_BYTES ((uint64_t)1 << 30) /* limit of the memory for records beyond --requests */
#define MEMORY_SHARE 8                   /* 1/8 of RAM */
#define CALIBRATION_NS 5000000

/* --- number of requests ------------------------------------------------- */

static uint64_t sample_bytes(const struct workload *w, const struct microbench_config *c)
{
	if (w->script)
		return w->script->n_per_unit *
			   (sizeof(struct bench_sample) + sizeof(struct bench_step)) +
		       (c->think == THINK_FIXED ? 0 : sizeof(uint64_t));
	if (w->block)
		return sizeof(struct bench_sample) + sizeof(struct drawn_request);
	return sizeof(struct bench_sample) + (w->sequential ? 0 : sizeof(uint32_t)) +
	       (c->think == THINK_FIXED ? 0 : sizeof(uint64_t));
}

uint64_t bench_capacity(const struct workload *w, const struct microbench_config *c,
			uint64_t memory_bytes)
{
	/* Upper limit of the rate: no present machine makes a system call in less than 100 ns, or
	 * copies more than 50 bytes per ns in a call. Pauses have the requested length on average,
	 * so a quarter is subtracted for random variation. */
	double fastest_ns = 100 + 0.02 * (double)c->block_bytes + 0.75 * (double)c->pause_ns;
	/* with a rate: a quarter more, for random variation; closed loop: at least 1 us for each
	 * request of a thread */
	if (w->block)
		fastest_ns = c->rate > 0
				 ? 0.8e9 * (double)c->level / c->rate
				 : 1000 + 0.75 * (double)c->pause_ns / (double)c->queue_depth;
	if (w->script && w->script->fastest_ns)
		fastest_ns = w->script->fastest_ns(c);
	double room = (double)memory_bytes / (double)sample_bytes(w, c) / (double)c->level;
	double n = (double)c->min_duration_ns / fastest_ns;
	n = n < room ? n : room;
	return n > (double)c->n_requests ? (uint64_t)n : c->n_requests;
}

static uint64_t memory_of_machine(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes
					   : MEMORY_BYTES * MEMORY_SHARE;
}

static uint64_t memory_for_records(void)
{
	uint64_t share = memory_of_machine() / MEMORY_SHARE;
	return share < MEMORY_BYTES ? share : MEMORY_BYTES;
}

/* --- memory -------------------------------------------------------------- */

/* Writes the script, before the first stamp. A script that does not fit into memory is detected
 * before that. */
static int script_fill(struct bench_run *r, struct worker *w, struct err *e)
{
	const struct workload_script *script = r->workload->script;
	struct bench_thread *t = &w->bench;
	uint64_t one = sample_bytes(r->workload, r->config),
		 most = memory_of_machine() / r->n_workers;
	if (t->capacity > most / one)
		return err_set(e, ENOMEM,
			       "requests %" PRIu64 ": not enough memory for this number of %s",
			       t->capacity, script->unit);
	w->script.names = &r->names;
	script->write(r->config, t->index, t->capacity, &w->script);
	for (unsigned int i = 0; i <= OPEN_DIRECTORY; i++)
		t->open_flags[i] =
		    script_open_flags((enum script_open)i, r->config->sync, r->config->direct);
	for (unsigned int i = 0; i < SCRIPT_SLOTS; i++)
		t->slot_fd[i] = -1;
	t->script = &w->script;
	t->dir_fd = r->dir_fd;
	return 0;
}

static int memory_fill(struct bench_run *r, struct worker *w, struct err *e)
{
	const struct microbench_config *c = r->config;
	struct bench_thread *t = &w->bench;
	uint64_t n_rewinds = r->workload->sequential && !t->load ? t->capacity / t->n_blocks : 0;
	uint64_t n_samples = t->script ? t->script->n : t->capacity + n_rewinds + 1;
	int ret = vm_alloc(&w->samples, n_samples * sizeof *t->sample, "records of requests", e);
	if (ret)
		return ret;
	t->sample = w->samples.base;
	if (!r->workload->sequential && !t->script && !t->load) {
		ret =
		    vm_alloc(&w->blocks, t->capacity * sizeof *t->block, "offsets of requests", e);
		if (!ret)
			draw_blocks(w->blocks.base, t->capacity, (uint32_t)t->n_blocks, c->seed,
				    t->index);
		t->block = w->blocks.base;
	}
	if (!ret && c->think != THINK_FIXED) {
		ret = vm_alloc(&w->think, t->capacity * sizeof *t->think_ns, "pauses", e);
		if (!ret)
			draw_think(w->think.base, t->capacity, (enum think_kind)c->think,
				   (double)c->pause_ns, c->seed, t->index);
		t->think_ns = w->think.base;
	}
	return ret;
}

/* Written content must not be zeros, because some storage treats zeros specially, and must not
 * depend on the machine. */
void bench_content_fill(void *base, size_t n_bytes, uint64_t seed)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u | 1;
	unsigned char *p = base;
	for (size_t i = 0; i + sizeof x <= n_bytes; i += sizeof x) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(p + i, &x, sizeof x);
	}
}

int bench_worker_setup(struct bench_run *r, struct worker *w, struct err *e)
{
	const struct microbench_config *c = r->config;
	w->bench = (struct bench_thread){
	    .clock = &r->clock, .placement = &r->placement, .index = (unsigned int)(w - r->worker),
	    .fd = -1, .block_bytes = c->block_bytes, .n_blocks = c->file_bytes / c->block_bytes,
	    .n_requests = c->n_requests,
	    .capacity = bench_capacity(r->workload, c, memory_for_records()),
	    .fsync_end = c->fsync_end, .pauses = c->pause_ns > 0, .pause_ns = c->pause_ns,
	    .pause = &r->pause,
	};
	w->run = r;
	w->pid = (uint32_t)getpid();
	w->wait_ns = -1;
	w->cpu = c->pin ? processor_nth(w->bench.index) : -1;
	int ret = r->workload->block    ? block_setup(r, w, e)
		  : r->workload->script ? script_fill(r, w, e)
					: bench_file_open(r, w, e);
	return ret ? ret : memory_fill(r, w, e);
}

/* Size of the longest request, for the buffers. */
static size_t buffer_bytes(const struct bench_run *r)
{
	size_t n = r->workload->script ? 1 : r->config->block_bytes;
	for (unsigned int i = 0; i < r->n_workers; i++)
		if (r->worker[i].script.max_bytes > n)
			n = r->worker[i].script.max_bytes;
	return n;
}

int bench_setup(struct bench_run *r, struct err *e)
{
	const struct microbench_config *c = r->config;
	r->n_workers = (unsigned int)c->level;
	r->worker = xcalloc(r->n_workers, sizeof *r->worker);
	for (unsigned int i = 0; i < r->n_workers; i++)
		r->worker[i].bench.fd = -1;
	if (c->scheduler) {
		struct scheduling wanted;
		int bad = scheduling_parse(c->scheduler, &wanted, e);
		if (bad)
			return bad;
		r->scheduling = scheduling_of(&wanted, r->n_workers);
	}
	pthread_mutex_init(&r->gate.mutex, NULL);
	pthread_cond_init(&r->gate.changed, NULL);
	r->finished_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->finished_fd < 0)
		return err_sys(e, errno, "cannot create an eventfd");
	int ret = r->workload->block    ? block_device_open(r, e)
		  : r->workload->script ? bench_files_check(r, e)
					: 0;
	for (unsigned int i = 0; i < r->n_workers && !ret; i++)
		ret = bench_worker_setup(r, &r->worker[i], e);
	if (!ret)
		ret = placement_init(&r->placement, (enum placement_kind)c->placement,
				     buffer_bytes(r), c->direct, r->n_workers, e);
	if (ret)
		return ret;
	bench_content_fill(r->placement.region.base, r->placement.region.n_bytes, c->seed);
	for (unsigned int i = 0; i < r->n_workers; i++) /* all names are known now */
		r->worker[i].bench.names = (const char *const *)r->names.name;
	if (c->anon_bytes)
		ret = vm_alloc(&r->anonymous, c->anon_bytes, "anonymous memory (--anon-memory)", e);
	r->anonymous_bytes = process_anonymous_bytes(getpid());
	return ret ? ret : clock_init(&r->clock, CALIBRATION_NS, e);
}

void bench_teardown(struct bench_run *r)
{
	for (unsigned int i = 0; i < r->n_workers; i++) {
		struct worker *w = &r->worker[i];
		fd_close(w->bench.fd);
		vm_free(&w->samples);
		vm_free(&w->blocks);
		vm_free(&w->think);
		for (unsigned int k = 0; w->bench.script && k < SCRIPT_SLOTS; k++)
			fd_close(w->bench.slot_fd[k]);
		script_release(&w->script);
		block_release(w);
	}
	script_names_release(&r->names);
	vm_free(&r->anonymous);
	placement_release(&r->placement);
	device_close(&r->device);
	fd_close(r->finished_fd);
	if (r->worker) {
		pthread_mutex_destroy(&r->gate.mutex);
		pthread_cond_destroy(&r->gate.changed);
	}
	free(r->worker);
}
