/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/volume/client.h"

#include "common/block/backend.h"
#include "common/clock.h"
#include "common/scheduling.h"
#include "microbench/volume/log.h"
#include "microbench/volume/service.h"

#define BLOCK VOLUME_CLIENT_BYTES
#define STRIDE (2 * BLOCK) /* gaps prevent the kernel from merging requests */
#define PLACES_MOST 4096u
#define SCATTER 2654435761u /* odd, so i * SCATTER mod 2^k visits every place once */
#define TIMEOUT_NS INT64_C(10000000000)
#define SLICE_NS 100000 /* time slice of the client: the shortest that the kernel sets */

struct pending {
	int64_t begin_ns, end_ns;
	uint32_t place;
	bool matched;
};

struct client_loop {
	const struct volume_client *c;
	struct block_queue *queue;
	struct vm_region buffers;
	struct pending *pending; /* pending[n] */
	uint32_t n, n_places;
};

uint32_t volume_client_most(uint64_t n_bytes)
{
	uint32_t n = 1;
	while (n < PLACES_MOST && (uint64_t)n * 2 * STRIDE <= n_bytes)
		n *= 2;
	return n;
}

static bool is_write(const struct volume_client *c, uint32_t i)
{
	return c->writes && i % 2;
}

static int request_submit(struct client_loop *l, uint32_t i, uint32_t slot)
{
	struct pending *p = &l->pending[i];
	p->place = (uint32_t)(i * SCATTER) & (l->n_places - 1);
	struct block_command command = {
		.offset = (uint64_t)p->place * STRIDE, .length = BLOCK, .slot = slot,
		.buffer = (char *)l->buffers.base + (size_t)slot * BLOCK,
		.direction = is_write(l->c, i) ? BLOCK_WRITE : BLOCK_READ,
	};
	p->begin_ns = clock_monotonic_ns();
	int got = block_libaio.submit(l->queue, &command, 1);
	return got == 1 ? 0 : got < 0 ? got : -EAGAIN;
}

/* Waits for completions and returns their number. Kills a server that does not answer. */
static int completions_harvest(struct client_loop *l, struct block_done *done, struct err *e)
{
	const int64_t until_ns = clock_monotonic_ns() + TIMEOUT_NS;
	int got;
	do {
		got = block_libaio.harvest(l->queue, done, l->c->depth, 100000000);
	} while (!got && clock_monotonic_ns() < until_ns);
	if (got < 0)
		return err_sys(e, -got, "%s: cannot fetch completed requests", l->c->path);
	if (!got && l->c->server > 1)
		kill(l->c->server, SIGKILL);
	return got ? got
		   : err_set(e, ETIMEDOUT, "%s did not complete any request for 10 s", l->c->path);
}

static int loop_run(struct client_loop *l, struct err *e)
{
	const uint32_t depth = l->c->depth;
	SCOPED_FREE struct block_done *done = xcalloc(depth, sizeof *done);
	SCOPED_FREE uint32_t *of_slot = xcalloc(depth, sizeof *of_slot);
	uint32_t n_begun = 0, n_ended = 0;
	int ret = 0;
	for (; n_begun < l->n && n_begun < depth && !ret; n_begun++) {
		of_slot[n_begun] = n_begun;
		ret = request_submit(l, n_begun, n_begun);
	}
	while (!ret && n_ended < l->n) {
		int got = completions_harvest(l, done, e);
		const int64_t now_ns = clock_monotonic_ns();
		ret = got < 0 ? got : 0;
		for (int k = 0; k < got && !ret; k++, n_ended++) {
			if (done[k].result != BLOCK)
				ret = done[k].result < 0 ? done[k].result : -EIO;
			l->pending[of_slot[done[k].slot]].end_ns = now_ns;
		}
		for (int k = 0; k < got && !ret && n_begun < l->n; k++, n_begun++) {
			of_slot[done[k].slot] = n_begun;
			ret = request_submit(l, n_begun, done[k].slot);
		}
	}
	if (ret && ret != -ETIMEDOUT)
		err_sys(e, -ret, "%s: a request failed", l->c->path);
	return ret;
}

/* Finds the log entry of each request by operation, place and time, because other programs may use
 * the device, too. */
static int entries_match(const struct client_loop *l, const struct volume_log *log, uint64_t from,
			 struct volume_request *request, struct err *e)
{
	SCOPED_FREE uint32_t *at = xcalloc(l->n_places, sizeof *at);
	uint32_t n_matched = 0;
	for (uint32_t i = 0; i < l->n; i++)
		at[l->pending[i].place] = i + 1;
	for (uint64_t k = from; k < atomic_load(&log->head->n); k++) {
		const struct volume_entry *x = &log->entry[k];
		const uint64_t place = x->offset / STRIDE;
		if (x->offset % STRIDE || place >= l->n_places || x->length != BLOCK || !at[place])
			continue;
		const uint32_t i = at[place] - 1;
		struct pending *p = &l->pending[i];
		if (p->matched || x->arrival_ns < p->begin_ns || x->end_ns > p->end_ns ||
		    x->op != (is_write(l->c, i) ? SERVICE_WRITE : SERVICE_READ))
			continue;
		p->matched = true;
		n_matched++;
		request[i] = (struct volume_request){
		    p->end_ns - p->begin_ns, x->due_ns - x->arrival_ns,
		    x->end_ns - x->arrival_ns + x->lead_ns, x->lead_ns, is_write(l->c, i)};
	}
	return n_matched == l->n ? 0
				 : err_set(e, ENODATA,
					   "%s: %u of %u requests are not in the volume's log",
					   l->c->path, l->n - n_matched, l->n);
}

static int loop_open(struct client_loop *l, int *fd, struct err *e)
{
	const struct volume_client *c = l->c;
	*fd = open(c->path, (c->writes ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC);
	if (*fd < 0)
		return err_sys(e, errno, "cannot open %s", c->path);
	int ret = vm_alloc(&l->buffers, (size_t)c->depth * BLOCK, "buffers", e);
	const struct block_queue_config config = {
		.fd = *fd, .is_block = true, .n_slots = c->depth, .reads = &l->buffers};
	return ret ? ret : block_libaio.open(&l->queue, &config, NULL, e);
}

int volume_client_run(const struct volume_client *c, struct volume_request *request, uint32_t n,
		      struct err *e)
{
	struct client_loop l = {.c = c, .n = n, .n_places = volume_client_most(c->n_bytes)};
	struct volume_log log;
	int fd = -1, ret = volume_log_open(&log, c->log, false, e);
	if (ret)
		return ret;
	const uint64_t from = atomic_load(&log.head->n);
	l.pending = xcalloc(n, sizeof *l.pending);
	ret = n > l.n_places || from + n > log.head->cap
		  ? err_set(e, EINVAL, "%s: the volume (--size) or its log (--log) is too small "
				    "for %u requests", c->path, n)
		  : loop_open(&l, &fd, e);
	if (!ret) {
		const bool set = scheduling_slice(SLICE_NS);
		ret = loop_run(&l, e);
		if (set)
			(void)scheduling_slice(0);
	}
	if (l.queue)
		block_libaio.close(l.queue);
	ret = ret ? ret : entries_match(&l, &log, from, request, e);
	fd_close(fd);
	vm_free(&l.buffers);
	free(l.pending);
	volume_log_close(&log);
	return ret;
}
