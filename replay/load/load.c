/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/load.h"

#include "common/heap.h"
#include "common/sort.h"
#include "replay/load/reads.h"
#include "common/u64_map.h"

const char *const skip_reasons[SKIP_N] = {
	[SKIP_NONE] = "replayed",
	[SKIP_OBJECT] = "pipes, sockets and terminals",
	[SKIP_SYSTEM] = "/proc, /sys and /dev",
	[SKIP_FORBIDDEN] = "devices, privileges and changes of the root directory",
	[SKIP_ACROSS] = "calls between two file systems (EXDEV)",
	[SKIP_MISSING] = "calls whose arguments are not in the trace",
	[SKIP_KERNEL] = "events of the kernel's page cache",
	[SKIP_READ] = "reads that --reads leaves out",
	[SKIP_DISCARD] = "discards (--discards)",
	[SKIP_NO_DATA] = "calls that do not read or write data at a known offset",
	[SKIP_FORMAT] = "requests that the replayer's format cannot hold",
	[SKIP_CAUSE] = "computing and waiting of parallel applications",
	[SKIP_UNFINISHED] = "calls that never returned",
};

/* insertion sort is replaced by qsort() above this mean number of moves per request */
#define SORT_MOVES 16

struct reader {
	struct load *l;
	struct trace *t;
	uint32_t cap, thread_cap;
	uint64_t n_expected;      /* records of the trace; 0: unknown */
	bool causes;              /* keep the records of computing and waiting (FAMILY_CAUSE) */
	bool any_async;
	uint32_t umask;           /* of this process */
	struct u64_map thread_of; /* (pid, tid) */
};

/* --- one record ---------------------------------------------------------- */

static int time_check(const struct trace_record *r, uint64_t i, struct err *e)
{
	if (r->begin_ns > TRACE_TIME_MAX || r->begin_ns < -TRACE_TIME_MAX)
		return err_set(e, EINVAL, "record %llu: its start at %lld ns is out of range",
			       (unsigned long long)i, (long long)r->begin_ns);
	if (r->end_ns == TIME_NONE)
		return 0;
	if (r->end_ns > TRACE_TIME_MAX || r->end_ns < -TRACE_TIME_MAX)
		return err_set(e, EINVAL, "record %llu: its end at %lld ns is out of range",
			       (unsigned long long)i, (long long)r->end_ns);
	if (r->end_ns < r->begin_ns)
		return err_set(e, EINVAL,
			"record %llu ends %lld ns before it begins, so no order can be derived",
			(unsigned long long)i, (long long)(r->begin_ns - r->end_ns));
	return 0;
}

static int record_check(const struct reader *rd, const struct trace_record *r, uint64_t i,
			struct err *e)
{
	const struct op_info *info = op_info(r->op);
	if (r->op == OP_INVALID || r->op >= OP_N)
		return err_set(e, EINVAL,
			       "record %llu: operation number %u is unknown to this "
			       "version of validate",
			       (unsigned long long)i, r->op);
	/* Whether `length` bytes of memory are read or written. */
	if (info->uses & OP_HAS_LENGTH &&
	    (info->family == FAMILY_READ || info->family == FAMILY_WRITE ||
	     info->family == FAMILY_STREAM) &&
	    r->length > REPLAY_MAX_REQUEST_BYTES)
		return err_set(
		    e, E2BIG,
		    "record %llu: the %s has %llu bytes, but at most %llu can be replayed",
		    (unsigned long long)i, info->name, (unsigned long long)r->length,
		    (unsigned long long)REPLAY_MAX_REQUEST_BYTES);
	/* these calls are replayed with the number of bytes that they moved */
	if (r->op == OP_FGETS || r->op == OP_GETDELIM || r->op == OP_FPRINTF)
		if (op_bytes_moved(r) > REPLAY_MAX_REQUEST_BYTES)
			return err_set(e, E2BIG, "record %llu: the %s moved %llu bytes, but "
				"at most %llu can be replayed", (unsigned long long)i,
				info->name, (unsigned long long)op_bytes_moved(r),
				(unsigned long long)REPLAY_MAX_REQUEST_BYTES);
	const struct trace_object *o = r->op == OP_OPEN ? trace_object(rd->t, r->object) : NULL;
	if (r->op == OP_OPEN && r->error != EFAULT && r->error != ECANCELED &&
	    (!o || o->kind != OBJECT_PATH))
		return err_set(e, EINVAL, "record %llu: the open has no path",
			       (unsigned long long)i);
	return time_check(r, i, e);
}

