/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first lines of a report: the verdict, the main cause, the next step, and how it was
 * measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/words.h"
#include "reports/first_screen.h"
#include "validate/analysis/tendency.h"
#include "validate/analysis/why.h"

#include "fixture.c"

static void verdict_is(const struct analysis *a, const char *wanted)
{
	struct strbuf out = STRBUF_INIT;
	first_screen_verdict(&out, a);
	assert_string_equal(out.s, wanted);
	strbuf_release(&out);
}

static void replayer_is(const struct analysis *a, size_t replayer, const char *wanted)
{
	struct strbuf out = STRBUF_INIT;
	first_screen_replayer(&out, a, replayer);
	assert_string_equal(out.s, wanted);
	strbuf_release(&out);
}

/* Every case is trusted, and no component is inconclusive. */
static void trust_all(struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		a->cell[i].verdict = VERDICT_TRUSTED;
		for (int k = 0; k < COMPONENT_N; k++)
			if (a->cell[i].component[k].decision != DECISION_NOT_ASSESSED)
				a->cell[i].component[k].decision = DECISION_ACCEPT;
	}
	a->n_trusted = a->n_cells;
	a->n_not_trusted = a->n_inconclusive = 0;
	a->complete = true;
}

static void decide_case(struct analysis *a, size_t i, enum component_kind kind, enum decision d,
			double value, double half)
{
	struct cell *c = &a->cell[i];
	struct component *k = &c->component[kind];
	k->kind = kind;
	k->decision = d;
	k->limit = 0.1;
	k->estimate = (struct estimate){.value = value, .lo90 = value - half, .hi90 = value + half, .lo95 = value - half, .hi95 = value + half};
	k->accept_lo = k->accept_hi = NAN;
	k->n_more = 12;
	k->impractical = false;
	a->n_trusted -= c->verdict == VERDICT_TRUSTED;
	c->verdict = d == DECISION_REJECT ? VERDICT_NOT_TRUSTED : VERDICT_INCONCLUSIVE;
	a->n_not_trusted += d == DECISION_REJECT;
	a->n_inconclusive += d == DECISION_INCONCLUSIVE;
}

static void test_all_trusted(void **state)
{
	(void)state;
	struct fixture f;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(&f.analysis);
	verdict_is(&f.analysis, "Trusted in all 16 cases");
	replayer_is(&f.analysis, 0, "trusted in all 8 scenarios");
	fixture_release(&f);
}

/* The setting that all cases of the cause have, and no other case has. */
static void test_setting_of_a_cause(void **state)
{
	(void)state;
	struct fixture f;
	struct analysis *a = &f.analysis;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(a);
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].replayer == 0 &&
		    strstr(f.results.protocol.scenario[a->cell[i].scenario].name, "level=2"))
			decide_case(a, i, COMPONENT_EXECUTION_TIME, DECISION_REJECT,
				    0.16 + 0.001 * (double)i, 0.02);
	verdict_is(a, "Trusted in 12 of 16 cases; 4 not trusted");
	replayer_is(a, 0,
		    "trusted in 4 of 8 scenarios, not trusted in 4; main reason (worst case of the "
		    "scenarios with level=2): execution time is 17 % longer");
	replayer_is(a, 1, "trusted in all 8 scenarios");
	/* another component is farther beyond its limit in one of these cases */
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].verdict == VERDICT_NOT_TRUSTED) {
			decide_case(a, i, COMPONENT_IN_FLIGHT, DECISION_REJECT, 0.5, 0.02);
			break;
		}
	replayer_is(a, 0,
		    "trusted in 4 of 8 scenarios, not trusted in 4; one reason (worst case of the "
		    "scenarios with level=2): execution time is 17 % longer");
	/* a cause that is inconclusive in several cases */
	trust_all(a);
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].replayer == 0 &&
		    strstr(f.results.protocol.scenario[a->cell[i].scenario].name, "level=2"))
			decide_case(a, i, COMPONENT_TAIL, DECISION_INCONCLUSIVE, 0.1, 0.5);
	replayer_is(a, 0, "trusted in 4 of 8 scenarios, inconclusive in 4; \"tail\" is inconclusive in "
			  "the scenarios with level=2 (too noisy here)");
	fixture_release(&f);
}

