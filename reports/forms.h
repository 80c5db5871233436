/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of report_forms[], each in a separate file. */
#pragma once

#include "validate/evidence/cell.h"

extern const struct report_form report_form_terminal, report_form_html, report_form_csv,
    report_form_latex, report_form_json, report_form_sqlite, report_form_certificate,
    report_form_dcc, report_form_markdown, report_form_junit, report_form_github,
    report_form_openmetrics, report_form_prometheus, report_form_bmf, report_form_github_benchmark,
    report_form_pytest_benchmark;

/* Report forms: functions of an analysis, which is a function of a results directory. They compute
 * no numbers. */
struct report_form {
	const char *name, *help;
	/* Writes the form's files into report_dir, which must exist. The same analysis gives the
	 * same bytes. NULL: the form can only be printed. */
	int (*write)(const struct analysis *a, const char *report_dir, struct err *e);
	/* Prints the form to a stream (--format FORM). */
	int (*print)(const struct analysis *a, FILE *out, struct err *e);
	/* The form needs little memory, so it is written at the same time as the other forms, which
	 * are written one after the other. */
	bool beside;
};
/* The table is in report.c. NULL ends it. */
extern const struct report_form *const report_forms[];
/* Returns the form with this name, or NULL. */
const struct report_form *report_form_find(const char *name);
/* Finds a form. Errors: ENOENT with the nearest name. */
int report_form_choose(const char *name, const struct report_form **form, struct err *e);

/* Builds DIR/report again from the results in DIR. The new report replaces the old report in one
 * step. Errors: from the system, with the file; then the old report remains. A missing gnuplot is
 * not an error. */
int report_write_all(const struct analysis *a, const char *dir, struct err *e);
