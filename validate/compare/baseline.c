/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/compare/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/xalloc.h"
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
	free(c->replayer);
	free(c->settings);
	free(c->verdict);
	free(c->reason);
	free(c->block);
	for (size_t k = 0; k < COLUMN_N; k++)
		free(c->column[k]);
}

void baseline_release(struct baseline *b)
{
	for (size_t i = 0; i < b->n_cells; i++)
		case_release(&b->cell[i]);
	for (size_t i = 0; i < b->n_scenarios; i++) {
		free(b->scenario[i].name);
		free(b->scenario[i].requests);
		lines_free(b->scenario[i].condition, b->scenario[i].n_conditions);
	}
	for (size_t i = 0; i < b->n_facts; i++) {
		free(b->fact[i].name);
		free(b->fact[i].value);
	}
	lines_free(b->condition, b->n_conditions);
	free(b->cell);
	free(b->scenario);
	free(b->fact);
	free(b->limits.environment);
	free(b->limits.old);
	free(b->limits.new);
	free(b->source);
	free(b->title);
	free(b->protocol);
	free(b->program_version);
	free(b->date);
	free(b->host);
	*b = (struct baseline){0};
}

static int from_directory(struct baseline *b, const char *path, struct err *e)
{
	struct results r;
	struct analysis a;
	int ret = results_load(&r, path, e);
	if (ret)
		return ret;
	ret = analysis_compute(&a, &r, e);
	if (!ret) {
		ret = baseline_make(b, &r, &a, e);
		analysis_release(&a);
	}
	results_release(&r);
	return ret;
}

int baseline_open(struct baseline *b, const char *path, struct err *e)
{
	struct stat st;
	*b = (struct baseline){0};
	if (stat(path, &st) < 0)
		return err_sys(e, errno, "cannot open %s", path);
	return S_ISDIR(st.st_mode) ? from_directory(b, path, e) : baseline_read(b, path, e);
}

static int replayer_refuse(const struct baseline *b, const char *replayer, struct err *e)
{
	struct strbuf names = STRBUF_INIT;
	for (size_t i = 0; i < b->n_cells; i++) {
		bool told = false;
		for (size_t k = 0; k < i; k++)
			told |= !strcmp(b->cell[k].replayer, b->cell[i].replayer);
		if (!told)
			strbuf_addf(&names, "%s\"%s\"", names.len ? ", " : "", b->cell[i].replayer);
	}
	err_set(e, ENOENT, "%s: there is no replayer \"%s\", but %s", b->source, replayer, names.len ? names.s : "none");
	strbuf_release(&names);
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
		if (!strcmp(b->cell[i].replayer, replayer))
			b->cell[n++] = b->cell[i];
		else
			case_release(&b->cell[i]);
	b->n_cells = n;
	return 0;
}
