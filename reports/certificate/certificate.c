/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/certificate/certificate.h"

#include "common/units.h"
#include "reports/first_screen.h"
#include "reports/number.h"
#include "reports/reasons.h"
#include "reports/tables/tables.h"
#include "reports/words.h"
#include "validate/results/identity.h"

const char certificate_explanation[] =
	"Bias: relative difference between the mean response time of the replay and that of the "
	"program's run in the same block. Execution time: relative difference between the "
	"execution times of the same two runs. 95 % interval: half-width after ±, or both ends in "
	"brackets. The verdict uses the confidence levels of the decision rule, not these "
	"intervals. U: expanded uncertainty of one replay, relative to the program's mean, for a "
	"coverage of 95 % with the coverage factor k (GUM). Precision: take the logarithm of each "
	"run's mean response time. Precision is the standard deviation of these logarithms over "
	"the replays, divided by their standard deviation over the program's runs. Scatter: "
	"standard deviation of the mean response times of the runs. A verdict holds only for these "
	"workloads, this machine, this target and the assessed components.";

const char *certificate_kind(const struct certificate *c)
{
	return c->standard ? "Certificate of method validation" : "Validation statement";
}

/* --- facts --------------------------------------------------------------- */

static void fact_add(struct certificate *c, const char *label, struct strbuf *text)
{
	GROW(c->fact, c->n_facts, c->cap_facts);
	c->fact[c->n_facts++] = (struct certificate_fact){label, strbuf_detach(text), false};
}

/* A fact of the campaign. */
static void fact_add_of_all(struct certificate *c, const char *label, struct strbuf *text)
{
	fact_add(c, label, text);
	c->fact[c->n_facts - 1].of_all = true;
}

static const json_t *member_of(const json_t *environment, const char *group, const char *name)
{
	return json_object_get(json_object_get(environment, group), name);
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? s : "not available";
}

static const char *member_text(const json_t *environment, const char *group, const char *name)
{
	return text_of(json_object_get(environment, group), name);
}

static void add_replayer(struct certificate *c, const struct analysis *a)
{
	const struct replayer *r = &a->results->protocol.replayer[c->replayer];
	struct replayer_identity i;
	struct strbuf text = STRBUF_INIT;
	replayer_identify(&i, a->results, c->replayer);
	strbuf_addf(&text, "%s (engine %s)", r->name, r->engine);
	for (size_t k = 0; k < r->n_options; k++)
		strbuf_addf(&text, "%s%s = %s", k ? ", " : ": ", r->option[k].key,
			    r->option[k].value);
	fact_add(c, "Replayer", &text);
	strbuf_addf(&text, "%s, version %s, SHA-256 %s", i.program,
		    *i.version ? i.version : "not available",
		    *i.sha256 ? i.sha256 : "not available");
	fact_add(c, "Program", &text);
}

static void add_scope(struct certificate *c, const struct analysis *a)
{
	struct strbuf text = STRBUF_INIT;
	words_add_count(&text, c->n_cases, "scenario", "scenarios");
	strbuf_addstr(&text, "; assessed: ");
	words_add_components(&text, a, true);
	strbuf_addstr(&text, "; not assessed or not applicable: ");
	words_add_components(&text, a, false);
	words_add_not_visible(&text, "; not visible in the recordings: ", a, "");
	fact_add(c, "Scope", &text);
}

#define RATED_SHOWN 3

static void add_rated_range(struct certificate *c, const struct analysis *a)
{
	const char *name = a->results->protocol.replayer[c->replayer].name;
	struct strbuf text = STRBUF_INIT;
	size_t n = 0;
	for (size_t i = 0; i < a->n_rated; i++) {
		if (strcmp(a->rated[i].replayer, name))
			continue;
		if (++n > RATED_SHOWN)
			continue;
		strbuf_addstr(&text, n > 1 ? " | " : "");
		rated_add_words(&text, a, &a->rated[i], false);
	}
	if (n > RATED_SHOWN)
		strbuf_addf(&text, " | and %zu more in the report", n - RATED_SHOWN);
	if (!n)
		strbuf_addstr(&text, "not available");
	fact_add(c, "Rated range", &text);
}

static void date_add(struct strbuf *out, int64_t ns)
{
	const struct short_text date = date_text(ns, "%Y-%m-%d %H:%M UTC");
	strbuf_addstr(out, *date.s ? date.s : "not available");
}

