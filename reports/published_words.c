/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include "reports/number.h"

static struct number_unit unit_of(enum measure m, double value)
{
	switch (measure_info[m].unit) {
	case UNIT_TIME:
		return number_unit_time(value);
	case UNIT_RATIO:
		return number_unit_percent;
	case UNIT_BYTES:
		return value < 1e6 ? (struct number_unit){"kB", 1e-3}
				   : (struct number_unit){"MB", 1e-6};
	default:
		return number_unit_plain;
	}
}

static void add_with_interval(struct strbuf *out, const struct estimate *e, struct number_unit unit,
			      bool sign)
{
	bool limits = isfinite(e->lo95) && isfinite(e->hi95);
	double u = limits ? (e->hi95 - e->lo95) / 2 : NAN;
	if (!isfinite(e->value)) {
		strbuf_addstr(
		    out, table_status_words(e->status == STAT_OK ? STAT_NOT_ASSESSED : e->status));
		return;
	}
	number_add(out, e->value, u, unit, sign);
	if (!limits)
		return;
	strbuf_addch(out, ' ');
	number_add_interval(out, e->lo95, e->hi95,
			    number_decimals(e->value * unit.scale, u * unit.scale), unit);
}

void published_add_value(struct strbuf *out, enum measure m, const struct estimate *e)
{
	add_with_interval(out, e, unit_of(m, e->value), measure_info[m].scale == SCALE_LOG1P);
}

void published_add_literature(struct strbuf *out, const struct published_value *v)
{
	number_add(out, v->value, NAN, unit_of(v->measure, v->value),
		   measure_info[v->measure].scale == SCALE_LOG1P);
	if (isnan(v->uncertainty))
		return;
	strbuf_addstr(out, " ± ");
	number_add(out, v->uncertainty, NAN, number_unit_percent, false);
}

/* The unit of a difference: a relative difference is a percentage of the other value, and a
 * difference of ratios is in percentage points. */
static struct number_unit difference_unit(enum measure m, double value)
{
	return measure_info[m].scale == SCALE_LINEAR ? unit_of(m, value) : number_unit_percent;
}

void published_add_difference(struct strbuf *out, enum measure m, const struct estimate *e)
{
	add_with_interval(out, e, difference_unit(m, e->value), true);
}

/* Appends "; F is significant in 1 of 8 (at 5 %, above 3.18 here), and above the published critical
 * value 15.21 in 0". */
static void add_f_tests(struct strbuf *out, const struct claim_result *r, const struct claim *c)
{
	double critical = NAN;
	for (size_t i = 0; i < r->n; i++)
		critical = fmax(critical, r->comparison[i].f_critical); /* fmax ignores NaN */
	if (isnan(critical))
		return;
	strbuf_addf(out, "; F is significant in %zu of %zu (5 %% one-sided, critical value ",
		    r->n_significant, r->n);
	number_add(out, critical, critical / 10, number_unit_plain, false);
	strbuf_addf(out, " here) and above the published critical value %s in %zu",
		    c->than_text ? c->than_text : "", r->n_above_published);
}

void published_add_outcome(struct strbuf *out, const struct analysis *a, size_t claim)
{
	const struct claim_result *r = &a->claim[claim];
	enum measure m = a->results->protocol.claim[claim].measure;
	if (!r->n) {
		strbuf_addstr(out, "no such cases in this campaign");
		return;
	}
	strbuf_addf(out, "confirmed in %zu of %zu comparison%s", r->n_confirmed, r->n,
		    r->n == 1 ? "" : "s");
	if (r->n_not_confirmed)
		strbuf_addf(out, "; the opposite is shown in %zu", r->n_not_confirmed);
	if (!isfinite(r->least))
		return;
	const struct claim *c = &a->results->protocol.claim[claim];
	add_f_tests(out, r, c);
	const bool is_linear = measure_info[m].scale == SCALE_LINEAR,
		   is_value = is_linear && !isnan(c->limit);
	const double from = is_value ? c->limit : 0; /* the value is the limit and the difference */
	strbuf_addstr(out, r->n == 1 ? "; " : "; over the comparisons, ");
	if (isnan(c->limit))
		strbuf_addf(out, "the %s %s ", is_linear ? "difference" : "relative difference",
			    r->n == 1 ? "is" : "ranges from");
	else if (is_value)
		strbuf_addf(out, "the measured value %s ", r->n == 1 ? "is" : "ranges from");
	else
		strbuf_addf(out, "the measured value differs from %s by ",
			    m == MEASURE_F_RATIO ? "1" : c->than_text);
	if (r->n == 1) {
		struct estimate e = r->comparison[0].difference;
		e.value += from;
		e.lo95 += from;
		e.hi95 += from;
		add_with_interval(out, &e, difference_unit(m, e.value), !is_value);
	} else {
		SCOPED_STRBUF least = STRBUF_INIT, most = STRBUF_INIT;
		double u = fmax(fabs(r->least), fabs(r->most)) / 10;
		const struct number_unit unit = difference_unit(m, r->most + from);
		number_add(&least, r->least + from, u, unit, !is_value);
		number_add(&most, r->most + from, u, unit, !is_value);
		strbuf_addf(out, "%s to %s", least.s, most.s);
	}
	if (is_linear && !is_value && measure_info[m].unit == UNIT_RATIO)
		strbuf_addstr(out, " (percentage points)");
}

void published_add_measure(struct strbuf *out, enum measure m, const char *operation)
{
	strbuf_addstr(out, measure_info[m].title);
	if (operation)
		strbuf_addf(out, " (%s)", operation);
}

const char *published_unit(enum measure m)
{
	static const char *const names[] = {[UNIT_TIME] = "ns",
					    [UNIT_RATIO] = "ratio",
					    [UNIT_NUMBER] = "1",
					    [UNIT_BYTES] = "bytes"};
	return names[measure_info[m].unit];
}

static const char *const defects[] = {
    "The metrology paper compares the F ratios of its Table II with the critical value 15.21. For "
    "9 and 9 degrees of freedom at 5 %, the critical value is 3.18.",
    "In Table II, the rows of the compilation-based tool contain the tool's expanded uncertainties "
    "from Table V. These values are not F ratios.",
    "The paper calls a bias significant if it exceeds 2 u(bias). No bias can exceed 2 u(bias), "
    "because u(bias) is never less than the mean bias itself.",
    "The paper's expanded uncertainties have k = 2. With ten runs, this factor covers 92.3 %, not "
    "95 %.",
    NULL,
};

static bool of_the_paper(enum measure m)
{
	return m == MEASURE_F_RATIO || m == MEASURE_UNCERTAINTY;
}

const char *const *published_defects(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_published; i++)
		if (of_the_paper(a->published[i].value->measure))
			return defects;
	for (size_t i = 0; i < a->n_claims; i++)
		if (of_the_paper(a->results->protocol.claim[i].measure))
			return defects;
	return &defects[sizeof defects / sizeof *defects - 1];
}
