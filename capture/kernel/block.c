/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/block.h"

#include <jansson.h>
#include <linux/falloc.h>

#include "capture/kernel/block_device.h"
#include "capture/kernel/tracing.h"
#include "capture/watched.h"
#include "capture/trace.h"
#include "common/clock.h"
#include "common/files.h"
#include "common/signals.h"

#define SECTOR_BYTES 512

#define FIELD(name) offsetof(struct block_config, name)
static const char *const unit_names[] = {"request", "bio", NULL};
const struct option_spec block_options[] = {
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "TRACE",
	       .help = "write the trace to TRACE"),
	OPTION(CHOICE, "unit", FIELD(unit), .choices = unit_names, .arg = "UNIT",
	       .help = "which requests are recorded. request: each request as the device receives "
	       "it, from issue to completion; bio: each request as it was submitted, before the "
	       "kernel splits or merges it (default request)"),
	OPTION(DURATION, "duration", FIELD(duration_ns), .arg = "TIME", .max = -1,
	       .help = "end the capture after this time, and end COMMAND (default 0: when the "
	       "command ends, or at a signal)"),
	OPTION(DURATION, "linger", FIELD(linger_ns), .arg = "TIME", .max = -1,
	       .help = "continue for this time after the command, so that requests in flight can "
	       "complete (default 200ms)"),
	OPTION(SIZE, "buffer", FIELD(buffer_bytes), .arg = "SIZE", .min = 65536, .max = 1e12,
	       .help = "size of the kernel's buffer for events, for each CPU (default 8M)"),
	OPTION(STRING, "scratch", FIELD(scratch), .arg = "DIR", .help = "directory for the "
	       "events until the capture ends, not on the recorded device (default /dev/shm)"),
	OPTION(STRING, "rotate", FIELD(rotate), .arg = "SIZE|TIME",
	       .help = "write the trace in parts TRACE.000, TRACE.001 and so on. A part ends after "
	       "SIZE of records (before compression), such as 64M, or after TIME, such as 1h "
	       "(default: one file)"),
	OPTION(FLAG, "compress", FIELD(compress), .help = "compress the trace with zstd"),
	{.name = NULL},
};

void block_config_init(struct block_config *c)
{
	*c = (struct block_config){.buffer_bytes = 8 << 20, .linger_ns = 200000000};
}

/* --- conversion of events ------------------------------------------------ */

enum { EVENT_ISSUE, EVENT_COMPLETE, EVENT_REQUEUE, EVENT_QUEUE, N_EVENTS };
static const char *const events_of_requests[] = {"block:block_rq_issue", "block:block_rq_complete",
						 "block:block_rq_requeue", NULL};
static const char *const events_of_bios[] = {"block:block_rq_issue", "block:block_rq_complete",
    "block:block_rq_requeue", "block:block_bio_queue", NULL};

struct block_fields {
	struct tracing_field sector, n_sectors, rwbs, error;
};

struct block_work {
	struct block_device device;
	struct trace_writer *writer;
	uint32_t object;
	int64_t epoch_ns;
	uint64_t n_other;
	struct err *e;
};

static int64_t ns_since(int64_t ns, int64_t epoch_ns)
{
	return ns == TIME_NONE ? TIME_NONE : ns - epoch_ns;
}

static int request_take(void *context, const struct block_request *r)
{
	static const enum trace_op op[] = {[BLOCK_READ] = OP_PREAD,
					   [BLOCK_WRITE] = OP_PWRITE,
					   [BLOCK_DISCARD] = OP_FALLOCATE,
					   [BLOCK_FLUSH] = OP_FDATASYNC};
	struct block_work *w = context;
	if (r->direction == BLOCK_OTHER) {
		w->n_other++;
		return 0;
	}
	const bool placed = r->direction != BLOCK_FLUSH && r->n_sectors,
		   moves = r->direction == BLOCK_READ || r->direction == BLOCK_WRITE;
	const struct trace_record record = {
	    .begin_ns = ns_since(r->begin_ns, w->epoch_ns),
	    .end_ns = ns_since(r->end_ns, w->epoch_ns),
	    .dispatch_ns = ns_since(r->dispatch_ns, w->epoch_ns),
	    .intended_ns = TIME_NONE,
	    .offset = placed ? (r->sector - w->device.first_sector) * SECTOR_BYTES : OFFSET_NONE,
	    .length = (uint64_t)r->n_sectors * SECTOR_BYTES,
	    .rvalue = r->error ? -1
		      : moves  ? (int64_t)r->n_sectors * SECTOR_BYTES
			       : 0,
	    .error = (uint16_t)r->error,
	    .pid = (uint32_t)r->pid,
	    .tid = (uint32_t)r->pid,
	    .object = w->object,
	    .fd = -1,
	    .flags = r->direction == BLOCK_DISCARD ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
						   : r->flags,
	    .heap = HEAP_NONE,
	    .op = (uint16_t)(r->direction == BLOCK_WRITE && !r->n_sectors ? OP_FDATASYNC
									  : op[r->direction]),
	};
	return trace_writer_append(w->writer, &record, 1, w->e);
}

