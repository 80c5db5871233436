/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/simulate.h"

#include <gsl/gsl_errno.h>

#include "validate/selftest/simulate_private.h"

#define STREAMS 1000000 /* more than there are works */

struct work simulate_work(const struct simulate_options *o, const char *what, trial_fn *trial, void *context,
			  uint64_t n_trials, size_t n_counts, uint64_t stream)
{
	return (struct work){.what = what,
			     .trial = trial,
			     .context = context,
			     .n_trials = n_trials ? n_trials : 1,
			     .seed = o->seed * STREAMS + stream,
			     .n_counts = n_counts,
			     .n_processes = o->n_processes,
			     .quiet = o->quiet};
}

int simulate_selftest(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	int ret = simulate_verdicts(o, rates, e);
	if (!ret)
		ret = simulate_frauds(o, rates, e);
	if (!ret)
		ret = simulate_looks(o, rates, e);
	if (!ret)
		ret = simulate_accept(o, rates, e);
	if (!ret)
		ret = simulate_tests(o, rates, e);
	if (!ret)
		ret = simulate_intervals(o, rates, e);
	if (!ret)
		ret = simulate_compare(o, rates, e);
	gsl_set_error_handler(handler);
	return ret;
}
