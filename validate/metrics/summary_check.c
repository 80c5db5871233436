/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plausibility checks of a summary that was read. */
#include "validate/metrics/summary_private.h"

static int check_moments(const struct moments *m, const char *name, struct err *e)
{
	if (m->n && !(m->min <= m->mean && m->mean <= m->max))
		return err_set(e, EINVAL, "\"%s\": the mean is not between minimum and maximum",
			name);
	return 0;
}

static int check_reorder(const struct reorder_summary *r, const char *name, struct err *e)
{
	if (r->n_reordered > r->n_received || r->n_descents > r->n_received ||
	    r->max_extent > r->n_received)
		return err_set(e, EINVAL, "\"%s\": a count of reordered requests exceeds the "
			"number of requests", name);
	return 0;
}

static int check_response(const struct run_summary *s, bool brief, struct err *e)
{
	const double within[] = {s->response_median, s->response_trimmed_mean, s->response_p90,
				 s->response_p99, s->response_p999};
	if ((!brief && s->response_histogram.n != s->response.n) ||
	    (!s->response.n && s->has_input) || s->response.min < 0)
		return err_set(e, EINVAL, "\"response\": no response times, a negative minimum, or "
			       "a number of response times that differs from "
			       "\"response_histogram\"");
	for (size_t i = 0; i < sizeof within / sizeof *within; i++)
		if (within[i] < s->response.min || within[i] > s->response.max)
			return err_set(e, EINVAL, "a quantile or the trimmed mean is not between "
				       "minimum and maximum");
	if (s->n_failed > s->response.n + s->n_left_out)
		return err_set(e, EINVAL, "\"n_failed\": more requests failed than the run has");
	return 0;
}

/* comparisons with NaN (an unknown tail) are false */
static int check_distribution(const struct run_summary *s, struct err *e)
{
	if (s->response_tail < s->response.min || s->response_tail > s->response.max)
		return err_set(e, EINVAL,
			       "\"response_tail\" is not between minimum and maximum");
	if (s->response_typical < s->response.min || s->response_typical > s->response_tail)
		return err_set(e, EINVAL,
			"\"response_typical\" is not between the minimum and \"response_tail\"");
	for (size_t i = 0; i < 2 && s->has_halves; i++) {
		int ret = check_moments(&s->half[i], "half", e);
		if (ret)
			return ret;
	}
	if (s->has_halves &&
	    (s->half[0].n > s->response.n || s->half[1].n != s->response.n - s->half[0].n))
		return err_set(
		    e, EINVAL,
		    "\"half\": the two halves together have more or fewer requests than the run");
	for (size_t k = 0; k < SUMMARY_N_SHAPE && s->has_shape; k++)
		if (s->shape[k] > s->response.n || (k && s->shape[k] < s->shape[k - 1]))
			return err_set(e, EINVAL, "the counts in \"shape_typical\" decrease, or "
				"exceed the number of requests of the run");
	if (s->n_left_out && !s->n_slices)
		return err_set(e, EINVAL,
			"\"n_left_out\": requests are left out of a run without slices");
	return 0;
}

