/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs in a case, and the causes that were found, in a sentence. */
#include "reports/reasons.h"
#include "reports/words.h"

#define DEAF "the replayer's times do not follow the storage: on slower storage, the response "
#define QUANTILE(name)                                                                             \
	{                                                                                          \
		"the " name " is %s longer", "the " name " is %s shorter",                         \
		    "the protocol sets no limit, or the summaries lack the quantile",              \
		    "a run has fewer than 5 requests beyond this quantile"                         \
	}

const struct component_words component_words[COMPONENT_N] = {
    [COMPONENT_BIAS] = {"requests take %s longer", "requests take %s less time"},
    [COMPONENT_TYPICAL] = {"the fastest 90 % of the requests take %s longer",
			   "the fastest 90 % of the requests take %s less time",
			   "the summaries come from an earlier version and lack the typical "
			   "response time"},
    [COMPONENT_SHAPE] = {"the distributions of the relative response times differ by %s", NULL,
			 "the summaries lack the shape of the distribution"},
    [COMPONENT_TAIL] = {"the slowest 1 % of the requests take %s longer",
			"the slowest 1 % of the requests take %s less time",
			"the summaries come from an earlier version and lack the slowest "
			"requests"},
    [COMPONENT_OPERATION] = {"%p takes %s longer", "%p takes %s less time",
			     "the summaries lack response times by operation",
			     "all requests have the same operation: the component \"bias\" judges "
			     "them"},
    [COMPONENT_HALF] = {"requests of the %p of the run take %s longer",
			"requests of the %p of the run take %s less time",
			"the summaries lack response times by half of the run"},
    [COMPONENT_PRECISION] = {"the replays scatter %s times as much as the program's runs"},
    [COMPONENT_EXECUTION_TIME] = {"execution time is %s longer", "execution time is %s shorter"},
    [COMPONENT_REORDERING] = {"%s of the requests are out of order"},
    [COMPONENT_FIDELITY] = {"the number of requests per run that are lost or added, or return a "
			      "different result, is %s"},
    [COMPONENT_UNCERTAINTY] = {"one replay is accurate to only ±%s"},
    [COMPONENT_CONCURRENCY] = {"the distributions of the number of requests in flight differ by "
				 "%s"},
    [COMPONENT_LINEARITY] = {"the bias grows by %s with the load",
			     "the bias falls by %s with the load"},
    [COMPONENT_ISSUE_ERROR] = {"1 % of the requests are issued more than %s late"},
    [COMPONENT_SHARE_LATE] = {"%s of the requests are issued late"},
    [COMPONENT_IN_FLIGHT] = {"the mean number of requests in flight is %s larger",
			     "the mean number of requests in flight is %s smaller"},
    [COMPONENT_IN_FLIGHT_MAX] = {"the maximum number of requests in flight is %s larger",
				 "the maximum number of requests in flight is %s smaller"},
    [COMPONENT_RESPONSIVENESS] = {DEAF "times are %s too long",
				  DEAF "times are %s too short"},
    [COMPONENT_MEDIAN] = QUANTILE("median"),
    [COMPONENT_P90] = QUANTILE("90th percentile"),
    [COMPONENT_P99] = QUANTILE("99th percentile"),
    [COMPONENT_P999] = QUANTILE("99.9th percentile"),
    [COMPONENT_IOPS] = {"%s more requests per second", "%s fewer requests per second",
			"the protocol sets no limit, or a run has no duration"},
};

void words_add_deviation(struct strbuf *out, enum component_kind kind, const char *part,
			 double value)
{
	const struct component_words *w = &component_words[kind];
	const char *text = value < 0 && w->below ? w->below : w->above;
	if (!text || (strstr(text, "%p") && !*part)) {
		strbuf_addf(out, "%s is ", component_names[kind]);
		words_add_size(out, kind, value);
		return;
	}
	for (; *text; text++) {
		const bool is_mark = *text == '%' && (text[1] == 'p' || text[1] == 's');
		if (!is_mark)
			strbuf_addch(out, *text);
		else if (*++text == 'p')
			strbuf_addstr(out, part);
		else
			words_add_size(out, kind, value);
	}
}

