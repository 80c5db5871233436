/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_randist.h>

#include "common/units.h"
#include "common/words.h"
#include "microbench/block/block_load.h"
#include "microbench/draw.h"

static int size_add(struct block_sizes *s, char *item, struct err *e)
{
	char *colon = strchr(item, ':');
	double share = 1;
	uint64_t bytes;
	if (s->n == BLOCK_SIZES_MAX)
		return err_set(e, EINVAL, "sizes: more than %d sizes are listed", BLOCK_SIZES_MAX);
	if (colon) {
		*colon = 0;
		if (parse_ratio(colon + 1, &share, e) || share < 0)
			return err_context(e, "sizes");
	}
	if (parse_size(item, &bytes, e))
		return err_context(e, "sizes");
	if (!bytes || bytes > 1 << 30)
		return err_set(e, EINVAL, "sizes: \"%s\" is not between 1 B and 1 GiB", item);
	s->length[s->n] = (uint32_t)bytes;
	s->max = bytes > s->max ? (uint32_t)bytes : s->max;
	s->min = bytes < s->min || !s->n ? (uint32_t)bytes : s->min;
	s->upto[s->n] = share + (s->n ? s->upto[s->n - 1] : 0);
	s->n++;
	return 0;
}

int block_sizes_parse(struct block_sizes *s, const char *text, struct err *e)
{
	SCOPED(words_list_release) struct words_list item;
	*s = (struct block_sizes){.n = 0};
	int ret = words_split(&item, text, e);
	if (ret)
		return err_context(e, "sizes");
	for (size_t i = 0; i < item.n && !ret; i++)
		ret = size_add(s, item.v[i], e);
	if (!ret && s->n > 1 && fabs(s->upto[s->n - 1] - 1) > 1e-6)
		ret = err_set(e, EINVAL, "sizes: the shares add up to %g %%, not to 100 %%",
			      100 * s->upto[s->n - 1]);
	if (!ret)
		s->upto[s->n - 1] = 1;
	return ret;
}

static uint32_t length_draw(const struct block_sizes *s, gsl_rng *rng)
{
	double x = s->n > 1 ? gsl_rng_uniform(rng) : 0;
	uint32_t i = 0;
	while (i + 1 < s->n && x >= s->upto[i])
		i++;
	return s->length[i];
}

/* Draws an offset: sequential in the thread's part of the device, or random on the whole device. */
static uint64_t offset_draw(gsl_rng *rng, uint64_t *next, uint64_t from, uint64_t n_bytes,
			    uint32_t length, uint32_t grain)
{
	/* 64 random bits, because a device can have more blocks than one random number can
	 * distinguish */
	if (rng)
		return (((uint64_t)gsl_rng_get(rng) << 32 | gsl_rng_get(rng)) %
			((n_bytes - length) / grain + 1)) *
		       grain;
	if (*next + length > n_bytes)
		*next = 0;
	uint64_t offset = from + *next;
	*next += length;
	return offset;
}

/* Next due time in ns after the start: bursts at equal intervals with an offset for each thread, or
 * at exponential intervals. */
static double due_next(const struct microbench_config *c, gsl_rng *rng, double last_ns)
{
	double mean_ns = 1e9 * (double)c->level * (double)c->burst / c->rate;
	return last_ns +
	       (c->arrivals == ARRIVALS_POISSON ? gsl_ran_exponential(rng, mean_ns) : mean_ns);
}

static double due_first(const struct microbench_config *c, gsl_rng *rng, unsigned int thread)
{
	double mean_ns = 1e9 * (double)c->level * (double)c->burst / c->rate;
	return c->arrivals == ARRIVALS_POISSON ? gsl_ran_exponential(rng, mean_ns)
					       : mean_ns * thread / (double)c->level;
}

void block_draw(struct drawn_request *request, uint64_t n, const struct microbench_config *c,
		const struct block_sizes *sizes, bool sequential, uint64_t n_bytes, uint32_t grain,
		unsigned int thread)
{
	gsl_rng *where = draw_stream(c->seed, thread, DRAW_BLOCKS),
		*what = draw_stream(c->seed, thread, DRAW_SCRIPT),
		*when = draw_stream(c->seed, thread, DRAW_THINK);
	uint64_t part = n_bytes / c->level / grain * grain, next = 0;
	double due_ns = 0;
	for (uint64_t k = 0; k < n; k++) {
		uint32_t length = length_draw(sizes, what);
		if (c->rate > 0 && k % c->burst == 0)
			due_ns = k ? due_next(c, when, due_ns) : due_first(c, when, thread);
		request[k] = (struct drawn_request){
			.length = length,
			.due = c->rate > 0 ? llround(due_ns) : INT64_MIN,
		};
		struct drawn_request *r = &request[k];
		r->offset = sequential
				    ? offset_draw(NULL, &next, thread * part, part, length, grain)
				    : offset_draw(where, NULL, 0, n_bytes, length, grain);
		r->direction = gsl_rng_uniform(what) < c->read_share ? BLOCK_READ : BLOCK_WRITE;
	}
	gsl_rng_free(where);
	gsl_rng_free(what);
	gsl_rng_free(when);
}
