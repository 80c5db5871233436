/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the cells to explain, and finds what differs and the main cause. */
#include "validate/analysis/why.h"

#include "validate/analysis/why_private.h"
#include "validate/components/component.h"
#include "validate/stats/distributions.h"

const char *const cause_names[] = {"requests",   "concurrency", "late issue",    "reordering",
				   "cache hits", "page faults", "run queue",     "steal",
				   "service",    "processor",   "off processor", NULL};
const char *const split_names[] = {"response time", "execution time", NULL};

struct why_part *split_add(struct split *s, enum cause cause, enum why_name name,
			   enum why_method how)
{
	struct why_part *part = &s->part[s->n_parts++];
	*part = (struct why_part){.cause = cause, .name = name, .how = how, .share = NAN};
	return part;
}

static bool leaves_out_zero(const struct estimate *e)
{
	if (e->status)
		return false;
	return isnan(e->lo95) ? e->value != 0 : e->lo95 > 0 || e->hi95 < 0;
}

void split_shares(struct split *s)
{
	s->significant = leaves_out_zero(&s->whole);
	for (size_t i = 0; i < s->n_parts && s->significant; i++)
		if (!s->part[i].beside && !s->part[i].part.status)
			s->part[i].share = s->part[i].part.value / s->whole.value;
}

/* --- the main cause ------------------------------------------------------ */

/* Returns the largest part in the direction of the difference. */
static const struct why_part *part_largest(const struct split *s)
{
	const struct why_part *most = NULL;
	for (size_t i = 0; i < s->n_parts && s->significant; i++)
		if (s->part[i].share > 0 && (!most || s->part[i].share > most->share))
			most = &s->part[i];
	return most;
}

static void set_main(struct why *w, enum cause cause, enum why_name name)
{
	w->main = cause;
	w->main_name = name;
}

/* Whether significantly more requests are in flight than in the program, by more than a tenth. */
static bool has_excess(const struct cell *c)
{
	const struct estimate *e = &c->concurrency.in_flight;
	return !e->status && e->value > 0.1 && e->lo95 > 0;
}

/* Whether the replay is untimed and never has as many requests in flight as the program. Its
 * requests compete with fewer others, so a shorter service time is not a separate cause. In a timed
 * replay, a shorter service time itself reduces the number in flight. */
static bool has_fewer_competitors(const struct cell *c, bool timed)
{
	const struct component *m = &c->component[COMPONENT_IN_FLIGHT_MAX];
	return !timed && m->estimate.value < 0 && leaves_out_zero(&m->estimate);
}

/* Chooses the main cause if the split explains longer response times. Waiting for CPUs is explained
 * by the number of competing threads, if it exceeds that of the program. */
static bool main_of_split(struct why *w, const struct cell *c, bool timed,
			  enum split_quantity q)
{
	const struct why_part *part = part_largest(&w->split[q]);
	if (part && q == SPLIT_TIME && part->cause == CAUSE_SERVICE &&
	    part_largest(&w->split[SPLIT_RESPONSE]))
		part = part_largest(&w->split[SPLIT_RESPONSE]);
	if (part && part->cause == CAUSE_RUN_QUEUE && has_excess(c))
		set_main(w, CAUSE_CONCURRENCY, WHY_CONCURRENCY_WAITS);
	else if (part && part->cause == CAUSE_SERVICE && part->part.value < 0 &&
		 has_fewer_competitors(c, timed))
		set_main(w, CAUSE_CONCURRENCY, WHY_LESS_CONCURRENCY);
	else if (part)
		set_main(w, part->cause, part->name);
	return part;
}

static bool is_rejected(const struct cell *c, enum component_kind k)
{
	return c->component[k].decision == DECISION_REJECT;
}

static const struct why_part *part_of(const struct split *s, enum cause cause)
{
	for (size_t i = 0; i < s->n_parts; i++)
		if (s->part[i].cause == cause && !s->part[i].part.status)
			return &s->part[i];
	return NULL;
}

