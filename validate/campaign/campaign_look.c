/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks: planned looks, after which a campaign may end, and the looks after each group of a
 * campaign with a budget. */
#include "validate/analysis/analysis.h"
#include "validate/campaign/campaign_state.h"
#include "validate/compare/compare.h"

/* If [compare] names two replayers, the decision concerns their difference. */
struct look_comparison {
	struct baseline was, is;
	struct campaign_change change;
};

static void comparison_release(struct look_comparison *k)
{
	campaign_change_release(&k->change);
	baseline_release(&k->was);
	baseline_release(&k->is);
}

/* Makes the comparison. Ownership: comparison_release(), also after an error. */
static int comparison_make(struct look_comparison *k, const struct results *r,
			   const struct analysis *a, struct err *e)
{
	*k = (struct look_comparison){0};
	int ret = baseline_make(&k->was, r, a, e);
	ret = ret ? ret : baseline_make(&k->is, r, a, e);
	ret = ret ? ret : baseline_choose(&k->was, r->protocol.compare.old, e);
	ret = ret ? ret : baseline_choose(&k->is, r->protocol.compare.new, e);
	return ret ? ret
		   : compare_compute(&k->change, &k->was, &k->is,
				     &(struct compare_options){.words_only = true}, e);
}

static int comparison_count(const struct results *r, const struct analysis *a,
			    size_t *n_inconclusive, size_t *n_cells, struct err *e)
{
	SCOPED(comparison_release) struct look_comparison k;
	int ret = comparison_make(&k, r, a, e);
	if (!ret) {
		*n_inconclusive = k.change.n_inconclusive;
		*n_cells = k.change.n_cells;
	}
	return ret;
}

static int inconclusive_count(struct campaign *c, size_t *n_inconclusive, size_t *n_cells,
			      struct err *e)
{
	SCOPED(results_release) struct results r = {0};
	SCOPED(analysis_release) struct analysis a = {0};
	int ret = results_load(&r, c->dir, e);
	if (ret)
		return ret;
	r.verdicts_only = true;
	ret = analysis_compute(&a, &r, e);
	/* every run failed: later runs may succeed */
	if (ret == -ENODATA) {
		*n_inconclusive = *n_cells = 1;
		ret = 0;
	} else if (!ret) {
		*n_inconclusive = a.n_inconclusive;
		*n_cells = a.n_cells;
		if (r.protocol.compare.old)
			ret = comparison_count(&r, &a, n_inconclusive, n_cells, e);
	}
	return ret;
}

int look_after(struct campaign *c, uint64_t block, struct err *e)
{
	const struct protocol *p = c->protocol;
	unsigned int k = c->n_looks_done;
	size_t n_inconclusive, n_cells;
	if (k + 1 >= p->n_looks || block != p->look[k])
		return 0;
	int ret = inconclusive_count(c, &n_inconclusive, &n_cells, e);
	if (ret)
		return err_context(e, "cannot decide the cases at the planned look after %u "
				      "replicates", p->look[k]);
	bool stop = n_inconclusive == 0;
	json_t *event = json_pack("{s:s, s:i, s:I, s:I, s:I, s:b}", "event", "look", "look", (int)k,
		"replicates", (json_int_t)p->look[k], "cells", (json_int_t)n_cells, "inconclusive",
		(json_int_t)n_inconclusive, "stop", stop);
	ret = journal_append_new(&c->journal, event, e);
	c->n_looks_done++;
	if (stop)
		c->stop_replicates = p->look[k];
	return ret;
}

/* --- cases of a campaign with a budget ----------------------------------- */

#define IMPRACTICAL 100000 /* pairs: such a case comes last */

/* Number of pairs until the last component is decided; 0 unknown. A plan to reject uses the present
 * estimate as true, so the smallest plan of many components is too optimistic for the order of the
 * cases. cell_further() (analysis/tendency.h) is for advice. */
static uint64_t further_pairs(const struct cell *c)
{
	uint64_t most = 0;
	bool unknown = false;
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *m = &c->component[k];
		if (m->decision != DECISION_INCONCLUSIVE)
			continue;
		if (m->impractical || (!m->n_more && m->n_more_recorded))
			return IMPRACTICAL;
		unknown |= !m->n_more;
		most = m->n_more > most ? m->n_more : most;
	}
	return unknown ? 0 : most;
}

/* Whether further pairs are useless: for a claim also if a part cannot be judged or differs from a
 * recording. */
static bool is_decided(const struct protocol *p, const struct cell *c)
{
	bool is_open = !cell_claims_unjudged(c);
	for (int k = 0; k < COMPONENT_N; k++)
		is_open &= !c->component[k].differs;
	return c->verdict != VERDICT_INCONCLUSIVE || (p->claimed && !is_open);
}

/* Marks the cases that the comparison decides. It decides for all replayers of its scenario. */
static void comparison_take(struct campaign *c, const struct campaign_change *change)
{
	const struct protocol *p = c->protocol;
	for (size_t i = 0; i < change->n_cells; i++)
		for (size_t s = 0; s < p->n_scenarios; s++)
			for (size_t r = 0; r < p->n_replayers && !strcmp(change->cell[i].scenario,
			     p->scenario[s].name); r++)
				c->look_case[s * p->n_replayers + r] =
				    (struct look_case){change->cell[i].word != CHANGE_INCONCLUSIVE,
						       change->cell[i].n_further};
}

int look_cases(struct campaign *c, struct err *e)
{
	struct results r = {.dir = c->dir,
			    .protocol = *c->protocol,
			    .environment = c->environment,
			    .run = c->run,
			    .verdicts_only = true,
			    .n_runs = c->plan.n_runs}; /* all borrowed */
	SCOPED(analysis_release) struct analysis a = {0};
	SCOPED(comparison_release) struct look_comparison k = {0};
	results_index(&r);
	int ret = analysis_compute(&a, &r, e);
	if (ret) {
		results_index_release(&r);
		/* no pair yet */
		return ret == -ENODATA
			   ? 0
			   : err_context(e, "the evaluation of the cases failed");
	}
	for (size_t i = 0; i < a.n_cells; i++) {
		const struct cell *cell = &a.cell[i];
		c->look_case[cell->scenario * c->protocol->n_replayers + cell->replayer] =
		    (struct look_case){is_decided(c->protocol, cell), further_pairs(cell)};
	}
	if (r.protocol.compare.old) {
		ret = comparison_make(&k, &r, &a, e);
		if (!ret)
			comparison_take(c, &k.change);
	}
	results_index_release(&r);
	return ret;
}
