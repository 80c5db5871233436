/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the outcomes of the campaigns to rates. */
#include "validate/selftest/frauds.h"
#include "validate/selftest/machine_private.h"

#define GROUP_AA "the program in the replayer's place"
#define GROUP_FAULTS "faults found"
#define GROUP_FRAUDS "replayers that make up their times"
#define GROUP_EVENT "the event replayer, without a fault"

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? s : "";
}

static uint64_t number_of(const json_t *o, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(o, key));
	return v > 0 ? (uint64_t)v : 0;
}

static void rate_note(struct rate *r, enum rate_note note, size_t about, uint64_t first,
		      uint64_t second)
{
	r->note = note;
	r->about = about;
	r->noted[0] = first;
	r->noted[1] = second;
}

struct rate_count {
	uint64_t n, not_trusted, trusted, by_component;
};

/* Counts cells of this replayer (NULL: any) in campaigns of this kind (NULL: any). */
static struct rate_count cells_count(const json_t *outcomes, const char *kind, const char *replayer,
				     const char *component)
{
	struct rate_count t = {0};
	size_t i, j, k;
	json_t *outcome, *cell, *name;
	json_array_foreach (outcomes, i, outcome)
		json_array_foreach (json_object_get(outcome, "cells"), j, cell) {
			if ((kind && strcmp(text_of(outcome, "kind"), kind)) ||
			    (replayer && strcmp(text_of(cell, "replayer"), replayer)))
				continue;
			t.n++;
			t.not_trusted += !strcmp(text_of(cell, "verdict"), "not trusted");
			t.trusted += !strcmp(text_of(cell, "verdict"), "trusted");
			json_array_foreach(json_object_get(cell, "rejected"), k, name)
			    t.by_component +=
			    component && !strcmp(json_string_value(name), component);
		}
	return t;
}

static void fault_rate(struct rates *rates, const json_t *outcomes, const struct sized_fault *f,
		       unsigned int size)
{
	char replayer[64], condition[96];
	snprintf(replayer, sizeof replayer, "%s-%s", f->name, size_names[size]);
	struct rate_count t =
	    cells_count(outcomes, NULL, replayer, component_names[f->acts_on]);
	if (!t.n)
		return;
	double times =
	    f->acts_on == COMPONENT_CONCURRENCY ? sized_fault_level(f, size) : size_factors[size];
	snprintf(condition, sizeof condition, "%g %s", times, f->unit);
	struct rate *r =
	    rate_add(rates, "replay", GROUP_FAULTS, f->name, condition, t.not_trusted, t.n);
	r->size = times;
	if (size + 1 == N_SIZES)
		rate_promise(r, PROMISE_ALWAYS, 0.95);
	rate_note(r, NOTE_FAULT, f->acts_on, t.by_component, t.trusted);
}

static void fraud_rate(struct rates *rates, const json_t *outcomes, const struct fraud *f)
{
	char replayer[64];
	snprintf(replayer, sizeof replayer, "fraud-%s", f->name);
	struct rate_count t = cells_count(outcomes, NULL, replayer, NULL);
	if (!t.n)
		return;
	struct rate *r = rate_promise(rate_add(rates, "replay", GROUP_FRAUDS, f->name,
		"not trusted", t.not_trusted, t.n), PROMISE_ALWAYS, 0.95);
	rate_note(r, NOTE_FRAUD, (size_t)(f - frauds), t.trusted, 0);
}

/* Counts campaigns with any verdict "not trusted". */
static uint64_t campaigns_alarmed(const json_t *outcomes, uint64_t *n)
{
	size_t i, j;
	json_t *outcome, *cell;
	uint64_t alarmed = 0;
	*n = 0;
	json_array_foreach (outcomes, i, outcome) {
		bool any = false;
		if (strcmp(text_of(outcome, "kind"), unit_names[UNIT_AA]))
			continue;
		json_array_foreach (json_object_get(outcome, "cells"), j, cell)
			any |= !strcmp(text_of(cell, "verdict"), "not trusted");
		alarmed += any;
		++*n;
	}
	return alarmed;
}

static void aa_rates(struct rates *rates, const json_t *outcomes)
{
	uint64_t n, alarmed = campaigns_alarmed(outcomes, &n), p_n = 0, p_any = 0, p_cells = 0,
		    p_not = 0, p_trusted = 0;
	size_t i;
	json_t *outcome;
	if (!n)
		return;
	json_array_foreach (outcomes, i, outcome) {
		const json_t *p = json_object_get(outcome, "permuted");
		p_n += number_of(p, "n");
		p_any += number_of(p, "any_not_trusted");
		p_cells += number_of(p, "cells");
		p_not += number_of(p, "not_trusted");
		p_trusted += number_of(p, "trusted");
	}
	struct rate_count t = cells_count(outcomes, unit_names[UNIT_AA], NULL, NULL);
	struct rate *r = rate_promise(rate_add(rates, "replay", GROUP_AA, "case not trusted",
		"as run", t.not_trusted, t.n), PROMISE_AT_MOST, 0.01);
	r = rate_add(rates, "replay", GROUP_AA, "campaign with a case not trusted", "as run",
		     alarmed, n);
	rate_promise(r, PROMISE_AT_MOST, 0.01);
	rate_add(rates, "replay", GROUP_AA, "case trusted", "as run", t.trusted, t.n);
	r = rate_add(rates, "replay", GROUP_AA, "case not trusted", "labels permuted", p_not,
		     p_cells);
	rate_note(r, NOTE_SAME_CAMPAIGNS, 0, n, 0);
	r = rate_add(rates, "replay", GROUP_AA, "campaign with a case not trusted",
		     "labels permuted", p_any, p_n);
	rate_note(r, NOTE_SAME_CAMPAIGNS, 0, n, 0);
	rate_add(rates, "replay", GROUP_AA, "case trusted", "labels permuted", p_trusted,
		 p_cells);
}

void machine_rates(struct rates *rates, const json_t *outcomes)
{
	static const enum unit_kind kinds[] = {UNIT_FULL_SPEED, UNIT_TIMED, UNIT_FRAUDS};
	aa_rates(rates, outcomes);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct rate_count t = cells_count(outcomes, unit_names[kinds[i]], "event", NULL);
		if (!t.n)
			continue;
		rate_add(rates, "replay", GROUP_EVENT, "case not trusted", unit_names[kinds[i]],
			 t.not_trusted, t.n);
		rate_add(rates, "replay", GROUP_EVENT, "case trusted", unit_names[kinds[i]],
			 t.trusted, t.n);
	}
	for (const struct sized_fault *f = sized_faults; f->name; f++)
		for (unsigned int size = 0; size < N_SIZES; size++)
			fault_rate(rates, outcomes, f, size);
	for (const struct fraud *f = frauds; f->name; f++)
		fraud_rate(rates, outcomes, f);
}