static struct block_event event_of(const struct tracing_event *v, const struct block_fields *f)
{
	static const enum block_event_kind kind[N_EVENTS] = {BLOCK_ISSUE, BLOCK_COMPLETE,
							     BLOCK_REQUEUE, BLOCK_QUEUE};
	struct block_event b = {.kind = kind[v->kind], .ns = v->ns, .pid = v->pid,
	.sector = tracing_unsigned(v, f->sector),
				.n_sectors = (uint32_t)tracing_unsigned(v, f->n_sectors)};
	if (f->rwbs.offset + f->rwbs.size <= v->n_bytes)
		b.direction =
		    block_rwbs((const char *)v->data + f->rwbs.offset, f->rwbs.size, &b.flags);
	int64_t error = f->error.size ? tracing_signed(v, f->error) : 0;
	b.error = error < 0 && error > -4096 ? (int)-error : error ? EIO : 0;
	return b;
}

static int events_convert(struct tracing *t, struct block_work *w, bool bios,
			  struct block_outcome *o)
{
	struct block_fields f[N_EVENTS];
	struct block_requests *q = block_requests_open(bios, request_take, w);
	struct tracing_event v;
	int ret = 0, any;
	for (unsigned int k = 0; k < N_EVENTS; k++)
		f[k] = (struct block_fields){
		    tracing_field(t, k, "sector"), tracing_field(t, k, "nr_sector"),
		    tracing_field(t, k, "rwbs"), tracing_field(t, k, "error")};
	while (!ret && (any = tracing_next(t, &v, w->e)) != 0) {
		if (any < 0) {
			ret = any;
			break;
		}
		struct block_event b = event_of(&v, &f[v.kind]);
		if (!(b.n_sectors && (b.sector < w->device.first_sector ||
				      b.sector - w->device.first_sector >= w->device.n_sectors)))
			ret = block_requests_add(q, &b);
	}
	ret = ret ? ret : block_requests_finish(q, &o->counts);
	block_requests_close(q);
	o->n_events = tracing_n_events(t);
	o->n_other = w->n_other;
	return ret;
}

/* --- capture ------------------------------------------------------------ */

static char *facts_of(const struct block_config *c, const struct block_device *d,
		      const struct block_outcome *o)
{
	json_auto_t *all = json_pack(
	    "{s:{s:s, s:s, s:I, s:I, s:I, s:I, s:I}}", "block", "device", d->name, "unit",
	    unit_names[c->unit], "n_events", (json_int_t)o->n_events, "n_unfinished",
	    (json_int_t)o->counts.n_unfinished, "n_unpaired", (json_int_t)o->counts.n_unpaired,
	    "n_requeued", (json_int_t)o->counts.n_requeued, "n_other", (json_int_t)o->n_other);
	return all ? json_dumps(all, JSON_COMPACT) : NULL;
}

struct block_watch {
	struct block_config config; /* borrowed strings */
	struct tracing *tracing;
	struct block_work work;
	struct trace_meta meta;
	char host[256], *command;
};

