/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of a run, from the traces that it left. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "validate/campaign/campaign_state.h"
#include "validate/metrics/observed.h"

/* The trace to be summarised in the place of the replayer's: with the times that the library took. */
static int observed_make(struct summary_work *w, const char *out, struct err *e)
{
	struct observed o;
	char *side = xasprintf("%s.side", w->trace);
	int ret = observed_write(w->trace, side, out, &o, e);
	free(side);
	if (ret)
		return ret;
	w->run->has_own = true;
	w->run->own_mean_ns = o.own_mean_ns;
	w->run->observed_share = (double)o.n_observed / (double)o.n_requests;
	return 0;
}

/* A blank that cannot be summarised is none; the run stands. */
static void blank_summarise(struct summary_work *w)
{
	struct run_summary s;
	if (!w->blank || summary_compute(&s, w->blank, NULL, NULL) < 0)
		return;
	w->run->has_blank = true;
	w->run->blank_mean_ns = s.response_trimmed_mean; /* one stall is of the machine, not of the stamps */
	summary_release(&s);
}

int summary_make(void *context, struct err *e)
{
	struct summary_work *w = context;
	struct run *r = w->run;
	char *observed = xasprintf("%s.observed", w->trace);
	int ret = w->observed ? observed_make(w, observed, e) : 0;
	if (!ret)
		ret = summary_compute(&r->summary, w->observed ? observed : w->trace, w->input, e);
	unlink(observed);
	free(observed);
	if (ret)
		return ret;
	blank_summarise(w);
	char *path = results_run_path(w->campaign->dir, r->id);
	json_t *o = run_summary_file(r, w->campaign->protocol);
	ret =
	    o ? json_write_file(path, o, JSON_COMPACT, e) : err_set(e, EINVAL, "its summary cannot be written as JSON");
	if (ret && o) {
		e->code = ENOTRECOVERABLE;
		ret = -ENOTRECOVERABLE;
	}
	return ret;
}
