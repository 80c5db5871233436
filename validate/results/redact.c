/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

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

void results_redact(struct results *r)
{
	const char *host = json_string_value(json_object_get(r->environment, "host"));
	if (r->redacted)
		return;
	r->redacted = xstrdup(host ? host : "");
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
