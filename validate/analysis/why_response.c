/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The split of the mean response time. Every part is a function of sums over the runs of both
 * sides, so that the jackknife can leave out a pair at a time. */
#include "validate/analysis/why_private.h"

/* Sums of a run: first numbers per request, then shares and sums of response times by class. */
enum {
	F_MEAN, F_MEAN2, F_DEVICE, F_DEVICE2, F_DEVICE_MEAN, F_FAULTS, F_QUEUE, F_STEAL, F_BLOCKED,
	F_PROCESSOR, F_OFF, F_BUSY, F_REORDERED, F_REORDERED_SUM, N_NUMBERS,
};

struct response_layout {
	/* offsets of the shares; the sums follow the shares */
	size_t levels, ops, lateness;
	size_t n_levels, n_ops, n_all;
	const char *op[SUMMARY_MAX_OPS];
	size_t n_pairs;
	bool classes, facts, threads, queue, steal, late; /* available in all runs */
};

enum cache_method { CACHE_UNKNOWN, CACHE_NO_READS, CACHE_SLOPE, CACHE_BLOCKED };

struct methods { /* chosen once, from all pairs */
	enum cache_method cache;
	bool level_alone;
	const struct why_context *context;
};

/* --- sums of a run ------------------------------------------------------- */

static size_t op_index(struct response_layout *y, const char *name)
{
	for (size_t i = 0; i < y->n_ops; i++)
		if (!strcmp(y->op[i], name))
			return i;
	if (y->n_ops < SUMMARY_MAX_OPS)
		y->op[y->n_ops++] = name;
	return y->n_ops - 1;
}

static void see_run(struct response_layout *y, const struct run_summary *s,
		    const struct scenario *scenario)
{
	const bool threads = s->has_facts && isfinite(run_n_threads(scenario, s));
	y->n_levels = s->n_levels > y->n_levels ? s->n_levels : y->n_levels;
	for (unsigned int i = 0; i < s->n_ops; i++)
		op_index(y, s->op[i].op);
	y->classes &= s->has_classes;
	y->facts &= s->has_facts;
	y->threads &= threads;
	y->queue &= threads && s->facts.runqueue_wait_ns >= 0;
	y->steal &= threads && s->facts.steal_ns >= 0;
}

static void layout_make(struct response_layout *y, const struct pairs *p,
			const struct why_context *c)
{
	*y = (struct response_layout){.n_pairs = p->n, .classes = true, .facts = true,
		.threads = true, .queue = !c->at_device, .steal = true, .late = true};
	for (size_t i = 0; i < p->n; i++) {
		see_run(y, &p->x[i]->summary, c->scenario);
		see_run(y, &p->r[i]->summary, c->scenario);
		y->late &= p->x[i]->summary.has_issue_error && p->x[i]->summary.has_classes;
	}
	y->levels = N_NUMBERS;
	y->ops = y->levels + 2 * y->n_levels;
	y->lateness = y->ops + 2 * y->n_ops;
	y->n_all = y->lateness + 2 * SUMMARY_N_LATENESS;
}

static void take_facts(const struct run_summary *s, const struct why_context *c, double *f)
{
	const struct run_facts *k = &s->facts;
	/* if the number of threads is unknown, no time counts as available or busy */
	double n = summary_n_ended(s), available = run_thread_ns(c->scenario, s),
	       whole = (double)k->wall_ns * run_n_threads(c->scenario, s);
	double used = (double)k->cpu_user_ns + (double)k->cpu_system_ns;
	double active = s->response.mean * n,
	       busy = available > 0 ? fmin(1, active / available) : 0,
	       /* time is also stolen in the pauses of a run in slices */
	       busy_of_whole = whole > 0 ? fmin(1, active / whole) : 0;
	double queue = k->runqueue_wait_ns > 0 && !c->at_device ? (double)k->runqueue_wait_ns : 0,
	       device = (double)k->bytes_read_device / n;
	f[F_DEVICE] = device;
	f[F_DEVICE2] = device * device;
	f[F_DEVICE_MEAN] = device * s->response.mean;
	f[F_FAULTS] = (double)k->n_minor_faults / n;
	f[F_QUEUE] = queue * busy / n;
	f[F_STEAL] = k->steal_ns > 0 ? (double)k->steal_ns * busy_of_whole / n : 0;
	f[F_BLOCKED] = fmax(0, active - used - queue * busy) / n;
	f[F_PROCESSOR] = used / n;
	f[F_OFF] = fmax(0, available - used) / n;
	f[F_BUSY] = busy;
}

