/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of report_forms[], one file each. */
#ifndef REPORTS_FORMS_H
#define REPORTS_FORMS_H

#include <stdbool.h>
#include <stdio.h>

#include "common/err.h"
#include "validate/analysis/analysis.h"

extern const struct report_form report_form_terminal, report_form_html, report_form_csv,
    report_form_latex, report_form_json, report_form_certificate, report_form_markdown,
    report_form_junit, report_form_github, report_form_openmetrics;

/* Report forms: functions of an analysis, which is a function of a results directory. Nothing here
 * computes. */
struct report_form {
	const char *name, *help;
	/* Writes its files into report_dir (already there). The same analysis gives the same bytes.
	 * NULL: printed only. */
	int (*write)(const struct analysis *a, const char *report_dir, struct err *e);
	/* Prints to a stream instead, where the form can (--format FORM); NULL otherwise. */
	int (*print)(const struct analysis *a, FILE *out, struct err *e);
	/* It takes so little memory that it is written beside the other forms, which take their
	 * turns. */
	bool beside;
};
/* terminal html csv latex json certificate markdown junit github openmetrics, NULL */
extern const struct report_form *const report_forms[];
const struct report_form *report_form_find(const char *name);
/* The form of that name, for printing. Errors: ENOENT with the nearest name, EINVAL for one that
 * cannot be printed. */
int report_form_choose(const char *name, const struct report_form **form, struct err *e);

/* Rebuilds DIR/report from the rest of DIR: made beside it and renamed into place, so that it is
 * whole or the old one. Errors: of the system, with the file; the old report is still there then.
 * That gnuplot is missing is no error. */
int report_write_all(const struct analysis *a, const char *dir, struct err *e);

#endif
