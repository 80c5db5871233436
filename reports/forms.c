/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/forms.h"

#include <string.h>

const struct report_form *const report_forms[] = {
	&report_form_terminal,
	&report_form_html,
	&report_form_csv,
	&report_form_latex,
	&report_form_json,
	NULL,
};

const struct report_form *report_form_find(const char *name)
{
	for (const struct report_form *const *f = report_forms; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	return NULL;
}
