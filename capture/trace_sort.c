/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts a trace file of any length by begin. Parts that fit into memory are sorted and written to
 * an unnamed file. Then they are merged by a heap. */

#include "capture/format.h"
#include "capture/pour.h"
#include "common/files.h"
#include "common/heap.h"
#include "common/sort.h"
#include "common/unnamed_file.h"

#define RUN_RECORDS (128u << 10) /* 12 MiB */
#define WINDOWS_BYTES (24u << 20) /* windows of all runs while merging */

struct sort_run {
	off_t at, end; /* part of the file that was not read yet */
	struct trace_record *window;
	size_t i, n; /* window[i..n) */
};

#define OUT_RECORDS 1024u /* as many as a block of the trace has */

struct sort_key {
	int64_t begin_ns;
	uint32_t i; /* of v[] */
};

struct sort {
	struct trace *from;
	struct trace_writer *to;
	int fd; /* scratch file of the sorted parts */
	struct trace_record *v; /* [RUN_RECORDS], in the order of the input */
	struct sort_key *key; /* [RUN_RECORDS] */
	struct trace_record *out; /* [OUT_RECORDS], sorted */
	size_t n_out;
	struct sort_run *run;
	size_t n_runs, cap_runs, window_records;
	size_t *heap; /* indices of parts, by their first record */
	size_t n_heap;
};

/* Compares by begin, and by position if begins are equal. */
ORDER_BY(key_compare, struct sort_key, begin_ns, i)

/* A request without a begin gets the begin of the previous request, and this commit word as a mark,
 * so that it remains after that request. */
#define NO_BEGIN 0x80000000u

/* Reads up to RUN_RECORDS records and determines their order. */
static int fill_run(struct sort *s, size_t *n, int64_t *last_ns, struct err *e)
{
	const struct trace_record *r;
	bool ordered = true;
	int ret = 0;
	*n = 0;
	while (*n < RUN_RECORDS && (ret = trace_next(s->from, &r, e)) == 1) {
		struct trace_record *to = &s->v[*n];
		*to = *r;
		if (to->begin_ns == TIME_NONE) {
			to->commit = NO_BEGIN;
			to->begin_ns = *last_ns;
		}
		ordered &= to->begin_ns >= *last_ns;
		*last_ns = to->begin_ns;
		s->key[*n] = (struct sort_key){to->begin_ns, (uint32_t)*n};
		++*n;
	}
	if (!ordered)
		qsort(s->key, *n, sizeof *s->key, key_compare);
	return ret < 0 ? ret : 0;
}

static int out_flush(struct sort *s, bool to_trace, struct err *e)
{
	size_t n = s->n_out;
	s->n_out = 0;
	if (to_trace)
		return n ? trace_writer_append(s->to, s->out, n, e) : 0;
	int ret = write_all(s->fd, s->out, n * sizeof *s->out);
	return ret ? err_sys(e, -ret, "cannot write the temporary file for sorting, in "
					   "the directory of the output") : 0;
}

static int record_emit(struct sort *s, const struct trace_record *r, struct err *e)
{
	struct trace_record *to = &s->out[s->n_out++];
	*to = *r;
	if (to->commit == NO_BEGIN)
		to->begin_ns = TIME_NONE;
	to->commit = TRACE_COMMIT;
	return s->n_out == OUT_RECORDS ? out_flush(s, true, e) : 0;
}

static int keep_run(struct sort *s, size_t n, struct err *e)
{
	off_t at = s->n_runs ? s->run[s->n_runs - 1].end : 0;
	int ret = 0;
	for (size_t i = 0; i < n && !ret; i++) {
		s->out[s->n_out++] = s->v[s->key[i].i];
		if (s->n_out == OUT_RECORDS || i + 1 == n)
			ret = out_flush(s, false, e);
	}
	GROW(s->run, s->n_runs, s->cap_runs);
	s->run[s->n_runs++] = (struct sort_run){.at = at, .end = at + (off_t)(n * sizeof *s->v)};
	return ret;
}

static int run_load(struct sort *s, struct sort_run *r, struct err *e)
{
	size_t want = s->window_records * sizeof *r->window;
	if ((off_t)want > r->end - r->at)
		want = (size_t)(r->end - r->at);
	ssize_t got = want ? pread(s->fd, r->window, want, r->at) : 0;
	if (got < 0 || (size_t)got != want)
		return err_sys(e, got < 0 ? errno : EIO,
			       "cannot read the temporary file for sorting, in the directory of "
			       "the output");
	r->at += got;
	r->i = 0;
	r->n = want / sizeof *r->window;
	return 0;
}