static uint32_t thread_of(struct reader *rd, const struct trace_record *r)
{
	struct load *l = rd->l;
	uint32_t *known = u64_map_at(&rd->thread_of, u64_pair(r->pid, r->tid), l->n_threads);
	if (*known == l->n_threads)
		APPEND(l->thread, l->n_threads, rd->thread_cap,
		       (struct load_thread){.pid = r->pid, .tid = r->tid});
	return *known;
}

/* Stores what does not fit into load_request: a heap item, a second descriptor, a mapping. *more is
 * its index in load.more, or 0. */
static int more_take(struct reader *rd, const struct trace_record *r, uint32_t *more, struct err *e)
{
	struct load *l = rd->l;
	const struct op_info *o = op_info(r->op);
	size_t len = 0;
	const bool holds = o->uses & OP_HEAP || r->op == OP_READLINK;
	const void *item = NULL;
	int ret = holds && r->heap != HEAP_NONE ? trace_heap(rd->t, r->heap, &item, &len, e) : 0;
	*more = 0;
	if (ret)
		return ret;
	if (!item && !(o->uses & (OP_HEAP | OP_MAKES_FD)) && o->family != FAMILY_MAP &&
	    r->op != OP_PAGE_FAULT && r->op != OP_FCNTL && r->op != OP_IOCTL &&
	    r->op != OP_FSCANF && r->op != OP_FTELL && r->op != OP_IO_SUBMIT &&
	    r->op != OP_IO_GETEVENTS && r->op != OP_IO_URING_ENTER &&
	    !(r->op == OP_FGETC && (r->length != 1 || r->rvalue == 0)))
		return 0;
	if (!l->n_more)
		l->n_more = 1;
	GROW(l->more, l->n_more, l->more_cap);
	struct load_more *m = &l->more[l->n_more];
	*m = (struct load_more){
	    .at = l->n_bytes, .name = NONE32, .map = NONE32, .from = OFFSET_NONE};
	if (item && len) {
		size_t room = len / 8 * 8 + 8;
		if (l->n_bytes + room > l->bytes_cap) {
			l->bytes_cap = (l->n_bytes + room) * 2;
			l->bytes = xrealloc(l->bytes, l->bytes_cap);
		}
		memset(l->bytes + l->n_bytes + room - 8, 0, 8);
		memcpy(l->bytes + l->n_bytes, item, len);
		l->n_bytes += room;
		m->len = (uint32_t)len;
	}
	*more = l->n_more++;
	return 0;
}

void load_end_set(struct load *l, struct load_request *r, int64_t end_ns)
{
	r->is_long = end_ns == INT64_MAX || end_ns - r->begin_ns >= LOAD_NO_END;
	if (end_ns == INT64_MAX) {
		r->duration = LOAD_NO_END;
	} else if (!r->is_long) {
		r->duration = (uint32_t)(end_ns - r->begin_ns) & LOAD_NO_END;
	} else {
		GROW(l->long_end_ns, l->n_long, l->long_cap);
		/* REPLAY_MAX_REQUESTS keeps the index below this */
		r->duration = l->n_long & LOAD_NO_END;
		l->long_end_ns[l->n_long++] = end_ns;
	}
}

static int record_take(struct reader *rd, const struct trace_record *r, uint64_t i, struct err *e)
{
	struct load *l = rd->l;
	uint32_t more;
	int ret = more_take(rd, r, &more, e);
	if (ret)
		return ret;
	struct load_request *q = &l->request[l->n++];
	*q = (struct load_request){
		.begin_ns = r->begin_ns,
		.offset = r->offset,
		.rvalue = r->rvalue >= 0 ? r->rvalue : r->error ? -(int64_t)r->error : -1,
		.record = (uint32_t)i,
		/* fits: records_read() refuses more threads */
		.thread = thread_of(rd, r) & 0x7fffu,
		.has_fd = r->fd >= 0,
		.length = r->length,
		.flags = r->flags,
		.object = r->object,
		.more = more,
		.fd = r->fd,
		.op = (uint8_t)r->op,
	};
	if (op_makes_file(r->op, r->flags))
		q->length = op_mode_made(r->op, r->length, rd->umask);
	rd->any_async |= load_is_async(q);
	load_end_set(l, q, r->end_ns == TIME_NONE ? INT64_MAX : r->end_ns);
	struct load_thread *t = &l->thread[q->thread];
	t->n_requests++;
	return 0;
}