static void add_conditions(struct certificate *c, const struct analysis *a)
{
	const json_t *e = a->results->environment,
		     *memory = member_of(e, "machine", "memory_bytes");
	struct strbuf text = STRBUF_INIT;
	int64_t first_ns, last_ns;
	results_span(a->results, &first_ns, &last_ns);
	date_add(&text, first_ns);
	strbuf_addstr(&text, " to ");
	date_add(&text, last_ns);
	strbuf_addf(&text, "; the campaign ran at most %u blocks of each scenario, in random "
		"order%s",
		    a->n_replicates, a->complete ? "" : "; the campaign was not finished");
	fact_add_of_all(c, "Measured", &text);
	strbuf_addf(&text, "%s, %lld CPUs", member_text(e, "machine", "cpu_model"),
		    (long long)json_integer_value(member_of(e, "machine", "n_cpus_online")));
	if (json_is_integer(memory))
		strbuf_addf(&text, ", %s", size_text((uint64_t)json_integer_value(memory)).s);
	strbuf_addf(&text, "; governor %s; %s %s; clock %s", member_text(e, "machine", "governor"),
		    member_text(e, "kernel", "name"), member_text(e, "kernel", "release"),
		    member_text(e, "clock", "source"));
	fact_add_of_all(c, "Machine", &text);
}

static void add_targets(struct certificate *c, const struct analysis *a)
{
	const json_t *all = json_object_get(a->results->environment, "targets"), *t;
	struct strbuf text = STRBUF_INIT;
	size_t i;
	json_array_foreach(all, i, t)
	{
		const json_t *device = json_object_get(t, "device"),
			     *below = json_object_get(t, "below");
		const char *scheduler = text_of(device, "scheduler");
		const char *chosen = strchr(scheduler, '[');
		const char *service = json_string_value(json_object_get(below, "service"));
		strbuf_addf(&text, "%s%s: ", i ? " | " : "", text_of(t, "name"));
		if (service)
			strbuf_addf(&text, "a volume with service model %s", service);
		else if (below)
			strbuf_addf(&text, "the device %s", text_of(below, "path"));
		else
			strbuf_addf(&text, "%s on %s, model %s, scheduler %.*s, caches %s",
				    text_of(t, "file_system"), text_of(device, "name"),
				    text_of(device, "model"),
				    (int)strcspn(chosen ? chosen + 1 : scheduler, "]"),
				    chosen ? chosen + 1 : scheduler, text_of(t, "cache"));
	}
	if (!text.len)
		strbuf_addstr(&text, "not available");
	fact_add_of_all(c, "Target", &text);
}

static void add_protocol(struct certificate *c, const struct analysis *a,
			 const struct results_identity *i)
{
	static const char *const seals[] = {
	    [SEAL_UNKNOWN] = "; the result files were not checked",
	    [SEAL_ABSENT] = "; not sealed: some files have no digest",
	    [SEAL_WHOLE] = "; the journal has the SHA-256 of every file that the verdict uses, and "
			   "each file was checked when it was read",
	    [SEAL_BROKEN] = "; the results were changed after the campaign"};
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "%s; SHA-256 %s; seed %llu", a->results->protocol.name,
		    *i->protocol ? i->protocol : "not available",
		    (unsigned long long)a->results->protocol.seed);
	fact_add_of_all(c, "Protocol", &text);
	strbuf_addf(&text, "SHA-256 of the journal %s%s; judged by validate %s",
		    *i->journal ? i->journal : "not available", seals[a->results->seal.state],
		    VALIDATE_VERSION);
	fact_add_of_all(c, "Results", &text);
}

/* Adds what the protocol or the command line states about the issue of the certificate, and nothing
 * else. */
static void add_issue(struct certificate *c, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "issuer: %s; place of the measurement: %s; date of issue: %s",
		    p->issuer ? p->issuer : "not stated", p->place ? p->place : "not stated",
		    a->results->issued ? a->results->issued : "not stated");
	fact_add_of_all(c, "Issued", &text);
}

/* Describes what takes the times, and the uncertainty of a correction for its bias. */
static void capture_describe(struct strbuf *text, const struct results *r)
{
	const struct scenario *all = r->protocol.scenario;
	double u_ns = 0;
	for (size_t i = 0; i < r->protocol.n_scenarios; i++) {
		bool seen = false;
		for (size_t k = 0; k < i; k++)
			seen |= all[k].observe == all[i].observe &&
				all[k].observe_from == all[i].observe_from;
		if (seen)
			continue;
		strbuf_addstr(text, i ? " or " : "; times of program and replays measured by ");
		words_add_observation(text, &all[i]);
	}
	for (size_t i = 0; i < r->n_runs; i++)
		u_ns = fmax(u_ns, r->run[i].summary.correction_u_ns);
	if (u_ns > 0)
		strbuf_addf(text, ", corrected for the bias of capture (standard uncertainty %s)",
			    duration_text(u_ns).s);
	else
		strbuf_addstr(text, ", not corrected for the bias of capture");
}