/* Chooses between two forms of fewer requests in flight: more time without requests, or fewer at
 * the same time. */
static void main_of_concurrency(struct why *w, const struct cell *c)
{
	const struct why_part *idle = part_of(&w->split[SPLIT_TIME], CAUSE_LATE_ISSUE),
			      *level = part_of(&w->split[SPLIT_TIME], CAUSE_CONCURRENCY);
	if (idle && level && fabs(idle->part.value) > fabs(level->part.value))
		set_main(w, CAUSE_LATE_ISSUE, idle->name);
	else
		set_main(w, CAUSE_CONCURRENCY,
			 c->concurrency.mean_x < c->concurrency.mean_r ? WHY_LESS_CONCURRENCY
								       : WHY_MORE_CONCURRENCY);
}

/* Chooses a cause that a component itself names. */
static bool main_of_counts(struct why *w, const struct cell *c)
{
	if (is_rejected(c, COMPONENT_FIDELITY))
		set_main(w, CAUSE_REQUESTS,
			 c->n_lost >= c->n_extra && c->n_lost >= c->n_mismatched ? WHY_LOST
			 : c->n_extra >= c->n_mismatched ? WHY_REPEATED
							 : WHY_OTHER_REQUESTS);
	else if (is_rejected(c, COMPONENT_ISSUE_ERROR) || is_rejected(c, COMPONENT_SHARE_LATE))
		set_main(w, CAUSE_LATE_ISSUE, WHY_LATE_ISSUE);
	else if (is_rejected(c, COMPONENT_CONCURRENCY) || is_rejected(c, COMPONENT_IN_FLIGHT) ||
		 is_rejected(c, COMPONENT_IN_FLIGHT_MAX))
		main_of_concurrency(w, c);
	else if (is_rejected(c, COMPONENT_REORDERING))
		set_main(w, CAUSE_REORDERING, WHY_REORDERING);
	return w->main != CAUSE_N;
}

/* Whether the response times explain that requests are late: they are late because earlier requests
 * took longer. */
static bool late_by_service(const struct why *w, const struct cell *c)
{
	const struct why_part *part = part_largest(&w->split[SPLIT_TIME]);
	return is_rejected(c, COMPONENT_BIAS) && is_rejected(c, COMPONENT_EXECUTION_TIME) && part &&
	       part->cause == CAUSE_SERVICE;
}

/* Chooses the main cause. Other requests, or requests at other times, come first: then the times
 * measure something else. Response time, execution time, and counts follow. */
static void main_choose(struct why *w, const struct cell *c, bool timed)
{
	bool late = is_rejected(c, COMPONENT_ISSUE_ERROR) || is_rejected(c, COMPONENT_SHARE_LATE);
	if ((is_rejected(c, COMPONENT_FIDELITY) || (late && !late_by_service(w, c))) &&
	    main_of_counts(w, c))
		return;
	if (is_rejected(c, COMPONENT_BIAS) && main_of_split(w, c, timed, SPLIT_RESPONSE))
		return;
	if (is_rejected(c, COMPONENT_EXECUTION_TIME) && main_of_split(w, c, timed, SPLIT_TIME))
		return;
	if (main_of_counts(w, c) || w->rejected)
		return;
	if (!main_of_split(w, c, timed, SPLIT_RESPONSE))
		main_of_split(w, c, timed, SPLIT_TIME);
}

/* --- components ---------------------------------------------------------- */

static const double significance = 0.05;

/* Whether the interval at 1 - 0.05/n excludes 0 (Bonferroni). Its width is that of the 95 %
 * interval times the ratio of the quantiles of Student's t. */
static bool leaves_out_zero_of(const struct estimate *e, bool logarithm, size_t n)
{
	double usual, corrected;
	if (n == 1 || !leaves_out_zero(e) || isnan(e->lo95))
		return leaves_out_zero(e);
	if (t_quantile(1 - significance / 2, e->df, &usual) ||
	    t_quantile(1 - significance / 2 / (double)n, e->df, &corrected))
		return false;
	const double lo = logarithm ? log1p(e->lo95) : e->lo95,
		     hi = logarithm ? log1p(e->hi95) : e->hi95;
	return fabs(lo + hi) > (hi - lo) * corrected / usual;
}

