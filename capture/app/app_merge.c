/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Returns the spool's records in order of start. A thread writes a record when a call ends, so its
 * records are in order. The exception is a signal handler that made calls during another call. The
 * records of such a thread are sorted by an array of their places. A heap merges the streams of the
 * threads. */
#include <sys/mman.h>

#include "capture/app/app_private.h"
#include "common/heap.h"
#include "common/sort.h"

struct merge_place { /* place of a record */
	uint64_t begin;
	uint64_t at;	/* offset in the spool */
	/* position in the thread's stream, because windows are spooled in any order */
	uint64_t nth;
};

struct merge_source { /* one thread of one process image */
	uint32_t first, n;    /* windows of the thread: order[first .. first + n) */
	uint32_t window;      /* index of the current window */
	uint32_t unit;	      /* next unit in the window */
	struct merge_place *sorted; /* NULL: the stream is in order */
	size_t n_sorted, at;
	uint64_t begin;	      /* start of the next record */
	const char *next;     /* the next record, NULL at the end */
	uint32_t n_units;     /* units of the next record; 0: it is invalid */
};

struct merge {
	const struct spool *spool;
	const char *base; /* address of the mapped spool */
	size_t size;
	struct spool_window *order; /* sorted by image, thread, sequence */
	struct merge_source *source;
	size_t n_sources, sources_cap;
	struct merge_source **heap;
	size_t n_heap;
	/* n_left[image]: number of threads of the image with further records, without children by
	 * vfork */
	uint32_t *n_left;
	bool skips_requests; /* see merge_events() */
	struct log_record record; /* the record returned last */
};

/* --- a source ----------------------------------------------------------- */

static bool stream_next(const struct merge *m, struct merge_source *s)
{
	s->next = NULL;
	while (s->window < s->n) {
		const struct spool_window *w = &m->order[s->first + s->window];
		if (s->unit >= w->n_units) {
			s->window++;
			s->unit = 0;
			continue;
		}
		const char *at = m->base + w->at + (uint64_t)s->unit * LOG_UNIT;
		const uint32_t n_units = log_units(at, w->n_units - s->unit);
		s->unit += n_units ? n_units : 1;
		if (m->skips_requests && n_units == 1 && log_short_op(at) != OP_IO_URING_ENTER)
			continue;
		s->next = at;
		s->n_units = n_units;
		s->begin = log_begin(at, n_units);
		return true;
	}
	return false;
}

static uint32_t units_at(const struct merge *m, uint64_t at)
{
	uint64_t left = (m->size - at) / LOG_UNIT;
	return log_units(m->base + at, left < LOG_UNITS ? (uint32_t)left : LOG_UNITS);
}

static void source_advance(const struct merge *m, struct merge_source *s)
{
	if (!s->sorted) {
		stream_next(m, s);
		return;
	}
	s->next = NULL;
	if (s->at == s->n_sorted)
		return;
	const struct merge_place *place = &s->sorted[s->at++];
	s->next = m->base + place->at;
	s->n_units = units_at(m, place->at);
	s->begin = place->begin;
}

ORDER_BY(compare_places, struct merge_place, begin, nth)

/* Sorts the records if they are not in order. Records with equal starts keep their order, because
 * written data precede their request. */
static void source_order(struct merge *m, struct merge_source *s)
{
	uint64_t last = 0;
	size_t cap = 0;
	bool ordered = true;
	s->window = s->unit = 0;
	for (; stream_next(m, s); last = s->begin)
		ordered &= s->begin >= last;
	if (ordered)
		return;
	s->window = s->unit = 0;
	while (stream_next(m, s)) {
		GROW(s->sorted, s->n_sorted, cap);
		s->sorted[s->n_sorted] = (struct merge_place){
		    s->begin, (uint64_t)(s->next - m->base), s->n_sorted};
		s->n_sorted++;
	}
	qsort(s->sorted, s->n_sorted, sizeof *s->sorted, compare_places);
}

/* --- the heap ------------------------------------------------------------ */

static bool comes_before(const void *a, const void *b, const void *context)
{
	const struct merge_source *x = *(struct merge_source *const *)a;
	const struct merge_source *y = *(struct merge_source *const *)b;
	(void)context;
	return x->begin != y->begin ? x->begin < y->begin : x < y;
}

static const struct heap_type heap_of_sources = {sizeof(struct merge_source *), comes_before, NULL};

/* The counter of the image, or NULL for a child by vfork. */
static uint32_t *left_of(const struct merge *m, const struct merge_source *s)
{
	const struct spool_window *w = &m->order[s->first];
	const bool own = w->image < m->spool->n_images &&
			 w->pid == m->spool->image[w->image].pid;
	return own ? &m->n_left[w->image] : NULL;
}

