/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reports of studies over several campaigns share: printing a form, and the directory with
 * all of them. */
#ifndef REPORTS_STUDY_FORM_H
#define REPORTS_STUDY_FORM_H

#include <stdio.h>

#include "reports/figures/figure.h"
#include "reports/tables/tables.h"

struct study_form {
	/* "pool": names DIR/pool.json and the directory that this may replace */
	const char *command;
	void (*tables_build)(struct tables *ts, const void *study);
	void (*figures_build)(struct figures *fs, const void *study);
	void (*text_add)(struct strbuf *out, const void *study, size_t width);
	void (*json_add)(struct strbuf *out, const void *study);
	void (*html_add)(struct strbuf *out, const void *study, const struct tables *ts,
			 const struct figures *fs);
};

/* "terminal", "html", "csv", "latex", "json". Errors: EINVAL for another one, naming the nearest.
 */
int study_form_check(const char *form, struct err *e);
/* Prints a form; html with its figures, made in a directory that does not stay. */
int study_print(const struct study_form *s, const void *study, const char *form, FILE *out,
		struct err *e);
/* Writes DIR/index.html, plots/, tables/, COMMAND.json and summary.txt; DIR is made. Errors: of the
 * system; EEXIST where DIR holds what this did not make. */
int study_write(const struct study_form *s, const void *study, const char *dir, struct err *e);

#endif
