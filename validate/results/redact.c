/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/units.h"
#include "common/words.h"
#include "validate/provenance/provenance.h"
#include "validate/results/results.h"

/* --- paths with blanks --------------------------------------------------- */

/* Paths of the protocol that contain blanks. Other texts do not show where such a path ends, so in
 * all texts these paths become one word before they are hidden. */
struct spaced {
	char **path; /* [n] */
	size_t n, cap;
};

static void spaced_add(struct spaced *s, const char *path)
{
	if (!path || *path != '/' || !strchr(path, ' '))
		return;
	APPEND(s->path, s->n, s->cap, xstrdup(path));
}

static void spaced_join(const struct spaced *s, char *text)
{
	for (size_t i = 0; text && i < s->n; i++)
		for (char *at = text; (at = strstr(at, s->path[i])); at++)
			for (size_t k = 0; s->path[i][k]; k++)
				at[k] = at[k] == ' ' ? '_' : at[k];
}

static bool is_path(const char *key)
{
	static const char *const keys[] = {"trace", "script", "start-in", "scratch", NULL};
	return word_in(key, keys);
}

static void spaced_of_options(struct spaced *s, const struct setting *option, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_path(option[i].key))
			spaced_add(s, option[i].value);
}

static void spaced_find(struct spaced *s, const struct results *r)
{
	const struct protocol *p = &r->protocol;
	for (size_t i = 0; i < p->n_targets; i++) {
		spaced_add(s, p->target[i].dir);
		spaced_add(s, p->target[i].device);
	}
	for (size_t i = 0; i < p->n_scenarios; i++)
		spaced_of_options(s, p->scenario[i].option, p->scenario[i].n_options);
	for (size_t i = 0; i < p->n_replayers; i++)
		spaced_of_options(s, p->replayer[i].option, p->replayer[i].n_options);
}

static void spaced_release(struct spaced *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->path[i]);
	free(s->path);
}

static void text_hide(char **text, const struct spaced *paths, const char *host)
{
	if (!*text)
		return;
	spaced_join(paths, *text);
	char *hidden = provenance_redact_text(*text, host);
	free(*text);
	*text = hidden;
}

/* --- settings ------------------------------------------------------------ */

struct redact_values {
	char ***at; /* [n]: where each is stored */
	size_t n, cap;
};

static void values_add(struct redact_values *v, struct setting *option, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (option[i].value && *option[i].key)
			APPEND(v->at, v->n, v->cap, &option[i].value);
}

/* Hides values. Equal values stay equal and different values stay different, because claims and
 * pairs of cases depend on it. */
static void values_hide(struct redact_values *v, const struct spaced *paths, const char *host)
{
	/* the first occurrence of each text, and the text */
	SCOPED_FREE char ***one = xcalloc(v->n + 1, sizeof *one),
			 **was = xcalloc(v->n + 1, sizeof *was);
	size_t *which = xcalloc(v->n + 1, sizeof *which), n = 0;
	for (size_t i = 0; i < v->n; i++) {
		while (which[i] < n && strcmp(was[which[i]], *v->at[i]))
			which[i]++;
		if (which[i] < n)
			continue;
		one[n] = v->at[i];
		was[n++] = xstrdup(*v->at[i]);
	}
	for (size_t i = 0; i < n; i++)
		spaced_join(paths, *one[i]);
	provenance_redact_names(one, n, host);
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i] != one[which[i]]) {
			free(*v->at[i]);
			*v->at[i] = xstrdup(*one[which[i]]);
		}
	for (size_t i = 0; i < n; i++)
		free(was[i]);
	free(which);
}

/* Returns the index of the option from which a string is borrowed; n: none. */
static size_t lender_of(const struct scenario *s, const char *borrowed)
{
	size_t i = 0;
	while (i < s->n_options && s->option[i].value != borrowed)
		i++;
	return i;
}

static void selectors_add(struct redact_values *v, struct selector *const *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values_add(v, of[i]->term, of[i]->n_terms);
}

static void settings_hide(struct protocol *p, const struct spaced *paths, const char *host)
{
	struct redact_values all = {.at = NULL};
	SCOPED_FREE size_t *script = xcalloc(p->n_scenarios + 1, sizeof *script),
			   *trace = xcalloc(p->n_scenarios + 1, sizeof *trace);
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct scenario *s = &p->scenario[i];
		script[i] = s->script ? lender_of(s, s->script) : s->n_options;
		trace[i] = s->trace ? lender_of(s, s->trace) : s->n_options;
		values_add(&all, s->option, s->n_options);
	}
	for (size_t i = 0; i < p->n_replayers; i++)
		values_add(&all, p->replayer[i].option, p->replayer[i].n_options);
	for (size_t i = 0; i < p->n_claims; i++) {
		struct selector *const of[] = {&p->claim[i].scenario, &p->claim[i].replayer,
					       &p->claim[i].than_scenario, &p->claim[i].than};
		selectors_add(&all, of, sizeof of / sizeof *of);
	}
	for (size_t i = 0; i < p->n_published; i++) {
		struct selector *const of[] = {&p->published[i].scenario,
					       &p->published[i].replayer};
		selectors_add(&all, of, sizeof of / sizeof *of);
	}
	values_hide(&all, paths, host);
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct scenario *s = &p->scenario[i];
		if (script[i] < s->n_options)
			s->script = s->option[script[i]].value;
		if (trace[i] < s->n_options)
			s->trace = s->option[trace[i]].value;
	}
	free(all.at);
}

