/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/infer_trace.h"

#include <jansson.h>

#include "capture/format.h"

/* --- think times --------------------------------------------------------- */

static int record_error(uint64_t i, struct err *e)
{
	return err_context(e, "record %llu", (unsigned long long)i);
}

static int think_check(const struct trace_record *r, int64_t last_begin_ns, struct err *e)
{
	if (r->begin_ns < last_begin_ns)
		return err_set(e, EINVAL, "the request begins %lld ns before the previous request; "
			"sort the trace with `validate slice`",
			(long long)(last_begin_ns - r->begin_ns));
	return 0;
}

int think_times_read(struct think_times *h, struct trace *t, struct err *e)
{
	uint64_t i = 0;
	const struct trace_record *r;
	int64_t last_begin = INT64_MIN, last_end = INT64_MIN;
	*h = (struct think_times){.least_ns = INT64_MAX};
	int ret = trace_rewind(t, e);
	for (; !ret && (ret = trace_next(t, &r, e)) == 1; i++, ret = 0) {
		if (r->begin_ns == TIME_NONE)
			continue;
		if (think_check(r, last_begin, e)) {
			ret = record_error(i, e);
			break;
		}
		last_begin = r->begin_ns;
		if (last_end != INT64_MIN && r->begin_ns >= last_end) {
			int64_t think = r->begin_ns - last_end;
			h->n++;
			h->least_ns = think < h->least_ns ? think : h->least_ns;
		}
		if (r->end_ns == TIME_NONE)
			last_end = INT64_MAX; /* it may run to the end of the trace */
		else if (r->end_ns > last_end)
			last_end = r->end_ns;
	}
	h->least_ns = h->n ? h->least_ns : 0;
	return ret;
}

/* --- a trace ------------------------------------------------------------- */

int infer_trace(struct infer_what *w, struct trace *t, struct infer_summary *s, struct err *e)
{
	struct infer f;
	const struct trace_record *r;
	uint64_t first = 0;
	size_t n;
	infer_init(&f, w->threshold_ns);
	f.ended = w->ended;
	f.ctx = w->ctx;
	w->n_unknown = 0;
	int ret = trace_rewind(t, e);
	while (!ret && (ret = trace_next_batch(t, &r, &n, e)) == 1) {
		ret = 0;
		for (size_t i = 0; i < n && !ret; i++) {
			struct infer_parents p;
			if (r[i].begin_ns == TIME_NONE) {
				w->n_unknown++;
				continue;
			}
			ret = infer_feed(&f, r[i].begin_ns, r[i].end_ns, &p, e);
			if (ret)
				record_error(first + i, e);
			else if (w->fed)
				w->fed(w->ctx, f.sum.n_requests - 1, &r[i], &p);
		}
		first += n;
	}
	if (!ret)
		infer_finish(&f);
	*s = f.sum;
	infer_release(&f);
	return ret;
}

/* --- annotation ---------------------------------------------------------- */

struct annotator {
	struct infer f;
	uint64_t record;
};

static int record_annotate(void *ctx, struct trace_writer *w, struct trace_record *r, struct err *e)
{
	struct annotator *a = ctx;
	struct infer_parents p;
	unsigned char item[12];
	uint64_t record = a->record++;
	if (r->begin_ns == TIME_NONE)
		return 0;
	int ret = infer_feed(&a->f, r->begin_ns, r->end_ns, &p, e);
	if (ret)
		return record_error(record, e);
	if (r->heap != HEAP_NONE)
		return 0; /* a system call whose record has a heap item already */
	uint32_t n = p.hi - p.lo < UINT32_MAX ? (uint32_t)(p.hi - p.lo) : UINT32_MAX;
	memcpy(item, &p.lo, sizeof p.lo);
	memcpy(item + sizeof p.lo, &n, sizeof n);
	return trace_writer_heap(w, item, sizeof item, &r->heap, e);
}

static char *extra_with(const char *extra_json, int64_t threshold_ns)
{
	json_auto_t *top = extra_json ? json_loads(extra_json, 0, NULL) : NULL;
	if (!json_is_object(top)) {
		json_decref(top);
		top = json_object();
	}
	json_object_set_new(top, "dependencies",
			    json_pack("{s:I}", "threshold_ns", (json_int_t)threshold_ns));
	return json_dumps(top, JSON_COMPACT);
}

int infer_annotate(struct trace *t, int64_t threshold_ns, const char *path, struct err *e)
{
	struct annotator a = {.record = 0};
	struct trace_meta meta = *trace_meta(t);
	SCOPED_FREE char *extra = extra_with(meta.extra_json, threshold_ns);
	meta.extra_json = extra;
	infer_init(&a.f, threshold_ns);
	const struct trace_change how = {.meta = &meta, .change = record_annotate, .ctx = &a};
	int ret = trace_copy(t, path, &how, NULL, e);
	infer_release(&a.f);
	return ret;
}