/* --- all records --------------------------------------------------------- */

static int room_for(struct reader *rd, uint64_t n_more, struct err *e)
{
	uint64_t wanted = rd->l->n + n_more;
	if (wanted < rd->n_expected)
		wanted = rd->n_expected;
	if (wanted > REPLAY_MAX_REQUESTS)
		return err_set(e, E2BIG, "the trace has more than %llu requests: replay a slice of "
			"it",
			       (unsigned long long)REPLAY_MAX_REQUESTS);
	if (wanted <= rd->cap)
		return 0;
	uint64_t cap = rd->cap + rd->cap / 2 > wanted ? rd->cap + rd->cap / 2 : wanted;
	if (cap > REPLAY_MAX_REQUESTS)
		cap = REPLAY_MAX_REQUESTS;
	struct load_request *grown = realloc(rd->l->request, cap * sizeof *grown);
	if (!grown)
		return err_set(e, ENOMEM, "not enough memory to load %llu requests",
			       (unsigned long long)cap);
	rd->l->request = grown;
	rd->cap = (uint32_t)cap;
	return 0;
}

static int records_read(struct reader *rd, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	int ret;
	struct load *l = rd->l;
	while ((ret = trace_next_batch(rd->t, &r, &n, e)) > 0) {
		ret = room_for(rd, n, e);
		for (size_t i = 0; !ret && i < n; i++, l->n_records++) {
			if (r[i].begin_ns == TIME_NONE)
				continue; /* the replay that wrote this trace lost the record */
			if (!rd->causes && op_info(r[i].op)->family == FAMILY_CAUSE) {
				l->n_causes++;
				continue;
			}
			ret = record_check(rd, &r[i], l->n_records, e);
			ret = ret ? ret : record_take(rd, &r[i], l->n_records, e);
			if (ret)
				break;
		}
		if (ret)
			return ret;
		if (l->n_threads > REPLAY_MAX_THREADS)
			return err_set(e, E2BIG, "the trace has more than %u threads: replay a "
				       "slice of it",
				       REPLAY_MAX_THREADS);
		if (l->n_records > UINT32_MAX)
			return err_set(e, E2BIG, "the trace has more than %u records: replay a "
				       "slice of it", UINT32_MAX);
	}
	return ret;
}

/* --- issue order --------------------------------------------------------- */

ORDER_BY(compare_issue, struct load_request, begin_ns, after_touches, record)

/* Sorts into issue order. Most traces are nearly in this order, so insertion sort moves few
 * requests. For other traces qsort() is used, which needs the same amount of memory again. */
static void requests_sort(struct load *l)
{
	uint64_t moves = SORT_MOVES * (uint64_t)l->n;
	for (uint32_t i = 1, k; i < l->n; i++) {
		if (compare_issue(&l->request[i - 1], &l->request[i]) <= 0)
			continue;
		const struct load_request x = l->request[i];
		for (k = i; k && moves && compare_issue(&l->request[k - 1], &x) > 0; k--, moves--)
			l->request[k] = l->request[k - 1];
		l->request[k] = x;
		if (!moves) {
			qsort(l->request, l->n, sizeof *l->request, compare_issue);
			return;
		}
	}
}

/* Sets the times of page faults. A page fault during a call of its thread gets the start of that
 * call, and the call follows all other requests with that start. */
static void touches_settle(struct load *l)
{
	/* last[n_threads]: the latest call of each thread */
	SCOPED_FREE uint32_t *last = xmalloc(((size_t)l->n_threads + 1) * sizeof *last);
	bool moved = false;
	memset(last, 0xff, ((size_t)l->n_threads + 1) * sizeof *last);
	for (uint32_t i = 0; i < l->n; i++) {
		struct load_request *r = &l->request[i];
		const uint32_t c = last[r->thread];
		if (op_info(r->op)->family != FAMILY_PAGE)
			last[r->thread] = i;
		else if (load_is_touch(r) && c != NONE32 &&
			 r->begin_ns < load_end_ns(l, &l->request[c]) &&
			 load_end_ns(l, &l->request[c]) != INT64_MAX) {
			moved |=
			    r->begin_ns != l->request[c].begin_ns || !l->request[c].after_touches;
			r->begin_ns = l->request[c].begin_ns;
			load_end_set(l, r, r->begin_ns);
			l->request[c].after_touches = true;
		}
	}
	if (moved)
		requests_sort(l);
}