/* Adds the chain of traceability from the clock to the replayer. */
static void add_traceability(struct certificate *c, const struct analysis *a)
{
	const json_t *e = a->results->environment;
	const char *clock = member_text(e, "clock", "source");
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "certified standard: %s", c->standard ? c->standard : "none");
	if (json_object_get(e, "standard"))
		strbuf_addf(&text, " of %s, SHA-256 %s, certified for the service times of these "
			"scenarios: |bias| at most %.2g %% and U at most %.2g %%, relative to "
			"CLOCK_MONOTONIC, whose rate is correct to within 0.05 %%",
			member_text(e, "standard", "made"),
			member_text(e, "standard", "sha256"),
			100 * json_number_value(member_of(e, "standard", "bias")),
			100 * json_number_value(member_of(e, "standard", "expanded_uncertainty")));
	strbuf_addf(&text,
		    "; clock of all times: %s%s; bias, precision and U are ratios of times of one "
		    "clock, so an error of the clock's rate cancels",
		    clock, strcmp(clock, "tsc") ? "" : ", calibrated against CLOCK_MONOTONIC");
	capture_describe(&text, a->results);
	fact_add_of_all(c, "Traceability", &text);
}

/* Adds the decision rule. Source: ISO/IEC 17025, 7.8.6; JCGM 106. */
static void add_rule(struct certificate *c, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	struct strbuf text = STRBUF_INIT;
	for (enum component_kind k = 0; k < COMPONENT_N; k++) {
		SCOPED_STRBUF limit = STRBUF_INIT;
		words_add_limits(&limit, p, k);
		if (a->assessed[k] && limit.len)
			strbuf_addf(&text, "%s%s %s", text.len ? ", " : "", component_names[k],
				    limit.s);
	}
	if (!text.len)
		strbuf_addstr(&text, "none");
	if (p->claimed)
		strbuf_addf(&text, ". The verdict is about this claim alone: %s. Trusted means "
				   "that the claim is shown to be true. Not trusted means that it "
				   "is shown to be false", p->claimed);
	fact_add_of_all(c, "Limits", &text);
	strbuf_addstr(&text,
		      "A scenario is trusted if one-sided tests show each assessed component to be "
		      "within its limit. A scenario is not trusted if a component is shown to be "
		      "beyond its limit. Other scenarios are inconclusive. ");
	words_add_errors(&text, a);
	if (p->accept.guard_band > 0)
		strbuf_addf(&text, ". Guard band of the bias: %.3g U", p->accept.guard_band);
	fact_add(c, "Decision rule", &text);
}

static void add_deviations(struct certificate *c, const struct analysis *a)
{
	SCOPED(findings_release) struct findings f;
	struct strbuf text = STRBUF_INIT;
	facts_add_others(&text, a);
	findings_collect(&f, a);
	for (size_t i = 0; i < f.n_warnings; i++)
		strbuf_addf(&text, "%s%s", text.len ? " | " : "", f.warning[i]);
	if (!text.len)
		strbuf_addstr(&text, "none recorded");
	fact_add_of_all(c, "Deviations", &text);
}

/* --- results ------------------------------------------------------------- */

static void results_row(struct table *t, const struct analysis *a, const struct cell *c)
{
	COL_TEXT(t, "scenario", "Scenario", a->results->protocol.scenario[c->scenario].name);
	COL_VERDICT(t, "verdict", "Verdict", c->verdict);
	COL_ESTIMATE(t, RELATIVE, "bias", "Bias", &c->component[COMPONENT_BIAS].estimate);
	COL_ESTIMATE(t, RELATIVE, "execution-time", "Execution time",
		     &c->component[COMPONENT_EXECUTION_TIME].estimate);
	COL_TENTH(t, SHARE, "U", "U", c->budget.status, c->budget.U95);
	COL_TENTH(t, NUMBER, "k", "k", c->budget.status, c->budget.k95);
	COL_ESTIMATE(t, NUMBER, "precision", "Precision", &c->precision_ratio);
	COL_STATUS(t, SHARE, "reordered", "Reordered", c->order.deciding.status,
		   c->order.deciding.value, NAN);
	t->n_row_headers = 1;
}

#define COL_MEAN(t, key, title, s)                                                                 \
	COL_NUMBER_IF(t, TIME, key, title, (s)->n, (s)->mean, (s)->status ? NAN : (s)->sem)
static void times_row(struct table *t, const struct analysis *a, const struct cell *c)
{
	COL_TEXT(t, "scenario", "Scenario", a->results->protocol.scenario[c->scenario].name);
	COL_MEAN(t, "program", "Program, mean", &c->r);
	COL_TENTH(t, TIME, "program-sd", "Program, scatter", c->r.status, c->r.sd);
	COL_MEAN(t, "replay", "Replay, mean", &c->x);
	COL_TENTH(t, TIME, "replay-sd", "Replay, scatter", c->x.status, c->x.sd);
	COL_COUNT(t, "n", "Pairs", c->n_pairs);
	t->n_row_headers = 1;
}

