/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Redacts a baseline for publication: hides hosts, serial numbers, UUIDs, labels and paths in every
 * text. */
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

/* Applies the new names in cell[n_cells].replayer (old names: was[n_cells]) to a name in
 * [compare]. */
static void compared_hide(struct baseline *b, char **name, char *const *was, const char *host)
{
	size_t i = 0;
	if (!*name)
		return;
	while (i < b->n_cells && strcmp(was[i], *name))
		i++;
	if (i == b->n_cells) {
		text_hide(name, host);
		return;
	}
	free(*name);
	*name = xstrdup(b->cell[i].replayer);
}

/* Hides the names of replayers. All cases of a replayer get the same numbered name. */
static void replayers_hide(struct baseline *b, const char *host)
{
	SCOPED_FREE char **was = xcalloc(b->n_cells + 1, sizeof *was),
			 ***name = xcalloc(b->n_cells + 1, sizeof *name);
	size_t *first = xcalloc(b->n_cells + 1, sizeof *first), n = 0;
	for (size_t i = 0; i < b->n_cells; i++) {
		was[i] = xstrdup(b->cell[i].replayer);
		while (strcmp(was[first[i]], was[i]))
			first[i]++;
		if (first[i] == i)
			name[n++] = &b->cell[i].replayer;
	}
	provenance_redact_names(name, n, host);
	for (size_t i = 0; i < b->n_cells; i++)
		if (first[i] != i) {
			free(b->cell[i].replayer);
			b->cell[i].replayer = xstrdup(b->cell[first[i]].replayer);
		}
	compared_hide(b, &b->limits.old, was, host);
	compared_hide(b, &b->limits.new, was, host);
	for (size_t i = 0; i < b->n_cells; i++)
		free(was[i]);
	free(first);
}

const char *baseline_redact_names(struct baseline *b, const char *replayer)
{
	size_t at = 0;
	while (replayer && at < b->n_cells && strcmp(b->cell[at].replayer, replayer))
		at++;
	char ***name = xcalloc(b->n_scenarios + 1, sizeof *name);
	for (size_t i = 0; i < b->n_scenarios; i++)
		name[i] = &b->scenario[i].name;
	provenance_redact_names(name, b->n_scenarios, b->host);
	free(name);
	replayers_hide(b, b->host);
	return replayer && at < b->n_cells ? b->cell[at].replayer : replayer;
}

bool baseline_is_redacted(const struct baseline *b)
{
	return !strcmp(b->host, PROVENANCE_HIDDEN);
}

const char *baseline_redact(struct baseline *b, const char *replayer)
{
	SCOPED_FREE char *host = xstrdup(b->host);
	replayer = baseline_redact_names(b, replayer);
	text_hide(&b->title, host);
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
	return replayer;
}