static void take_reordered(const struct run_summary *s, int scope, double *f)
{
	const struct reorder_summary *r = scope == REORDER_ALL      ? &s->reorder_all
					  : scope == REORDER_THREAD ? &s->reorder_thread
								  : &s->reorder_object;
	double sum = scope == REORDER_ALL	     ? s->response_reordered_all
		     : scope == REORDER_THREAD ? s->response_reordered_thread
					     : s->response_reordered_object;
	f[F_REORDERED] = (double)r->n_reordered / summary_n_ended(s);
	f[F_REORDERED_SUM] = sum / (double)s->response.n;
}

static void take_run(struct response_layout *y, const struct run_summary *s,
		     const struct why_context *c, double *f)
{
	double n = (double)s->response.n;
	f[F_MEAN] = s->response.mean;
	f[F_MEAN2] = s->response.mean * s->response.mean;
	if (y->facts)
		take_facts(s, c, f);
	for (unsigned int i = 0; i < s->n_ops; i++) {
		double share = (double)s->op[i].response.n / n;
		size_t k = y->ops + op_index(y, s->op[i].op);
		f[k] = share;
		f[k + y->n_ops] = share * s->op[i].response.mean;
	}
	if (!s->has_classes)
		return;
	if (s->has_input)
		take_reordered(s, c->reorder_scope, f);
	for (size_t i = 0; i < s->n_levels; i++) {
		f[y->levels + i] = (double)s->requests_at_level[i] / n;
		f[y->levels + y->n_levels + i] = s->response_at_level[i] / n;
	}
	for (size_t i = 0; i < SUMMARY_N_LATENESS && s->has_issue_error; i++) {
		f[y->lateness + i] = (double)s->requests_at_lateness[i] / n;
		f[y->lateness + SUMMARY_N_LATENESS + i] = s->response_at_lateness[i] / n;
	}
}

/* --- the parts, ns: x and r are means over the runs of each side --------- */

static double part_classes(const double *x, const double *r, size_t at, size_t n, bool *alone)
{
	return classes_composition(&(struct classes){x + at, x + at + n, r + at, r + at + n, n},
				   alone);
}

static double part_late(const struct response_layout *y, const double *x)
{
	const double *share = x + y->lateness, *sum = share + SUMMARY_N_LATENESS;
	double on_time = sum[0] / share[0], part = 0;
	if (share[0] < LEAST_SHARE)
		return NAN;
	for (size_t i = 1; i < SUMMARY_N_LATENESS; i++)
		part += sum[i] - share[i] * on_time;
	return part;
}

static double part_reordered(const double *x)
{
	double others = 1 - x[F_REORDERED];
	if (x[F_REORDERED] <= 0)
		return 0;
	if (others < LEAST_SHARE)
		return NAN;
	return x[F_REORDERED_SUM] - x[F_REORDERED] * (x[F_MEAN] - x[F_REORDERED_SUM]) / others;
}

/* Returns the slope of response time on bytes read, common to both sides, from deviations from the
 * mean of each side. *t is the ratio of the slope to its standard error. */
