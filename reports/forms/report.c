/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/forms.h"

#include "common/units.h"

const struct report_form *const report_forms[] = {
    &report_form_terminal,
    &report_form_html,
    &report_form_csv,
    &report_form_latex,
    &report_form_sqlite,
    &report_form_json,
    &report_form_certificate,
    &report_form_dcc,
    &report_form_markdown,
    &report_form_junit,
    &report_form_github,
    &report_form_openmetrics,
    &report_form_prometheus,
    &report_form_bmf,
    &report_form_github_benchmark,
    &report_form_pytest_benchmark,
    NULL,
};

const struct report_form *report_form_find(const char *name)
{
	for (const struct report_form *const *f = report_forms; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	return NULL;
}

int report_form_choose(const char *name, const struct report_form **form, struct err *e)
{
	*form = report_form_find(name);
	if (*form)
		return 0;
	SCOPED_FREE const char **names = names_of(report_forms);
	return name_refuse(e, ENOENT, name, names,
			   " (\"validate report --list\" lists the formats)",
			   "unknown output format \"%s\" of a report", name);
}
