/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/simulate.h"

#include <gsl/gsl_errno.h>

#include "common/clock.h"
#include "common/signals.h"
#include "common/units.h"
#include "validate/campaign/launch.h"
#include "validate/selftest/simulate_private.h"

#define STREAMS 1000000 /* larger than the number of works */

int simulate_trials(const struct simulate_options *o, const char *what, trial_fn *trial,
		    void *context, uint64_t n_trials, size_t n_counts, uint64_t stream,
		    uint64_t *count, struct err *e)
{
	const struct shared_work w = {.what = what, .trial = trial, .context = context,
		.n_trials = n_trials ? n_trials : 1, .seed = o->seed * STREAMS + stream,
		.n_counts = n_counts, .n_processes = o->n_processes, .quiet = o->quiet};
	return work_run(&w, count, e);
}

static const struct {
	const char *name;
	int (*simulate)(const struct simulate_options *o, struct rates *rates, struct err *e);
} parts[] = {
    {"verdicts", simulate_verdicts},	  {"frauds", simulate_frauds},
    {"looks", simulate_looks},		  {"ways to accept", simulate_accept},
    {"tests", simulate_tests},		  {"intervals", simulate_intervals},
    {"comparisons", simulate_compare},
};
#define N_PARTS (sizeof parts / sizeof *parts)

/* Prints the result of a part with the progress output, because the rates are printed only at the
 * end, after hours. */
static void part_say(size_t i, int64_t begin_ns, const struct rates *rates)
{
	fprintf(stderr, "stats: part %zu of %zu, %s, done after %s. Rates so far: %zu; "
			"rates that contradict their bound in the documentation: %zu\n",
		i + 1, N_PARTS, parts[i].name,
		duration_text((double)(clock_monotonic_ns() - begin_ns)).s, rates->n,
		rates_count(rates, STANDING_BROKEN));
}

int simulate_selftest(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	const int64_t begin_ns = clock_monotonic_ns();
	sigset_t signals, before;
	int ret = 0;
	/* a signal that arrives between two pieces of work interrupts the second */
	signals_hold(&signals, true, &before);
	for (size_t i = 0; !ret && i < N_PARTS; i++) {
		ret = parts[i].simulate(o, rates, e);
		if (!ret && !o->quiet)
			part_say(i, begin_ns, rates);
	}
	signals_release(&before, ret == -EINTR);
	gsl_set_error_handler(handler);
	return ret;
}
