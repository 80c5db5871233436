/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/pool/pool_league.h"

static enum verdict verdict_of(const struct baseline_case *c)
{
	for (enum verdict v = VERDICT_TRUSTED; v < VERDICT_INCONCLUSIVE; v++)
		if (!strcmp(c->verdict, verdict_name(v)))
			return v;
	return VERDICT_INCONCLUSIVE;
}

static int order_of(enum verdict v)
{
	return v == VERDICT_TRUSTED ? 0 : v == VERDICT_INCONCLUSIVE ? 1 : 2;
}

/* Cases without a bias come last. */
static double size_of(double bias)
{
	return isnan(bias) ? INFINITY : fabs(bias);
}

static int value_order(double a, double b)
{
	return (a > b) - (a < b);
}

static int by_class(const void *x, const void *y)
{
	const struct pool_place *a = x, *b = y;
	int order = value_order((double)a->class, (double)b->class);
	order = order ? order : order_of(a->verdict) - order_of(b->verdict);
	order = order ? order : value_order(size_of(a->one->bias), size_of(b->one->bias));
	return order ? order : value_order((double)a->at, (double)b->at);
}

static double share_of(size_t n, const struct pool_rank *r)
{
	return (double)n / (double)(r->n_trusted + r->n_inconclusive + r->n_not_trusted);
}

static int by_rank(const void *x, const void *y)
{
	const struct pool_rank *a = x, *b = y;
	int order = value_order(a->n_not_trusted > 0, b->n_not_trusted > 0);
	order = order ? order : value_order(share_of(b->n_trusted, b), share_of(a->n_trusted, a));
	order = order ? order
		      : value_order(share_of(a->n_not_trusted, a), share_of(b->n_not_trusted, b));
	order = order ? order : value_order(size_of(a->worst->bias), size_of(b->worst->bias));
	return order ? order : strcmp(a->replayer, b->replayer);
}

/* Returns the first scenario with this name, over all laboratories, so that equal names form one
 * class. */
static size_t class_of(const struct pool *p, const char *scenario)
{
	size_t at = 0;
	for (size_t i = 0; i < p->n_laboratories; i++) {
		const struct baseline *b = p->laboratory[i].baseline;
		for (size_t k = 0; k < b->n_scenarios; k++, at++)
			if (!strcmp(b->scenario[k].name, scenario))
				return at;
	}
	return at;
}

static struct pool_rank *rank_find(struct pool_league *l, const char *replayer)
{
	for (size_t i = 0; i < l->n_ranks; i++)
		if (!strcmp(l->rank[i].replayer, replayer))
			return &l->rank[i];
	l->rank[l->n_ranks] = (struct pool_rank){.replayer = replayer};
	return &l->rank[l->n_ranks++];
}

static void place_add(struct pool_league *l, const struct pool_place *place)
{
	struct pool_rank *r = rank_find(l, place->one->replayer);
	l->place[l->n_places++] = *place;
	r->n_trusted += place->verdict == VERDICT_TRUSTED;
	r->n_inconclusive += place->verdict == VERDICT_INCONCLUSIVE;
	r->n_not_trusted += place->verdict == VERDICT_NOT_TRUSTED;
	r->n_laboratories += !r->worst || r->last_laboratory != place->laboratory;
	r->last_laboratory = place->laboratory;
	if (!r->worst || isnan(r->worst->bias) ||
	    (!isnan(place->one->bias) && fabs(place->one->bias) > fabs(r->worst->bias))) {
		r->worst = place->one;
		r->worst_scenario = place->scenario;
	}
}

void pool_league_make(struct pool_league *l, const struct pool *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_laboratories; i++)
		n += p->laboratory[i].baseline->n_cells;
	*l = (struct pool_league){.place = xcalloc(n + 1, sizeof *l->place),
				  .rank = xcalloc(n + 1, sizeof *l->rank)};
	for (size_t i = 0; i < p->n_laboratories; i++) {
		const struct baseline *b = p->laboratory[i].baseline;
		for (size_t k = 0; k < b->n_cells; k++) {
			const struct baseline_case *c = &b->cell[k];
			const char *scenario = b->scenario[c->scenario].name;
			place_add(l, &(struct pool_place){.at = l->n_places, .laboratory = i,
				.class = class_of(p, scenario), .scenario = scenario, .one = c,
				.verdict = verdict_of(c)});
		}
	}
	qsort(l->place, l->n_places, sizeof *l->place, by_class);
	qsort(l->rank, l->n_ranks, sizeof *l->rank, by_rank);
}

void pool_league_release(struct pool_league *l)
{
	FREE_EACH(l->place, l->rank);
	*l = (struct pool_league){0};
}
