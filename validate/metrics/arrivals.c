/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts a window by 64-bit keys: the high bits are the start relative to the earliest start, the
 * low bits the place in the window. So keys are distinct and the sort is stable. Insertion sort is
 * used while few keys move, otherwise radix sort. */
#include "validate/metrics/arrivals.h"

/* insertion sort stops if it needs more moves per key on average than this, plus MOVES_FREE */
#define MOVES_PER_KEY 2
#define MOVES_FREE 2000
/* The window grows if a request lags by more than this part of it. With 4 it could grow too
 * late. */
#define LAG_SHARE 6
#define MAX_DIGIT_BITS 11
#define MAX_DIGITS 4 /* 4 * 11 bits cover the 44 bits of a key's time */

static void window_empty(struct arrivals *o)
{
	o->n = 0;
	o->unsorted = false;
	o->min_ns = INT64_MAX;
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
	o->window = mode == ARRIVALS_RUNS ? options->window_max : options->window_min;
	o->a = malloc(o->window * sizeof *o->a);
	o->batch = malloc(ARRIVALS_BATCH * sizeof *o->batch);
	if (!o->a || !o->batch) {
		arrivals_release(o);
		return err_set(e, ENOMEM, "not enough memory for a window of %zu requests",
			       options->window_min);
	}
	return 0;
}

void arrivals_release(struct arrivals *o)
{
	arrivals_runs_release(o);
	FREE_EACH(o->a, o->batch, o->key, o->scratch);
	memset(o, 0, sizeof *o);
	o->fd = -1;
}

int arrivals_give(struct arrivals *o, const uint64_t *key, size_t from, size_t to, struct err *e)
{
	if (!key)
		return to > from ? o->sink.take(o->sink.context, o->a + from, to - from, e) : 0;
	int ret = 0;
	while (from < to && !ret) {
		size_t n = to - from < ARRIVALS_BATCH ? to - from : ARRIVALS_BATCH;
		for (size_t i = 0; i < n; i++)
			o->batch[i] = o->a[ARRIVALS_INDEX(key[from + i])];
		ret = o->sink.take(o->sink.context, o->batch, n, e);
		from += n;
	}
	return ret;
}

/* --- sorting ------------------------------------------------------------- */

static bool insertion_sort(uint64_t *key, size_t n)
{
	size_t moves = 0;
	for (size_t i = 1; i < n; i++) {
		uint64_t k = key[i];
		size_t j = i;
		for (; j && key[j - 1] > k; j--)
			key[j] = key[j - 1];
		key[j] = k;
		moves += i - j;
		if (moves > MOVES_PER_KEY * i + MOVES_FREE)
			return false;
	}
	return true;
}

/* Sorts by the `bits` bits above the index. The result is in *key. The two arrays may be
 * exchanged. */
static void radix_sort(uint64_t **key, uint64_t **scratch, size_t n, unsigned int bits)
{
	unsigned int n_digits = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
	unsigned int width = (bits + n_digits - 1) / n_digits;
	uint32_t mask = (1u << width) - 1;
	uint32_t count[MAX_DIGITS][1u << MAX_DIGIT_BITS];
	memset(count, 0, n_digits * sizeof count[0]);
	for (size_t i = 0; i < n; i++) {
		uint64_t k = (*key)[i] >> ARRIVALS_INDEX_BITS;
		for (unsigned int d = 0; d < n_digits; d++, k >>= width)
			count[d][k & mask]++;
	}
	for (unsigned int d = 0; d < n_digits; d++) {
		uint32_t place = 0;
		for (uint32_t v = 0; v <= mask; v++) {
			uint32_t c = count[d][v];
			count[d][v] = place;
			place += c;
		}
		unsigned int shift = ARRIVALS_INDEX_BITS + d * width;
		const uint64_t *from = *key;
		uint64_t *to = *scratch;
		for (size_t i = 0; i < n; i++)
			to[count[d][from[i] >> shift & mask]++] = from[i];
		*scratch = *key;
		*key = to;
	}
}

static int compare_places(const void *x, const void *y, void *arrivals)
{
	const struct arrival *a = arrivals;
	uint64_t i = *(const uint64_t *)x, j = *(const uint64_t *)y;
	if (a[i].begin_ns != a[j].begin_ns)
		return a[i].begin_ns < a[j].begin_ns ? -1 : 1;
	return i < j ? -1 : 1;
}

static int reserve_keys(struct arrivals *o, struct err *e)
{
	if (o->key_cap >= o->window)
		return 0;
	FREE_EACH(o->key, o->scratch);
	o->key = malloc(o->window * sizeof *o->key);
	o->scratch = malloc(o->window * sizeof *o->scratch);
	o->key_cap = o->key && o->scratch ? o->window : 0;
	return o->key_cap ? 0
			  : err_set(e, ENOMEM, "not enough memory to sort %zu requests", o->window);
}

static void keys_make(struct arrivals *o)
{
	for (size_t i = 0; i < o->n; i++)
		o->key[i] =
		    ((uint64_t)o->a[i].begin_ns - (uint64_t)o->min_ns) << ARRIVALS_INDEX_BITS | i;
}

