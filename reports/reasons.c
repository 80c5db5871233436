/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversions of a template take the numbers of a reason in order:
 *   printf's e, f and g, with flags and precision
 *   %P  ratio in percent, "12.3"     %C  the same with its sign, "+12.3"
 *   %T  time in ns, "55.71 ms"       %E  confidence for an error, in percent, "95"
 *   %W  position to the limit, "within"
 *   %M  meaning of a status
 *   %Q  number of requests, "at most 3 requests", "no request"
 *   %V  estimate without a limit, in the component's unit
 *   %D  P-value above its limit, the next number, with the digits that distinguish them
 * and these take none:
 *   %{one|many}  words for the number before, which is 1 or not
 *   %S  the reason's text            %L  the deciding part, "reads mean"
 *   %K  what the estimate is         %X  what scatters between the runs
 *   %A, %I  the texts absent and inapplicable of component_words */
#include "reports/reasons.h"

#include "reports/words.h"
#include "validate/analysis/tendency.h"
#include "validate/components/component.h"

#define NO_NUMBER "No practical number of replicates would decide this component on this machine"

static const char *const templates[REASON_N] = {
    [REASON_NONE] = "",
    [REASON_TOO_EARLY] =
	"this look is too early for a verdict: at this look, the plan permits an error "
	"probability of only %.2g. A later look decides",
    [REASON_NO_REPLAY] = "nothing was replayed: the program itself ran in the replayer's place",
    [REASON_NOT_COMPARED] = "a replay was not compared with the trace that it replayed",
    [REASON_STATUS] = "%M",
    [REASON_SHOWN] = "%K %V, no limit set",
    [REASON_SHOWN_STATUS] = "%K: %M",
    [REASON_FEW_RUNS] =
	". %.0f runs are too few to rule out that they depend on each other, so they count as "
	"little more than one run",
    [REASON_RUNS_ALIKE] = ". Successive runs are correlated (measured: %.2f), so %.0f runs count "
			  "as little more than one run",
    [REASON_IF_INDEPENDENT] = ". The component would be accepted if the runs were known to be "
			      "independent",
    [REASON_DEPENDENT] = ". The component would be accepted if the runs were independent. "
			 "Because they may depend on each other, %.0f runs count as only %.1f "
			 "independent runs",
    [REASON_COUNTED_AS] = ". Because runs may depend on each other, %.0f runs count as only %.1f "
			  "independent runs",
    [REASON_NO_RESPONSES] = "the recording has no response times",
    [REASON_ABSENT] = "%A",
    [REASON_INAPPLICABLE] = "%I",
    [REASON_UNTIMED] = "the replay does not issue requests at given times",
    [REASON_BELOW_LOQ] = "the program's mean response time, %.4g ns, is below the limit of "
			 "quantification, %.4g ns (%.0f times the standard deviation of the "
			 "mean times of %.0f blank replays, which make no I/O calls)",
    [REASON_RATIO] = "%C %%, %E %% interval %C to %C %%, %W the limits of ±%P %%",
    [REASON_RATIO_ALONE] = "%C %%, no interval, so inconclusive at the limits of ±%P %%",
    [REASON_RATIO_ALIKE] = "%C %% in each of %.0f pairs, %W the limits of ±%P %%",
    [REASON_RECORDINGS] = ". The interval is wider because %.0f replays use only %.0f recordings",
    [REASON_GUARD_ACCEPT] = ", guard band %.3g U; the probability that this acceptance is wrong is "
			    "%.2g %%",
    [REASON_GUARD_REJECT] = ", guard band %.3g U; the probability that this rejection is wrong is "
			    "%.2g %%",
    [REASON_PART_CHANGE] = "%L: %C %%",
    [REASON_SHARES_RESPONSE] = "%P %% of the program's requests and %P %% of the replay's "
			       "requests take at most %.3g times the typical response time of "
			       "their run (mean of its fastest 90 %%)",
    [REASON_PART_NUMBER] = ". The difference is %+.3f",
    [REASON_CHANGE_INTERVAL] = ", %E %% interval %C to %C %%",
    [REASON_NUMBER_INTERVAL] = ", %E %% interval %+.3f to %+.3f",
    [REASON_CHANGE_LIMITS] = ", %W the limits of ±%P %%",
    [REASON_NUMBER_LIMITS] = ", %W the limits of ±%.3g",
    [REASON_ONLY_INTERVAL] = ". The component is not rejected, because the rejection test is "
			     "stricter than the test behind this interval. Its P-value before "
			     "Holm's correction is %.3g. A rejection needs at most %.3g before "
			     "this correction",
    [REASON_ONLY_INTERVAL_OF_PARTS] =
	". The component is not rejected, because the rejection test is two-sided and corrected "
	"for the component's %.0f parts. The P-value before Holm's correction is %.3g. A rejection "
	"needs at most %.3g before this correction",
    [REASON_SHARE] =
	"%.3g %% of the requests, one-sided %E %% confidence limits %.3g and %.3g %%, %W the limit "
	"of %P %%",
    [REASON_SHARE_ALONE] = "%.3g %% of the requests, no interval, so inconclusive at the "
			   "limit of %P %%",
    [REASON_SHARE_ALIKE] = "%.0f of %.0f requests, the same number in every run, %E %% upper "
			   "confidence limit %.2g %%, %W the limit of %P %%",
    [REASON_SHARE_ALIKE_BEYOND] = "%.0f of %.0f requests, the same number in every run, %E %% "
				  "lower confidence limit %.2g %%, beyond the limit of %P %%",
    [REASON_SHARE_NONE] = "%.0f of %.0f requests, none allowed",
    [REASON_EQUAL_LEVELS] = "no difference at any number of requests in flight, limit %.3g",
    [REASON_SHARES_TIME] =
	"the share of the time with %Q in flight is %P %% for the program and %P %% for the "
	"replay",
    [REASON_SHARES_REQUEST] = "the share of the requests that start with %Q in flight is %P %% "
			      "for the program and %P %% for the replay",
    [REASON_DISTANCE] =
	". The shares differ by %.3g (%E %% upper confidence limit %.3g), %W the limit of %.3g",
    [REASON_DISTANCE_BEYOND] =
	". The shares differ by %.3g (%E %% lower confidence limit %.3g), beyond the limit of "
	"%.3g",
    [REASON_PAIRS_FAR] =
	". Some pairs deviate far from the others. The mean of all pairs, in which these pairs "
	"have their full weight, is %C %%. It is outside the limits, so the component is not "
	"accepted",
    [REASON_TIME_SPLIT] = ". This difference is the sum of two parts: %C %% arises within "
			  "requests and %C %% between requests. These two parts only show where "
			  "the threads spent the time, not why",
    [REASON_FAULTS] = "at most %.0f lost, extra or mismatched requests in a run, limit %.0f",
    [REASON_FAULTS_OVER] = "%.0f lost, %.0f extra and %.0f mismatched of %.0f requests, up to "
			   "%.0f in a run, limit %.0f",
    [REASON_FAULTS_SHOWN] =
	"at most %.0f lost, extra or mismatched requests in a run, no limit set",
    [REASON_FAULTS_UNKNOWN] = "%.0f of %.0f replays failed; failed replays do not show how many "
			      "requests were lost, extra or mismatched",
    [REASON_RESULTS_UNKNOWN] = ". The replayer reports no results for %.0f requests (its file of "
			       "times has no column \"result\"), so it is unknown whether they "
			       "failed",
    [REASON_SKIPPED] = ". The replayer skipped %.0f other requests",
    [REASON_PERCENTILE] = "99th percentile %T",
    [REASON_PERCENTILE_INTERVAL] = ", one-sided %E %% confidence limits %T and %T",
    [REASON_PERCENTILE_LIMIT] = ", %W the limit of %T",
    [REASON_LOWEST_LEVEL] = "the scenario has no lower level to compare with",
    [REASON_OFF_LINE] = "at level %.0f, the ratio replay / program is %C %% off the straight "
			"line through %.0f levels",
    [REASON_RISE] = "the ratio replay / program changes by %C %% from the lowest level "
		    "to this level",
    [REASON_SCATTER] = "the replays scatter %.3g times as much as the program, one-sided %E %% "
		       "confidence limits %.3g and %.3g, %W the limit of %.3g",
    [REASON_SCATTER_SHOWN] = "the replays scatter %P times as much as the program, no limit set",
    [REASON_SCATTER_CHANCE] = ". A permutation test of the pairs does not confirm that the ratio "
			      "exceeds the limit (P %.2g). The pairs are too few, or a few of them "
			      "cause the scatter",
    [REASON_DIFFERENCE_CHANCE] = ". A permutation test of the pairs does not confirm that the "
				 "ratio is within the limit (P %.2g). The pairs are too few, or "
				 "a few of them determine the ratio",
    [REASON_REPEATABILITY] = "repeatability %P %%, one-sided %E %% confidence limits %P and %P "
			     "%%, %W the limit of %P %%",
    [REASON_REPEATABILITY_ONLY] = "one recording is the reference of several replays: only the "
				  "repeatability of the replays is known",
    [REASON_REPEATABILITY_VALUE] = ", %P %%",
    [REASON_NOT_SLOWED] = "no block had slower storage: use a volume, and set responsiveness = yes",
    [REASON_PROGRAM_DEAF] = "the program takes %P %% longer on the slower storage. This increase "
			    "is not shown to exceed the limit, so a replay cannot be judged by it",
    [REASON_FOLLOWS] =
	". On the slower storage the program takes %P %% longer and the replay %P %% longer",
    [REASON_TAIL_FEW] = "a run has %.0f requests; judging the slowest 1 %% needs at least %.0f",
    [REASON_EXPANDED] = "U of one replay is %P %%, one-sided %E %% confidence limits %P and %P %%, "
			"%W the limit of %P %%",
    [REASON_EXPANDED_BIAS] = "U of one replay is %P %% including the bias, one-sided %E %% "
			     "confidence limits %P and %P %%, %W the limit of %P %%",
    [REASON_MACHINE] = "the machine may prevent a smaller U: the program's own U is %P %%",
    [REASON_MACHINE_UPPER] = ", its %E %% upper confidence limit %P %%",
    [REASON_MACHINE_LIMIT] = ", so it is not shown to be within the limit of %P %%",
    [REASON_PLAN_NONE] = ". " NO_NUMBER,
    [REASON_PLAN_MEAN] = ". " NO_NUMBER ": the %X scatter by %V (estimated standard deviation). "
			 "The present %.0f replicates would decide only if this scatter were at "
			 "most %V",
    [REASON_PLAN_RECORDINGS] = ". No practical number of replicates with the present recordings "
			       "would decide this component. If each replicate had its own "
			       "recording, about %.0f replicates in all would probably decide it",
    [REASON_PLAN_RATIO_MOST] = ". " NO_NUMBER ": the ratio is too near the limit. The present %.0f "
			       "replicates would decide only if the ratio were at most %.3g",
    [REASON_PLAN_RATIO_LEAST] = ". " NO_NUMBER ": the ratio is too near the limit. The present "
				"%.0f replicates would decide only if the ratio were at least %.3g",
    [REASON_PAIRS_FAILED] = ". In %.0f of %.0f pairs a run failed",
    [REASON_NOT_AFTER_HOLM] =
	". The component is not rejected, because the report makes %.0f tests, and the rejection "
	"test allows for all of them. Holm's correction increases its P-value from %.2g to %D; a "
	"rejection needs at most %.2g after this correction",
    [REASON_DIFFERS] = ". In this component, the replay differs from the recording, perhaps "
		       "because of the machine",
    [REASON_CHANGED] = "the results were changed after the campaign wrote them",
    [REASON_DEFERRED] = "to be decided after %.0f replicates (so far: %.0f)",
    [REASON_VERDICT_REFUSED] = "no verdict: %S",
    [REASON_VERDICT_DEFERRED] =
	"the first planned look, after %.0f replicates, has not been reached (so far: %.0f)",
    [REASON_REPLAYS_FAILED] = "%.0f of %.0f replays failed",
    [REASON_PROGRAMS_FAILED] = "%.0f of %.0f runs of the program failed, more than %.0f %%",
    [REASON_EVENTS_LOST] =
	"the traces of this case are incomplete: the capture lost %.0f %{event|events}",
    [REASON_RUNS_CUT] = "traces of %.0f run%{|s} are incomplete: they were made from an earlier "
			"trace that was truncated",
    [REASON_RUNS_UNSEEN] = "traces of %.0f run%{|s} are incomplete: the capture could not see "
			   "all requests (see \"validate info\")",
    [REASON_BIAS_UNLIMITED] = "the protocol sets no limit for the bias",
    [REASON_BIAS_NOT_JUDGED] = "the bias was not judged",
    [REASON_CLAIM_NOT_JUDGED] = "the claim names %S, which was not judged",
    [REASON_OWN_STAMPS] = "only the replayer's own stamps measure its response times (set times = "
			  "preload, or observe = block)",
    [REASON_ONE_RECORDING] = "all %.0f pairs replay the same recording, so the effect of the "
			     "recording on the result is not known (set bank = 2 or more)",
};