static void rewind_all(struct merge *m)
{
	m->n_heap = 0;
	memset(m->n_left, 0, m->spool->n_images * sizeof *m->n_left);
	for (size_t i = 0; i < m->n_sources; i++) {
		struct merge_source *s = &m->source[i];
		s->window = s->unit = 0;
		s->at = 0;
		source_advance(m, s);
		if (!s->next)
			continue;
		m->heap[m->n_heap++] = s;
		uint32_t *left = left_of(m, s);
		if (left)
			++*left;
	}
	heap_make(&heap_of_sources, m->heap, m->n_heap);
}

void merge_rewind(struct merge *m)
{
	m->skips_requests = false;
	rewind_all(m);
}

void merge_events(struct merge *m)
{
	m->skips_requests = true;
	rewind_all(m);
}

static void record_describe(struct merge *m, const struct merge_source *s, struct merge_record *to)
{
	const struct spool_window *w = &m->order[s->first];
	*to = (struct merge_record){
	    .r = &m->record, .image = w->image, .pid = w->pid, .tid = w->tid, .second_dir = 0};
	m->record = (struct log_record){.begin = s->begin, .op = OP_INVALID};
	if (s->n_units)
		log_expand(s->next, s->n_units, &m->record);
	const char *at = s->next + sizeof m->record;
	struct log_text text;
	if ((size_t)s->n_units * LOG_UNIT < sizeof m->record + sizeof text)
		return;
	size_t room = (size_t)s->n_units * LOG_UNIT - sizeof m->record;
	memcpy(&text, at, sizeof text);
	if ((size_t)text.path_len + text.extra_len > room - sizeof text)
		return; /* the library did not write it */
	to->path = at + sizeof text;
	to->path_len = text.path_len;
	to->extra = to->path + text.path_len;
	to->extra_len = text.extra_len;
	to->second_dir = text.second_dir;
}

bool merge_next(struct merge *m, struct merge_record *r)
{
	if (!m->n_heap)
		return false;
	struct merge_source *s = m->heap[0];
	record_describe(m, s, r);
	source_advance(m, s);
	if (!s->next) {
		uint32_t *left = left_of(m, s);
		r->is_last = left && !--*left;
		m->heap[0] = m->heap[--m->n_heap];
	}
	heap_sift_down(&heap_of_sources, m->heap, m->n_heap, 0);
	return true;
}

/* --- merging ------------------------------------------------------------ */

ORDER_BY(compare_windows, struct spool_window, image, pid, tid, sequence)

static bool same_thread(const struct spool_window *x, const struct spool_window *y)
{
	return x->image == y->image && x->pid == y->pid && x->tid == y->tid;
}

static void sources_find(struct merge *m)
{
	const size_t n = m->spool->n_windows;
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && same_thread(&m->order[i], &m->order[k]); k++)
			;
		GROW(m->source, m->n_sources, m->sources_cap);
		m->source[m->n_sources++] = (struct merge_source){.first = (uint32_t)i,
								  .n = (uint32_t)(k - i)};
	}
	m->heap = xcalloc(m->n_sources + 1, sizeof *m->heap);
	for (size_t i = 0; i < m->n_sources; i++)
		source_order(m, &m->source[i]);
}

int merge_open(struct merge **out, const struct spool *s, struct err *e)
{
	struct merge *m = xcalloc(1, sizeof *m);
	m->spool = s;
	m->size = s->end;
	*out = m;
	if (m->size) {
		void *at = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, s->fd, 0);
		if (at == MAP_FAILED) {
			int code = errno;
			m->size = 0;
			merge_close(m);
			*out = NULL;
			return err_sys(e, code, "cannot map the capture's temporary file of %llu "
						"bytes",
				       (unsigned long long)s->end);
		}
		m->base = at;
	}
	m->order = xcalloc(s->n_windows + 1, sizeof *m->order);
	if (s->n_windows)
		memcpy(m->order, s->window, s->n_windows * sizeof *m->order);
	qsort(m->order, s->n_windows, sizeof *m->order, compare_windows);
	m->n_left = xcalloc(s->n_images + 1, sizeof *m->n_left);
	sources_find(m);
	merge_rewind(m);
	return 0;
}

void merge_close(struct merge *m)
{
	if (!m)
		return;
	if (m->size)
		munmap((void *)m->base, m->size);
	for (size_t i = 0; i < m->n_sources; i++)
		free(m->source[i].sorted);
	FREE_EACH(m->source, m->heap, m->order, m->n_left, m);
}

/* Counts a thread once, even if it executed several programs. */
uint64_t merge_n_threads(const struct merge *m)
{
	SCOPED_FREE uint32_t *tid = xcalloc(m->n_sources + 1, sizeof *tid);
	uint64_t n = 0;
	for (size_t i = 0; i < m->n_sources; i++)
		tid[i] = m->order[m->source[i].first].tid;
	qsort(tid, m->n_sources, sizeof *tid, order_u32);
	for (size_t i = 0; i < m->n_sources; i++)
		n += !i || tid[i] != tid[i - 1];
	return n;
}
