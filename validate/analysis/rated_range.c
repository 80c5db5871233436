/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/rated_range.h"

#include "common/sort.h"

/* --- matching of cases --------------------------------------------------- */

/* Copies a name without the factors of a range: "random-read level=2 pause=10us direct=yes" becomes
 * "random-read direct=yes". */
static void name_without(char *out, size_t size, const char *name, const char *const *factor)
{
	size_t len = 0;
	*out = '\0';
	while (*name) {
		size_t n = strcspn(name, " ");
		bool drop = false;
		for (size_t i = 0; factor[i]; i++)
			drop |= !strncmp(name, factor[i], strlen(factor[i]));
		if (!drop && n && len + n + 2 < size)
			len += (size_t)snprintf(out + len, size - len, "%s%.*s", len ? " " : "",
						(int)n, name);
		name += n;
		name += strspn(name, " ");
	}
}

static void names_of(struct rated_range *r, const struct analysis *a, const struct cell *c)
{
	static const char *const of_scenario[] = {"level=", "pause=", NULL}, *const of_replayer[] =
										 {"speed=", NULL};
	const struct protocol *p = &a->results->protocol;
	name_without(r->name, sizeof r->name, p->scenario[c->scenario].name, of_scenario);
	name_without(r->replayer, sizeof r->replayer, p->replayer[c->replayer].name, of_replayer);
}

static struct rated_range *range_of(struct analysis *a, const struct cell *c)
{
	struct rated_range wanted = {.n = 0};
	names_of(&wanted, a, c);
	for (size_t i = 0; i < a->n_rated; i++)
		if (!strcmp(a->rated[i].name, wanted.name) &&
		    !strcmp(a->rated[i].replayer, wanted.replayer))
			return &a->rated[i];
	a->rated[a->n_rated] = wanted;
	return &a->rated[a->n_rated++];
}

/* --- demand of a case ---------------------------------------------------- */

static double speed_of(const struct replayer *r)
{
	const char *text = r->timed ? replayer_option(r, "speed") : NULL;
	const double speed = text ? strtod(text, NULL) : 1;
	return speed > 0 && isfinite(speed) ? speed : 1;
}

/* Sets a point. Returns false if the program's runs do not have the rate. */
static bool point_of(struct rated_point *q, const struct analysis *a, size_t cell)
{
	const struct cell *c = &a->cell[cell];
	const struct protocol *p = &a->results->protocol;
	uint64_t level = p->scenario[c->scenario].level ? p->scenario[c->scenario].level : 1;
	*q = (struct rated_point){.cell = cell, .level = level, .verdict = c->verdict,
		.speed = speed_of(&p->replayer[c->replayer])};
	if (!(c->r_rate.mean > 0) || !isfinite(c->r_rate.mean) || !isfinite(c->r.mean))
		return false;
	q->rate = c->r_rate.mean * q->speed;
	q->gap_ns = isnan(c->n_lanes)
			? NAN
			: fmax(0, c->n_lanes - c->concurrency.mean_r) * 1e9 / q->rate;
	return true;
}

/* --- limits -------------------------------------------------------------- */

ORDER_BY(by_rate, struct rated_point, rate, cell)

/* Finds the limit. order[n]: indices of points, the least demanding first. */
static struct rated_limit limit_of(const struct rated_range *r, const size_t *order)
{
	struct rated_limit l = {RATED_NONE, RATED_NONE, 0};
	size_t k = 0;
	while (k < r->n && r->point[order[k]].verdict == VERDICT_TRUSTED)
		l.last = order[k++];
	if (k < r->n)
		l.next = order[k];
	for (; k < r->n; k++)
		l.n_beyond += r->point[order[k]].verdict == VERDICT_TRUSTED;
	return l;
}

static bool has_gaps(const struct rated_range *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (isnan(r->point[i].gap_ns))
			return false;
	return true;
}

static void limits_find(struct rated_range *r)
{
	SCOPED_FREE size_t *order = xcalloc(r->n + 1, sizeof *order);
	qsort(r->point, r->n, sizeof *r->point, by_rate);
	for (size_t i = 0; i < r->n; i++)
		order[i] = i;
	r->rate = limit_of(r, order);
	/* sort by gap, longest first; insertion sort, because it is stable and n is small */
	for (size_t i = 1; i < r->n; i++)
		for (size_t k = i; k && r->point[order[k]].gap_ns > r->point[order[k - 1]].gap_ns;
		     k--) {
			size_t swap = order[k];
			order[k] = order[k - 1];
			order[k - 1] = swap;
		}
	r->gap = has_gaps(r) ? limit_of(r, order) : (struct rated_limit){RATED_NONE, RATED_NONE, 0};
}

void rated_ranges_compute(struct analysis *a)
{
	a->rated = xcalloc(a->n_cells + 1, sizeof *a->rated);
	a->n_rated = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		struct rated_point q;
		if (!point_of(&q, a, i))
			continue;
		struct rated_range *r = range_of(a, &a->cell[i]);
		r->point = xreallocarray(r->point, r->n + 1, sizeof *r->point);
		r->point[r->n++] = q;
	}
	for (size_t i = 0; i < a->n_rated; i++)
		limits_find(&a->rated[i]);
}

void rated_ranges_release(struct analysis *a)
{
	for (size_t i = 0; i < a->n_rated; i++)
		free(a->rated[i].point);
	free(a->rated);
	a->rated = NULL;
	a->n_rated = 0;
}