/* Whether the number, from 0.5 to 99.5, is whole after rounding to `digits` significant digits. */
static bool is_whole(double x, int digits)
{
	const double scale = pow(10, digits - (fabs(x) < 10 ? 1 : 2));
	const double rounded = round(x * scale) / scale;
	return rounded == round(rounded);
}

/* Appends a percentage with three digits, without exponent below 10^7: "12.3", "3020". If a change
 * would look like a whole number that it is not, such as a limit, it gets up to five digits:
 * "+10.04". */
static void add_percent(struct strbuf *out, double percent, bool sign)
{
	int digits = fabs(percent) < 999.5 ? 3 : 0;
	if (sign && fabs(percent) > 0.5 && fabs(percent) < 99.5)
		while (digits < 5 && is_whole(percent, digits))
			digits++;
	if (!(fabs(percent) < 1e7))
		strbuf_addstr(out, percent < 0 ? "less than -10000000" : "more than 10000000");
	else if (sign && percent != 0)
		strbuf_addf(out, digits ? "%+.*g" : "%+.*f", digits, percent);
	else
		strbuf_addf(out, digits ? "%.*g" : "%.*f", digits, percent);
}

/* Appends a confidence with as many digits as distinguish 1 - error from 1: 90, 95, 93.3,
 * 99.9991. */
