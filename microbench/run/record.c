/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/utsname.h>

#include "capture/affinity.h"
#include "capture/op.h"
#include "common/heap.h"
#include "microbench/block/block_load.h"
#include "microbench/describe.h"
#include "microbench/run/source.h"

enum { N_BATCH = 512 };

/* --- merging by start: a heap of the workers, the one whose next request began first on top --- */

static bool begins_before(const void *x, const void *y, const void *context)
{
	const struct source *a = x, *b = y;
	(void)context;
	if (a->next->begin != b->next->begin)
		return a->next->begin < b->next->begin;
	return a->worker->bench.index < b->worker->bench.index;
}

static const struct heap_type heap_of_sources = {sizeof(struct source), begins_before, NULL};

struct merged {
	uint64_t n;
	double sum_ns;
	int64_t first_ns, last_ns;
};

static void record_account(struct merged *m, const struct trace_record *r)
{
	if (m->n++ == 0)
		m->first_ns = r->begin_ns;
	m->sum_ns += (double)(r->end_ns - r->begin_ns);
	if (r->end_ns > m->last_ns)
		m->last_ns = r->end_ns;
}

static int sources_merge(const struct bench_run *r, struct source *heap, size_t n,
			 struct trace_writer *w, int signal_fd, struct merged *m, struct err *e)
{
	SCOPED_FREE struct trace_record *batch = xmalloc(N_BATCH * sizeof *batch);
	int ret = 0;
	heap_make(&heap_of_sources, heap, n);
	while (n && !ret) {
		size_t filled = 0;
		for (; n && filled < N_BATCH; filled++) {
			source_take(&heap[0], r, &batch[filled]);
			batch[filled].seq = m->n;
			record_account(m, &batch[filled]);
			if (heap[0].next == heap[0].end)
				heap[0] = heap[--n];
			heap_sift_down(&heap_of_sources, heap, n, 0);
		}
		ret = trace_writer_append(w, batch, filled, e);
		ret = ret ? ret : bench_interrupted(signal_fd, e);
	}
	return ret;
}

static int merge_all(const struct bench_run *r, struct trace_writer *w, int signal_fd,
		     struct merged *m, struct err *e)
{
	struct script_refs refs = {NULL, NULL, NULL};
	SCOPED_FREE struct source *heap = xcalloc(r->n_workers, sizeof *heap);
	size_t n = 0;
	int ret = r->workload->script ? script_refs_make(&refs, r, w, e) : 0;
	for (unsigned int i = 0; i < r->n_workers && !ret; i++) {
		ret = source_open(&heap[n], r, i, &refs, w, e);
		n += r->worker[i].bench.n_samples > 0;
	}
	ret = ret ? ret : sources_merge(r, heap, n, w, signal_fd, m, e);
	script_refs_release(&refs);
	return ret;
}

/* --- metadata ------------------------------------------------------------ */

static bool capacity_reached(const struct bench_run *r)
{
	for (unsigned int i = 0; i < r->n_workers; i++)
		if (r->worker[i].bench.capacity_reached)
			return true;
	return false;
}