/* Cases deviate in both directions: the deviation is stated for the worst case only. */
static void test_both_directions(void **state)
{
	(void)state;
	struct fixture f;
	struct analysis *a = &f.analysis;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(a);
	size_t n = 0, worst = 0;
	for (size_t i = 0; i < a->n_cells && n < 3; i++) {
		if (a->cell[i].replayer != 0)
			continue;
		worst = n ? worst : i;
		decide_case(a, i, COMPONENT_IN_FLIGHT, DECISION_REJECT, n++ ? -0.4 : 0.55, 0.02);
	}
	struct strbuf wanted = STRBUF_INIT;
	strbuf_addf(&wanted,
		    "trusted in 5 of 8 scenarios, not trusted in 3; main reason (worst case): the mean "
		    "number of requests in flight is 55 %% larger in %s",
		    f.results.protocol.scenario[a->cell[worst].scenario].name);
	replayer_is(a, 0, wanted.s);
	/* a cause that only repeats the deviation is omitted */
	a->why = xcalloc(a->n_cells, sizeof *a->why);
	a->why[worst] = (struct why){.main = CAUSE_CONCURRENCY, .main_name = WHY_MORE_CONCURRENCY};
	replayer_is(a, 0, wanted.s);
	a->why[worst] = (struct why){.main = CAUSE_SERVICE, .main_name = WHY_LONGER_RESPONSES};
	strbuf_addstr(&wanted, " (mainly because of longer response times)");
	replayer_is(a, 0, wanted.s);
	free(a->why);
	a->why = NULL;
	strbuf_release(&wanted);
	fixture_release(&f);
}

/* The cases of a replayer for comparison are not in the headline. */
static void test_comparison(void **state)
{
	(void)state;
	struct fixture f;
	struct analysis *a = &f.analysis;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(a);
	f.results.protocol.replayer[1].comparison = true;
	a->n_trusted = 8;
	verdict_is(a, "Trusted in all 8 cases; 8 more cases for comparison only");
	replayer_is(a, 0, "trusted in all 8 scenarios");
	replayer_is(a, 1, "for comparison only: trusted in all 8 scenarios");
	fixture_release(&f);
}

/* Failed runs are named before any number: more pairs would fail, too. */
static void test_failures(void **state)
{
	(void)state;
	struct fixture f;
	struct analysis *a = &f.analysis;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(a);
	decide_case(a, 1, COMPONENT_BIAS, DECISION_INCONCLUSIVE, 0.01, 0.2);
	struct cell *c = &a->cell[1];
	c->n_blocks = 8;
	c->n_pairs = 1;
	c->n_failed_replayer = 7;
	strcpy(c->first_failure, "block 1, replay: exit status 3: no request was observed");
	replayer_is(a, c->replayer,
		    "trusted in 7 of 8 scenarios, inconclusive in 1; 7 of 8 replays failed, the "
		    "first: block 1, replay: exit status 3: no request was observed");
	struct strbuf text = STRBUF_INIT, command = STRBUF_INIT;
	first_screen_next(&text, &command, a, "DIR");
	assert_non_null(strstr(text.s, "Most runs of the inconclusive case failed. Remove the cause"));
	/* a minority of failures is not the main cause */
	c->n_pairs = 7;
	c->n_failed_replayer = 1;
	strbuf_reset(&text);
	strbuf_reset(&command);
	first_screen_next(&text, &command, a, "DIR");
	assert_null(strstr(text.s, "failed"));
	strbuf_release(&text);
	strbuf_release(&command);
	fixture_release(&f);
}

/* A shell runs the command as it is printed. */
static void test_directory_in_command(void **state)
{
	(void)state;
	static const char *const wanted[][2] = {
	    {"results of today", "validate run 'results of today'/protocol.conf"},
	    {"-r", "validate run ./-r/protocol.conf"},
	    {"$(id)", "validate run '$(id)'/protocol.conf"}};
	struct fixture f;
	struct analysis *a = &f.analysis;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(a);
	decide_case(a, 1, COMPONENT_BIAS, DECISION_INCONCLUSIVE, 0.01, 0.2);
	a->cell[1].n_blocks = a->cell[1].n_failed_replayer = 8;
	a->cell[1].n_pairs = 0;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct strbuf text = STRBUF_INIT, command = STRBUF_INIT;
		first_screen_next(&text, &command, a, wanted[i][0]);
		assert_string_equal(command.s, wanted[i][1]);
		strbuf_release(&text);
		strbuf_release(&command);
	}
	fixture_release(&f);
}

