/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include "reports/first_screen.h"
#include "reports/number.h"
#include "reports/reasons.h"
#include "validate/analysis/league.h"
#include "validate/components/component.h"

void words_add_limit(struct strbuf *out, enum component_kind k, double limit)
{
	if (isnan(limit))
		return;
	if (components[k]->two_sided)
		strbuf_addstr(out, "±");
	switch (components[k]->unit) {
	case COMPONENT_CHANGE:
	case COMPONENT_SHARE:
		strbuf_addf(out, "%.4g %%", limit * 100);
		break;
	case COMPONENT_NUMBER:
		strbuf_addf(out, "%.4g", limit);
		break;
	case COMPONENT_TIME:
		number_add(out, limit, NAN, number_unit_time(limit), false);
		break;
	case COMPONENT_COUNT:
		strbuf_addf(out, "%.0f per run", limit);
		break;
	}
}

void words_find_timed(const struct protocol *p, bool *some, bool *all)
{
	*some = false;
	*all = p->n_replayers > 0;
	for (size_t i = 0; i < p->n_replayers; i++) {
		*some |= p->replayer[i].timed;
		*all &= p->replayer[i].timed;
	}
}

void words_add_limits(struct strbuf *out, const struct protocol *p, enum component_kind k)
{
	const double of_timed = accept_limit_of(&p->accept, k, true);
	bool some, all;
	words_find_timed(p, &some, &all);
	words_add_limit(out, k, accept_limit_of(&p->accept, k, all));
	if (k != COMPONENT_EXECUTION_TIME || all || !some || isnan(of_timed) ||
	    of_timed == accept_limit_of(&p->accept, k, false))
		return;
	strbuf_addstr(out, out->len ? ", timed " : "timed ");
	words_add_limit(out, k, of_timed);
}

static enum table_format format_of(enum component_unit unit)
{
	return unit == COMPONENT_CHANGE ? FORMAT_RELATIVE
	       : unit == COMPONENT_SHARE ? FORMAT_SHARE
	       : unit == COMPONENT_TIME	 ? FORMAT_TIME
					 : FORMAT_NUMBER;
}

void words_add_estimate(struct strbuf *out, const struct component *c, bool half_width)
{
	struct table_column column = {.format = format_of(components[c->kind]->unit),
				      .estimate = true};
	struct estimate estimate = c->estimate;
	struct table_cell cell = {
	    .kind = CELL_ESTIMATE, .status = estimate.status, .estimate = &estimate};
	if (components[c->kind]->unit == COMPONENT_NUMBER && components[c->kind]->two_sided &&
	    !estimate.status && estimate.value > 0)
		strbuf_addch(out, '+');
	table_cell_text(out, &column, &cell, half_width);
}

void words_deciding_interval(const struct component *c, double *lo, double *hi)
{
	const struct estimate *e = &c->estimate;
	const bool shown = c->decision == DECISION_REJECT || c->decision > DECISION_INCONCLUSIVE;
	*lo = shown ? e->lo95 : isfinite(c->accept_lo) ? c->accept_lo : e->lo90;
	*hi = shown ? e->hi95 : isfinite(c->accept_hi) ? c->accept_hi : e->hi90;
	*lo = isfinite(*lo) ? *lo : e->value;
	*hi = isfinite(*hi) ? *hi : e->value;
}

void words_add_size(struct strbuf *out, enum component_kind k, double value)
{
	value = fabs(value);
	switch (components[k]->unit) {
	case COMPONENT_CHANGE:
	case COMPONENT_SHARE:
		number_add(out, value, value, number_unit_percent, false);
		break;
	case COMPONENT_TIME:
		number_add(out, value, value, number_unit_time(value), false);
		break;
	default:
		strbuf_addf(out, value < 100 ? "%.2g" : "%.0f", value);
	}
}

const char *words_verdict(const struct analysis *a, enum verdict v)
{
	if (a && a->results->protocol.claimed)
		return v == VERDICT_TRUSTED       ? "Shown"
		       : v == VERDICT_NOT_TRUSTED ? "Refuted"
						  : "Inconclusive";
	return v == VERDICT_TRUSTED       ? "Trusted"
	       : v == VERDICT_NOT_TRUSTED ? "Not trusted"
					  : "Inconclusive";
}

const char *words_claim_verdict(const struct analysis *a, enum verdict v)
{
	if (!a || !a->results->protocol.claimed)
		return verdict_name(v);
	return v == VERDICT_TRUSTED	  ? "shown"
	       : v == VERDICT_NOT_TRUSTED ? "refuted"
					  : verdict_name(v);
}

const char *words_league_verdict(const struct analysis *a, const struct league_row *row)
{
	if (row->absent || !row->judged)
		return row->absent ? "Not found" : "No result";
	if (row->verdict == VERDICT_INCONCLUSIVE && row->differs)
		return "Differs from the recording";
	return words_verdict(a, row->verdict);
}

void words_add_options(struct strbuf *out, const struct replayer *r)
{
	const size_t before = out->len;
	for (size_t i = 0; i < r->n_options; i++)
		strbuf_addf(out, "%s%s=%s", out->len > before ? " " : "", r->option[i].key,
			    r->option[i].value);
}

