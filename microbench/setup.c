/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/confine.h"
#include "common/strbuf.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "microbench/draw.h"
#include "microbench/run.h"

#define MEMORY_BYTES ((uint64_t)1 << 30) /* for records beyond --requests, but never more than */
#define MEMORY_SHARE 8                   /* one eighth of the machine's */
#define CALIBRATION_NS 5000000

/* --- room ------------------------------------------------------------------------------------------------------ */

static uint64_t sample_bytes(const struct workload *w, const struct microbench_config *c)
{
	return sizeof(struct bench_sample) + (w->sequential ? 0 : sizeof(uint32_t)) +
	       (c->think == THINK_FIXED ? 0 : sizeof(uint64_t));
}

uint64_t bench_capacity(const struct workload *w, const struct microbench_config *c, uint64_t memory_bytes)
{
	/* No machine of today makes a system call in 100 ns and copies more than 50 bytes in one: an upper bound on the
	 * rate. Pauses last as long as asked, or in the mean so: a quarter off for chance. */
	double fastest_ns = 100 + 0.02 * (double)c->block_bytes + 0.75 * (double)c->pause_ns;
	double room = (double)memory_bytes / (double)sample_bytes(w, c) / (double)c->level;
	double n = (double)c->min_duration_ns / fastest_ns;
	n = n < room ? n : room;
	return n > (double)c->n_requests ? (uint64_t)n : c->n_requests;
}

static uint64_t memory_for_records(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t share =
	    pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / MEMORY_SHARE : MEMORY_BYTES;
	return share < MEMORY_BYTES ? share : MEMORY_BYTES;
}

/* --- files ----------------------------------------------------------------------------------------------------- */

static int file_fits(const struct bench_run *r, const struct fileset_entry *f, int fd, struct err *e)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return err_sys(e, errno, "%s/%s", r->config->dir, f->path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EPERM, "%s/%s is no regular file", r->config->dir, f->path);
	if ((uint64_t)st.st_size >= f->size)
		return 0;
	struct strbuf has = STRBUF_INIT, needs = STRBUF_INIT;
	format_size(&has, (uint64_t)st.st_size);
	format_size(&needs, f->size);
	err_set(e, EINVAL, "%s/%s is too short: it has %s, the run needs %s", r->config->dir, f->path, has.s, needs.s);
	strbuf_release(&has);
	strbuf_release(&needs);
	return -EINVAL;
}

static int file_open(struct bench_run *r, struct worker *w, struct err *e)
{
	const struct microbench_config *c = r->config;
	const struct fileset_entry *f = &r->files.entry[w->bench.index];
	w->open_flags =
	    (r->workload->writes ? O_WRONLY : O_RDONLY) | (c->direct ? O_DIRECT : 0) | (c->sync ? O_SYNC : 0);
	/* a pipe in the file's place is refused, not waited for */
	int fd = confined_open(r->dir_fd, f->path, w->open_flags | O_NONBLOCK, 0, e);
	if (fd == -EINVAL && c->direct)
		return err_set(e, EINVAL, "%s/%s: this file system does not do direct I/O", c->dir, f->path);
	if (fd < 0)
		return err_context(e, "%s", c->dir);
	w->bench.fd = fd;
	if (fcntl(fd, F_SETFL, w->open_flags) < 0)
		return err_sys(e, errno, "%s/%s", c->dir, f->path);
	return file_fits(r, f, fd, e);
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

static int memory_fill(struct bench_run *r, struct worker *w, struct err *e)
{
	const struct microbench_config *c = r->config;
	struct bench_thread *t = &w->bench;
	uint64_t n_rewinds = r->workload->sequential ? t->capacity / t->n_blocks : 0;
	int ret = vm_alloc(&w->samples, (t->capacity + n_rewinds + 1) * sizeof *t->sample, "records of requests", e);
	if (ret)
		return ret;
	t->sample = w->samples.base;
	if (!r->workload->sequential) {
		ret = vm_alloc(&w->blocks, t->capacity * sizeof *t->block, "offsets of requests", e);
		if (!ret)
			ret = draw_blocks(w->blocks.base, t->capacity, (uint32_t)t->n_blocks, c->seed, t->index, e);
		t->block = w->blocks.base;
	}
	if (!ret && c->think != THINK_FIXED) {
		ret = vm_alloc(&w->think, t->capacity * sizeof *t->think_ns, "pauses", e);
		if (!ret)
			ret = draw_think(w->think.base, t->capacity, (enum think_kind)c->think, (double)c->pause_ns,
					 c->seed, t->index, e);
		t->think_ns = w->think.base;
	}
	return ret;
}

/* Written content must not be zeros, which some storage treats on its own, and must not depend on the machine. */
static void buffers_fill(struct bench_run *r)
{
	uint64_t x = r->config->seed * 0x9e3779b97f4a7c15u | 1;
	unsigned char *p = r->placement.region.base;
	for (size_t i = 0; i + sizeof x <= r->placement.region.n_bytes; i += sizeof x) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(p + i, &x, sizeof x);
	}
}