static void test_tendencies(void **state)
{
	(void)state;
	struct fixture f;
	struct analysis *a = &f.analysis;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(a);
	decide_case(a, 1, COMPONENT_BIAS, DECISION_INCONCLUSIVE, -0.12, 0.04);
	verdict_is(a, "Trusted in 15 of 16 cases; 1 inconclusive (looks wrong, not proven)");
	replayer_is(a, 1,
		    "trusted in 7 of 8 scenarios, inconclusive in 1; requests take 12 % less time in "
		    "random-read level=1 (looks wrong, not "
		    "proven)");
	decide_case(a, 3, COMPONENT_BIAS, DECISION_INCONCLUSIVE, 0.01, 0.2);
	decide_case(a, 5, COMPONENT_BIAS, DECISION_INCONCLUSIVE, 0.08, 0.04);
	verdict_is(a, "Trusted in 13 of 16 cases; 3 inconclusive (1 looks right, 1 looks wrong, 1 "
		      "too noisy)");
	fixture_release(&f);
}

/* Every component is accepted, but a failed replay prevents trust. */
static void test_excluded(void **state)
{
	(void)state;
	struct fixture f;
	struct analysis *a = &f.analysis;
	struct strbuf text = STRBUF_INIT, command = STRBUF_INIT;
	fixture_make(&f, FIXTURE_TRUSTED);
	trust_all(a);
	a->cell[0].verdict = VERDICT_INCONCLUSIVE;
	a->n_trusted = 0;
	a->n_inconclusive = 1;
	snprintf(a->cell[0].verdict_reason, sizeof a->cell[0].verdict_reason,
		 "not trusted: 3 of 20 replays failed");
	verdict_is(a, "Trusted in 0 of 1 case; 1 inconclusive");
	replayer_is(a, 0, "inconclusive; not trusted: 3 of 20 replays failed");
	first_screen_next(&text, &command, a, "results");
	assert_non_null(strstr(text.s, "The causes named above prevent"));
	strbuf_release(&text);
	strbuf_release(&command);
	fixture_release(&f);
}

/* Before the first look there are numbers but no verdicts. */
static void test_too_early(void **state)
{
	(void)state;
	struct fixture f;
	struct strbuf text = STRBUF_INIT, command = STRBUF_INIT;
	fixture_make(&f, FIXTURE_QUICK);
	f.analysis.look = 0;
	f.analysis.complete = true;
	f.results.protocol.budget_ns = 60000000000;
	f.results.protocol.n_replicates_min = 8;
	f.analysis.cell[3].n_pairs = 4;
	first_screen_next(&text, &command, &f.analysis, "results");
	assert_non_null(strstr(text.s, "one case has 4, and at least 8"));
	assert_non_null(strstr(command.s, "validate run -o results --resume --budget "));
	strbuf_release(&text);
	strbuf_release(&command);
	fixture_release(&f);
}

static void next_is(const struct analysis *a, const char *in_text, const char *command)
{
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	first_screen_next(&text, &line, a, "results");
	if (!strstr(text.s, in_text))
		fail_msg("\"%s\" is not in \"%s\"", in_text, text.s);
	assert_string_equal(line.s, command);
	strbuf_release(&text);
	strbuf_release(&line);
}