/* The splits cover these. */
static bool is_split(const struct why *w, enum component_kind k)
{
	return (k == COMPONENT_BIAS && w->split[SPLIT_RESPONSE].significant) ||
	       (k == COMPONENT_EXECUTION_TIME && w->split[SPLIT_TIME].significant);
}

static bool is_judged(const struct component *m)
{
	return m->decision != DECISION_NOT_ASSESSED && m->decision != DECISION_NOT_APPLICABLE;
}

/* Returns the number of estimates that are compared with 0. */
static size_t n_compared(const struct cell *c)
{
	size_t n = 0;
	for (size_t k = 0; k < COMPONENT_N; k++)
		if (components[k]->two_sided && is_judged(&c->component[k]))
			n += c->component[k].n_parts ? c->component[k].n_parts : 1;
	return n;
}

static void add_difference(struct why *w, const struct component *m, const char *part,
			   const struct estimate *e)
{
	w->difference = xreallocarray(w->difference, w->n_differences + 1, sizeof *w->difference);
	w->difference[w->n_differences++] = 
		(struct why_difference){m->kind, part, e, m->n_reasons ? m->reasons : NULL};
}

/* Adds the differing parts of a component, or its estimate. The points of a distribution depend on
 * each other, so only the deciding point counts. */
static void add_component(struct why *w, const struct component *m, size_t n)
{
	const struct component_row *row = components[m->kind];
	const bool rejected = m->decision == DECISION_REJECT,
		   change = row->unit == COMPONENT_CHANGE;
	for (size_t i = 0; i < m->n_parts; i++) {
		const struct estimate *e = &m->part[i].estimate;
		const bool decides = e->value == m->estimate.value;
		if ((decides && rejected) || ((decides || row->words.logarithm) &&
					      leaves_out_zero_of(e, change, n)))
			add_difference(w, m, m->part[i].label, e);
	}
	if (!m->n_parts &&
	    (rejected || (row->two_sided && leaves_out_zero_of(&m->estimate, change, n))))
		add_difference(w, m, "", &m->estimate);
}

static void add_components(struct why *w, const struct cell *c, bool accepted)
{
	const size_t n = n_compared(c);
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *m = &c->component[k];
		const bool is_mean = k == COMPONENT_BIAS || k == COMPONENT_EXECUTION_TIME;
		if (is_judged(m) && !is_split(w, k) && (m->decision == DECISION_ACCEPT) == accepted)
			add_component(w, m, is_mean ? 1 : n);
	}
}

/* Adds rejected and inconclusive components. Accepted components are added only if nothing else
 * differs. */
static void add_differences(struct why *w, const struct cell *c)
{
	w->n_differences = 0;
	add_components(w, c, false);
	if (!w->n_differences && !w->split[SPLIT_RESPONSE].significant &&
	    !w->split[SPLIT_TIME].significant)
		add_components(w, c, true);
}

/* --- all cells ----------------------------------------------------------- */

static double fault_cost(const struct results *r)
{
	const json_t *cost =
	    json_object_get(json_object_get(r->environment, "costs"), "minor_fault_ns");
	double ns = json_is_number(cost) ? json_number_value(cost) : NAN;
	return ns >= 0 && isfinite(ns) ? ns : NAN;
}

static struct why_context context_of(const struct analysis *a, const struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	const struct replayer *replayer = &p->replayer[c->replayer];
	int scope = p->accept.reorder_scope;
	if (scope == REORDER_AUTO)
		scope = replayer->total_order ? REORDER_ALL : REORDER_THREAD;
	const struct scenario *scenario = &p->scenario[c->scenario];
	return (struct why_context){scenario, fault_cost(a->results), scope, replayer->timed,
				    scenario->observe == OBSERVE_BLOCK};
}