const char *words_cause(enum why_name name)
{
	static const char *const words[WHY_NAME_N] = {
	    [WHY_UNEXPLAINED] = "unexplained service time",
	    [WHY_MIX] = "a different mix of operations",
	    [WHY_LESS_CONCURRENCY] = "fewer requests in flight",
	    [WHY_MORE_CONCURRENCY] = "more requests in flight",
	    [WHY_CONCURRENCY_WAITS] = "more requests in flight than CPUs, so threads wait for CPUs",
	    [WHY_LATE_ISSUE] = "requests issued late",
	    [WHY_REORDERING] = "reordering",
	    [WHY_FEWER_HITS] = "fewer cache hits",
	    [WHY_MORE_HITS] = "more cache hits",
	    [WHY_FEWER_FAULTS] = "fewer page faults",
	    [WHY_MORE_FAULTS] = "more page faults",
	    [WHY_CPU_WAIT] = "waiting for a CPU",
	    [WHY_STEAL] = "time stolen by the hypervisor",
	    [WHY_ON_CPU] = "time on the CPU",
	    [WHY_OFF_CPU] = "time off the CPU",
	    [WHY_FEWER_REQUESTS] = "fewer requests",
	    [WHY_MORE_REQUESTS] = "more requests",
	    [WHY_SHORTER_RESPONSES] = "shorter response times",
	    [WHY_LONGER_RESPONSES] = "longer response times",
	    [WHY_LESS_IDLE] = "less time with no request in flight",
	    [WHY_MORE_IDLE] = "more time with no request in flight",
	    [WHY_LOST] = "lost requests",
	    [WHY_REPEATED] = "repeated requests",
	    [WHY_OTHER_REQUESTS] = "different requests or results",
	};
	return words[name];
}

void words_add_main_cause(struct strbuf *out, enum why_name name)
{
	strbuf_addf(out, name == WHY_UNEXPLAINED ? "mostly %s" : "mainly because of %s",
		    words_cause(name));
}

const char *words_method(enum why_method how)
{
	static const char *const words[METHOD_N] = {
	    [METHOD_REST] = "the rest",
	    [METHOD_UNKNOWN] = "unknown",
	    [METHOD_MEASURED] = "measured",
	    [METHOD_BY_OPERATION] = "change of each operation's share, multiplied by the mean "
				    "response time of this operation",
	    [METHOD_BY_LEVEL] = "change of the share of the requests at each number in flight, "
				"multiplied by the mean response time at this number",
	    [METHOD_BY_LEVEL_ALONE] = "the whole change of the response time, because program "
				      "and replay never had the same number of requests in "
				      "flight; this part also contains unexplained service time",
	    [METHOD_BY_LATENESS] = "difference in response time between late requests and "
				  "requests on time",
	    [METHOD_BY_ORDER] = "difference in response time between reordered and other "
			       "requests",
	    [METHOD_BYTES_SLOPE] = "bytes read from devices x response time per byte, fitted to "
				   "the runs",
	    [METHOD_BYTES_BLOCKED] = "bytes read from devices x time blocked per byte",
	    [METHOD_NO_BYTES] = "no run read from a device",
	    [METHOD_FAULT_COST] =
		"difference of fault counts x measured cost of a fault; upper bound",
	    [METHOD_IN_PROPORTION] =
		"measured: change of the ratio of this time to the service time",
	    [METHOD_ALL_CPUS] = "measured for all CPUs: change of the ratio of this time to the "
				"service time; upper bound",
	    [METHOD_BESIDE] = "measured in and between requests; not part of the sum",
	};
	return words[how];
}

/* --- splits -------------------------------------------------------------- */

/* smallest share of a difference for which a part is stated after the largest part */
#define PART_MIN 0.05

/* Returns the largest part whose share is below `below`. */
static const struct why_part *next_largest(const struct split *s, double below)
{
	const struct why_part *most = NULL;
	for (size_t i = 0; i < s->n_parts; i++) {
		double share = fabs(s->part[i].share);
		if (share < below && (!most || share > fabs(most->share)))
			most = &s->part[i];
	}
	return most;
}

/* Whether a part after the largest part is stated. */
static bool has_second(const struct split *s, const struct why_part *largest)
{
	const struct why_part *second = next_largest(s, fabs(largest->share));
	return second && fabs(second->share) >= PART_MIN;
}