void words_add_replayer(struct strbuf *out, const struct replayer *r)
{
	SCOPED_STRBUF options = STRBUF_INIT;
	strbuf_addstr(out, r->name);
	for (size_t i = 0; i < r->n_options; i++) {
		SCOPED_FREE char *option = xasprintf("%s=%s", r->option[i].key, r->option[i].value);
		if (!strstr(r->name, option))
			strbuf_addf(&options, "%s%s", options.len ? " " : "", option);
	}
	if (options.len)
		strbuf_addf(out, " (%s)", options.s);
}

void words_add_errors(struct strbuf *out, const struct analysis *a)
{
	strbuf_addf(out, "A component outside its limit is accepted with a probability of at most "
		"5 %%. The probability that the campaign rejects any component inside its limit is "
		"at most 1 %%. So a component whose interval lies beyond its limit is rejected "
		"only if its P-value is also at most 0.01 after Holm's correction for %u "
		"test%s", a->n_rejection_tests,
		a->n_rejection_tests == 1 ? "" : "s");
	if (a->look && a->level_accept < 0.05 && a->level_accept > 1e-6)
		words_add_template(out, ". The probabilities hold over all decisions (looks), "
			"because the confidence levels are higher: %E %% instead of 90 %% for "
			"acceptance, and at least %E %% instead of 95 %% for rejection and for "
			"one-sided confidence limits",
			(const double[]){2 * a->level_accept, a->level_accept}, "", COMPONENT_N);
}

const char *words_treatment(const struct uncertainty_source *s)
{
	if (s->in_budget)
		return s->warning ? "quantified, but not controlled as "
				    "requested" : "quantified";
	return s->warning ? "not quantified, and not controlled as requested"
			  : "named, not quantified";
}

void words_add_cell(struct strbuf *out, const struct analysis *a, const struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	strbuf_addf(out, "%s, %s", p->scenario[c->scenario].name, p->replayer[c->replayer].name);
}

const char *words_title(const struct analysis *a)
{
	const char *title = a->results->protocol.title;
	return title && *title ? title : "Validation of trace replayers";
}

void words_add_count(struct strbuf *out, size_t n, const char *one, const char *many)
{
	strbuf_addf(out, "%zu %s", n, n == 1 ? one : many);
}

void words_add_decides(struct strbuf *out, uint64_t n_more, const char *what)
{
	if (n_more == 1)
		strbuf_addstr(out, ". One more replicate");
	else
		strbuf_addf(out, ". About %" PRIu64 " more replicates", n_more);
	strbuf_addf(out, " would probably decide this %s", what);
}

void words_add_more(struct strbuf *out, const struct finding_group *g)
{
	if (g->decision != DECISION_INCONCLUSIVE)
		return;
	if (g->n_impractical && g->n_impractical == g->n_cells && g->n_cells > 1)
		strbuf_addstr(out, " No practical number of replicates would decide this component "
			      "on this machine.");
	else if (g->n_impractical && g->n_cells > 1)
		strbuf_addf(out, " For %zu of these cases, no practical number of replicates would "
			    "be enough on this machine.", g->n_impractical);
	if (g->n_unrecorded && g->n_unrecorded == g->n_cells)
		strbuf_addstr(out, " More recordings (key \"bank\") are necessary.");
	else if (g->n_unrecorded)
		strbuf_addf(out, " %zu %s need%s more recordings (key \"bank\").", g->n_unrecorded,
			    !g->n_impractical	   ? "of these cases"
			    : g->n_unrecorded == 1 ? "other case"
						   : "other cases",
			    g->n_unrecorded == 1 ? "s" : "");
	const size_t n_other = g->n_impractical + g->n_unrecorded;
	if (g->n_more)
		strbuf_addf(out, " %llu more replicate%s would probably decide this component%s.",
			    (unsigned long long)g->n_more, g->n_more == 1 ? "" : "s",
			    g->n_cells == 1	? ""
			    : !n_other		? " in each of these cases"
			    : g->n_cells == n_other + 1
				    ? " in the remaining case"
				    : " in each of the remaining cases");
}

size_t words_add_names(struct strbuf *out, const bool is[COMPONENT_N], const char *last)
{
	size_t n = 0, i = 0;
	for (int k = 0; k < COMPONENT_N; k++)
		n += is[k];
	for (int k = 0; k < COMPONENT_N; k++)
		if (is[k])
			strbuf_addf(out, "%s%s", !i++ ? "" : i == n ? last : ", ",
				    component_names[k]);
	return n;
}

void words_add_components(struct strbuf *out, const struct analysis *a, bool which)
{
	const size_t n_listed = components_listed(&a->results->protocol.accept);
	bool is[COMPONENT_N] = {false};
	for (size_t k = 0; k < n_listed; k++)
		is[k] = a->assessed[k] == which;
	if (!words_add_names(out, is, " and "))
		strbuf_addstr(out, "none");
}