static bool can_be_split(const struct pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct run_summary *s[] = {&p->x[i]->summary, &p->r[i]->summary};
		/* damaged or imported summaries may hold such values */
		for (int k = 0; k < 2; k++)
			if (!(s[k]->response.mean > 0) || s[k]->execution_ns <= 0 ||
			    !s[k]->ns_at_level || s[k]->ns_at_level[0] < 0 ||
			    s[k]->ns_at_level[0] >= s[k]->execution_ns)
				return false;
	}
	return p->n >= 3;
}

static void cell_explain(void *analysis, size_t i)
{
	const struct analysis *a = analysis;
	const struct cell *c = &a->cell[i];
	struct why *w = &a->why[i];
	*w = (struct why){.main = CAUSE_N, .rejected = c->verdict == VERDICT_NOT_TRUSTED};
	for (int q = 0; q < SPLIT_N; q++)
		w->split[q].whole = estimate_none(STAT_NOT_ASSESSED);
	add_differences(w, c);
	w->shown = w->rejected || w->n_differences;
	if (!w->shown)
		return;
	struct cell again = {.scenario = c->scenario, .replayer = c->replayer};
	struct why_context context = context_of(a, c);
	SCOPED(pairs_release) struct pairs pairs;
	pairs_collect(&pairs, &again, a->results, a->n_replicates);
	if (can_be_split(&pairs)) {
		split_response(&w->split[SPLIT_RESPONSE], &pairs, &context);
		split_time(&w->split[SPLIT_TIME], &pairs);
	}
	add_differences(w, c);
	main_choose(w, c, context.timed);
}

void why_compute(struct analysis *a)
{
	a->why = xcalloc(a->n_cells + 1, sizeof *a->why);
	analysis_each(a, a->n_cells, cell_explain);
}

void why_release(struct analysis *a)
{
	for (size_t i = 0; a->why && i < a->n_cells; i++)
		free(a->why[i].difference);
	free(a->why);
	a->why = NULL;
}

/* --- levels -------------------------------------------------------------- */

/* Standardisation: the part of a difference of means that is due to a different composition.
 *
 * It is sum of (p_x - p_r) ((m_x + m_r)/2 - M) over the classes. M, the mean of both sides, cancels
 * if the shares add up to 1 on both sides. With M, unknown classes do not count as requests that
 * take no time. Source: Kitagawa, Components of a difference between two rates (1955). */

static double mean_of(double share, double sum)
{
	return share > 0 ? sum / share : NAN;
}

/* Returns the mean difference x - r in the classes that both sides have, weighted by share. */
static double common_difference(const struct classes *c, bool *alone)
{
	double sum = 0, weight = 0;
	for (size_t i = 0; i < c->n; i++) {
		if (c->share_x[i] < LEAST_SHARE || c->share_r[i] < LEAST_SHARE)
			continue;
		double w = (c->share_x[i] + c->share_r[i]) / 2;
		sum +=
		    w * (mean_of(c->share_x[i], c->sum_x[i]) - mean_of(c->share_r[i], c->sum_r[i]));
		weight += w;
	}
	*alone = weight <= 0;
	return weight > 0 ? sum / weight : 0;
}

double classes_composition(const struct classes *c, bool *alone)
{
	double difference = common_difference(c, alone), whole = 0, part = 0;
	for (size_t i = 0; i < c->n; i++)
		whole += (c->sum_x[i] + c->sum_r[i]) / 2;
	for (size_t i = 0; i < c->n; i++) {
		bool x = c->share_x[i] >= LEAST_SHARE, r = c->share_r[i] >= LEAST_SHARE;
		if (!x && !r)
			continue;
		double mean_x = mean_of(c->share_x[i], c->sum_x[i]),
		       mean_r = mean_of(c->share_r[i], c->sum_r[i]);
		mean_x = x ? mean_x : mean_r + difference;
		mean_r = r ? mean_r : mean_x - difference;
		part += (c->share_x[i] - c->share_r[i]) * ((mean_x + mean_r) / 2 - whole);
	}
	return part;
}
