/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/choice.h"

#include "validate/stats/generator.h"

/* if the number of further pairs is unknown: this multiple of the present number */
#define UNKNOWN_TIMES 3

static double pairs_further(const struct choice_scenario *s, size_t i)
{
	return (double)(s->n_further[i] ? s->n_further[i]
			: s->n_done     ? UNKNOWN_TIMES * s->n_done
					: 1);
}

/* Weight of k further pairs: 1 within budget and plan, and decreasing beyond them. */
static double pairs_chance(const struct choice_scenario *s, const struct choice_limits *l, double k)
{
	const double most = fmin(l->left_s / s->pair_s, (double)(l->n_max - s->n_done));
	return k <= most ? 1 : most / k * (most / k);
}

/* Number of cases that are expected to be decided per second, at the best number of further pairs;
 * 0 if all are decided. */
static double choice_rate(const struct choice_scenario *s, const struct choice_limits *l)
{
	double best = 0;
	for (size_t i = 0; i < s->n_inconclusive; i++) {
		const double k = pairs_further(s, i);
		size_t n = 0;
		for (size_t j = 0; j < s->n_inconclusive; j++)
			n += pairs_further(s, j) <= k;
		best = fmax(best, (double)n * pairs_chance(s, l, k) / (k * s->pair_s));
	}
	return best;
}

static bool is_open(const struct choice_scenario *s, const struct choice_limits *l)
{
	return s->n_inconclusive && s->n_done < l->n_max && s->pair_s <= l->left_s;
}

size_t choice_next(const struct choice_scenario *s, size_t n, const struct choice_limits *l,
		   bool *drawn)
{
	struct generator g;
	size_t *open = xcalloc(n + 1, sizeof *open), n_open = 0, best = CHOICE_NONE;
	double most = -1;
	for (size_t i = 0; i < n; i++)
		if (is_open(&s[i], l))
			open[n_open++] = i;
	*drawn = n_open && l->n_choices % CHOICE_DRAW_EVERY == CHOICE_DRAW_EVERY - 1;
	if (*drawn) {
		generator_seed(&g, l->seed, l->n_choices);
		best = open[generator_below(&g, n_open)];
	}
	for (size_t i = 0; i < n_open && !*drawn; i++) {
		const double rate = choice_rate(&s[open[i]], l);
		if (rate > most) {
			most = rate;
			best = open[i];
		}
	}
	free(open);
	return best;
}