static int write_trace(struct block_watch *b, struct block_outcome *o, struct err *e)
{
	const struct block_config *c = &b->config;
	const struct trace_write_options options = {.compress = c->compress, .no_sync = c->no_sync};
	struct block_work *w = &b->work;
	int ret = trace_writer_open(&w->writer, c->output, &b->meta, &options, e);
	if (!ret)
		ret = trace_writer_object(w->writer, OBJECT_DEVICE, w->device.name, &w->object, e);
	w->e = e;
	ret = ret ? ret : events_convert(b->tracing, w, c->unit == UNIT_BIO, o);
	if (ret) {
		trace_writer_abort(w->writer);
		return ret;
	}
	SCOPED_FREE char *facts = facts_of(c, &w->device, o);
	b->meta.extra_json = facts;
	ret = trace_writer_set_meta(w->writer, &b->meta, e);
	int closed = trace_writer_close(w->writer, ret ? NULL : e);
	b->meta.extra_json = NULL;
	return ret ? ret : closed;
}

static void meta_make(struct block_watch *b)
{
	gethostname(b->host, sizeof b->host - 1);
	struct strbuf command = STRBUF_INIT;
	strbuf_addwords(&command, b->config.command);
	b->command = strbuf_detach(&command);
	b->work.epoch_ns = clock_monotonic_ns();
	b->meta = (struct trace_meta){.level = LEVEL_BLOCK, .epoch_ns = b->work.epoch_ns,
	.wall_epoch_ns = clock_realtime_ns(), .clock = "monotonic",
				      .clock_resolution_ns = 1, .host = b->host,
				      .command = b->command,
				      .captured_by = "validate capture block"};
}

int block_watch_possible(struct err *e)
{
	const struct tracing_options options = {.event = events_of_bios, .buffer_bytes = 65536};
	struct tracing *t = NULL;
	int ret = tracing_open(&t, &options, e);
	tracing_close(t);
	return ret;
}

int block_watch_begin(struct block_watch **watch, const struct block_config *c, struct err *e)
{
	struct block_watch *b = xcalloc(1, sizeof *b);
	char filter[40];
	b->config = *c;
	*watch = NULL;
	int ret = c->number ? block_device_of_number(&b->work.device, c->number, e)
			    : block_device_resolve(&b->work.device, c->device, e);
	/* device number in the kernel's internal form */
	snprintf(filter, sizeof filter, "dev == %u",
		 b->work.device.major << 20 | b->work.device.minor);
	const struct tracing_options options = {.event = c->unit == UNIT_BIO ? events_of_bios
									     : events_of_requests,
						.filter = filter,
						.buffer_bytes = c->buffer_bytes,
						.scratch = c->scratch};
	ret = ret ? ret : tracing_open(&b->tracing, &options, e);
	ret = ret ? ret : tracing_start(b->tracing, e);
	if (ret) {
		block_watch_close(b);
		return ret;
	}
	meta_make(b);
	*watch = b;
	return 0;
}

int block_watch_stop(struct block_watch *b, struct err *e)
{
	return tracing_stop(b->tracing, e);
}

int block_watch_write(struct block_watch *b, struct block_outcome *o, struct err *e)
{
	o->n_lost = b->meta.n_events_lost = tracing_n_lost(b->tracing);
	return write_trace(b, o, e);
}

void block_watch_close(struct block_watch *b)
{
	if (!b)
		return;
	tracing_close(b->tracing);
	FREE_EACH(b->command, b);
}

int block_capture(const struct block_config *c, struct block_outcome *o, struct err *e)
{
	struct block_watch *b = NULL;
	sigset_t held, before;
	const struct watched_options watch = {.command = c->command, .duration_ns = c->duration_ns,
	.linger_ns = c->linger_ns,
					      .before = &before};
	struct watched watched = {0};
	*o = (struct block_outcome){0};
	signals_hold(&held, true, &before);
	int ret = trace_output_check(c->output, e);
	ret = ret ? ret : block_watch_begin(&b, c, e);
	ret = ret ? ret : watched_run(&watch, &watched, e);
	o->has_status = watched.has_status;
	o->status = watched.status;
	if (b) { /* also after an error: the instance is removed before signals are released */
		int stopped = block_watch_stop(b, ret ? NULL : e);
		ret = ret ? ret : stopped;
	}
	signals_release(&before, watched.interrupted);
	ret = ret ? ret : block_watch_write(b, o, e);
	block_watch_close(b);
	return ret;
}
