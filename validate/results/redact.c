/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "validate/provenance/provenance.h"
#include "validate/results/results.h"

static void text_hide(char **text, const char *host)
{
	if (!*text)
		return;
	char *hidden = provenance_redact_text(*text, host);
	free(*text);
	*text = hidden;
}

/* --- settings --------------------------------------------------------------------------------------------------------- */

struct values {
	char ***at; /* at[n]: where each is */
	size_t n, cap;
};

static void values_add(struct values *v, struct setting *option, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (option[i].value && *option[i].key) {
			GROW(v->at, v->n, v->cap);
			v->at[v->n++] = &option[i].value;
		}
}

/* Those that were the same stay so, and others stay apart: claims and pairs of cases go by them. */
static void values_hide(struct values *v, const char *host)
{
	char ***one = xcalloc(v->n + 1, sizeof *one), **was = xcalloc(v->n + 1, sizeof *was); /* of each text the first, and what it was */
	size_t *which = xcalloc(v->n + 1, sizeof *which), n = 0;
	for (size_t i = 0; i < v->n; i++) {
		while (which[i] < n && strcmp(was[which[i]], *v->at[i]))
			which[i]++;
		if (which[i] < n)
			continue;
		one[n] = v->at[i];
		was[n++] = xstrdup(*v->at[i]);
	}
	provenance_redact_names(one, n, host);
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i] != one[which[i]]) {
			free(*v->at[i]);
			*v->at[i] = xstrdup(*one[which[i]]);
		}
	for (size_t i = 0; i < n; i++)
		free(was[i]);
	free(was);
	free(one);
	free(which);
}

/* Where what is borrowed from the options stands, n where it is none of them. */
static size_t lender_of(const struct scenario *s, const char *borrowed)
{
	size_t i = 0;
	while (i < s->n_options && s->option[i].value != borrowed)
		i++;
	return i;
}

static void selectors_add(struct values *v, struct selector *const *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values_add(v, of[i]->term, of[i]->n_terms);
}

static void settings_hide(struct protocol *p, const char *host)
{
	struct values all = {.at = NULL};
	size_t *script = xcalloc(p->n_scenarios + 1, sizeof *script), *trace = xcalloc(p->n_scenarios + 1, sizeof *trace);
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct scenario *s = &p->scenario[i];
		script[i] = s->script ? lender_of(s, s->script) : s->n_options;
		trace[i] = s->trace ? lender_of(s, s->trace) : s->n_options;
		values_add(&all, s->option, s->n_options);
	}
	for (size_t i = 0; i < p->n_replayers; i++)
		values_add(&all, p->replayer[i].option, p->replayer[i].n_options);
	for (size_t i = 0; i < p->n_claims; i++) {
		struct selector *const of[] = {&p->claim[i].scenario, &p->claim[i].replayer, &p->claim[i].than_scenario, &p->claim[i].than};
		selectors_add(&all, of, sizeof of / sizeof *of);
	}
	for (size_t i = 0; i < p->n_published; i++) {
		struct selector *const of[] = {&p->published[i].scenario, &p->published[i].replayer};
		selectors_add(&all, of, sizeof of / sizeof *of);
	}
	values_hide(&all, host);
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct scenario *s = &p->scenario[i];
		if (script[i] < s->n_options)
			s->script = s->option[script[i]].value;
		if (trace[i] < s->n_options)
			s->trace = s->option[trace[i]].value;
	}
	free(all.at);
	free(script);
	free(trace);
}

/* --- names ------------------------------------------------------------------------------------------------------------ */

/* Names hold what varies, which may be a path. What the environment knows by a name is known by the hidden one. */
static void names_hide(struct results *r, const char *list, char ***name, size_t n)
{
	char **was = xcalloc(n + 1, sizeof *was);
	const json_t *all = json_object_get(r->environment, list);
	json_t *one;
	size_t k;
	for (size_t i = 0; i < n; i++)
		was[i] = xstrdup(*name[i]);
	provenance_redact_names(name, n, r->redacted);
	json_array_foreach(all, k, one)
	{
		const char *told = json_string_value(json_object_get(one, "name"));
		size_t i = 0;
		while (told && i < n && strcmp(was[i], told))
			i++;
		if (told && i < n)
			json_object_set_new(one, "name", json_string(*name[i]));
	}
	for (size_t i = 0; i < n; i++)
		free(was[i]);
	free(was);
}

static void all_names_hide(struct results *r)
{
	struct protocol *p = &r->protocol;
	char ***name = xcalloc(p->n_scenarios + p->n_replayers + 1, sizeof *name);
	for (size_t i = 0; i < p->n_scenarios; i++)
		name[i] = &p->scenario[i].name;
	names_hide(r, "scenarios", name, p->n_scenarios);
	for (size_t i = 0; i < p->n_replayers; i++)
		name[i] = &p->replayer[i].name;
	names_hide(r, "replayers", name, p->n_replayers);
	free(name);
}

/* What people wrote. */
static void words_hide(struct protocol *p, const char *host)
{
	text_hide(&p->title, host);
	for (size_t i = 0; i < p->n_claims; i++) {
		struct claim *c = &p->claim[i];
		char **const text[] = {&c->text, &c->source, &c->published, &c->reproduce};
		for (size_t k = 0; k < sizeof text / sizeof *text; k++)
			text_hide(text[k], host);
	}
	for (size_t i = 0; i < p->n_published; i++)
		text_hide(&p->published[i].source, host);
	for (size_t i = 0; i < p->n_replayers; i++)
		text_hide(&p->replayer[i].absent, host);
}

void results_redact(struct results *r)
{
	const char *host = json_string_value(json_object_get(r->environment, "host"));
	if (r->redacted)
		return;
	r->redacted = xstrdup(host ? host : "");
	all_names_hide(r);
	provenance_redact(r->environment);
	for (size_t i = 0; i < r->protocol.n_targets; i++) {
		text_hide(&r->protocol.target[i].dir, r->redacted);
		text_hide(&r->protocol.target[i].device, r->redacted);
	}
	settings_hide(&r->protocol, r->redacted);
	words_hide(&r->protocol, r->redacted);
	for (size_t i = 0; i < r->n_runs; i++)
		text_hide(&r->run[i].reason, r->redacted);
}
