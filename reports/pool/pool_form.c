/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "reports/csv.h"
#include "reports/latex.h"
#include "reports/output.h"
#include "reports/pool/pool_report.h"

#define WIDTH 100

static const char *const forms[] = {"terminal", "html", "csv", "latex", "json", NULL};

int pool_form_check(const char *form, struct err *e)
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

static int page_make(struct strbuf *out, const struct pool *p, const struct tables *ts, const char *plots, struct err *e)
{
	struct figures fs;
	pool_figures_build(&fs, p);
	int ret = figures_render(&fs, plots, e);
	if (!ret)
		pool_html_add(out, p, ts, &fs);
	figures_release(&fs);
	return ret;
}

static int page_print(struct strbuf *out, const struct pool *p, const struct tables *ts, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/validate-pool-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	int ret = mkdtemp(dir) ? 0 : err_sys(e, errno, "cannot make a directory for figures, %s", dir);
	if (!ret) {
		ret = page_make(out, p, ts, dir, e);
		if (dir_remove_tree(dir, ret ? NULL : e) && !ret)
			ret = -EIO;
	}
	free(dir);
	return ret;
}

int pool_print(const struct pool *p, const char *form, FILE *out, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct tables ts;
	int ret = 0;
	pool_tables_build(&ts, p);
	if (!strcmp(form, "html"))
		ret = page_print(&text, p, &ts, e);
	else if (!strcmp(form, "csv"))
		tables_csv(&text, &ts);
	else if (!strcmp(form, "latex"))
		tables_latex(&text, &ts);
	else if (!strcmp(form, "json"))
		pool_json_add(&text, p);
	else
		pool_text_add(&text, p, WIDTH);
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
static int dir_take(const char *dir, struct err *e)
{
	char *mark = xasprintf("%s/pool.json", dir);
	bool ours = path_exists(mark);
	free(mark);
	if (path_exists(dir) && !ours && rmdir(dir) < 0)
		return err_set(e, EEXIST, "%s is there, and no report of \"validate pool\": name another directory", dir);
	return dir_create(dir, e);
}

int pool_write(const struct pool *p, const char *dir, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct tables ts;
	char *plots = xasprintf("%s/plots", dir);
	pool_tables_build(&ts, p);
	int ret = dir_take(dir, e);
	pool_json_add(&text, p);
	if (!ret)
		ret = put(dir, "pool.json", &text, e);
	strbuf_reset(&text);
	pool_text_add(&text, p, WIDTH);
	if (!ret)
		ret = put(dir, "summary.txt", &text, e);
	if (!ret)
		ret = tables_write(dir, &ts, e);
	if (!ret)
		ret = output_dir(dir, "plots", e);
	strbuf_reset(&text);
	if (!ret)
		ret = page_make(&text, p, &ts, plots, e);
	if (!ret)
		ret = put(dir, "index.html", &text, e);
	tables_release(&ts);
	strbuf_release(&text);
	free(plots);
	return ret;
}