static int check_ops(const struct run_summary *s, struct err *e)
{
	uint64_t n = 0;
	for (unsigned int i = 0; i < s->n_ops; i++) {
		const struct op_summary *op = &s->op[i];
		if (strspn(op->op, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(op->op))
			return err_set(e, EINVAL, "\"op\" is not an operation's name (lower-case "
				"letters, digits, underscores)");
		int ret = check_moments(&op->response, "response", e);
		if (ret)
			return err_context(e, "operation %s", op->op);
		n += op->response.n;
	}
	return n == s->response.n
		   ? 0
		   : err_set(
			 e, EINVAL,
			 "the counts of the operations do not add up to the number of requests");
}

static int check_levels(const struct run_summary *s, struct err *e)
{
	unsigned __int128 sum_ns = 0, sum_requests = 0;
	for (uint64_t i = 0; i < s->n_levels; i++) {
		sum_ns += (uint64_t)s->ns_at_level[i];
		sum_requests += s->requests_at_level[i];
	}
	if (sum_ns != (uint64_t)s->execution_ns)
		return err_set(e, EINVAL,
			       "the times in \"ns_at_level\" do not add up to the execution time");
	if (s->requests_at_level[0] ||
	    sum_requests != (unsigned __int128)s->response.n + s->n_unfinished)
		return err_set(
		    e, EINVAL,
		    "\"requests_at_level\": the count of level 0 is not 0, or the sum differs from "
		    "the number of finished and unfinished requests");
	return 0;
}

static int check_comparison(const struct run_summary *s, struct err *e)
{
	int ret = check_reorder(&s->reorder_all, "reorder_all", e);
	ret = ret ? ret : check_reorder(&s->reorder_thread, "reorder_thread", e);
	ret = ret ? ret : check_reorder(&s->reorder_object, "reorder_object", e);
	ret = ret ? ret : check_moments(&s->schedule_error, "schedule_error", e);
	if (!ret && (s->n_lost > s->n_input || s->n_mismatched > s->n_input))
		ret = err_set(e, EINVAL, "more requests are lost or mismatched than the trace has");
	if (!ret && s->n_skipped > s->n_input - s->n_lost)
		ret = err_set(e, EINVAL,
			      "\"n_skipped\": more requests are lost or skipped than the trace "
			      "has");
	if (!ret && s->n_results_unknown > s->n_input)
		ret = err_set(e, EINVAL,
			"\"n_results_unknown\": more results are unknown than there are requests");
	return ret;
}

static int check_issue_error(const struct run_summary *s, struct err *e)
{
	int ret = check_moments(&s->issue_error, "issue_error", e);
	if (!ret && s->n_cpu_delayed > s->issue_error.n)
		ret = err_set(e, EINVAL, "\"n_held_up\" (%" PRIu64 ") is larger than the number of "
			      "requests with an issue error (%" PRIu64 ")", s->n_cpu_delayed,
			      s->issue_error.n);
	for (size_t i = 1; s->issue_error_quantile && !ret && i < SUMMARY_N_ISSUE_QUANTILES; i++)
		if (s->issue_error_quantile[i] < s->issue_error_quantile[i - 1])
			ret = err_set(e, EINVAL, "\"issue_error_quantile\" is not ascending");
	return ret;
}

static int check_pace(const struct run_summary *s, struct err *e)
{
	const struct pace *p = s->pace;
	unsigned __int128 sum = 0, timed = 0;
	bool more_timed = false;
	if (p->width_ns < PACE_FIRST_WIDTH_NS || p->width_ns & (p->width_ns - 1))
		return err_set(e, EINVAL,
			       "pace: \"width_ns\" is not a power of two of at least 65536");
	for (uint32_t i = 0; i < p->n; i++) {
		sum += p->requests[i];
		timed += p->timed[i];
		more_timed |= p->timed[i] > p->requests[i];
	}
	if (sum != (unsigned __int128)s->response.n + s->n_unfinished + s->n_left_out ||
	    timed != s->issue_error.n || more_timed)
		return err_set(e, EINVAL,
			       "\"pace\": the counts of the intervals do not add up to the counts "
			       "of the run");
	return 0;
}

static int check_lateness(const struct run_summary *s, struct err *e)
{
	unsigned __int128 sum = 0;
	for (size_t i = 0; i < SUMMARY_N_LATENESS; i++)
		sum += s->requests_at_lateness[i];
	return sum == s->issue_error.n ? 0
				       : err_set(e, EINVAL,
						 "the counts in \"requests_at_lateness\" do not "
						 "add up to the number of requests with a due "
						 "time");
}

static int check_nodes(const struct run_summary *s, struct err *e)
{
	int ret = 0;
	for (uint64_t i = 0; i < s->n_nodes && !ret; i++) {
		const struct node_summary *node = &s->node[i];
		ret = check_moments(&node->response, "response", e);
		if (!ret && (!node->response.n || (i && node->node <= node[-1].node)))
			ret = err_set(
			    e, EINVAL,
			    "the numbers in \"nodes\" are not in ascending order, or a node has "
			    "no request");
	}
	return ret;
}

int summary_check(const struct run_summary *s, bool brief, struct err *e)
{
	int ret = check_moments(&s->response, "response", e);
	ret = ret ? ret : check_response(s, brief, e);
	ret = ret ? ret : check_distribution(s, e);
	ret = ret ? ret : check_ops(s, e);
	ret = ret ? ret : check_levels(s, e);
	ret = ret ? ret : check_comparison(s, e);
	ret = ret ? ret : check_issue_error(s, e);
	ret = ret || !s->pace ? ret : check_pace(s, e);
	ret = ret || !s->requests_at_lateness ? ret : check_lateness(s, e);
	return ret ? ret : check_nodes(s, e);
}
