/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline that may be shown to anybody: hosts, serial numbers, UUIDs, labels and paths are hidden wherever a text may hold one. */
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/compare/baseline.h"
#include "validate/provenance/provenance.h"

static void text_hide(char **text, const char *host)
{
	char *hidden = provenance_redact_text(*text, host);
	free(*text);
	*text = hidden;
}

static void lines_hide(char **line, size_t n, const char *host)
{
	for (size_t i = 0; i < n; i++)
		text_hide(&line[i], host);
}

void baseline_redact(struct baseline *b)
{
	char *host = xstrdup(b->host);
	for (size_t i = 0; i < b->n_facts; i++) {
		struct baseline_fact *f = &b->fact[i];
		char *value = provenance_redact_member(f->name, f->value, host);
		free(f->value);
		f->value = value;
	}
	lines_hide(b->condition, b->n_conditions, host);
	for (size_t i = 0; i < b->n_scenarios; i++)
		lines_hide(b->scenario[i].condition, b->scenario[i].n_conditions, host);
	for (size_t i = 0; i < b->n_cells; i++) {
		text_hide(&b->cell[i].settings, host);
		text_hide(&b->cell[i].reason, host);
	}
	free(b->host);
	b->host = provenance_redact_member("host", host, host);
	free(host);
}
