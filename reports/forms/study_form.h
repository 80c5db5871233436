/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of studies over several campaigns (pool, history): prints a form, or writes a directory
 * with all forms. */
#pragma once

#include "reports/figures/figure.h"
#include "reports/tables/tables.h"

struct study_form {
	/* "pool": the name of DIR/pool.json, by which an earlier report is recognised */
	const char *command;
	void (*tables_build)(struct tables *ts, const void *study);
	void (*figures_build)(struct figures *fs, const void *study);
	void (*text_add)(struct strbuf *out, const void *study, size_t width);
	void (*json_add)(struct strbuf *out, const void *study);
	void (*html_add)(struct strbuf *out, const void *study, const struct tables *ts,
			 const struct figures *fs);
};

/* Checks a form: terminal, html, csv, latex or json. Errors: EINVAL for another name, with the
 * nearest name. */
int study_form_check(const char *form, struct err *e);
/* Prints a form. */
int study_print(const struct study_form *s, const void *study, const char *form, FILE *out,
		struct err *e);
/* Creates DIR with index.html, plots/, tables/, COMMAND.json and summary.txt. Errors: from the
 * system; EEXIST if DIR contains anything else. */
int study_write(const struct study_form *s, const void *study, const char *dir, struct err *e);
