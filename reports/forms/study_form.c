/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "common/files.h"
#include "common/units.h"
#include "reports/forms/study_form.h"
#include "reports/forms/table_forms.h"
#include "reports/output.h"

#define WIDTH 100

static const char *const forms[] = {"terminal", "html", "csv", "latex", "json", NULL};

int study_form_check(const char *form, struct err *e)
{
	if (word_in(form, forms))
		return 0;
	return name_refuse(e, EINVAL, form, forms, ": terminal, html, csv, latex or json",
			   "unknown output format \"%s\"", form);
}

/* --- forms made from tables ---------------------------------------------- */

static int page_make(struct strbuf *out, const struct study_form *s, const void *study,
		     const struct tables *ts, const char *plots, struct err *e)
{
	SCOPED(figures_release) struct figures fs;
	s->figures_build(&fs, study);
	int ret = figures_render(&fs, plots, e);
	if (!ret)
		s->html_add(out, study, ts, &fs);
	return ret;
}

int study_print(const struct study_form *s, const void *study, const char *form, FILE *out,
		struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	SCOPED(tables_release) struct tables ts;
	int ret = 0;
	s->tables_build(&ts, study);
	if (!strcmp(form, "html"))
		ret = page_make(&text, s, study, &ts, NULL, e);
	else if (!strcmp(form, "csv"))
		csv_add_tables(&text, &ts);
	else if (!strcmp(form, "latex"))
		latex_add_tables(&text, &ts, true);
	else if (!strcmp(form, "json"))
		s->json_add(&text, study);
	else
		s->text_add(&text, study, WIDTH);
	ret = ret ? ret : output_stream(out, &text, e);
	return ret;
}

/* --- a directory --------------------------------------------------------- */

static int text_write(const char *dir, const char *name, struct strbuf *text, struct err *e)
{
	int ret = output_file(dir, name, text, e);
	strbuf_reset(text);
	return ret;
}

static int tables_write(const char *dir, const struct tables *ts, struct err *e)
{
	int ret = output_dir(dir, "tables", e);
	for (size_t i = 0; i < ts->n && !ret; i++) {
		ret = output_table(dir, &ts->table[i], "csv", csv_add_table, e);
		ret = ret ? ret : output_table(dir, &ts->table[i], "tex", latex_add_table, e);
	}
	return ret;
}

/* Prepares DIR: it must be empty or contain an earlier report of this command. */
static int dir_take(const char *dir, const char *command, struct err *e)
{
	SCOPED_FREE char *mark = xasprintf("%s/%s.json", dir, command);
	bool ours = path_exists(mark);
	if (path_exists(dir) && !ours && rmdir(dir) < 0)
		return err_set(
		    e, EEXIST,
		    "%s exists and is not a report of \"validate %s\": name another directory", dir,
		    command);
	return dir_create(dir, e);
}

int study_write(const struct study_form *s, const void *study, const char *dir, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	SCOPED(tables_release) struct tables ts;
	SCOPED_FREE char *plots = xasprintf("%s/plots", dir),
			 *json = xasprintf("%s.json", s->command);
	s->tables_build(&ts, study);
	int ret = dir_take(dir, s->command, e);
	s->json_add(&text, study);
	ret = ret ? ret : text_write(dir, json, &text, e);
	strbuf_reset(&text);
	s->text_add(&text, study, WIDTH);
	ret = ret ? ret : text_write(dir, "summary.txt", &text, e);
	ret = ret ? ret : tables_write(dir, &ts, e);
	ret = ret ? ret : output_dir(dir, "plots", e);
	strbuf_reset(&text);
	ret = ret ? ret : page_make(&text, s, study, &ts, plots, e);
	ret = ret ? ret : text_write(dir, "index.html", &text, e);
	return ret;
}