static void add_confidence(struct strbuf *out, double error)
{
	const int more = 1 - (int)floor(log10(100 * error));
	strbuf_addf(out, "%.*g", 2 + (more > 0 ? more : 0), 100 * (1 - error));
}

static void add_time(struct strbuf *out, double ns)
{
	static const struct {
		double ns;
		const char *name;
	} unit[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
	size_t u = 0;
	while (u < 3 && fabs(ns) < unit[u].ns)
		u++;
	strbuf_addf(out, "%.4g %s", ns / unit[u].ns, unit[u].name);
}

static void add_shown(struct strbuf *out, enum component_unit unit, double value)
{
	const bool ratio = unit == COMPONENT_CHANGE || unit == COMPONENT_SHARE;
	const bool time = unit == COMPONENT_TIME;
	add_percent(out, ratio ? 100 * value : time ? 1e-3 * value : value, false);
	strbuf_addstr(out, ratio ? " %" : time ? " µs" : "");
}

static void add_distinct(struct strbuf *out, double p, double limit)
{
	char value[32], other[32];
	int digits = 2;
	do {
		snprintf(value, sizeof value, "%.*g", digits, p);
		snprintf(other, sizeof other, "%.*g", digits, limit);
	} while (!strcmp(value, other) && ++digits < 17);
	strbuf_addstr(out, value);
}

static void add_requests(struct strbuf *out, double most)
{
	if (most > 1)
		strbuf_addf(out, "at most %.0f requests", most);
	else
		strbuf_addstr(out, most > 0 ? "at most 1 request" : "no request");
}

static const char *position_name(double decision)
{
	return decision == DECISION_ACCEPT   ? "within"
	       : decision == DECISION_REJECT ? "beyond"
					     : "inconclusive at";
}

/* Appends a number by a conversion of printf, which begins at `t` with its %. Returns its length.
 * %g gives 320 instead of 3.2e+02. */
static size_t add_number(struct strbuf *out, const char *t, double value)
{
	const size_t len = strcspn(t, "efg") + 1;
	char fmt[8], rounded[32];
	snprintf(fmt, sizeof fmt, "%.*s", (int)len, t);
	snprintf(rounded, sizeof rounded, fmt, value);
	if (value >= 0x1p64 && t[len - 1] == 'f') /* the sum of counts is out of range */
		strbuf_addf(out, "%" PRIu64, UINT64_MAX);
	else if (t[len - 1] == 'g' && fabs(value) >= 1 && fabs(value) < 1e9)
		strbuf_addf(out, strchr(fmt, '+') ? "%+.15g" : "%.15g", strtod(rounded, NULL));
	else
		strbuf_addf(out, fmt, value);
	return len;
}

/* Appends one of the texts "one|many}" for the number n. Returns the length. */
static size_t add_plural(struct strbuf *out, const char *t, double n)
{
	const size_t one = strcspn(t, "|"), all = strcspn(t, "}");
	strbuf_add(out, n == 1 ? t : t + one + 1, n == 1 ? one : all - one - 1);
	return all + 1;
}

static void add_or(struct strbuf *out, const char *text, const char *otherwise)
{
	strbuf_addstr(out, text ? text : otherwise);
}

void words_add_template(struct strbuf *out, const char *t, const double *x, const char *text,
			enum component_kind kind)
{
	const struct component_row *row = components[kind];
	const char *const what = row ? row->words.what : "";
	while (*t) {
		const size_t plain = strcspn(t, "%");
		strbuf_add(out, t, plain);
		t += plain;
		if (!*t)
			return;
		t += 2;
		switch (t[-1]) {
		case '%': strbuf_addch(out, '%'); break;
		case 'P': add_percent(out, 100 * *x++, false); break;
		case 'C': add_percent(out, 100 * *x++, true); break;
		case 'T': add_time(out, *x++); break;
		case 'E': add_confidence(out, *x++); break;
		case 'W': strbuf_addstr(out, position_name(*x++)); break;
		case 'Q': add_requests(out, *x++); break;
		case 'M': strbuf_addstr(out, table_status_text((enum stat_status)*x++)); break;
		case 'V': add_shown(out, row->unit, *x++); break;
		case 'D': add_distinct(out, x[0], x[1]); x++; break;
		case '{': t += add_plural(out, t, x[-1]); break;
		case 'S': strbuf_addstr(out, text); break;
		case 'L':
			strbuf_addf(out, "%s%s%s", text, *text && *what ? " " : "", what);
			break;
		case 'K': add_or(out, row->shown, "deviation"); break;
		case 'X': add_or(out, row->scattering, "ratios"); break;
		case 'A':
			add_or(out, component_words[kind].absent,
			       "the summaries lack data for this component");
			break;
		case 'I': add_or(out, component_words[kind].inapplicable, "not applicable"); break;
		default: t += add_number(out, t - 2, *x++) - 2;
		}
	}
}

static void add_reason(struct strbuf *out, const struct reason *r, enum component_kind kind)
{
	words_add_template(out, templates[r->code], r->number, r->text, kind);
}

bool words_add_shares(struct strbuf *out, const struct reason *r)
{
	if (!r || (r->code != REASON_SHARES_RESPONSE && r->code != REASON_SHARES_TIME &&
		   r->code != REASON_SHARES_REQUEST))
		return false;
	add_reason(out, r, COMPONENT_N);
	return true;
}

/* "bias differs from the recording; bias +210 %, that of the control replay (event) +205 %". */
static void add_difference(struct strbuf *out, const struct analysis *a, const struct cell *c,
			   const bool differs[COMPONENT_N])
{
	const double own = c->component[COMPONENT_BIAS].estimate.value;
	const size_t n = words_add_names(out, differs, ", ");
	strbuf_addf(out, " differ%s from the recording", n == 1 ? "s" : "");
	if (isfinite(own))
		strbuf_addf(out, "; its bias is %+.3g %%", 100 * own);
	for (const struct cell *x = a->cell; isfinite(own) && x < a->cell + a->n_cells; x++) {
		const struct replayer *control = &a->results->protocol.replayer[x->replayer];
		const double other = x->component[COMPONENT_BIAS].estimate.value;
		if (x == c || x->scenario != c->scenario || !control->control)
			continue;
		if (isfinite(other))
			strbuf_addf(out, ", that of the control replay (%s) %+.3g %%",
				    control->name, 100 * other);
		break;
	}
	strbuf_addstr(out, ". The machine may be the cause: only new runs of the program between "
			   "the replays can show whether it is");
}

static void add_inconclusive(struct strbuf *out, const struct analysis *a, const struct cell *c)
{
	bool accepted[COMPONENT_N], inconclusive[COMPONENT_N], dependent[COMPONENT_N];
	bool differs[COMPONENT_N], any = false;
	bool bar_follows = cell_claims_unjudged(c);
	const struct protocol *p = &a->results->protocol;
	const uint64_t more = cell_further(p, c, false);
	for (int i = 0; i < COMPONENT_N; i++) {
		const struct component *k = &c->component[i];
		accepted[i] = k->decision == DECISION_ACCEPT;
		inconclusive[i] = k->decision == DECISION_INCONCLUSIVE;
		dependent[i] = k->dependent;
		any |= differs[i] = k->differs;
	}
	if (any) {
		add_difference(out, a, c, differs);
		return;
	}
	if (words_add_names(out, inconclusive, " and ")) {
		strbuf_addstr(out, " inconclusive");
	} else if (words_add_names(out, accepted, " and ")) {
		strbuf_addstr(out, " within the limits, but not trusted: ");
		add_reason(out, &c->bar, COMPONENT_N);
		bar_follows = false;
	} else {
		strbuf_addstr(out, "nothing could be assessed");
	}
	SCOPED_STRBUF names = STRBUF_INIT;
	if (words_add_names(&names, dependent, " and "))
		strbuf_addf(out, " (%s would be accepted if the runs were known to be "
				 "independent)", names.s);
	if (bar_follows) {
		strbuf_addstr(out, "; ");
		add_reason(out, &c->bar, COMPONENT_N);
	} else if (more && more != FURTHER_IMPRACTICAL) {
		words_add_decides(out, more, "case");
	} else if (more && cell_further(p, c, true) == FURTHER_IMPRACTICAL) {
		strbuf_addstr(out, ". No practical number of replicates would decide this case on "
				   "this machine");
	}
}

static void add_verdict(struct strbuf *out, const struct analysis *a, const struct cell *c)
{
	bool accepted[COMPONENT_N];
	if (c->bar.code == REASON_VERDICT_REFUSED || c->bar.code == REASON_VERDICT_DEFERRED) {
		add_reason(out, &c->bar, COMPONENT_N);
	} else if (c->verdict == VERDICT_INCONCLUSIVE) {
		add_inconclusive(out, a, c);
	} else if (c->verdict == VERDICT_TRUSTED) {
		for (int k = 0; k < COMPONENT_N; k++)
			accepted[k] = c->component[k].decision == DECISION_ACCEPT;
		words_add_names(out, accepted, " and ");
		strbuf_addstr(out, " within the limits");
	} else {
		for (int k = 0; k < COMPONENT_N; k++)
			if (c->component[k].decision == DECISION_REJECT)
				strbuf_addf(out, "%s%s: %s", out->len ? "; " : "",
					    component_names[k], c->component[k].reason);
	}
}

void sentence_keep(char *sentence, size_t size, struct strbuf *text)
{
	sentence[0] = 0;
	phrase_add(sentence, size, "%s", text->s);
	strbuf_reset(text);
}

void analysis_word(struct analysis *a)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	sources_word(a);
	for (size_t i = 0; i < a->n_cells; i++) {
		struct cell *c = &a->cell[i];
		for (int k = 0; k < COMPONENT_N; k++) {
			struct component *m = &c->component[k];
			for (unsigned int r = 0; r < m->n_reasons; r++)
				add_reason(&text, &m->reasons[r], (enum component_kind)k);
			sentence_keep(m->reason, sizeof m->reason, &text);
		}
		add_verdict(&text, a, c);
		sentence_keep(c->verdict_reason, sizeof c->verdict_reason, &text);
	}
}
