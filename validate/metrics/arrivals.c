/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Insertion sort is used while few places move, otherwise qsort. */
#include "validate/metrics/arrivals.h"

/* insertion sort stops if it needs more moves per request on average than this, plus MOVES_FREE */
#define MOVES_PER_REQUEST 2
#define MOVES_FREE 2000
/* The window grows if a request lags by more than this part of it. With 4 it could grow too
 * late. */
#define LAG_SHARE 6

static void window_empty(struct arrivals *o)
{
	o->n = 0;
	o->unsorted = false;
	o->max_ns = INT64_MIN;
}

int arrivals_init(struct arrivals *o, enum arrivals_mode mode,
		  const struct arrivals_options *options, struct arrivals_sink sink, struct err *e)
{
	memset(o, 0, sizeof *o);
	o->mode = mode;
	o->options = *options;
	o->sink = sink;
	o->fd = -1;
	o->given_ns = INT64_MIN;
	window_empty(o);
	const size_t window =
	    mode == ARRIVALS_RUNS ? options->window_max : options->window_min;
	o->window = window;
	o->a = malloc(o->window * sizeof *o->a);
	o->order = malloc(o->window * sizeof *o->order);
	o->batch = malloc(ARRIVALS_BATCH * sizeof *o->batch);
	if (!o->a || !o->order || !o->batch) {
		arrivals_release(o);
		return err_set(e, ENOMEM, "not enough memory to sort %zu requests", window);
	}
	return 0;
}

void arrivals_release(struct arrivals *o)
{
	arrivals_runs_release(o);
	FREE_EACH(o->a, o->batch, o->order);
	memset(o, 0, sizeof *o);
	o->fd = -1;
}

int arrivals_give(struct arrivals *o, const uint32_t *order, size_t from, size_t to, struct err *e)
{
	if (!order)
		return to > from ? o->sink.take(o->sink.context, o->a + from, to - from, e) : 0;
	int ret = 0;
	while (from < to && !ret) {
		size_t n = to - from < ARRIVALS_BATCH ? to - from : ARRIVALS_BATCH;
		for (size_t i = 0; i < n; i++)
			o->batch[i] = o->a[order[from + i]];
		ret = o->sink.take(o->sink.context, o->batch, n, e);
		from += n;
	}
	return ret;
}

/* --- sorting ------------------------------------------------------------- */

static int compare_places(const void *x, const void *y, void *arrivals)
{
	const struct arrivals *o = arrivals;
	const uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	const struct arrival *a = &o->a[i], *b = &o->a[j];
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (o->by_place && a->file_place != b->file_place)
		return arrivals_place_before(a->file_place, b->file_place) ? -1 : 1;
	return i < j ? -1 : 1;
}

/* Returns false if too many places move. */
static bool insertion_sort(struct arrivals *o)
{
	size_t moves = 0;
	for (size_t i = 1; i < o->n; i++) {
		const uint32_t place = o->order[i];
		size_t j = i;
		for (; j && compare_places(&o->order[j - 1], &place, o) > 0; j--)
			o->order[j] = o->order[j - 1];
		o->order[j] = place;
		moves += i - j;
		if (moves > MOVES_PER_REQUEST * i + MOVES_FREE)
			return false;
	}
	return true;
}

/* Returns the places in the window in the order of the requests; NULL if the window is already
 * sorted. */
static const uint32_t *window_sort(struct arrivals *o)
{
	if (!o->unsorted)
		return NULL;
	for (uint32_t i = 0; i < o->n; i++)
		o->order[i] = i;
	if (!insertion_sort(o))
		qsort_r(o->order, o->n, sizeof *o->order, compare_places, o);
	return o->order;
}

/* --- the window ---------------------------------------------------------- */

/* The largest number of places by which a request moves forward. */
static size_t lag_max(const uint32_t *order, size_t n)
{
	size_t most = 0;
	for (size_t i = 0; order && i < n; i++) {
		size_t d = order[i] > i ? order[i] - i : 0;
		most = d > most ? d : most;
	}
	return most;
}

/* Moves the requests from the given place on to the front of the window, in order. */
static int keep_rest(struct arrivals *o, const uint32_t *order, size_t from, struct err *e)
{
	size_t n = o->n - from;
	if (!order) {
		memmove(o->a, o->a + from, n * sizeof *o->a);
	} else {
		SCOPED_FREE struct arrival *rest = malloc((n ? n : 1) * sizeof *rest);
		if (!rest)
			return err_set(e, ENOMEM, "not enough memory to keep %zu requests", n);
		for (size_t i = 0; i < n; i++)
			rest[i] = o->a[order[from + i]];
		memcpy(o->a, rest, n * sizeof *rest);
	}
	window_empty(o);
	o->n = n;
	if (n)
		o->max_ns = o->a[n - 1].begin_ns;
	return 0;
}

static int grow_window(struct arrivals *o, struct err *e)
{
	struct arrival *a = realloc(o->a, 2 * o->window * sizeof *a);
	o->a = a ? a : o->a;
	uint32_t *order = realloc(o->order, 2 * o->window * sizeof *order);
	o->order = order ? order : o->order;
	if (!a || !order)
		return err_set(e, ENOMEM, "not enough memory to sort %zu requests",
			       2 * o->window);
	o->window *= 2;
	return 0;
}

/* Whether a request belongs before a request that was already passed to the sink. */
static bool is_late(const struct arrivals *o, const struct arrival *a)
{
	return a->begin_ns < o->given_ns || (o->by_place && a->begin_ns == o->given_ns &&
					     arrivals_place_before(a->file_place, o->given_place));
}

/* Passes all but the last `keep` requests to the sink. */
static int window_give(struct arrivals *o, size_t keep, struct err *e)
{
	const uint32_t *order = window_sort(o);
	int ret;
	if (keep && o->window < o->options.window_max &&
	    lag_max(order, o->n) > o->window / LAG_SHARE) {
		ret = keep_rest(o, order, 0, e);
		return ret ? ret : grow_window(o, e);
	}
	size_t n_given = o->n - keep;
	if (n_given && is_late(o, &o->a[order ? order[0] : 0])) {
		o->late = true;
		return 0;
	}
	ret = arrivals_give(o, order, 0, n_given, e);
	if (n_given) {
		const struct arrival *last = &o->a[order ? order[n_given - 1] : n_given - 1];
		o->given_ns = last->begin_ns;
		o->given_place = o->by_place ? last->file_place : 0;
	}
	return ret ? ret : keep_rest(o, order, n_given, e);
}

int arrivals_full(struct arrivals *o, struct err *e)
{
	int ret = 0;
	if (o->mode == ARRIVALS_RUNS) {
		ret = arrivals_run_store(o, window_sort(o), e);
		window_empty(o);
	} else if (!o->late) {
		ret = window_give(o, o->window / 4, e);
	}
	if (o->late || ret)
		window_empty(o);
	return ret;
}

int arrivals_finish(struct arrivals *o, struct err *e)
{
	if (o->late)
		return 0;
	if (o->mode == ARRIVALS_WINDOW)
		return window_give(o, 0, e);
	int ret = o->n ? arrivals_full(o, e) : 0;
	return ret ? ret : arrivals_runs_merge(o, e);
}