static void add_result(struct certificate *c, const struct analysis *a, const struct cell *cell)
{
	results_row(&c->results, a, cell);
	times_row(&c->times, a, cell);
	if (cell->verdict == VERDICT_TRUSTED)
		return;
	APPEND(c->reason, c->n_reasons, c->cap_reasons,
	       xasprintf("%s, %s: %s", a->results->protocol.scenario[cell->scenario].name,
			 verdict_name(cell->verdict), cell->verdict_reason));
}

/* Adds the scenarios in which the replayer is least trusted first. */
static void add_results(struct certificate *c, const struct analysis *a)
{
	static const enum verdict order[] = {VERDICT_NOT_TRUSTED, VERDICT_INCONCLUSIVE,
					     VERDICT_TRUSTED};
	table_init(&c->results, "certificate", "Results");
	table_init(&c->times, "certificate-times", "Response times");
	TABLE_HEADS(&c->results, results_row(&c->results, a, NULL));
	TABLE_HEADS(&c->times, times_row(&c->times, a, NULL));
	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		for (size_t i = 0; i < a->n_cells; i++)
			if (a->cell[i].replayer == c->replayer && a->cell[i].verdict == order[k] &&
			    c->n_cases++ < CERTIFICATE_MAX_CASES)
				add_result(c, a, &a->cell[i]);
	if (c->n_cases > CERTIFICATE_MAX_CASES)
		c->n_left_out = c->n_cases - CERTIFICATE_MAX_CASES;
}

/* --- the whole certificate ----------------------------------------------- */

static void verdict_find(struct certificate *c, const struct analysis *a)
{
	size_t n[3] = {0};
	for (size_t i = 0; i < a->n_cells; i++)
		n[a->cell[i].verdict] += a->cell[i].replayer == c->replayer;
	c->verdict = n[VERDICT_NOT_TRUSTED]    ? VERDICT_NOT_TRUSTED
		     : n[VERDICT_INCONCLUSIVE] ? VERDICT_INCONCLUSIVE
					       : VERDICT_TRUSTED;
	c->sentence = xasprintf("%zu of %zu scenarios trusted, %zu not trusted, %zu inconclusive",
		n[VERDICT_TRUSTED], c->n_cases, n[VERDICT_NOT_TRUSTED], n[VERDICT_INCONCLUSIVE]);
}

static void certificate_make(struct certificate *c, const struct analysis *a, size_t replayer,
			     const struct results_identity *i)
{
	const struct protocol *p = &a->results->protocol;
	*c = (struct certificate){
	    .replayer = replayer,
	    .standard = p->standard,
	    .name = xstrdup(p->replayer[replayer].name),
	    .number = xasprintf("%.12s-%zu", *i->journal ? i->journal : "unknown", replayer + 1)};
	add_results(c, a);
	verdict_find(c, a);
	add_issue(c, a);
	add_replayer(c, a);
	add_scope(c, a);
	add_rated_range(c, a);
	add_rule(c, a);
	add_conditions(c, a);
	add_targets(c, a);
	add_traceability(c, a);
	add_deviations(c, a);
	add_protocol(c, a, i);
}

static bool has_case(const struct analysis *a, size_t replayer)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].replayer == replayer)
			return true;
	return false;
}

int certificates_collect(struct certificates *c, const struct analysis *a, struct err *e)
{
	const struct protocol *p = &a->results->protocol;
	struct results_identity identity;
	struct strbuf text = STRBUF_INIT;
	int64_t first_ns, last_ns;
	int ret = results_identify(&identity, a->results, e);
	if (ret)
		return ret;
	*c = (struct certificates){.one = xcalloc(p->n_replayers + 1, sizeof *c->one)};
	for (size_t i = 0; i < p->n_replayers; i++)
		if (has_case(a, i))
			certificate_make(&c->one[c->n++], a, i, &identity);
	results_span(a->results, &first_ns, &last_ns);
	strbuf_addf(&text, "validate %s, protocol \"%s\" (SHA-256 %.12s), results %.12s, ",
		    VALIDATE_VERSION, words_title(a), identity.protocol, identity.journal);
	date_add(&text, last_ns);
	c->citation = strbuf_detach(&text);
	return 0;
}

void certificates_release(struct certificates *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->one[i].n_facts; k++)
			free(c->one[i].fact[k].text);
		FREE_EACH(c->one[i].fact, c->one[i].name, c->one[i].sentence, c->one[i].number);
		for (size_t k = 0; k < c->one[i].n_reasons; k++)
			free(c->one[i].reason[k]);
		free(c->one[i].reason);
		table_release(&c->one[i].results);
		table_release(&c->one[i].times);
	}
	FREE_EACH(c->one, c->citation);
	*c = (struct certificates){0};
}