static void test_next_step(void **state)
{
	(void)state;
	struct fixture f;
	struct analysis *a = &f.analysis;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(a);
	next_is(a, "results/report/certificate.html", "");
	decide_case(a, 1, COMPONENT_BIAS, DECISION_INCONCLUSIVE, 0.08, 0.04);
	next_is(a, "Set replicates = 32 instead of 20", "validate run results/protocol.conf");
	/* more recordings save a third of the replicates, or less */
	a->cell[1].component[COMPONENT_BIAS].n_more = 30;
	a->cell[1].component[COMPONENT_BIAS].n_more_recorded = 13;
	next_is(a, "Set bank = 33 and replicates = 33 in the protocol, so that each replicate has "
		   "its own recording, and run it again. That will probably decide the "
		   "inconclusive case.", "validate run results/protocol.conf");
	a->cell[1].component[COMPONENT_BIAS].n_more_recorded = 14;
	next_is(a, "Set replicates = 50 instead of 20", "validate run results/protocol.conf");
	a->cell[1].component[COMPONENT_BIAS].n_more = 0;
	next_is(a, "Set bank = 34 and replicates = 34", "validate run results/protocol.conf");
	/* a campaign with a budget can reach the largest number of replicates */
	struct protocol *p = &f.results.protocol;
	const struct protocol before = *p;
	p->budget_ns = 60000000000;
	p->n_replicates_min = 12;
	p->n_replicates_max = 60;
	next_is(a, "Set bank = 60, replicates = 12..60 and budget = ",
		"validate run results/protocol.conf");
	*p = before;
	a->cell[1].component[COMPONENT_BIAS].n_more = 12;
	a->cell[1].component[COMPONENT_BIAS].n_more_recorded = 0;
	/* a replayer for comparison needs no further pairs */
	bool *comparison = &f.results.protocol.replayer[a->cell[1].replayer].comparison;
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	*comparison = true;
	first_screen_next(&text, &line, a, "results");
	assert_null(strstr(text.s, "replicates ="));
	*comparison = false;
	strbuf_release(&text);
	strbuf_release(&line);
	f.results.protocol.budget_ns = 240000000000;
	/* 168 groups in 168 s, the last of them half a second */
	for (size_t i = 0; i < f.results.n_runs; i++)
		f.results.run[i].started_ns = 1 + (int64_t)(i / 3) * 1000000000;
	next_is(a, "Set replicates = 20..40 and budget = 5min in the protocol",
		"validate run results/protocol.conf");
	f.results.protocol.n_replicates_max = 60; /* the inconclusive case may have more pairs */
	next_is(a, "more time (about 13 s). That will probably decide the inconclusive case.",
		"validate run -o results --resume --budget 5min");
	f.results.protocol.budget_ns = 0;
	f.results.protocol.n_replicates_max = 20;
	a->cell[1].component[COMPONENT_BIAS].impractical = true;
	next_is(a, "No practical number of replicates would decide the inconclusive case", "validate run results/protocol.conf");
	decide_case(a, 3, COMPONENT_BIAS, DECISION_INCONCLUSIVE, 0.01, 0.2);
	a->cell[3].component[COMPONENT_BIAS].impractical = true;
	next_is(a, "No practical number of replicates would decide any of the inconclusive cases "
		   "on this machine",
		"validate run results/protocol.conf");
	a->cell[3].component[COMPONENT_BIAS].impractical = false;
	decide_case(a, 3, COMPONENT_BIAS, DECISION_REJECT, 0.3, 0.04);
	next_is(a, "Do not use a replayer for a scenario in which",
		"validate run results/protocol.conf");
	a->complete = false;
	f.results.run[4].state = RUN_PENDING;
	next_is(a, "not finished: 1 of ", "validate run -o results --resume");
	/* permission to overwrite a device is needed again */
	struct target *t = &f.results.protocol.target[0];
	char device[] = "/dev/sd x";
	t->device = device;
	t->destructive = true;
	next_is(a, "not finished: 1 of ", "validate run -o results --resume --device '/dev/sd x'");
	a->complete = true;
	next_is(a, "Do not use a replayer", "validate run results/protocol.conf --device '/dev/sd x'");
	t->device = NULL;
	t->destructive = false;
	fixture_release(&f);
}

