/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports for programs that track benchmarks: a benchmark for each case, with the mean response
 * time of its replays. Source: Bencher Metric Format (bencher.dev); github-action-benchmark, tool
 * customSmallerIsBetter; pytest-benchmark 4 (its JSON, times in seconds). */

#include "reports/forms.h"
#include "reports/json/json_value.h"
#include "reports/number.h"
#include "reports/output.h"
#include "validate/results/identity.h"
#include "validate/stats/quantiles.h"

static char *name_of(const struct analysis *a, const struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	return xasprintf("%s: %s", p->scenario[c->scenario].name, p->replayer[c->replayer].name);
}

static int document_print(json_t *o, FILE *out, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	json_add_document(&text, o);
	return output_stream(out, &text, e);
}

/* --- Bencher ------------------------------------------------------------- */

/* Makes a metric, with bounds if they exist. */
static json_t *metric_make(double value, double lower, double upper)
{
	json_t *o = json_make(J_FINITE("value", value));
	if (isfinite(lower) && isfinite(upper))
		json_add(o, J_FINITE("lower_value", lower), J_FINITE("upper_value", upper));
	return o;
}

static int bmf_print(const struct analysis *a, FILE *out, struct err *e)
{
	json_t *o = json_object();
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		const struct estimate *bias = &c->component[COMPONENT_BIAS].estimate;
		const double sd = c->x.status ? NAN : c->x.sd;
		SCOPED_FREE char *name = name_of(a, c);
		if (c->x.n) {
			json_t *one = json_make(J_VALUE(
			    "latency", metric_make(c->x.mean, c->x.mean - sd, c->x.mean + sd)));
			if (!bias->status)
				json_add(one, J_VALUE("bias", metric_make(bias->value, bias->lo95,
									  bias->hi95)));
			json_add(o, J_VALUE(name, one));
		}
	}
	return document_print(o, out, e);
}

/* --- github-action-benchmark --------------------------------------------- */

static int github_benchmark_print(const struct analysis *a, FILE *out, struct err *e)
{
	json_t *list = json_array();
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		SCOPED_FREE char *name = name_of(a, c), *range = NULL;
		if (!c->x.status && isfinite(c->x.sd))
			range = xasprintf("± %.3g", c->x.sd);
		if (c->x.n) {
			json_t *one = json_make(J_TEXT("name", name), J_TEXT("unit", "ns"),
						J_FINITE("value", c->x.mean),
						J_TEXT("extra", verdict_name(c->verdict)));
			if (range)
				json_add(one, J_TEXT("range", range));
			json_array_append_new(list, one);
		}
	}
	return document_print(list, out, e);
}

/* --- pytest-benchmark ---------------------------------------------------- */

static size_t n_outside(const struct sample *s, double lower, double upper)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->x[i] < lower || s->x[i] > upper;
	return n;
}

/* Makes the statistics in seconds; NULL: fewer than two runs have a mean. */
static json_t *stats_of(const struct sample *s)
{
	double q1, q3, sum = 0, low = s->max, high = s->min;
	if (s->n < 2 || s->status || sample_quantile(s->x, s->n, 0.25, 7, &q1) ||
	    sample_quantile(s->x, s->n, 0.75, 7, &q3))
		return NULL;
	json_t *data = json_array();
	for (size_t i = 0; i < s->n; i++) {
		const double x = s->x[i];
		sum += x;
		low = x >= q1 - 1.5 * (q3 - q1) && x < low ? x : low;
		high = x <= q3 + 1.5 * (q3 - q1) && x > high ? x : high;
		json_array_append_new(data, json_finite(1e-9 * x));
	}
	const size_t n_sd = n_outside(s, s->mean - s->sd, s->mean + s->sd),
		     n_iqr = n_outside(s, q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1));
	SCOPED_FREE char *outliers = xasprintf("%zu;%zu", n_sd, n_iqr);
	return json_make(J_FINITE("min", 1e-9 * s->min), J_FINITE("max", 1e-9 * s->max),
		J_FINITE("mean", 1e-9 * s->mean), J_FINITE("stddev", 1e-9 * s->sd),
		J_COUNT("rounds", s->n), J_FINITE("median", 1e-9 * s->median), J_FINITE("iqr",
		1e-9 * (q3 - q1)), J_FINITE("q1", 1e-9 * q1), J_FINITE("q3", 1e-9 * q3),
		J_COUNT("iqr_outliers", n_iqr), J_COUNT("stddev_outliers", n_sd),
		J_TEXT("outliers", outliers), J_FINITE("ld15iqr", 1e-9 * low),
		J_FINITE("hd15iqr", 1e-9 * high), J_FINITE("ops", 1e9 / s->mean),
		J_FINITE("total", 1e-9 * sum), J_INT("iterations", 1), J_VALUE("data", data));
}

static int pytest_benchmark_print(const struct analysis *a, FILE *out, struct err *e)
{
	json_t *list = json_array();
	int64_t first_ns, last_ns;
	results_span(a->results, &first_ns, &last_ns);
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		json_t *stats = stats_of(&c->x);
		SCOPED_FREE char *name = name_of(a, c);
		if (stats)
			json_append(list,
				J_TEXT("group", a->results->protocol.scenario[c->scenario].name),
				J_TEXT("name", name), J_TEXT("fullname", name), J_VALUE("params",
				json_null()), J_VALUE("param", json_null()), J_VALUE("extra_info",
				json_make(J_TEXT("verdict", verdict_name(c->verdict)))),
				J_VALUE("options", json_object()), J_VALUE("stats", stats));
	}
	return document_print(json_make(J_VALUE("machine_info", json_object()),
		J_VALUE("commit_info", json_object()), J_VALUE("benchmarks", list),
		J_TEXT("datetime", date_text(last_ns, "%Y-%m-%dT%H:%M:%S+00:00").s),
		J_TEXT("version", "4.0.0")), out, e);
}

const struct report_form report_form_bmf = {
    .name = "bmf", .help = "Bencher Metric Format (JSON)", .print = bmf_print};
const struct report_form report_form_github_benchmark = {
    .name = "github-benchmark",
    .help = "JSON for github-action-benchmark, tool customSmallerIsBetter",
    .print = github_benchmark_print};
const struct report_form report_form_pytest_benchmark = {
    .name = "pytest-benchmark",
    .help = "JSON as pytest-benchmark writes it",
    .print = pytest_benchmark_print};
