/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "microbench/block/block_load.h"
#include "microbench/draw.h"
#include "microbench/run/run.h"

#define DEPTH_MAX 1024
/* the written content of each request begins at a different offset in the region */
#define CONTENT_BYTES ((uint64_t)1 << 20)
#define PAGE 4096u

static int sizes_of(const struct microbench_config *c, struct block_sizes *s, struct err *e)
{
	if (c->sizes)
		return block_sizes_parse(s, c->sizes, e);
	*s = (struct block_sizes){.length = {(uint32_t)c->block_bytes}, .upto = {1}, .n = 1,
				  .min = (uint32_t)c->block_bytes, .max = (uint32_t)c->block_bytes};
	return 0;
}

int block_check(const struct workload *w, const struct microbench_config *c, struct err *e)
{
	struct block_sizes sizes;
	int ret = sizes_of(c, &sizes, e);
	if (ret)
		return ret;
	if (c->queue_depth < 1 || c->queue_depth > DEPTH_MAX)
		return err_set(e, EINVAL, "queue-depth: expected 1 to %d", DEPTH_MAX);
	if (!(c->read_share >= 0 && c->read_share <= 1))
		return err_set(e, EINVAL, "read-share: expected 0 to 100 %%");
	if (!(c->rate >= 0))
		return err_set(e, EINVAL, "rate: expected 0 or more");
	if (!c->burst || (c->burst > 1 && c->rate <= 0))
		return err_set(e, EINVAL, "burst: %s",
			       c->burst ? "a value above 1 needs the option rate"
					: "expected at least 1");
	if (c->rate > 0 && c->pause_ns)
		return err_set(e, EINVAL, "pause and rate cannot be used together: with a rate, "
			"each request is due at a set time, whether or not earlier requests have "
			"ended");
	if (c->think != THINK_FIXED)
		return err_set(e, EINVAL, "think does not apply to %s, which has fixed pauses",
			       w->name);
	if (c->fsync_end)
		return err_set(
		    e, EINVAL,
		    "fsync-end does not apply to %s, which bypasses the page cache", w->name);
	return 0;
}

/* --- the device ---------------------------------------------------------- */

static int grain_check(const struct bench_run *r, const struct block_sizes *sizes, struct err *e)
{
	for (uint32_t i = 0; i < sizes->n; i++)
		if (sizes->length[i] % r->device.logical_bytes)
			return err_set(e, EINVAL, "%s: requests of %u bytes: expected a multiple "
				"of %u bytes, the block size of the device", r->config->device,
				sizes->length[i], r->device.logical_bytes);
	if (r->span_bytes / r->n_workers < sizes->max)
		return err_set(e, EINVAL,
			"%s: %" PRIu64 " bytes are too few for requests of %u bytes by %u threads",
			r->config->device, r->span_bytes, sizes->max, r->n_workers);
	return 0;
}

static const struct block_backend *backend_find(const char *name)
{
	for (const struct block_backend *const *b = block_backends; *b; b++)
		if (!strcmp((*b)->name, name))
			return *b;
	return NULL;
}

/* Chooses the backend. The probe begins one block after a multiple of the smallest request size. If
 * that size is more than a block, the workload makes no request there. */
static int backend_choose(struct bench_run *r, const struct block_sizes *sizes, struct err *e)
{
	const char *name = r->config->backend;
	const uint64_t room = sizes->max + r->device.logical_bytes;
	struct block_probe p = {.fd = r->device.fd, .n = BLOCK_PROBE_MAX};
	if (strcmp(name, "auto")) {
		r->backend = (struct block_choice){backend_find(name), "--backend"};
		return r->backend.backend ? 0
			: err_set(e, EINVAL,
				  "backend %s: expected auto, io_uring, libaio or psync", name);
	}
	for (uint32_t i = 0, k = 0; i < p.n; i++) { /* chooses lengths according to their shares */
		while (k + 1 < sizes->n && (i + 0.5) / p.n > sizes->upto[k])
			k++;
		p.length[i] = sizes->length[k];
	}
	if (r->device.n_bytes >= room)
		p.offset = (r->device.n_bytes - room) / sizes->min * sizes->min +
			   (sizes->min > r->device.logical_bytes ? r->device.logical_bytes : 0);
	block_choose(&r->backend, &p);
	return 0;
}

