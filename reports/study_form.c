/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files.h"
#include "common/leftovers.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "reports/csv.h"
#include "reports/latex.h"
#include "reports/output.h"
#include "reports/study_form.h"

#define WIDTH 100

static const char *const forms[] = {"terminal", "html", "csv", "latex", "json", NULL};

int study_form_check(const char *form, struct err *e)
{
	for (const char *const *f = forms; *f; f++)
		if (!strcmp(*f, form))
			return 0;
	const char *near = nearest_name(form, forms);
	return near ? err_set(e, EINVAL, "unknown form \"%s\" (did you mean \"%s\"?)", form, near)
		    : err_set(e, EINVAL, "unknown form \"%s\": terminal, html, csv, latex or json", form);
}

/* --- what is made of tables ------------------------------------------------------------------------------------------- */

static void tables_csv(struct strbuf *out, const struct tables *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		strbuf_addf(out, "%s# %s\r\n", i ? "\r\n" : "", ts->table[i].name);
		csv_add_table(out, &ts->table[i]);
	}
}

static void tables_latex(struct strbuf *out, const struct tables *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		strbuf_addstr(out, i ? "\n" : "");
		latex_add_table(out, &ts->table[i]);
	}
}

static int page_make(struct strbuf *out, const struct study_form *s, const void *study, const struct tables *ts, const char *plots, struct err *e)
{
	struct figures fs;
	s->figures_build(&fs, study);
	int ret = figures_render(&fs, plots, e);
	if (!ret)
		s->html_add(out, study, ts, &fs);
	figures_release(&fs);
	return ret;
}

static int page_print(struct strbuf *out, const struct study_form *s, const void *study, const struct tables *ts, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/validate-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", s->command);
	int ret = leftover_directory(dir) ? 0 : err_sys(e, errno, "cannot make a directory for figures, %s", dir);
	if (!ret) {
		ret = page_make(out, s, study, ts, dir, e);
		if (dir_remove_tree(dir, ret ? NULL : e) && !ret)
			ret = -EIO;
	}
	free(dir);
	return ret;
}

int study_print(const struct study_form *s, const void *study, const char *form, FILE *out, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct tables ts;
	int ret = 0;
	s->tables_build(&ts, study);
	if (!strcmp(form, "html"))
		ret = page_print(&text, s, study, &ts, e);
	else if (!strcmp(form, "csv"))
		tables_csv(&text, &ts);
	else if (!strcmp(form, "latex"))
		tables_latex(&text, &ts);
	else if (!strcmp(form, "json"))
		s->json_add(&text, study);
	else
		s->text_add(&text, study, WIDTH);
	if (!ret)
		ret = output_stream(out, &text, e);
	tables_release(&ts);
	strbuf_release(&text);
	return ret;
}

/* --- a directory ------------------------------------------------------------------------------------------------------ */

static int put(const char *dir, const char *name, struct strbuf *text, struct err *e)
{
	int ret = output_file(dir, name, text, e);
	strbuf_reset(text);
	return ret;
}

static int tables_write(const char *dir, const struct tables *ts, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	int ret = output_dir(dir, "tables", e);
	for (size_t i = 0; i < ts->n && !ret; i++) {
		char *csv = xasprintf("tables/%s.csv", ts->table[i].name), *tex = xasprintf("tables/%s.tex", ts->table[i].name);
		csv_add_table(&text, &ts->table[i]);
		ret = put(dir, csv, &text, e);
		latex_add_table(&text, &ts->table[i]);
		if (!ret)
			ret = put(dir, tex, &text, e);
		free(csv);
		free(tex);
	}
	strbuf_release(&text);
	return ret;
}

/* A directory that is there is one that this made before, or empty. */
static int dir_take(const char *dir, const char *command, struct err *e)
{
	char *mark = xasprintf("%s/%s.json", dir, command);
	bool ours = path_exists(mark);
	free(mark);
	if (path_exists(dir) && !ours && rmdir(dir) < 0)
		return err_set(e, EEXIST, "%s is there, and no report of \"validate %s\": name another directory", dir, command);
	return dir_create(dir, e);
}

int study_write(const struct study_form *s, const void *study, const char *dir, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct tables ts;
	char *plots = xasprintf("%s/plots", dir), *json = xasprintf("%s.json", s->command);
	s->tables_build(&ts, study);
	int ret = dir_take(dir, s->command, e);
	s->json_add(&text, study);
	if (!ret)
		ret = put(dir, json, &text, e);
	strbuf_reset(&text);
	s->text_add(&text, study, WIDTH);
	if (!ret)
		ret = put(dir, "summary.txt", &text, e);
	if (!ret)
		ret = tables_write(dir, &ts, e);
	if (!ret)
		ret = output_dir(dir, "plots", e);
	strbuf_reset(&text);
	if (!ret)
		ret = page_make(&text, s, study, &ts, plots, e);
	if (!ret)
		ret = put(dir, "index.html", &text, e);
	tables_release(&ts);
	strbuf_release(&text);
	free(plots);
	free(json);
	return ret;
}