ORDER_BY(compare_thread, struct load_thread, pid, tid)

/* Sorts the threads by (pid, tid), the order in which they were started, so that worker i replays
 * the same thread in every trace of a program. Then numbers the requests of each thread. */
static void threads_number(struct reader *rd)
{
	struct load *l = rd->l;
	SCOPED_FREE uint32_t *renamed = xcalloc(l->n_threads + 1, sizeof *renamed);
	SCOPED_FREE struct load_thread *before = xmalloc((l->n_threads + 1) * sizeof *before);
	if (l->n_threads) {
		memcpy(before, l->thread, l->n_threads * sizeof *before);
		qsort(l->thread, l->n_threads, sizeof *l->thread, compare_thread);
	}
	for (uint32_t i = 0; i < l->n_threads; i++)
		*u64_map_at(&rd->thread_of, u64_pair(l->thread[i].pid, l->thread[i].tid), 0) = i;
	for (uint32_t i = 0; i < l->n_threads; i++) {
		renamed[i] = *u64_map_find(&rd->thread_of, u64_pair(before[i].pid, before[i].tid));
		l->thread[i].n_requests = 0;
	}
	for (uint32_t i = 0; i < l->n_threads; i++)
		if (l->thread[i].is_channel)
			l->thread[i].of = renamed[l->thread[i].of];
	for (uint32_t i = 0; i < l->n; i++) {
		struct load_request *q = &l->request[i];
		q->thread = renamed[q->thread] & 0x7fffu;
		q->index = l->thread[q->thread].n_requests++;
	}
}

int load_read(struct load *l, struct trace *t, bool causes, struct err *e)
{
	*l = (struct load){.request = NULL};
	const mode_t mask = umask(0);
	struct reader rd = {.l = l,
			    .t = t,
			    .causes = causes,
			    .umask = mask,
			    .n_expected = trace_n_records(t, NULL)};
	umask(mask); /* the mask can only be read by setting it */
	int ret = records_read(&rd, e);
	if (ret) {
		load_release(l);
	} else {
		requests_sort(l);
		if (!causes && rd.any_async) {
			if (load_async_settle(l))
				requests_sort(l);
			load_async_spread(l);
		}
		touches_settle(l);
		threads_number(&rd);
		if (l->n)
			l->first_begin_ns = l->last_end_ns = l->request[0].begin_ns;
		for (uint32_t i = 0; i < l->n; i++) {
			int64_t end = load_end_ns(l, &l->request[i]);
			end = end == INT64_MAX ? l->request[i].begin_ns : end;
			if (end > l->last_end_ns)
				l->last_end_ns = end;
		}
	}
	u64_map_release(&rd.thread_of);
	return ret;
}

void load_release(struct load *l)
{
	FREE_EACH(l->request, l->thread, l->more, l->long_end_ns, l->bytes);
	if (l->reads)
		free(l->reads->misses.miss);
	free(l->reads);
	*l = (struct load){.request = NULL};
}

void load_index(const struct load *l, uint32_t *first, uint32_t *of)
{
	first[0] = 0;
	for (uint32_t t = 0; t < l->n_threads; t++)
		first[t + 1] = first[t] + l->thread[t].n_requests;
	for (uint32_t i = 0; i < l->n; i++)
		of[first[l->request[i].thread] + l->request[i].index] = i;
}

/* --- requests in flight -------------------------------------------------- */

static bool ends_before(const void *a, const void *b, const void *load)
{
	const struct load *l = load;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const int64_t x = load_end_ns(l, &l->request[i]), y = load_end_ns(l, &l->request[k]);
	return x != y ? x < y : i < k;
}

void flight_push(struct flight *f, const struct load *l, uint32_t request)
{
	const struct heap_type by_end = {sizeof *f->item, ends_before, l};
	GROW(f->item, f->n, f->cap);
	f->item[f->n] = request;
	heap_sift_up(&by_end, f->item, f->n++);
}

uint32_t flight_pop_ended(struct flight *f, const struct load *l, int64_t now_ns)
{
	const struct heap_type by_end = {sizeof *f->item, ends_before, l};
	if (!f->n || load_end_ns(l, &l->request[f->item[0]]) > now_ns)
		return NONE32;
	const uint32_t top = f->item[0];
	f->item[0] = f->item[--f->n];
	heap_sift_down(&by_end, f->item, f->n, 0);
	return top;
}