static int compare_file_places(const void *x, const void *y, void *arrivals)
{
	const struct arrival *a = arrivals;
	const uint32_t i = a[ARRIVALS_INDEX(*(const uint64_t *)x)].file_place;
	const uint32_t j = a[ARRIVALS_INDEX(*(const uint64_t *)y)].file_place;
	return i == j ? 0 : arrivals_place_before(i, j) ? -1 : 1;
}

/* Sorts keys with equal starts into the order of the file. The keys must be sorted by start. */
static void ties_sort(struct arrivals *o)
{
	for (size_t i = 0, next; i < o->n; i = next) {
		const int64_t begin_ns = o->a[ARRIVALS_INDEX(o->key[i])].begin_ns;
		for (next = i + 1;
		     next < o->n && o->a[ARRIVALS_INDEX(o->key[next])].begin_ns == begin_ns;)
			next++;
		if (next - i > 1)
			qsort_r(o->key + i, next - i, sizeof *o->key, compare_file_places, o->a);
	}
}

/* Sets *order to sorted keys whose low bits are places in the window, or to NULL if the window is
 * already sorted. */
static int window_sort(struct arrivals *o, const uint64_t **order, struct err *e)
{
	*order = NULL;
	if (!o->unsorted)
		return 0;
	int ret = reserve_keys(o, e);
	if (ret)
		return ret;
	uint64_t range = (uint64_t)o->max_ns - (uint64_t)o->min_ns;
	unsigned int bits = 64u - (unsigned int)__builtin_clzll(range | 1);
	if (bits > 64 - ARRIVALS_INDEX_BITS) { /* the window covers hours: speed does not matter */
		for (size_t i = 0; i < o->n; i++)
			o->key[i] = i;
		qsort_r(o->key, o->n, sizeof *o->key, compare_places, o->a);
	} else {
		keys_make(o);
		if (!insertion_sort(o->key, o->n))
			radix_sort(&o->key, &o->scratch, o->n,
				   bits); /* may swap the two arrays */
	}
	if (o->by_place)
		ties_sort(o);
	*order = o->key;
	return 0;
}

/* --- the window ---------------------------------------------------------- */

/* The largest number of places by which a request moves forward. */
static size_t lag(const uint64_t *order, size_t n)
{
	size_t most = 0;
	for (size_t i = 0; order && i < n; i++) {
		size_t from = ARRIVALS_INDEX(order[i]);
		size_t d = from > i ? from - i : 0;
		most = d > most ? d : most;
	}
	return most;
}

/* Moves the requests from the given place on to the front of the window, in order. */
static int keep_rest(struct arrivals *o, const uint64_t *order, size_t from, struct err *e)
{
	size_t n = o->n - from;
	if (!order) {
		memmove(o->a, o->a + from, n * sizeof *o->a);
	} else {
		SCOPED_FREE struct arrival *rest = malloc((n ? n : 1) * sizeof *rest);
		if (!rest)
			return err_set(e, ENOMEM, "not enough memory to keep %zu requests", n);
		for (size_t i = 0; i < n; i++)
			rest[i] = o->a[ARRIVALS_INDEX(order[from + i])];
		memcpy(o->a, rest, n * sizeof *rest);
	}
	window_empty(o);
	o->n = n;
	if (n) {
		o->min_ns = o->a[0].begin_ns;
		o->max_ns = o->a[n - 1].begin_ns;
	}
	return 0;
}

static int grow_window(struct arrivals *o, struct err *e)
{
	struct arrival *a = realloc(o->a, 2 * o->window * sizeof *a);
	if (!a)
		return err_set(e, ENOMEM, "not enough memory for a window of %zu requests",
			       2 * o->window);
	o->a = a;
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
	const uint64_t *order;
	int ret = window_sort(o, &order, e);
	if (ret)
		return ret;
	if (keep && o->window < o->options.window_max && lag(order, o->n) > o->window / LAG_SHARE) {
		ret = grow_window(o, e);
		return ret ? ret : keep_rest(o, order, 0, e);
	}
	size_t n_given = o->n - keep;
	if (n_given && is_late(o, &o->a[order ? ARRIVALS_INDEX(order[0]) : 0])) {
		o->late = true;
		return 0;
	}
	ret = arrivals_give(o, order, 0, n_given, e);
	if (n_given) {
		const struct arrival *last =
		    &o->a[order ? ARRIVALS_INDEX(order[n_given - 1]) : n_given - 1];
		o->given_ns = last->begin_ns;
		o->given_place = o->by_place ? last->file_place : 0;
	}
	return ret ? ret : keep_rest(o, order, n_given, e);
}

int arrivals_full(struct arrivals *o, struct err *e)
{
	int ret = 0;
	if (o->mode == ARRIVALS_RUNS) {
		const uint64_t *order;
		ret = window_sort(o, &order, e);
		ret = ret ? ret : arrivals_run_store(o, order, e);
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
