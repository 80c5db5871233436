/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests that a replayer reports, as a trace in the scratch directory. */
#include <errno.h>
#include <inttypes.h>

#include "replay/engines/adapters/adapter_private.h"

int seen_open(struct adapter_state *a, struct err *e)
{
	struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "replayer", .captured_by = a->run.adapter->name};
	a->first_seen_ns = INT64_MAX;
	return trace_writer_open(&a->writer, a->seen_path, &meta, &(struct trace_write_options){.no_sync = true}, e);
}

int seen_close(struct adapter_state *a, int ret, struct err *e)
{
	if (ret)
		trace_writer_abort(a->writer);
	else
		ret = trace_writer_close(a->writer, e);
	a->writer = NULL;
	return ret;
}

static int times_check(const struct adapter_request *q, uint64_t n, struct err *e)
{
	if (q->begin_ns == TIME_NONE || q->end_ns == TIME_NONE)
		return err_set(e, EBADMSG,
			       "request %" PRIu64 " of its output: begin or end is missing", n);
	const int64_t low = q->begin_ns < q->end_ns ? q->begin_ns : q->end_ns,
		      high = q->begin_ns < q->end_ns ? q->end_ns : q->begin_ns;
	if (low < -TRACE_TIME_MAX || high > TRACE_TIME_MAX)
		return err_set(e, EBADMSG,
			       "request %" PRIu64 " of its output: its times are out of range", n);
	if (q->end_ns < q->begin_ns)
		return err_set(e, EBADMSG,
			       "request %" PRIu64 " of its output ends %" PRId64
			       " ns before it begins",
			       n, q->begin_ns - q->end_ns);
	return 0;
}

int adapter_seen(struct adapter_run *r, const struct adapter_request *q, struct err *e)
{
	struct adapter_state *a = r->own;
	int ret = times_check(q, a->n_seen, e);
	if (ret)
		return ret;
	a->numbered |= q->seq != ADAPTER_NONE;
	a->unnumbered |= q->seq == ADAPTER_NONE;
	a->in_order |= q->seq == ADAPTER_NONE && q->op == OP_INVALID;
	if (a->numbered && a->unnumbered)
		return err_set(e, EBADMSG,
			       "some requests of its output have numbers, others have none");
	struct trace_record x = {
		.seq = q->seq,
		.begin_ns = q->begin_ns,
		.end_ns = q->end_ns,
		.intended_ns = TIME_NONE,
		.dispatch_ns = TIME_NONE,
		.offset = q->offset,
		.length = q->length,
		.rvalue = q->rvalue,
		.pid = q->tid,
		.tid = q->tid,
		.object = OBJECT_NONE,
		.fd = -1,
		.heap = HEAP_NONE,
		.op = (uint16_t)(q->op ? q->op : OP_PREAD),
	};
	if (q->object)
		ret = trace_writer_object(a->writer, OBJECT_PATH, q->object, &x.object, e);
	if (q->begin_ns < a->first_seen_ns)
		a->first_seen_ns = q->begin_ns;
	a->n_seen++;
	return ret ? ret : trace_writer_append(a->writer, &x, 1, e);
}
