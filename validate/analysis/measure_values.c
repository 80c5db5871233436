/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/measure_values.h"

#include "validate/analysis/run_values.h"
#include "validate/evidence/pairs.h"
#include "validate/stats/moments.h"

/* Mean response times of replay and program. */
struct responses {
	double *x, *r;
	size_t n;
};

static struct responses responses_of(const struct measure_runs *runs, const char *operation)
{
	struct responses out = {xcalloc(runs->n + 1, sizeof *out.x),
				xcalloc(runs->n + 1, sizeof *out.r), runs->n};
	for (size_t i = 0; i < runs->n; i++) {
		out.x[i] = summary_response(&runs->x[i]->summary, operation);
		out.r[i] = summary_response(&runs->r[i]->summary, operation);
	}
	return out;
}

static double mean_of(const double *x, size_t n)
{
	struct sample_moments m;
	return sample_moments(x, n, &m) ? NAN : m.mean;
}

static double sd_of(const double *x, size_t n, double *mean)
{
	struct sample_moments m;
	if (sample_moments_spread(x, n, &m))
		return NAN;
	*mean = m.mean;
	return m.sd;
}

/* exp(mean ln(x/r)) - 1, the bias of the report. */
static double bias_of(const struct responses *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->n; i++)
		sum += log(s->x[i] / s->r[i]);
	return s->n ? expm1(sum / (double)s->n) : NAN;
}

static double f_ratio(const struct responses *s)
{
	double mean, x = sd_of(s->x, s->n, &mean), r = sd_of(s->r, s->n, &mean);
	return r > 0 ? x * x / (r * r) : NAN;
}

static double uncertainty_of(const struct responses *s)
{
	struct paper_uncertainty u;
	return paper_uncertainty(s->r, s->n, s->x, s->n, PAPER_TABLES, &u) ? NAN : u.U2_pct / 100;
}

static double of_responses(enum measure m, const char *operation, const struct measure_runs *runs)
{
	struct responses s = responses_of(runs, operation);
	double value = NAN, mean = NAN;
	switch (m) {
	case MEASURE_RESPONSE_TIME:
		value = mean_of(s.x, s.n);
		break;
	case MEASURE_REFERENCE_TIME:
		value = mean_of(s.r, s.n);
		break;
	case MEASURE_BIAS:
	case MEASURE_BIAS_MAGNITUDE:
		value = bias_of(&s);
		value = m == MEASURE_BIAS ? value : fabs(value);
		break;
	case MEASURE_UNCERTAINTY:
		value = uncertainty_of(&s);
		break;
	case MEASURE_F_RATIO:
		value = f_ratio(&s);
		break;
	case MEASURE_CV:
		value = sd_of(s.x, s.n, &mean) / mean;
		break;
	default:
		break;
	}
	FREE_EACH(s.x, s.r);
	return value;
}

static double share_alone(const struct run_summary *s)
{
	double total = 0;
	for (uint64_t level = 0; level < s->n_levels; level++)
		total += (double)s->requests_at_level[level];
	return s->n_levels > 1 ? (double)s->requests_at_level[1] / total : NAN;
}

SUMMARY_VALUE(cpu_time,
	s->has_facts ? (double)s->facts.cpu_user_ns + (double)s->facts.cpu_system_ns : NAN)

/* ln(replay / program); means of these become relative deviations. */
static double log_ratio(double x, double r)
{
	return x > 0 && r > 0 ? log(x / r) : NAN;
}

SUMMARY_VALUE(run_rate, s->execution_ns > 0 ? summary_n_ended(s) / (double)s->execution_ns : NAN)
SUMMARY_VALUE(share_reordered,
	s->reorder_all.n_received
	? (double)s->reorder_all.n_reordered / (double)s->reorder_all.n_received : NAN)

static double percent_error(double replay_ns, double program_ns)
{
	return program_ns > 0 ? (program_ns - replay_ns) / program_ns : NAN;
}

