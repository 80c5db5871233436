/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planned looks: the only moments at which a campaign may learn that it is done early (DESIGN section 10). */
#include <errno.h>

#include "validate/analysis/analysis.h"
#include "validate/campaign/campaign_state.h"
#include "validate/compare/compare.h"

/* Where [compare] names two replayers, what is to be decided is how they compare. */
static int comparison_count(const struct results *r, const struct analysis *a, size_t *n_undecided, size_t *n_cells, struct err *e)
{
	struct baseline was = {0}, is = {0};
	struct campaign_change change;
	int ret = baseline_make(&was, r, a, e);
	ret = ret ? ret : baseline_make(&is, r, a, e);
	ret = ret ? ret : baseline_choose(&was, r->protocol.compare.old, e);
	ret = ret ? ret : baseline_choose(&is, r->protocol.compare.new, e);
	ret = ret ? ret : compare_compute(&change, &was, &is, &(struct compare_options){0}, e);
	if (!ret) {
		*n_undecided = change.n_inconclusive;
		*n_cells = change.n_cells;
		campaign_change_release(&change);
	}
	baseline_release(&was);
	baseline_release(&is);
	return ret;
}

static int undecided_count(struct campaign *c, size_t *n_undecided, size_t *n_cells, struct err *e)
{
	struct results r;
	struct analysis a;
	int ret = results_load(&r, c->dir, e);
	if (ret)
		return ret;
	ret = analysis_compute(&a, &r, e);
	if (ret == -ENODATA) { /* every run failed: going on may help */
		*n_undecided = *n_cells = 1;
		ret = 0;
	} else if (!ret) {
		*n_undecided = a.n_inconclusive;
		*n_cells = a.n_cells;
		if (r.protocol.compare.old)
			ret = comparison_count(&r, &a, n_undecided, n_cells, e);
		analysis_release(&a);
	}
	results_release(&r);
	return ret;
}

int look_after(struct campaign *c, uint64_t block, struct err *e)
{
	const struct protocol *p = c->protocol;
	unsigned int k = c->n_looks_done;
	size_t n_undecided, n_cells;
	if (k + 1 >= p->n_looks || block != p->look[k])
		return 0;
	int ret = undecided_count(c, &n_undecided, &n_cells, e);
	if (ret)
		return err_context(e, "the look at %u replicates", p->look[k]);
	bool stop = n_undecided == 0;
	json_t *event = json_pack("{s:s, s:i, s:I, s:I, s:I, s:b}", "event", "look", "look", (int)k, "replicates",
				  (json_int_t)p->look[k], "cells", (json_int_t)n_cells, "undecided",
				  (json_int_t)n_undecided, "stop", stop);
	ret = journal_append(&c->journal, event, e);
	json_decref(event);
	c->n_looks_done++;
	if (stop)
		c->stop_replicates = p->look[k];
	return ret;
}
