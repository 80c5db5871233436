/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of report_forms[], one file each. */
#ifndef REPORTS_FORMS_H
#define REPORTS_FORMS_H

#include "reports/report.h"

extern const struct report_form report_form_terminal, report_form_html, report_form_csv, report_form_latex,
    report_form_json, report_form_certificate, report_form_markdown, report_form_junit, report_form_github,
    report_form_openmetrics;

#endif
