/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/report.json: the whole analysis for programs. The lists of reports/model_*.c describe it,
 * and doc/report-schema.json. */
#include "reports/forms.h"
#include "reports/json/json_model.h"
#include "reports/output.h"

static void add_json(FILE *out, const void *analysis)
{
	json_model_write(out, &model_analysis, analysis);
}

static int json_form_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	return output_file_by(report_dir, "report.json", add_json, a, e);
}

static int json_form_print(const struct analysis *a, FILE *out, struct err *e)
{
	return output_stream_by(out, add_json, a, e);
}

const struct report_form report_form_json = {
    .name = "json",
    .help = "everything, for programs (doc/report-schema.json)",
    .write = json_form_write,
    .print = json_form_print,
    .beside = true,
};