/* A number is missing: neither more pairs nor a quieter machine decides the case. */
static void test_next_step_of_a_missing_number(void **state)
{
	(void)state;
	struct fixture f;
	struct analysis *a = &f.analysis;
	fixture_make(&f, FIXTURE_QUICK);
	trust_all(a);
	decide_case(a, 1, COMPONENT_FIDELITY, DECISION_INCONCLUSIVE, NAN, NAN);
	struct component *m = &a->cell[1].component[COMPONENT_FIDELITY];
	m->estimate.status = STAT_NOT_ASSESSED;
	m->n_more = 0;
	snprintf(m->reason, sizeof m->reason, "the replayer does not report results");
	next_is(a,
		"More replicates will not decide the inconclusive case (fidelity: the replayer does not report "
		"results). Remove that cause and run the protocol again",
		"validate run results/protocol.conf");
	/* also beside noisy cases, until noise is the cause of most cases */
	decide_case(a, 3, COMPONENT_BIAS, DECISION_INCONCLUSIVE, 0.01, 0.2);
	a->cell[3].component[COMPONENT_BIAS].impractical = true;
	next_is(a, "More replicates will not decide 1 of the 2 inconclusive cases (fidelity: ",
		"validate run results/protocol.conf");
	decide_case(a, 5, COMPONENT_BIAS, DECISION_INCONCLUSIVE, 0.01, 0.2);
	a->cell[5].component[COMPONENT_BIAS].impractical = true;
	next_is(a, "No practical number of replicates would decide any of the inconclusive cases "
		   "on this machine.",
		"validate run results/protocol.conf");
	/* the program's requests are too short: noise is not the reason */
	for (int i = 3; i <= 5; i += 2) {
		m = &a->cell[i].component[COMPONENT_BIAS];
		m->n_reasons = 1;
		m->reasons[0].code = REASON_BELOW_LOQ;
		snprintf(m->reason, sizeof m->reason, "below the limit of quantification");
	}
	next_is(a, "More replicates will not decide 2 of the 3 inconclusive cases (bias: below the limit",
		"validate run results/protocol.conf");
	fixture_release(&f);
}

static void fact_is(const struct fact *f, const struct analysis *a, const char *wanted)
{
	struct strbuf out = STRBUF_INIT;
	f->add(&out, a);
	assert_string_equal(out.s, wanted);
	strbuf_release(&out);
}

static void test_facts(void **state)
{
	(void)state;
	struct fixture f;
	json_error_t error;
	fixture_make(&f, FIXTURE_QUICK);
	for (size_t i = 0; i < f.results.n_runs; i++) {
		struct run *r = &f.results.run[i];
		r->others_share = r->block % 2 ? 0.3 : 0.4;
		r->stolen_share = 0.02;
		r->sliced = r->scenario < 6;
		r->slice_ns = 5000000;
		r->summary.n_slices = r->scenario < 6 && r->role != ROLE_RECORD ? 20 : 0;
		r->summary.n_left_out = r->summary.n_slices ? (r->summary.response.n + 98) / 99 : 0;
	}
	json_decref(f.results.environment);
	f.results.environment = json_loads(
	    "{\"pairing\": [{\"scenario\": \"a\", \"by\": \"runs\", \"why\": \"replays are "
	    "timed\"}],"
	    "\"time\": {\"total_s\": 100, \"program_s\": 30, \"replay_s\": 50, \"sync_s\": 5}}",
	    0, &error);
	assert_non_null(f.results.environment);
	fact_is(&facts[0], &f.analysis, ""); /* no claim */
	fact_is(&facts[1], &f.analysis,
		"Program and replays took turns in slices of 5 ms in 6 of 8 scenarios. At the end "
		"of a slice, each process pauses before its next request. 1.0 % of the requests do "
		"not count, because they were in flight at the end of a slice or began just after "
		"the start of one. In the other scenarios, program and replays ran one after the "
		"other, each from start to end without a break, because replays are timed");
	fact_is(&facts[2], &f.analysis,
		"Other programs used 35 % of the CPU time of all CPUs, and the hypervisor took "
		"2 %");
	fact_is(&facts[3], &f.analysis, "The campaign took 100 s: program 30 %, replays 50 %; "
		"other work 20 %: syncing 5 %, the rest 15 %");
	assert_null(facts[4].name);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_trusted), cmocka_unit_test(test_setting_of_a_cause),
	    cmocka_unit_test(test_both_directions), cmocka_unit_test(test_comparison), cmocka_unit_test(test_failures),
	    cmocka_unit_test(test_directory_in_command),
	    cmocka_unit_test(test_tendencies),
	    cmocka_unit_test(test_excluded), cmocka_unit_test(test_too_early),
	    cmocka_unit_test(test_next_step),
	    cmocka_unit_test(test_next_step_of_a_missing_number),
	    cmocka_unit_test(test_facts)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
