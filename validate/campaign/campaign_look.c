/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planned looks: the only moments at which a campaign may learn that it is done early (DESIGN section 10). */
#include <errno.h>

#include "validate/analysis/analysis.h"
#include "validate/campaign/campaign_state.h"

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