static json_t *descriptors_json(const struct bench_run *r)
{
	json_t *all = json_array();
	const bool files = !r->workload->script && !r->workload->block;
	for (unsigned int i = 0; all && files && i < r->n_workers; i++) {
		const struct worker *w = &r->worker[i];
		json_t *one = json_pack("{s:i,s:s,s:i}", "fd", w->bench.fd, "path",
					r->files.entry[i].path, "flags", w->open_flags);
		if (json_array_append_new(all, one) < 0) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

/* Memory that the program uses, memory that its instrumentation uses, and their sum. */
static json_t *memory_json(const struct bench_run *r)
{
	uint64_t n_instrument = 0;
	for (unsigned int i = 0; i < r->n_workers; i++) {
		const struct worker *w = &r->worker[i];
		n_instrument += w->samples.n_bytes + w->blocks.n_bytes + w->think.n_bytes;
		n_instrument += w->script.cap * sizeof *w->script.step;
		n_instrument += w->bench.load ? w->bench.load->requests.n_bytes : 0;
	}
	return json_pack("{s:I,s:I,s:I}", "held_bytes", (json_int_t)r->config->anon_bytes,
			 "instrument_bytes", (json_int_t)n_instrument, "anonymous_bytes",
			 (json_int_t)r->anonymous_bytes);
}

/* Anonymous memory over time, in the form of a capture. All of it is present before the region, so
 * values at both ends suffice. */
static json_t *anonymous_memory(const struct bench_run *r)
{
	return json_pack("[{s:I,s:I},{s:I,s:I}]", "t_ns", (json_int_t)0, "bytes",
			 (json_int_t)r->anonymous_bytes, "t_ns", (json_int_t)r->facts.wall_ns,
			 "bytes", (json_int_t)r->anonymous_after_bytes);
}

/* Affinity of the threads with --pin. Without it, workers may run on every CPU of this process. */
static json_t *affinity_json(const struct bench_run *r)
{
	uint64_t own[AFFINITY_WORDS];
	json_t *rows = affinity_own(own) ? NULL : json_array();
	for (unsigned int i = 0; rows && i < r->n_workers; i++) {
		const struct worker *w = &r->worker[i];
		const int cpu = w->cpu;
		uint64_t one[AFFINITY_WORDS] = {0};
		if (cpu >= 0 && cpu < 64 * AFFINITY_WORDS)
			one[cpu / 64] = UINT64_C(1) << cpu % 64;
		affinity_add(rows, w->pid, (uint32_t)w->tid, cpu < 0 ? own : one);
	}
	return rows;
}

static json_t *backend_json(const struct bench_run *r)
{
	if (!r->backend.backend)
		return NULL;
	return json_pack("{s:s,s:s}", "name", r->backend.backend->name, "reason", r->backend.why);
}

static char *extra_json(const struct bench_run *r)
{
	json_auto_t *o = json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o*,s:o*,s:b}", "workload",
		r->workload->name, "options", describe_options(r->workload, r->config),
		"descriptors", descriptors_json(r), "memory", memory_json(r), "anonymous_memory",
		anonymous_memory(r), "facts", run_facts_to_json(&r->facts), "scheduling",
		scheduling_to_json(&r->scheduling), "affinity", affinity_json(r), "backend",
		backend_json(r), "capacity_reached", capacity_reached(r));
	return o ? json_dumps(o, JSON_COMPACT) : NULL;
}

/* Sets the time of the region, and the machine's activity, from the workers' stamps. */
static void facts_complete(struct bench_run *r)
{
	uint64_t first = UINT64_MAX, last = 0;
	r->facts.runqueue_wait_ns = 0;
	for (unsigned int i = 0; i < r->n_workers; i++) {
		const struct worker *w = &r->worker[i];
		const struct bench_thread *t = &w->bench;
		if (w->wait_ns < 0 || r->facts.runqueue_wait_ns < 0)
			r->facts.runqueue_wait_ns = -1;
		else
			r->facts.runqueue_wait_ns += w->wait_ns;
		if (t->n_samples && t->sample[0].begin < first)
			first = t->sample[0].begin;
		if (t->n_samples && t->sample[t->n_samples - 1].end > last)
			last = t->sample[t->n_samples - 1].end;
	}
	r->facts.wall_ns = last > first ? source_time(r, last) - source_time(r, first) : 0;
}

