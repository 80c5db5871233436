/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/histogram.h"

void histogram_release(struct histogram *h)
{
	free(h->count);
	memset(h, 0, sizeof *h);
}

void histogram_grow(struct histogram *h, uint32_t bucket)
{
	uint32_t n = (bucket / 1024 + 1) * 1024;
	if (n <= h->n_buckets)
		return;
	h->count = xreallocarray(h->count, n, sizeof *h->count);
	memset(h->count + h->n_buckets, 0, (n - h->n_buckets) * sizeof *h->count);
	h->n_buckets = n;
}

double histogram_value(uint32_t bucket)
{
	if (bucket < 2048)
		return bucket;
	unsigned int shift = bucket / 1024 - 1;
	uint64_t low = (uint64_t)(bucket - shift * 1024) << shift;
	return (double)low + 0.5 * (double)((1ull << shift) - 1);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (from->n_buckets > into->n_buckets)
		histogram_grow(into, from->n_buckets - 1);
	for (uint32_t b = 0; b < from->n_buckets; b++)
		into->count[b] += from->count[b];
	into->n += from->n;
	into->n_negative += from->n_negative;
}

uint64_t histogram_rank(double p, uint64_t n)
{
	double wanted = ceil(p * (double)n * (1 - 4e-16));
	return wanted < 1 ? 1 : wanted >= (double)n ? n : (uint64_t)wanted;
}

double histogram_at_rank(const struct histogram *h, uint64_t rank)
{
	uint64_t below = 0;
	uint32_t b = 0;
	while ((below += h->count[b]) < rank)
		b++;
	return histogram_value(b);
}

int histogram_quantile(const struct histogram *h, double p, double *value, struct err *e)
{
	if (!(p >= 0 && p <= 1))
		return err_set(e, EINVAL, "quantile %g: expected 0 to 1", p);
	if (!h->n)
		return err_set(e, ENODATA, "quantile %g does not exist: there are no values", p);
	*value = histogram_at_rank(h, histogram_rank(p, h->n));
	return 0;
}

double histogram_mean_of_ranks(const struct histogram *h, uint64_t first, uint64_t n)
{
	uint64_t skip = first - 1, left = n;
	/* sum distances from the first counted value, so that a large common part costs no
	 * digits */
	double sum = 0, base = 0;
	bool have_base = false;
	for (uint32_t b = 0; left; b++) {
		uint64_t in_bucket = h->count[b], skipped = in_bucket < skip ? in_bucket : skip;
		skip -= skipped;
		in_bucket -= skipped;
		if (in_bucket > left)
			in_bucket = left;
		if (!in_bucket)
			continue;
		if (!have_base)
			base = histogram_value(b);
		have_base = true;
		sum += (double)in_bucket * (histogram_value(b) - base);
		left -= in_bucket;
	}
	return base + sum / (double)n;
}

int histogram_trimmed_mean(const struct histogram *h, double share, double *mean, struct err *e)
{
	if (!(share >= 0 && share < 0.5))
		return err_set(e, EINVAL, "trimmed share %g: expected 0 to less than 0.5", share);
	if (!h->n)
		return err_set(e, ENODATA, "the trimmed mean does not exist: there are no values");
	uint64_t cut = (uint64_t)(share * (double)h->n * (1 + 4e-16));
	if (2 * cut >= h->n)
		cut = (h->n - 1) / 2;
	*mean = histogram_mean_of_ranks(h, cut + 1, h->n - 2 * cut);
	return 0;
}

void histogram_count_at_most(const struct histogram *h, const double *edge, size_t n,
			     uint64_t *at_most)
{
	uint64_t below = 0; /* values in the buckets before b */
	uint32_t b = 0;
	for (size_t k = 0; k < n; k++) {
		uint64_t whole = edge[k] < 0x1p62 ? (uint64_t)edge[k] : (uint64_t)1 << 62;
		uint32_t last = histogram_bucket(whole);
		for (; b < last && b < h->n_buckets; b++)
			below += h->count[b];
		at_most[k] = below;
		if (last >= h->n_buckets)
			continue;
		unsigned int shift = last < 2048 ? 0 : last / 1024 - 1;
		uint64_t width = (uint64_t)1 << shift, covered = (whole & (width - 1)) + 1;
		at_most[k] +=
		    (uint64_t)((double)h->count[last] * ((double)covered / (double)width) + 0.5);
	}
}

