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

/* What a setting is borrowed for is the hidden one, too. */
static void settings_hide(struct setting *option, size_t n, const char **script, const char **trace, const char *host)
{
	for (size_t i = 0; i < n; i++) {
		const char *before = option[i].value;
		const bool is_script = script && *script == before, is_trace = trace && *trace == before;
		text_hide(&option[i].value, host);
		if (is_script)
			*script = option[i].value;
		if (is_trace)
			*trace = option[i].value;
	}
}

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
	for (size_t i = 0; i < r->protocol.n_scenarios; i++) {
		struct scenario *s = &r->protocol.scenario[i];
		settings_hide(s->option, s->n_options, s->script ? &s->script : NULL, s->trace ? &s->trace : NULL, r->redacted);
	}
	for (size_t i = 0; i < r->protocol.n_replayers; i++) {
		struct replayer *x = &r->protocol.replayer[i];
		settings_hide(x->option, x->n_options, NULL, NULL, r->redacted);
	}
	for (size_t i = 0; i < r->n_runs; i++)
		text_hide(&r->run[i].reason, r->redacted);
}