void words_add_not_visible(struct strbuf *out, const char *before, const struct analysis *a,
			   const char *after)
{
	for (size_t i = 0; i < a->n_not_visible; i++)
		strbuf_addf(out, "%s%s", i ? "; " : before, a->not_visible[i]);
	if (a->n_not_visible)
		strbuf_addstr(out, after);
}

/* Appends "±24 %" or "±19 % to ±38 %", with `sign` "±": smallest and largest value with two
 * significant digits. */
static void add_span(struct strbuf *out, const char *sign, double lo, double hi)
{
	SCOPED_STRBUF least = STRBUF_INIT, most = STRBUF_INIT;
	number_add(&least, 100 * lo, 100 * lo, number_unit_plain, false);
	number_add(&most, 100 * hi, 100 * hi, number_unit_plain, false);
	if (strcmp(least.s, most.s))
		strbuf_addf(out, "%s%s %% to %s%s %%", sign, least.s, sign, most.s);
	else
		strbuf_addf(out, "%s%s %%", sign, least.s);
}

/* Returns the upper confidence limit of the program's own U, because of which the component is not
 * judged; INFINITY: there is none. */
static double machine_upper(const struct component *uncertainty)
{
	for (unsigned int i = 0; i < uncertainty->n_reasons; i++)
		if (uncertainty->reasons[i].code == REASON_MACHINE_UPPER)
			return uncertainty->reasons[i].number[1];
	return INFINITY;
}

void words_add_uncertainty(struct strbuf *out, const struct cell *c, size_t n)
{
	double lo = INFINITY, hi = -INFINITY, lo_machine = INFINITY, hi_machine = -INFINITY;
	double limit = NAN, lo_upper = INFINITY, hi_upper = -INFINITY;
	size_t n_limited = 0;
	for (size_t i = 0; i < n; i++) {
		const struct expanded *w = &c[i].expanded;
		const struct component *u = &c[i].component[COMPONENT_UNCERTAINTY];
		if (!isfinite(w->U95))
			continue;
		if (u->decision == DECISION_NOT_APPLICABLE && isfinite(u->limit)) {
			n_limited++;
			limit = u->limit;
			const double upper = machine_upper(u);
			lo_upper = fmin(lo_upper, upper);
			hi_upper = fmax(hi_upper, upper);
		}
		lo = fmin(lo, w->U95);
		hi = fmax(hi, w->U95);
		if (isfinite(w->machine)) { /* can exceed U95 of a replay with less scatter */
			lo_machine = fmin(lo_machine, w->machine);
			hi_machine = fmax(hi_machine, w->machine);
		}
	}
	if (lo > hi)
		return;
	strbuf_addstr(out, "The uncertainty of the mean response time is ");
	add_span(out, "±", lo, hi);
	strbuf_addstr(out, " for one replay");
	if (lo_machine <= hi_machine) {
		strbuf_addstr(out, " and ");
		add_span(out, "±", lo_machine, hi_machine);
		strbuf_addstr(out, " for one program run");
	}
	if (!n_limited)
		return;
	strbuf_addstr(out, ". ");
	if (n_limited < n)
		strbuf_addf(out, "In %zu of %zu cases, the", n_limited, n);
	strbuf_addf(out, "%s component \"uncertainty\" is not applicable, because it needs program "
		"runs that are shown to have an uncertainty below the limit of ",
		n_limited < n ? "" : "The");
	words_add_limit(out, COMPONENT_UNCERTAINTY, limit);
	if (hi_upper < INFINITY) {
		strbuf_addstr(out, ". The upper confidence limit of their uncertainty is ");
		add_span(out, "", lo_upper, hi_upper);
	}
}

void words_add_machine(struct strbuf *out, const struct analysis *a)
{
	words_add_uncertainty(out, a->cell, a->n_cells);
	if (!a->n_cells || !isfinite(a->between_process_cv))
		return;
	strbuf_addstr(out, out->len ? ". The program's runs scatter by "
				    : "The program's runs scatter by ");
	number_add(out, a->between_process_cv, a->between_process_cv, number_unit_percent, false);
	strbuf_addstr(out, " (median coefficient of variation)");
}

void words_add_observation(struct strbuf *out, const struct scenario *s)
{
	if (s->observe == OBSERVE_BLOCK)
		strbuf_addf(out, "the kernel at the device, from %s to completion",
			    s->observe_from == OBSERVE_FROM_QUEUE ? "queueing" : "dispatch");
	else if (s->observe_why == OBSERVE_RANKS)
		strbuf_addstr(out, "the preloaded library (program) and the ranks (replays)");
	else
		strbuf_addstr(out, s->observe == OBSERVE_PRELOAD
				       ? "the preloaded library"
				       : "stamps of program and replayer");
}

const char *const words_tendencies[TENDENCY_N + 1] = {"inconclusive", "looks right, not proven",
	"looks wrong, not proven", "too noisy here", "differs from the recording", NULL};

const char *words_tendency(enum tendency l)
{
	return words_tendencies[l];
}

const char *words_tendency_short(enum tendency l)
{
	static const char *const word[TENDENCY_N] = {"inconclusive", "looks right", "looks wrong",
						    "too noisy", "differs from the recording"};
	return word[l];
}
