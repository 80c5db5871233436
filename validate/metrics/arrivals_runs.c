/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorted runs, kept in memory or in a temporary file, and their merge. Runs are numbered in file
 * order: of requests with equal starts, the request of the lower run comes first. */

#include "common/files.h"
#include "common/heap.h"
#include "validate/metrics/arrivals.h"
#include "validate/metrics/spill.h"

/* size of the read buffer for each run in the file during the merge */
#define CURSOR_BYTES_MAX (1u << 20)
#define CURSOR_BYTES_MIN (1u << 14)

struct arrivals_run {
	struct arrival *memory; /* [n], or NULL: in the file */
	uint64_t offset;        /* in the file */
	size_t n;
};

/* --- storing ------------------------------------------------------------- */

static int file_append(struct arrivals *o, const struct arrival *a, size_t n, struct err *e)
{
	int ret = write_all(o->fd, a, n * sizeof *a);
	if (ret)
		return err_sys(e, -ret,
			"cannot write requests to a temporary file (TMPDIR sets its directory)");
	o->file_bytes += n * sizeof *a;
	return 0;
}

static int store_in_file(struct arrivals *o, const uint32_t *order, struct err *e)
{
	int ret = 0;
	if (o->fd < 0)
		o->fd = spill_open(o->options.tmpdir, e);
	if (o->fd < 0)
		ret = o->fd;
	if (!ret && !order)
		return file_append(o, o->a, o->n, e);
	for (size_t i = 0; i < o->n && !ret;) {
		size_t n = 0;
		while (n < ARRIVALS_BATCH && i < o->n)
			o->batch[n++] = o->a[order[i++]];
		ret = file_append(o, o->batch, n, e);
	}
	return ret;
}

int arrivals_run_store(struct arrivals *o, const uint32_t *order, struct err *e)
{
	GROW(o->run, o->n_runs, o->run_cap);
	struct arrivals_run *r = &o->run[o->n_runs];
	*r = (struct arrivals_run){.n = o->n, .offset = o->file_bytes};
	size_t n_bytes = o->n * sizeof *o->a;
	if (o->memory_used + n_bytes <= o->options.memory_bytes && o->fd < 0)
		r->memory = malloc(n_bytes); /* without memory the file is used */
	o->n_runs++;
	if (!r->memory)
		return store_in_file(o, order, e);
	o->memory_used += n_bytes;
	for (size_t i = 0; i < o->n; i++)
		r->memory[i] = o->a[order ? order[i] : i];
	return 0;
}

void arrivals_runs_release(struct arrivals *o)
{
	for (size_t i = 0; i < o->n_runs; i++)
		free(o->run[i].memory);
	free(o->run);
	o->run = NULL;
	o->n_runs = o->run_cap = 0;
	fd_close(o->fd);
	o->fd = -1;
}

/* --- merging ------------------------------------------------------------- */

struct cursor {
	const struct arrival *at, *end;
	struct arrival *buffer;    /* NULL: the run is in memory */
	/* n_left: number of requests that are still to be read from the file */
	size_t buffer_cap, n_left;
	uint64_t offset;
	size_t run;
	bool by_place;
};

/* Refills an empty cursor. Returns 1, or 0 at the end of its run. */
static int cursor_fill(const struct arrivals *o, struct cursor *c, struct err *e)
{
	if (c->at < c->end)
		return 1;
	if (!c->n_left)
		return 0;
	size_t n = c->n_left < c->buffer_cap ? c->n_left : c->buffer_cap;
	const ssize_t got = read_all_at(o->fd, c->buffer, n * sizeof *c->buffer, c->offset);
	if (got != (ssize_t)(n * sizeof *c->buffer))
		return err_sys(e, got < 0 ? (int)-got : EIO,
			       "cannot read requests from a temporary file");
	c->offset += (uint64_t)got;
	c->n_left -= n;
	c->at = c->buffer;
	c->end = c->buffer + n;
	return 1;
}

static bool is_first(const void *a, const void *b, const void *context)
{
	const struct cursor *x = *(struct cursor *const *)a, *y = *(struct cursor *const *)b;
	(void)context;
	if (x->at->begin_ns != y->at->begin_ns)
		return x->at->begin_ns < y->at->begin_ns;
	if (x->by_place && x->at->file_place != y->at->file_place)
		return arrivals_place_before(x->at->file_place, y->at->file_place);
	return x->run < y->run;
}

static const struct heap_type heap_of_cursors = {sizeof(struct cursor *), is_first, NULL};

static int runs_merge(struct arrivals *o, struct cursor **heap, size_t n, struct err *e)
{
	heap_make(&heap_of_cursors, heap, n);
	while (n) {
		size_t filled = 0;
		while (n && filled < ARRIVALS_BATCH) {
			o->batch[filled++] = *heap[0]->at++;
			int more = cursor_fill(o, heap[0], e);
			if (more < 0)
				return more;
			if (!more)
				heap[0] = heap[--n];
			heap_sift_down(&heap_of_cursors, heap, n, 0);
		}
		int ret = o->sink.take(o->sink.context, o->batch, filled, e);
		if (ret)
			return ret;
	}
	return 0;
}

int arrivals_runs_merge(struct arrivals *o, struct err *e)
{
	int ret = 0;
	if (!o->n_runs)
		return 0;
	free(o->a); /* the window is no longer needed, and its memory is used for the cursors */
	o->a = NULL;
	size_t each = o->window * sizeof *o->a / o->n_runs;
	each = each > CURSOR_BYTES_MAX   ? CURSOR_BYTES_MAX
	       : each < CURSOR_BYTES_MIN ? CURSOR_BYTES_MIN
					 : each;
	SCOPED_FREE struct cursor *cursor = calloc(o->n_runs, sizeof *cursor);
	SCOPED_FREE struct cursor **heap = calloc(o->n_runs, sizeof *heap);
	if (!cursor || !heap)
		ret = err_set(e, ENOMEM,
			      "not enough memory to sort the requests: "
			      "cannot merge %zu sorted parts",
			      o->n_runs);
	for (size_t i = 0; i < o->n_runs && !ret; i++) {
		struct cursor *c = heap[i] = &cursor[i];
		const struct arrivals_run *r = &o->run[i];
		c->run = i;
		c->by_place = o->by_place;
		if (r->memory) {
			c->at = r->memory;
			c->end = r->memory + r->n;
			continue;
		}
		c->n_left = r->n;
		c->offset = r->offset;
		c->buffer_cap = each / sizeof *c->buffer;
		c->buffer = malloc(c->buffer_cap * sizeof *c->buffer);
		ret = !c->buffer
			 ? err_set(e, ENOMEM,
				   "not enough memory to sort the requests: "
				   "cannot merge %zu sorted parts",
				   o->n_runs)
			 : cursor_fill(o, c, e);
		ret = ret < 0 ? ret : 0;
	}
	ret = ret ? ret : runs_merge(o, heap, o->n_runs, e);
	for (size_t i = 0; cursor && i < o->n_runs; i++)
		free(cursor[i].buffer);
	return ret;
}
