/* SPDX-License-Identifier: GPL-3.0-or-later */
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
	for (size_t i = 0; i < r->n_runs; i++)
		text_hide(&r->run[i].reason, r->redacted);
}