static double device_slope(const double *x, const double *r, size_t n, double *t)
{
	double xx = 0, xy = 0, yy = 0, k = (double)n;
	const double *side[] = {x, r};
	for (int i = 0; i < 2; i++) {
		xx += k * (side[i][F_DEVICE2] - side[i][F_DEVICE] * side[i][F_DEVICE]);
		xy += k * (side[i][F_DEVICE_MEAN] - side[i][F_DEVICE] * side[i][F_MEAN]);
		yy += k * (side[i][F_MEAN2] - side[i][F_MEAN] * side[i][F_MEAN]);
	}
	*t = 0;
	if (n < 4 || !(xx > 1e-9 * k * (x[F_DEVICE2] + r[F_DEVICE2])))
		return NAN;
	double rest = fmax(0, yy - xy * xy / xx) / (2 * k - 3);
	*t = rest > 0 ? xy / xx / sqrt(rest / xx) : INFINITY;
	return xy / xx;
}

static double part_cache(const double *x, const double *r, size_t n, enum cache_method how)
{
	const double *more = x[F_DEVICE] > r[F_DEVICE] ? x : r;
	double t;
	if (how == CACHE_UNKNOWN)
		return NAN;
	if (how == CACHE_NO_READS)
		return 0;
	double cost =
	    how == CACHE_SLOPE ? device_slope(x, r, n, &t) : more[F_BLOCKED] / more[F_DEVICE];
	return (x[F_DEVICE] - r[F_DEVICE]) * cost;
}

/* Chooses the method for cache hits: the slope, if the runs of a side vary enough and it is
 * significantly positive (t > 3). Otherwise the time blocked in requests, if that is most of the
 * run. */
static enum cache_method cache_choose(const struct response_layout *y, const double *x,
				      const double *r)
{
	const double *more = x[F_DEVICE] > r[F_DEVICE] ? x : r;
	double t;
	if (!y->facts)
		return CACHE_UNKNOWN;
	if (more[F_DEVICE] < 1) /* bytes per request */
		return CACHE_NO_READS;
	device_slope(x, r, y->n_pairs, &t);
	if (t > 3)
		return CACHE_SLOPE;
	return more[F_BUSY] > 0.5 ? CACHE_BLOCKED : CACHE_UNKNOWN;
}

/* Returns the part of a waiting time. A request is served for a and waits for w: m = a (1 + w/a).
 * Waiting in proportion to service is not a separate cause. The part is the change of the
 * proportion, at the mean service time of both sides. */
static double part_waiting(const double *x, const double *r, int which)
{
	double a_x = x[F_MEAN] - x[F_QUEUE] - x[F_STEAL], a_r = r[F_MEAN] - r[F_QUEUE] - r[F_STEAL];
	if (!(a_x > 0.01 * x[F_MEAN]) || !(a_r > 0.01 * r[F_MEAN]))
		return NAN;
	return (a_x + a_r) / 2 * (x[which] / a_x - r[which] / a_r);
}

static void parts_of(const struct response_layout *y, const struct methods *m, const double *x,
		     const double *r, double part[CAUSE_N])
{
	bool alone;
	double left = x[F_MEAN] - r[F_MEAN];
	part[CAUSE_REQUESTS] = part_classes(x, r, y->ops, y->n_ops, &alone);
	part[CAUSE_CONCURRENCY] =
	    y->classes ? part_classes(x, r, y->levels, y->n_levels, &alone) : NAN;
	part[CAUSE_LATE_ISSUE] = y->late ? part_late(y, x) : NAN;
	part[CAUSE_REORDERING] = y->classes ? part_reordered(x) : NAN;
	part[CAUSE_CACHE] = part_cache(x, r, y->n_pairs, m->cache);
	part[CAUSE_FAULTS] = y->facts && !m->context->at_device
				 ? (x[F_FAULTS] - r[F_FAULTS]) * m->context->fault_ns
				 : NAN;
	part[CAUSE_RUN_QUEUE] = y->queue ? part_waiting(x, r, F_QUEUE) : NAN;
	part[CAUSE_STEAL] = y->steal ? part_waiting(x, r, F_STEAL) : NAN;
	for (int k = CAUSE_REQUESTS; k < CAUSE_SERVICE; k++)
		left -= isnan(part[k]) ? 0 : part[k];
	part[CAUSE_SERVICE] = left;
	part[CAUSE_PROCESSOR] = y->facts ? x[F_PROCESSOR] - r[F_PROCESSOR] : NAN;
	part[CAUSE_OFF_PROCESSOR] = y->threads ? x[F_OFF] - r[F_OFF] : NAN;
	for (int k = 0; k < CAUSE_N; k++)
		part[k] /= r[F_MEAN];
}