int block_device_open(struct bench_run *r, struct err *e)
{
	const struct microbench_config *c = r->config;
	struct block_sizes sizes;
	bool writes = c->read_share < 1;
	if (writes && !c->destructive)
		return err_set(e, EPERM, "%s: refused: the run would overwrite its content "
			"(--destructive permits this; with --read-share 100%%, the run only reads)",
			c->device);
	int ret = sizes_of(c, &sizes, e);
	if (!ret)
		ret = device_open(&r->device, c->device,
				  !writes         ? DEVICE_READ
				  : c->own_device ? DEVICE_WRITE_OWN
						  : DEVICE_WRITE,
				  O_DIRECT, &r->refused, e);
	if (ret)
		return r->refused ? -EPERM : ret;
	r->span_bytes =
	    c->span_bytes && c->span_bytes < r->device.n_bytes ? c->span_bytes : r->device.n_bytes;
	ret = grain_check(r, &sizes, e);
	return ret ? ret : backend_choose(r, &sizes, e);
}

/* --- a thread ------------------------------------------------------------ */

/* Opens the queue. If the chosen backend is not available, the next one is used, unless the user
 * chose the backend. */
static int queue_open(const struct bench_run *r, struct block_load *b, struct err *e)
{
	const struct block_queue_config q = {.fd = r->device.fd, .is_block = r->device.is_block,
					     .n_slots = b->depth, .registered = true,
					     .reads = &b->reads,
					     .content = &b->content};
	SCOPED_STRBUF notes = STRBUF_INIT;
	b->backend = r->backend.backend;
	int ret = b->backend->open(&b->queue, &q, &notes, e);
	for (const struct block_backend *const *try = block_backends;
	     !strcmp(r->config->backend, "auto") && ret && *try; try++) {
		b->backend = *try;
		ret = b->backend->open(&b->queue, &q, &notes, e);
	}
	return ret;
}

static int memory_make(struct bench_run *r, struct block_load *b, uint64_t n, struct err *e)
{
	int ret = vm_alloc(&b->requests, n * sizeof *b->request, "requests", e);
	ret = ret ? ret : vm_alloc(&b->reads, b->depth * b->max_length, "buffers of reads", e);
	if (!ret)
		ret = vm_alloc(&b->content, CONTENT_BYTES + b->max_length, "written content", e);
	if (ret)
		return ret;
	bench_content_fill(b->content.base, b->content.n_bytes, r->config->seed);
	b->request = b->requests.base;
	b->sample_of = xcalloc(b->depth, sizeof *b->sample_of);
	b->unused = xcalloc(b->depth, sizeof *b->unused);
	for (b->n_unused = 0; b->n_unused < b->depth; b->n_unused++)
		b->unused[b->n_unused] = b->depth - 1 - b->n_unused;
	return 0;
}

int block_setup(struct bench_run *r, struct worker *w, struct err *e)
{
	const struct microbench_config *c = r->config;
	struct bench_thread *t = &w->bench;
	struct block_load *b = t->load = xcalloc(1, sizeof *b);
	struct block_sizes sizes;
	int ret = sizes_of(c, &sizes, e);
	if (ret)
		return ret;
	if (t->capacity > UINT32_MAX)
		return err_set(e, EINVAL, "requests: expected at most 2^32-1 per thread");
	/* psync can have only one request in flight */
	b->depth = strcmp(c->backend, block_psync.name) ? (uint32_t)c->queue_depth : 1;
	b->max_length = round_up(sizes.max, PAGE);
	b->failed = UINT64_MAX;
	ret = memory_make(r, b, t->capacity, e);
	if (!ret)
		block_draw(b->requests.base, t->capacity, c, &sizes, r->workload->sequential,
			   r->span_bytes, sizes.min, t->index);
	return ret;
}

int block_begin(const struct bench_run *r, struct bench_thread *t)
{
	struct block_load *b = t->load;
	struct drawn_request *request = b->requests.base;
	for (uint64_t k = 0; k < t->capacity && request[k].due != INT64_MIN; k++)
		request[k].due = (int64_t)((double)request[k].due / t->clock->ns_per_tick);
	b->pause_ticks = (uint64_t)((double)t->pause_ns / t->clock->ns_per_tick);
	return -queue_open(r, b, &b->err);
}

void block_end(struct bench_thread *t)
{
	struct block_load *b = t->load;
	if (b->queue)
		b->backend->close(b->queue);
	b->queue = NULL;
}

void block_release(struct worker *w)
{
	struct block_load *b = w->bench.load;
	if (!b)
		return;
	vm_free(&b->requests);
	vm_free(&b->reads);
	vm_free(&b->content);
	FREE_EACH(b->sample_of, b->unused, b);
	w->bench.load = NULL;
}