/* Appends "2.7 % shorter". */
static void add_change(struct strbuf *out, double ratio)
{
	double percent = 100 * fabs(ratio);
	strbuf_addf(out, percent < 0.005 ? "%.*g %% %s" : "%.*f %% %s",
		    percent < 0.005   ? 1
		    : percent < 0.995 ? 2
		    : percent < 9.95  ? 1
				      : 0,
		    percent, ratio < 0 ? "shorter" : "longer");
}

/* Whether the cause is a time, which can be shorter or longer in the replay. */
static bool is_time(enum why_name name)
{
	return name == WHY_CPU_WAIT || name == WHY_STEAL || name == WHY_ON_CPU ||
	       name == WHY_OFF_CPU;
}

static void add_split(struct strbuf *out, const struct split *s)
{
	double below = INFINITY;
	add_change(out, s->whole.value);
	for (int i = 0; i < 3; i++) {
		const struct why_part *part = next_largest(s, below);
		if (!part || (i && fabs(part->share) < PART_MIN)) {
			strbuf_addstr(out, i ? ")" : "");
			return;
		}
		if (i)
			strbuf_addstr(out, ", ");
		else
			strbuf_addf(out, " (largest part%s: ", has_second(s, part) ? "s" : "");
		add_change(out, part->part.value);
		if (part->name == WHY_UNEXPLAINED)
			strbuf_addf(out, " because of an unexplained %s in service time",
				    part->part.value < 0 ? "decrease" : "increase");
		else
			strbuf_addf(out, " because of %s%s",
				    !is_time(part->name)    ? ""
				    : part->part.value < 0 ? "less "
							   : "more ",
				    words_cause(part->name));
		below = fabs(part->share);
	}
	strbuf_addch(out, ')');
}

void words_add_why(struct strbuf *out, const struct why *w)
{
	static const char *const quantity[SPLIT_N] = {"the mean response time",
						      "the execution time"};
	const char *between = "";
	if (w->main != CAUSE_N) {
		strbuf_addf(out, "the %s %s",
			    w->main_name == WHY_UNEXPLAINED ? "difference is mainly in"
			    : w->rejected		    ? "main cause of the verdict is"
							    : "main cause of the differences is",
			    words_cause(w->main_name));
		between = "; ";
	}
	for (int q = 0; q < SPLIT_N; q++) {
		if (!w->split[q].significant)
			continue;
		strbuf_addf(out, "%s%s is ", between, quantity[q]);
		add_split(out, &w->split[q]);
		between = "; ";
	}
	for (size_t i = 0; i < w->n_differences; i++) {
		const struct why_difference *d = &w->difference[i];
		strbuf_addstr(out, between);
		if (!words_add_shares(out, d->reason))
			words_add_deviation(out, d->kind, d->part, d->estimate->value);
		between = "; ";
	}
}

/* Whether fewer requests in flight go with longer responses, or more with shorter responses. */
static bool level_lengthens(const struct split *s)
{
	for (size_t i = 0; i < s->n_parts; i++) {
		const struct why_part *p = &s->part[i];
		if (fabs(p->share) >= PART_MIN &&
		    ((p->name == WHY_LESS_CONCURRENCY && p->part.value > 0) ||
		     (p->name == WHY_MORE_CONCURRENCY && p->part.value < 0)))
			return true;
	}
	return false;
}

void words_add_why_notes(struct strbuf *out, const struct analysis *a)
{
	bool has_response = false, has_level = false;
	for (size_t i = 0; a->why && i < a->n_cells; i++) {
		const struct split *s = &a->why[i].split[SPLIT_RESPONSE];
		const bool states = a->why[i].shown && s->significant;
		has_response |= states;
		has_level |= states && level_lengthens(s);
	}
	if (has_response)
		strbuf_addstr(out, " The bias is the geometric mean of the ratio replay/program "
				   "over all pairs, minus 1. So it can differ from the stated "
				   "difference of the mean response times.");
	if (has_level)
		strbuf_addstr(out, " On some storage, requests take longer when few others are in "
				   "flight. There, fewer requests in flight make the mean response "
				   "time longer.");
}