static double root_mean_square(const struct moments *m)
{
	double n = (double)m->n, variance = m->n > 1 ? m->sd * m->sd * (n - 1) / n : 0;
	return m->n ? sqrt(m->mean * m->mean + variance) : NAN;
}

static double of_pair(enum measure m, const struct run *run, const struct run_summary *r,
		      const struct run *recording)
{
	const struct run_summary *x = &run->summary;
	switch (m) {
	case MEASURE_PREPARATION_TIME:
		return run->run_s * 1e9 - (double)x->execution_ns;
	case MEASURE_TRACE_SIZE:
		return recording && recording->trace_bytes ? (double)recording->trace_bytes : NAN;
	case MEASURE_SPEEDUP:
		return log_ratio((double)r->execution_ns, (double)x->execution_ns);
	case MEASURE_PERCENT_ERROR:
	case MEASURE_PERCENT_ERROR_MAGNITUDE:
		return percent_error((double)x->execution_ns, (double)r->execution_ns);
	case MEASURE_TRACING_TIME:
		return recording ? log(causality_tracing_time(&recording->summary.causality)) : NAN;
	case MEASURE_TRACING_INCREASE:
		return recording ? log(causality_tracing_increase(&recording->summary.causality))
				 : NAN;
	case MEASURE_EXECUTION_TIME:
		return log_ratio((double)x->execution_ns, (double)r->execution_ns);
	case MEASURE_IOPS:
	case MEASURE_IOPS_MAGNITUDE:
		return log_ratio(run_rate(x), run_rate(r));
	case MEASURE_REORDERED:
		return x->has_input ? share_reordered(x) : NAN;
	case MEASURE_LOST:
		return x->has_input && x->n_input ? (double)x->n_lost / (double)x->n_input : NAN;
	case MEASURE_IN_FLIGHT:
		return log_ratio(run_in_flight(x), run_in_flight(r));
	case MEASURE_IN_FLIGHT_MAX:
		return log_ratio(run_in_flight_max(x), run_in_flight_max(r));
	case MEASURE_CONCURRENCY:
		return run_concurrency_distance(x, r);
	case MEASURE_CPU_TIME:
		return log_ratio(cpu_time(x), cpu_time(r));
	case MEASURE_ALONE:
		return share_alone(x);
	case MEASURE_ISSUE_ERROR:
		return x->has_issue_error ? x->issue_error.mean : NAN;
	case MEASURE_ISSUE_ERROR_RMS:
		return x->has_issue_error ? root_mean_square(&x->issue_error) : NAN;
	case MEASURE_ISSUE_ERROR_P50:
		return x->has_issue_error ? x->issue_error_p50 : NAN;
	case MEASURE_ISSUE_ERROR_P99:
		return x->has_issue_error ? x->issue_error_p99 : NAN;
	case MEASURE_SHARE_LATE:
		return x->has_issue_error ? x->share_late : NAN;
	case MEASURE_ERROR_RATE_CORRELATION:
		return x->pace ? pace_error_correlation(x->pace) : NAN;
	case MEASURE_TIMELINE_DISTANCE:
		return recording && recording->summary.pace && x->pace
			   ? pace_distance(x->pace, recording->summary.pace)
			   : NAN;
	default:
		return NAN;
	}
}

double measure_value(enum measure m, const char *operation, const struct measure_runs *runs)
{
	double sum = 0;
	if (measure_info[m].by_operation)
		return of_responses(m, operation, runs);
	for (size_t i = 0; i < runs->n; i++)
		sum += of_pair(m, runs->x[i], &runs->r[i]->summary, runs->recording[i]);
	double mean = runs->n ? sum / (double)runs->n : NAN;
	if (m == MEASURE_SPEEDUP || m == MEASURE_TRACING_TIME || m == MEASURE_TRACING_INCREASE)
		return exp(mean);
	if (m == MEASURE_PERCENT_ERROR_MAGNITUDE)
		return fabs(mean);
	if (m == MEASURE_IOPS_MAGNITUDE)
		return fabs(expm1(mean));
	return measure_info[m].scale == SCALE_LOG1P ? expm1(mean) : mean;
}