/* The i-th processor that this process may use, counted round and round. */
static int nth_cpu(unsigned int i)
{
	cpu_set_t allowed;
	if (sched_getaffinity(0, sizeof allowed, &allowed) < 0 || CPU_COUNT(&allowed) == 0)
		return -1;
	i %= (unsigned int)CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && i-- == 0)
			return cpu;
	return -1;
}

static int worker_setup(struct bench_run *r, struct worker *w, struct err *e)
{
	const struct microbench_config *c = r->config;
	w->bench = (struct bench_thread){
	    .clock = &r->clock,
	    .placement = &r->placement,
	    .index = (unsigned int)(w - r->worker),
	    .fd = -1,
	    .block_bytes = c->block_bytes,
	    .n_blocks = c->file_bytes / c->block_bytes,
	    .n_requests = c->n_requests,
	    .capacity = bench_capacity(r->workload, c, memory_for_records()),
	    .fsync_end = c->fsync_end,
	    .pauses = c->pause_ns > 0,
	    .pause_ns = c->pause_ns,
	    .stop = &r->stop,
	};
	w->run = r;
	w->wait_ns = -1;
	w->cpu = c->pin ? nth_cpu(w->bench.index) : -1;
	int ret = file_open(r, w, e);
	return ret ? ret : memory_fill(r, w, e);
}

int bench_setup(struct bench_run *r, struct err *e)
{
	const struct microbench_config *c = r->config;
	r->n_workers = (unsigned int)c->level;
	r->worker = xcalloc(r->n_workers, sizeof *r->worker);
	for (unsigned int i = 0; i < r->n_workers; i++)
		r->worker[i].bench.fd = -1;
	pthread_mutex_init(&r->gate.mutex, NULL);
	pthread_cond_init(&r->gate.changed, NULL);
	r->finished_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->finished_fd < 0)
		return err_sys(e, errno, "eventfd");
	int ret = placement_init(&r->placement, (enum placement_kind)c->placement, c->block_bytes, c->direct,
				 r->n_workers, e);
	if (ret)
		return ret;
	buffers_fill(r);
	for (unsigned int i = 0; i < r->n_workers; i++) {
		ret = worker_setup(r, &r->worker[i], e);
		if (ret)
			return ret;
	}
	return clock_init(&r->clock, CALIBRATION_NS, e);
}

void bench_teardown(struct bench_run *r)
{
	for (unsigned int i = 0; i < r->n_workers; i++) {
		struct worker *w = &r->worker[i];
		if (w->bench.fd >= 0)
			close(w->bench.fd);
		vm_free(&w->samples);
		vm_free(&w->blocks);
		vm_free(&w->think);
	}
	placement_release(&r->placement);
	if (r->finished_fd >= 0)
		close(r->finished_fd);
	if (r->worker) {
		pthread_mutex_destroy(&r->gate.mutex);
		pthread_cond_destroy(&r->gate.changed);
	}
	free(r->worker);
}