/* --- the jackknife ------------------------------------------------------- */

struct sums {
	double *run_x, *run_r;	 /* [n_pairs][n_all] */
	double *all_x, *all_r;	 /* [n_all], sums */
	double *mean_x, *mean_r; /* [n_all] */
};

static void means_without(struct sums *s, const struct response_layout *y, size_t left_out)
{
	bool all = left_out >= y->n_pairs;
	double n = (double)(y->n_pairs - !all);
	for (size_t k = 0; k < y->n_all; k++) {
		s->mean_x[k] = (s->all_x[k] - (all ? 0 : s->run_x[left_out * y->n_all + k])) / n;
		s->mean_r[k] = (s->all_r[k] - (all ? 0 : s->run_r[left_out * y->n_all + k])) / n;
	}
}

static void sums_make(struct sums *s, struct response_layout *y, const struct pairs *p,
		      const struct why_context *c)
{
	double *block = xcalloc((2 * y->n_pairs + 4) * y->n_all, sizeof *block);
	*s = (struct sums){.run_x = block};
	s->run_r = s->run_x + y->n_pairs * y->n_all;
	s->all_x = s->run_r + y->n_pairs * y->n_all;
	s->all_r = s->all_x + y->n_all;
	s->mean_x = s->all_r + y->n_all;
	s->mean_r = s->mean_x + y->n_all;
	for (size_t i = 0; i < y->n_pairs; i++) {
		double *x = s->run_x + i * y->n_all, *r = s->run_r + i * y->n_all;
		take_run(y, &p->x[i]->summary, c, x);
		take_run(y, &p->r[i]->summary, c, r);
		for (size_t k = 0; k < y->n_all; k++) {
			s->all_x[k] += x[k];
			s->all_r[k] += r[k];
		}
	}
}

/* Returns the value with the scatter of others[n] (each without one pair), stride CAUSE_N + 1. */
static struct estimate estimate_jackknife(double value, const double *others, size_t n)
{
	double mean = 0, square = 0;
	struct estimate e = estimate_none(isnan(value) ? STAT_NOT_APPLICABLE : STAT_OK);
	if (e.status)
		return e;
	for (size_t i = 0; i < n; i++)
		mean += others[i * (CAUSE_N + 1)] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += pow(others[i * (CAUSE_N + 1)] - mean, 2);
	struct t_estimate t = {.value = value, .se = sqrt(square * (double)(n - 1) / (double)n),
			       .df = (double)(n - 1)};
	if (t.se > 0 && isfinite(t.se))
		return estimate_of_t(STAT_OK, &t, NULL);
	e.value = value;
	return e;
}

/* --- parts --------------------------------------------------------------- */

static double mean_level(const struct response_layout *y, const double *side)
{
	double sum = 0;
	for (size_t i = 0; i < y->n_levels; i++)
		sum += (double)i * side[y->levels + i];
	return sum;
}

static enum why_name part_name(enum cause k, bool up, bool above)
{
	switch (k) {
	case CAUSE_REQUESTS: return WHY_MIX;
	case CAUSE_CONCURRENCY: return up ? WHY_MORE_CONCURRENCY : WHY_LESS_CONCURRENCY;
	case CAUSE_LATE_ISSUE: return WHY_LATE_ISSUE;
	case CAUSE_REORDERING: return WHY_REORDERING;
	case CAUSE_CACHE: return above ? WHY_FEWER_HITS : WHY_MORE_HITS;
	case CAUSE_FAULTS: return above ? WHY_MORE_FAULTS : WHY_FEWER_FAULTS;
	case CAUSE_RUN_QUEUE: return WHY_CPU_WAIT;
	case CAUSE_STEAL: return WHY_STEAL;
	case CAUSE_PROCESSOR: return WHY_ON_CPU;
	case CAUSE_OFF_PROCESSOR: return WHY_OFF_CPU;
	default: return WHY_UNEXPLAINED;
	}
}

