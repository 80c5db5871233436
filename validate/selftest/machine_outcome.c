/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a campaign: the verdict of every cell, and for A/A campaigns those with permuted
 * labels. */

#include <gsl/gsl_rng.h>

#include "validate/analysis/analysis.h"
#include "validate/selftest/machine_private.h"

static json_t *rejections_json(const struct cell *c)
{
	json_t *list = json_array();
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].decision == DECISION_REJECT)
			json_array_append_new(list, json_string(component_names[k]));
	return list;
}

static json_t *cells_json(const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	json_t *list = json_array();
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:i, s:i}", "scenario",
			p->scenario[c->scenario].name, "replayer", p->replayer[c->replayer].name,
			"verdict", verdict_name(c->verdict), "rejected", rejections_json(c),
			"pairs", (int)c->n_pairs, "failed",
			(int)(c->n_failed_program + c->n_failed_replayer)));
	}
	return list;
}

/* --- labels exchanged within blocks -------------------------------------- */

/* The runs of replayer 0 and of the program, by block and scenario, whose labels may be
 * exchanged. */
struct exchange {
	struct run **first, **second; /* owned arrays of borrowed runs */
	size_t n;
};

static void exchange_find(struct exchange *x, struct results *r)
{
	*x = (struct exchange){xcalloc(r->n_runs + 1, sizeof *x->first),
			       xcalloc(r->n_runs + 1, sizeof *x->second), 0};
	for (size_t i = 0; i < r->n_runs; i++)
		for (size_t j = 0; r->run[i].role == ROLE_PROGRAM && j < r->n_runs; j++)
			if (r->run[j].role == 0 && r->run[j].block == r->run[i].block &&
			    r->run[j].scenario == r->run[i].scenario) {
				x->first[x->n] = &r->run[i];
				x->second[x->n++] = &r->run[j];
			}
}

static void exchange_make(const struct exchange *x, gsl_rng *rng)
{
	for (size_t i = 0; i < x->n; i++) {
		bool swap = gsl_rng_uniform(rng) < 0.5;
		x->first[i]->role = swap ? 0 : ROLE_PROGRAM;
		x->second[i]->role = swap ? ROLE_PROGRAM : 0;
	}
}

static json_t *permutations_json(struct results *r, uint64_t n_permutations, uint64_t seed)
{
	struct exchange x;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	uint64_t n = 0, any = 0, n_cells = 0, not_trusted = 0, trusted = 0;
	gsl_rng_set(rng, seed);
	exchange_find(&x, r);
	for (uint64_t i = 0; i < n_permutations; i++) {
		SCOPED(analysis_release) struct analysis a;
		exchange_make(&x, rng);
		if (analysis_compute(&a, r, NULL) < 0)
			continue;
		n++;
		any += a.n_not_trusted > 0;
		n_cells += a.n_cells;
		not_trusted += a.n_not_trusted;
		trusted += a.n_trusted;
	}
	gsl_rng_free(rng);
	FREE_EACH(x.first, x.second);
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "n", (json_int_t)n, "any_not_trusted",
			 (json_int_t)any, "cells", (json_int_t)n_cells, "not_trusted",
			 (json_int_t)not_trusted, "trusted", (json_int_t)trusted);
}

/* --- the outcome --------------------------------------------------------- */

static double mean_response(const struct results *r)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->run[i].block > 0 && r->run[i].role != ROLE_RECORD && r->run[i].has_summary) {
			sum += r->run[i].summary.response.mean;
			n++;
		}
	return n ? sum / (double)n : 0;
}

json_t *machine_outcome(const struct unit *u, const char *dir, const struct machine_options *o,
			struct err *e)
{
	SCOPED(results_release) struct results r = {0};
	SCOPED(analysis_release) struct analysis a = {0};
	json_t *outcome = NULL;
	if (results_load(&r, dir, e) < 0)
		return NULL;
	if (u->kind == UNIT_PILOT) {
		double mean = mean_response(&r);
		if (mean > 0)
			outcome = json_pack("{s:s, s:f}", "kind", unit_names[u->kind],
					    "response_ns", mean);
		else
			err_set(e, ENODATA, "%s: no run of the pilot campaign succeeded", dir);
	} else if (analysis_compute(&a, &r, e) == 0) {
		outcome = json_pack("{s:s, s:I, s:o}", "kind", unit_names[u->kind], "index",
				    (json_int_t)u->index, "cells", cells_json(&a));
		if (u->kind == UNIT_AA)
			json_object_set_new(outcome, "permuted",
					    permutations_json(&r, o->n_permutations, u->index + 1));
	}
	return outcome;
}