/* --- names --------------------------------------------------------------- */

/* Replaces old names by hidden names in member `key` of the elements of a list. */
static void list_rename(const json_t *list, const char *key, char **was, char ***name, size_t n)
{
	json_t *one;
	size_t k;
	json_array_foreach(list, k, one)
	{
		const char *name_here = json_string_value(json_object_get(one, key));
		size_t i = 0;
		while (name_here && i < n && strcmp(was[i], name_here))
			i++;
		if (name_here && i < n)
			json_object_set_new(one, key, json_string(*name[i]));
	}
}

/* Hides names, because they contain varying factors, which may be paths. Renames in the environment
 * as well: in `list`, and by `key` in the list of pairings. */
static void names_hide(struct results *r, const struct spaced *paths, const char *list,
		       const char *key, char ***name, size_t n)
{
	SCOPED_FREE char **was = xcalloc(n + 1, sizeof *was);
	for (size_t i = 0; i < n; i++)
		was[i] = xstrdup(*name[i]);
	for (size_t i = 0; i < n; i++)
		spaced_join(paths, *name[i]);
	provenance_redact_names(name, n, r->redacted);
	list_rename(json_object_get(r->environment, list), "name", was, name, n);
	list_rename(json_object_get(r->environment, "pairing"), key, was, name, n);
	for (size_t i = 0; i < n; i++)
		free(was[i]);
}

static void all_names_hide(struct results *r, const struct spaced *paths)
{
	struct protocol *p = &r->protocol;
	SCOPED_FREE char ***name = xcalloc(p->n_scenarios + p->n_replayers + 1, sizeof *name);
	for (size_t i = 0; i < p->n_scenarios; i++)
		name[i] = &p->scenario[i].name;
	names_hide(r, paths, "scenarios", "scenario", name, p->n_scenarios);
	for (size_t i = 0; i < p->n_replayers; i++)
		name[i] = &p->replayer[i].name;
	names_hide(r, paths, "replayers", "replayer", name, p->n_replayers);
}

/* Hides in texts that people wrote. */
static void words_hide(struct protocol *p, const struct spaced *paths, const char *host)
{
	text_hide(&p->title, paths, host);
	text_hide(&p->issuer, paths, host);
	text_hide(&p->place, paths, host);
	text_hide(&p->standard, paths, host);
	for (size_t i = 0; i < p->n_claims; i++) {
		struct claim *c = &p->claim[i];
		char **const text[] = {&c->text, &c->source, &c->published, &c->reproduce};
		for (size_t k = 0; k < sizeof text / sizeof *text; k++)
			text_hide(text[k], paths, host);
	}
	for (size_t i = 0; i < p->n_published; i++)
		text_hide(&p->published[i].source, paths, host);
	for (size_t i = 0; i < p->n_replayers; i++)
		text_hide(&p->replayer[i].absent, paths, host);
}

/* Hides the settings that name hosts. */
static void settings_with_hosts_hide(struct setting *option, size_t n)
{
	static const char *const keys[] = {"hosts", "launcher", NULL};
	for (size_t i = 0; i < n; i++)
		if (word_in(option[i].key, keys)) {
			free(option[i].value);
			option[i].value = xstrdup(PROVENANCE_HIDDEN);
		}
}

/* Numbers the hosts of parallel applications, and hides them in the settings. */
static void hosts_hide(struct results *r)
{
	struct words_list known = {NULL, 0, 0};
	for (size_t i = 0; i < r->n_runs; i++)
		for (uint64_t k = 0; k < r->run[i].summary.n_nodes; k++) {
			struct node_summary *node = &r->run[i].summary.node[k];
			size_t h = 0;
			while (h < known.n && strcmp(known.v[h], node->host))
				h++;
			if (!*node->host)
				continue;
			if (h == known.n)
				words_list_add(&known, node->host);
			snprintf(node->host, sizeof node->host, "host %zu", h + 1);
		}
	words_list_release(&known);
	for (size_t i = 0; i < r->protocol.n_scenarios; i++)
		settings_with_hosts_hide(r->protocol.scenario[i].option,
					 r->protocol.scenario[i].n_options);
	for (size_t i = 0; i < r->protocol.n_replayers; i++)
		settings_with_hosts_hide(r->protocol.replayer[i].option,
					 r->protocol.replayer[i].n_options);
}

void results_redact(struct results *r)
{
	const char *host = json_string_value(json_object_get(r->environment, "host"));
	struct spaced paths = {.path = NULL};
	if (r->redacted)
		return;
	r->redacted = xstrdup(host ? host : "");
	hosts_hide(r);
	spaced_find(&paths, r);
	all_names_hide(r, &paths);
	provenance_redact(r->environment);
	for (size_t i = 0; i < r->protocol.n_targets; i++) {
		text_hide(&r->protocol.target[i].dir, &paths, r->redacted);
		text_hide(&r->protocol.target[i].device, &paths, r->redacted);
	}
	settings_hide(&r->protocol, &paths, r->redacted);
	words_hide(&r->protocol, &paths, r->redacted);
	for (size_t i = 0; i < r->n_runs; i++)
		text_hide(&r->run[i].reason, &paths, r->redacted);
	spaced_release(&paths);
}