int bench_record(struct bench_run *r, int signal_fd, struct microbench_outcome *o, struct err *e)
{
	const struct microbench_config *c = r->config;
	SCOPED_STRBUF command = STRBUF_INIT;
	struct trace_writer *w = NULL;
	struct merged m = {.sum_ns = 0};
	struct utsname host = {.nodename = ""};
	facts_complete(r);
	SCOPED_FREE char *extra = extra_json(r);
	uname(&host);
	describe_command(r->workload, c, &command);
	const struct trace_meta meta = {
	    .level = r->workload->block ? LEVEL_BLOCK : LEVEL_SYSCALL,
	    .epoch_ns = clock_ns_of_ticks(&r->clock, r->start), .wall_epoch_ns = r->wall_epoch_ns,
	    .clock = r->clock.source == CLOCK_SOURCE_TSC ? "tsc" : "monotonic",
	    .clock_resolution_ns = r->clock.resolution_ns,
	    .clock_read_cost_ns = r->clock.read_cost_ns, .host = host.nodename,
	    .command = command.s, .captured_by = "validate microbench " VALIDATE_VERSION,
	    .root = c->dir, .seed = c->seed, .extra_json = extra, .files = r->files,
	};
	const struct trace_write_options how = {.no_sync = c->no_sync_output, .no_part = true};
	int ret = extra ? trace_writer_open(&w, c->output, &meta, &how, e)
			: err_set(e, ENOMEM, "not enough memory");
	if (!ret)
		ret = trace_writer_end(w, merge_all(r, w, signal_fd, &m, e), e);
	*o = (struct microbench_outcome){m.n, m.n ? m.sum_ns / (double)m.n : NAN,
					 m.last_ns - m.first_ns, capacity_reached(r)};
	return ret;
}

static int script_failure(const struct bench_run *r, const struct bench_thread *t, struct err *e)
{
	const size_t at = script_step_of_call(t->script, t->n_samples - 1);
	const struct bench_step *s = &t->script->step[at];
	int32_t got = t->sample[t->n_samples - 1].result;
	const char *path = source_step_path(t, at);
	if (got < 0)
		return err_set(e, EIO,
			       "%s/%s: request %" PRIu64 " (%s) failed: %s; the trace ends there",
			       r->config->dir, path, t->n_samples, op_name(s->op), strerror(-got));
	return err_set(e, EIO,
		"%s/%s: request %" PRIu64 " (%s) returned %d instead of %d; the trace ends there",
		r->config->dir, path, t->n_samples, op_name(s->op), got, s->expect);
}

static int block_failure(const struct bench_run *r, const struct bench_thread *t, struct err *e)
{
	const struct block_load *b = t->load;
	if (b->failed == UINT64_MAX)
		return err_sys(e, b->fatal, "%s: cannot submit or fetch requests",
			       r->config->device);
	const struct drawn_request *request = &b->request[b->failed];
	int32_t got = t->sample[b->failed].result;
	if (got < 0)
		return err_set(e, EIO, "%s: a %s of %u bytes at offset %" PRIu64 " failed: %s",
			       r->config->device,
			       request->direction == BLOCK_READ ? "read" : "write", request->length,
			       request->offset, strerror(-got));
	return err_set(e, EIO, "%s: a %s of %u bytes at offset %" PRIu64 " moved only %d bytes",
		       r->config->device, request->direction == BLOCK_READ ? "read" : "write",
		       request->length, request->offset, got);
}

int bench_failure(const struct bench_run *r, struct err *e)
{
	for (unsigned int i = 0; i < r->n_workers; i++) {
		const struct bench_thread *t = &r->worker[i].bench;
		if (!t->n_samples)
			continue;
		if (t->script && t->failed)
			return script_failure(r, t, e);
		if (t->load && t->failed)
			return block_failure(r, t, e);
		if (t->script || t->load)
			continue;
		const struct bench_sample *last = &t->sample[t->n_samples - 1];
		if (last->result >= 0 && !bench_is_short(t, last))
			continue;
		const char *path = r->files.entry[i].path;
		if (last->result < 0)
			return err_set(e, EIO,
				       "%s/%s: request %" PRIu64
				       " (%s) failed: %s; the trace ends there",
				       r->config->dir, path, t->n_requests_done, op_name(last->op),
				       strerror(-last->result));
		return err_set(e, EIO, "%s/%s: request %" PRIu64 " (%s) moved only %d of %zu "
			"bytes; the trace ends there", r->config->dir, path, t->n_requests_done,
			op_name(last->op), last->result, t->block_bytes);
	}
	return 0;
}
