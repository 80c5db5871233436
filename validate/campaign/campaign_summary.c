/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of a run, from its traces. */

#include "validate/campaign/observe.h"
#include "validate/results/summaries.h"

/* Summarises the blank. If it has no summary, it is ignored and the run is kept. */
static void blank_summarise(struct summary_work *w)
{
	struct run_summary s;
	if (!w->blank || summary_compute(&s, w->blank, NULL, NULL, NULL) < 0)
		return;
	w->run->has_blank = true;
	/* the trimmed mean, because a stall belongs to the machine, not to the stamps */
	w->run->blank_mean_ns = s.response_trimmed_mean;
	summary_release(&s);
}

/* Finds what the volume's server logged about the requests of the run. */
static void served_find(struct summary_work *w)
{
	struct run *r = w->run;
	struct trace *t;
	const size_t target = w->campaign->protocol->scenario[r->scenario].target;
	const struct target_device *below = &w->campaign->places.place[target].below;
	if (!below->volume || trace_open(&t, w->trace, NULL))
		return;
	r->has_served = device_served(below, trace_meta(t)->epoch_ns, &r->served);
	trace_close(t);
}

int summary_make(void *context, struct err *e)
{
	struct summary_work *w = context;
	struct run *r = w->run;
	char *observed = xasprintf("%s.observed", w->trace), *input = NULL;
	int ret = w->observed ? observed_make(w->campaign, r, w->trace, w->input, observed, e) : 0;
	if (r->has_device && w->input && !w->campaign->protocol->scenario[r->scenario].trace)
		input = observed_bank_path(w->campaign, r->scenario, w->input);
	if (!ret)
		ret = summary_compute(&r->summary, w->observed ? observed : w->trace,
				      input ? input : w->input, w->slices, e);
	if (!ret && r->has_device)
		/* the device knows whether a request succeeded */
		r->summary.n_results_unknown = 0;
	if (!ret && w->keep && rename(observed, w->keep) < 0)
		ret = err_sys(e, errno, "cannot rename %s to %s", observed, w->keep);
	unlink(observed);
	FREE_EACH(observed, input);
	if (ret)
		return ret;
	if (!w->slices)
		served_find(w);
	blank_summarise(w);
	char *path = results_run_path(w->campaign->dir, r->id);
	json_t *o = run_summary_file(r, w->campaign->protocol);
	ret = o ? json_write_file(path, o, JSON_COMPACT, e)
		: err_set(e, EINVAL, "the summary of the run cannot be written as JSON");
	if (ret && o) {
		e->code = ENOTRECOVERABLE;
		ret = -ENOTRECOVERABLE;
	} else if (!ret) {
		/* without the line the file is read */
		summaries_append(w->campaign->dir, r->id, o,
				 protocol_in_detail(w->campaign->protocol), w->seal.line, NULL);
		ret = file_digest(path, w->seal.file, e);
		if (ret) {
			err_context(e, "cannot compute the digest of the summary");
			e->code = ENOTRECOVERABLE;
			ret = -ENOTRECOVERABLE;
		}
	}
	return ret;
}
