/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/compare/baseline.h"

#include "validate/analysis/analysis.h"
#include "validate/compare/baseline_private.h"

void baseline_rows_make(struct baseline_case *c)
{
	c->block = xcalloc(c->n + 1, sizeof *c->block);
	for (size_t k = 0; k < COLUMN_N; k++)
		c->column[k] = xcalloc(c->n + 1, sizeof *c->column[k]);
}

static void lines_free(char **lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(lines[i]);
	free(lines);
}

static void case_release(struct baseline_case *c)
{
	FREE_EACH(c->replayer, c->settings, c->verdict, c->reason, c->block);
	for (size_t k = 0; k < COLUMN_N; k++)
		free(c->column[k]);
}

void baseline_release(struct baseline *b)
{
	if (b->borrowed) {
		FREE_EACH(b->cell, b->source);
		*b = (struct baseline){0};
		return;
	}
	for (size_t i = 0; i < b->n_cells + b->n_left_out; i++)
		case_release(&b->cell[i]);
	for (size_t i = 0; i < b->n_scenarios; i++) {
		FREE_EACH(b->scenario[i].name, b->scenario[i].requests);
		lines_free(b->scenario[i].condition, b->scenario[i].n_conditions);
	}
	for (size_t i = 0; i < b->n_facts; i++)
		FREE_EACH(b->fact[i].name, b->fact[i].value);
	lines_free(b->condition, b->n_conditions);
	FREE_EACH(b->cell, b->scenario, b->fact, b->limits.environment, b->limits.old,
		  b->limits.new, b->source, b->title, b->protocol, b->program_version, b->date,
		  b->host);
	*b = (struct baseline){0};
}

static int from_directory(struct baseline *b, const char *path, void (*word)(struct analysis *a),
			  struct err *e)
{
	SCOPED(results_release) struct results r = {0};
	SCOPED(analysis_release) struct analysis a = {0};
	int ret = results_load(&r, path, e);
	ret = ret ? ret : seal_require(&r.seal, path, e);
	ret = ret ? ret : analysis_compute(&a, &r, e);
	if (ret)
		return ret;
	word(&a);
	return baseline_make(b, &r, &a, e);
}

int baseline_open(struct baseline *b, const char *path, void (*word)(struct analysis *a),
		  struct err *e)
{
	struct stat st;
	*b = (struct baseline){0};
	if (stat(path, &st) < 0)
		return err_sys(e, errno, "cannot open %s", path);
	return S_ISDIR(st.st_mode) ? from_directory(b, path, word, e) : baseline_read(b, path, e);
}

void baseline_borrow(struct baseline *out, const struct baseline *b)
{
	*out = *b;
	out->borrowed = true;
	out->n_left_out = 0;
	out->source = xstrdup(b->source);
	out->cell = xcalloc(b->n_cells + 1, sizeof *out->cell);
	if (b->n_cells)
		memcpy(out->cell, b->cell, b->n_cells * sizeof *out->cell);
}

static int replayer_refuse(const struct baseline *b, const char *replayer, struct err *e)
{
	SCOPED_STRBUF names = STRBUF_INIT;
	for (size_t i = 0; i < b->n_cells; i++) {
		bool listed = false;
		for (size_t k = 0; k < i; k++)
			listed |= !strcmp(b->cell[k].replayer, b->cell[i].replayer);
		if (!listed)
			strbuf_addf(&names, "%s\"%s\"", names.len ? ", " : "", b->cell[i].replayer);
	}
	err_set(e, ENOENT, "%s: unknown replayer \"%s\": the campaign has %s", b->source, replayer,
		names.len ? names.s : "none");
	return -ENOENT;
}

int baseline_choose(struct baseline *b, const char *replayer, struct err *e)
{
	size_t n = 0;
	bool found = false;
	for (size_t i = 0; i < b->n_cells; i++)
		found |= !strcmp(b->cell[i].replayer, replayer);
	if (!found)
		return replayer_refuse(b, replayer, e);
	for (size_t i = 0; i < b->n_cells; i++)
		if (!strcmp(b->cell[i].replayer, replayer)) {
			const struct baseline_case chosen = b->cell[i];
			b->cell[i] = b->cell[n];
			b->cell[n++] = chosen;
		}
	b->n_left_out += b->n_cells - n;
	b->n_cells = n;
	return 0;
}

const struct baseline_scenario *baseline_scenario_find(const struct baseline *b, const char *name)
{
	for (size_t i = 0; i < b->n_scenarios; i++)
		if (!strcmp(b->scenario[i].name, name))
			return &b->scenario[i];
	return NULL;
}

const struct baseline_case *baseline_case_find(const struct baseline *b, const char *scenario,
					       const char *replayer)
{
	for (size_t i = 0; i < b->n_cells; i++)
		if (!strcmp(b->scenario[b->cell[i].scenario].name, scenario) &&
		    !strcmp(b->cell[i].replayer, replayer))
			return &b->cell[i];
	return NULL;
}

const char *baseline_fact_find(const struct baseline *b, const char *name)
{
	for (size_t i = 0; i < b->n_facts; i++)
		if (!strcmp(b->fact[i].name, name))
			return b->fact[i].value;
	return NULL;
}
