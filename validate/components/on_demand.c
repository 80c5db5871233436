/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative deviations of quantiles of a run's response times, and of its requests per second:
 * quantities that claims name. They are measured and listed only if a protocol limits one of
 * them. */
#include "validate/components/component.h"

#define BEYOND 5 /* smallest number of requests of a run beyond its quantile */

static void quantile_measure(const struct measuring *m, enum component_kind k,
			     double (*value)(const struct run_summary *s), double share_beyond)
{
	struct family *f = &m->e->family[k];
	const double fewest = (double)pairs_fewest_requests(m->pairs);
	if (components_listed(&m->results->protocol.accept) <= (size_t)k)
		return;
	if (m->pairs->n && fewest * share_beyond < BEYOND)
		f->status = STAT_NOT_APPLICABLE;
	else if (!pairs_have(m->pairs, value))
		f->status = STAT_NOT_ASSESSED;
	else
		family_add_ratio(f, "", m->pairs, value);
}

/* of_scatter: scatter of the quantile, as a multiple of that of the mean */
#define QUANTILE(KIND, row, share_beyond, heading, name, of_scatter)                               \
	static double row##_of(const struct run_summary *s)                                        \
	{                                                                                          \
		return s->response_##row;                                                          \
	}                                                                                          \
	static void measure_##row(const struct measuring *m)                                       \
	{                                                                                          \
		quantile_measure(m, COMPONENT_##KIND, row##_of, share_beyond);                     \
	}                                                                                          \
	const struct component_row component_##row = {                                             \
	    .title = heading, .shown = "deviation", .words = {name, true},                         \
	    .meaning = "Deviation of the " name " of the response times.",                         \
	    .rule = "Two-sided. Not applicable to runs with fewer than 5 requests beyond this "    \
		    "quantile.",                                                                   \
	    .unit = COMPONENT_CHANGE, .two_sided = true,                                           \
	    .scatter = of_scatter, .relative = true, .measure = measure_##row,                     \
	    .decide = decide_parts, .plan = plan_parts,                                            \
	}

QUANTILE(MEDIAN, median, 0.5, "Median", "median", 1);
QUANTILE(P90, p90, 0.1, "90th percentile", "90th percentile", 1);
QUANTILE(P99, p99, 0.01, "99th percentile", "99th percentile", 2);
QUANTILE(P999, p999, 0.001, "99.9th percentile", "99.9th percentile", 4);

SUMMARY_VALUE(requests_per_ns, s->execution_ns > 0 && s->response.n
	? summary_n_ended(s) / (double)s->execution_ns : NAN)

static void measure_iops(const struct measuring *m)
{
	if (components_listed(&m->results->protocol.accept) <= COMPONENT_IOPS)
		return;
	if (pairs_have(m->pairs, requests_per_ns))
		family_add_ratio(&m->e->family[COMPONENT_IOPS], "", m->pairs, requests_per_ns);
}

const struct component_row component_iops = {
    .title = "IOPS", .shown = "deviation", .words = {"requests per second", true},
    .meaning = "Deviation of the requests per second of execution time.",
    .rule = "Two-sided", .unit = COMPONENT_CHANGE, .two_sided = true,
    .scatter = 1, .measure = measure_iops, .decide = decide_parts, .plan = plan_parts,
};