/* Order of the heap. If begins are equal, the request of the earlier part is first. */
static bool begins_before(const void *a, const void *b, const void *sort)
{
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const struct sort_run *run = ((const struct sort *)sort)->run, *x = &run[i], *y = &run[k];
	int64_t t = x->window[x->i].begin_ns, u = y->window[y->i].begin_ns;
	return t < u || (t == u && i < k);
}

static int runs_merge(struct sort *s, struct err *e)
{
	const struct heap_type heap = {sizeof *s->heap, begins_before, s};
	s->window_records = WINDOWS_BYTES / sizeof(struct trace_record) / s->n_runs;
	s->window_records = s->window_records ? s->window_records : 1;
	s->heap = xcalloc(s->n_runs, sizeof *s->heap);
	for (size_t i = 0; i < s->n_runs; i++) {
		s->run[i].window = xmalloc(s->window_records * sizeof(struct trace_record));
		int ret = run_load(s, &s->run[i], e);
		if (ret)
			return ret;
		s->heap[s->n_heap++] = i;
	}
	heap_make(&heap, s->heap, s->n_heap);
	while (s->n_heap) {
		struct sort_run *r = &s->run[s->heap[0]];
		int ret = record_emit(s, &r->window[r->i++], e);
		if (!ret && r->i == r->n)
			ret = run_load(s, r, e);
		if (ret)
			return ret;
		if (!r->n)
			s->heap[0] = s->heap[--s->n_heap];
		heap_sift_down(&heap, s->heap, s->n_heap, 0);
	}
	return 0;
}

/* Copies the side heap and the objects of the input to the same positions, so that references
 * remain valid. */
static int copy_objects_and_heap(struct sort *s, struct err *e)
{
	const struct trace_record *r;
	int ret;
	while ((ret = trace_next(s->from, &r, e)) == 1)
		if (r->heap != HEAP_NONE) {
			uint32_t ref = r->heap;
			ret = trace_copy_heap(s->from, s->to, &ref, e);
			if (!ret && ref != HEAP_NONE && ref != r->heap)
				ret = err_set(e, EINVAL, "cannot sort the trace: its names and "
					"arguments are not in the order of its requests");
			if (ret)
				return ret;
		}
	uint32_t n_objects = 0;
	ret = ret ? ret : trace_copy_objects(s->from, s->to, &n_objects, e);
	return ret ? ret : trace_rewind(s->from, e);
}

/* Writes a single part without the scratch file. */
static int emit_run(struct sort *s, size_t n, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = record_emit(s, &s->v[s->key[i].i], e);
	return ret;
}

static int sort_all(struct sort *s, struct err *e)
{
	size_t n;
	int64_t last_ns = -TRACE_TIME_MAX;
	int ret = copy_objects_and_heap(s, e);
	while (!ret && !(ret = fill_run(s, &n, &last_ns, e)) && n) {
		bool all = !s->n_runs && n < RUN_RECORDS;
		ret = all ? emit_run(s, n, e) : keep_run(s, n, e);
	}
	FREE_EACH(s->v, s->key);
	s->v = NULL;
	s->key = NULL;
	ret = ret || !s->n_runs ? ret : runs_merge(s, e);
	return ret ? ret : out_flush(s, true, e);
}

int trace_sort(const char *from, const char *to, const struct trace_write_options *o, struct err *e)
{
	struct sort s = {.fd = -1};
	int ret = trace_file_open(&s.from, from, e);
	if (ret)
		return ret;
	s.fd = unnamed_file_beside(to, e);
	ret = s.fd < 0 ? err_context(e, "sorting the trace")
		       : trace_writer_open(&s.to, to, trace_meta(s.from), o, e);
	if (!ret) {
		s.v = xmalloc(RUN_RECORDS * sizeof *s.v);
		s.key = xmalloc(RUN_RECORDS * sizeof *s.key);
		s.out = xmalloc(OUT_RECORDS * sizeof *s.out);
		ret = trace_writer_end(s.to, sort_all(&s, e), e);
	}
	for (size_t i = 0; i < s.n_runs; i++)
		free(s.run[i].window);
	FREE_EACH(s.run, s.heap, s.out);
	fd_close(s.fd);
	trace_close(s.from);
	return ret;
}