static enum why_method part_how(enum cause k, const struct methods *m)
{
	switch (k) {
	case CAUSE_REQUESTS: return METHOD_BY_OPERATION;
	case CAUSE_CONCURRENCY: return m->level_alone ? METHOD_BY_LEVEL_ALONE : METHOD_BY_LEVEL;
	case CAUSE_LATE_ISSUE: return METHOD_BY_LATENESS;
	case CAUSE_REORDERING: return METHOD_BY_ORDER;
	case CAUSE_CACHE:
		return m->cache == CACHE_SLOPE	 ? METHOD_BYTES_SLOPE
		       : m->cache == CACHE_BLOCKED ? METHOD_BYTES_BLOCKED
						   : METHOD_NO_BYTES;
	case CAUSE_FAULTS: return METHOD_FAULT_COST;
	case CAUSE_RUN_QUEUE: return METHOD_IN_PROPORTION;
	case CAUSE_STEAL: return METHOD_ALL_CPUS;
	case CAUSE_PROCESSOR:
	case CAUSE_OFF_PROCESSOR: return METHOD_BESIDE;
	default: return METHOD_REST;
	}
}

static void part_put(struct split *s, const struct response_layout *y, const struct methods *m,
		     const struct sums *u, enum cause k, struct estimate e)
{
	bool up = mean_level(y, u->mean_x) > mean_level(y, u->mean_r);
	bool above = k == CAUSE_CACHE	 ? u->mean_x[F_DEVICE] > u->mean_r[F_DEVICE]
		     : k == CAUSE_FAULTS ? u->mean_x[F_FAULTS] > u->mean_r[F_FAULTS]
					 : e.value > 0;
	if ((k == CAUSE_LATE_ISSUE && !m->context->timed) ||
	    (k == CAUSE_REQUESTS && y->n_ops < 2) ||
	    (m->context->at_device && (k == CAUSE_FAULTS || k == CAUSE_RUN_QUEUE)))
		return; /* not applicable */
	struct why_part *part =
	    split_add(s, k, part_name(k, up, above), e.status ? METHOD_UNKNOWN : part_how(k, m));
	part->part = e;
	part->beside = k > CAUSE_SERVICE;
}

void split_response(struct split *s, const struct pairs *p, const struct why_context *c)
{
	struct response_layout y;
	struct sums u;
	s->whole = estimate_none(STAT_TOO_FEW);
	if (p->n < 3)
		return;
	layout_make(&y, p, c);
	sums_make(&u, &y, p, c);
	means_without(&u, &y, y.n_pairs);
	struct methods m = {.context = c, .cache = cache_choose(&y, u.mean_x, u.mean_r)};
	part_classes(u.mean_x, u.mean_r, y.levels, y.n_levels, &m.level_alone);
	double *others = xcalloc(p->n * (CAUSE_N + 1), sizeof *others), value[CAUSE_N];
	for (size_t i = 0; i < p->n; i++) {
		double *at = others + i * (CAUSE_N + 1);
		means_without(&u, &y, i);
		parts_of(&y, &m, u.mean_x, u.mean_r, at);
		at[CAUSE_N] = u.mean_x[F_MEAN] / u.mean_r[F_MEAN] - 1;
	}
	means_without(&u, &y, y.n_pairs);
	parts_of(&y, &m, u.mean_x, u.mean_r, value);
	s->whole =
	    estimate_jackknife(u.mean_x[F_MEAN] / u.mean_r[F_MEAN] - 1, others + CAUSE_N, p->n);
	for (enum cause k = 0; k < CAUSE_N; k++)
		part_put(s, &y, &m, &u, k, estimate_jackknife(value[k], others + k, p->n));
	split_shares(s);
	FREE_EACH(others, u.run_x);
}