uint64_t histogram_count_above(const struct histogram *h, double value)
{
	uint64_t n = 0;
	for (uint32_t b = h->n_buckets; b-- && histogram_value(b) > value;)
		n += h->count[b];
	return n;
}

/* --- JSON ---------------------------------------------------------------- */

/* A gap of at most this many empty buckets is written as zeros, not as a new run. */
#define MAX_ZEROS 2

json_t *histogram_to_json(const struct histogram *h)
{
	json_t *runs = json_array(), *run = NULL;
	uint32_t next = 0; /* one past the last bucket of the current run */
	for (uint32_t b = 0; b < h->n_buckets; b++) {
		if (!h->count[b])
			continue;
		if (!run || b > next + MAX_ZEROS) {
			run = json_array();
			json_array_append_new(runs, run);
			json_array_append_new(run, json_integer(b));
			next = b;
		}
		for (; next < b; next++)
			json_array_append_new(run, json_integer(0));
		json_array_append_new(run, json_integer((json_int_t)h->count[b]));
		next = b + 1;
	}
	return json_pack("{s:I, s:I, s:o}", "n", (json_int_t)h->n, "negative",
			 (json_int_t)h->n_negative, "buckets", runs);
}

/* Reads a run of adjacent buckets; *next is the first bucket that the run may use. */
static int run_from_json(struct histogram *h, const json_t *run, uint64_t *next, struct err *e)
{
	const json_t *first = json_array_get(run, 0);
	if (!json_is_integer(first) || json_array_size(run) < 2)
		return err_set(e, EINVAL,
			       "histogram: each element of \"buckets\" must be an array of a "
			       "bucket and its counts");
	json_int_t start = json_integer_value(first);
	size_t n = json_array_size(run) - 1;
	if (start < 0 || (uint64_t)start < *next || start >= HISTOGRAM_MAX_BUCKETS ||
	    n > HISTOGRAM_MAX_BUCKETS - (uint64_t)start)
		return err_set(e, EINVAL, "histogram: bucket %lld: out of range or not in order",
			       (long long)start);
	histogram_grow(h, (uint32_t)((uint64_t)start + n - 1));
	for (size_t i = 0; i < n; i++) {
		const json_t *count = json_array_get(run, i + 1);
		json_int_t c = json_integer_value(count);
		if (!json_is_integer(count) || c < 0 || c > INT64_MAX - (int64_t)h->n)
			return err_set(e, EINVAL,
				       "histogram: the count of bucket %llu is not an integer of 0 "
				       "or more",
				       (unsigned long long)start + i);
		h->count[(uint64_t)start + i] = (uint64_t)c;
		h->n += (uint64_t)c;
	}
	*next = (uint64_t)start + n;
	return 0;
}

int histogram_from_json(struct histogram *h, const json_t *o, struct err *e)
{
	*h = (struct histogram){0};
	const json_t *n = json_object_get(o, "n"), *negative = json_object_get(o, "negative");
	const json_t *runs = json_object_get(o, "buckets");
	if (!json_is_integer(n) || !json_is_integer(negative) || json_integer_value(negative) < 0 ||
	    !json_is_array(runs))
		return err_set(e, EINVAL,
			       "histogram: \"n\", \"negative\" and \"buckets\" are needed");
	int ret = 0;
	uint64_t next = 0;
	for (size_t i = 0; i < json_array_size(runs) && !ret; i++)
		ret = run_from_json(h, json_array_get(runs, i), &next, e);
	if (!ret && (json_int_t)h->n != json_integer_value(n))
		ret = err_set(e, EINVAL, "histogram: the counts add up to %llu, not to n = %lld",
			      (unsigned long long)h->n, (long long)json_integer_value(n));
	if (ret)
		histogram_release(h);
	else
		h->n_negative = (uint64_t)json_integer_value(negative);
	return ret;
}
