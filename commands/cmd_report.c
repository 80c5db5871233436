/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate report: rebuilds DIR/report from a results directory and prints it in one form. */
#include <errno.h>
#include <stdio.h>

#include "commands/commands.h"
#include "reports/forms.h"
#include "reports/reasons.h"
#include "validate/results/results.h"

struct report_config {
	const char *format;
	bool list, redact, certificate;
};

#define FIELD(name) offsetof(struct report_config, name)
static const struct option_spec report_options[] = {
	{.name = "format", .letter = 'f', .type = OPT_STRING, .offset = FIELD(format),
	 .arg = "FORM", .help = "output format, see --list (default terminal)"},
	{.name = "certificate", .type = OPT_FLAG, .offset = FIELD(certificate),
	 .help = "short for --format certificate: one page per replayer, for citation"},
	{.name = "redact", .type = OPT_FLAG, .offset = FIELD(redact),
	 .help = "hide hosts, serial numbers, UUIDs and paths in the report and the output"},
	{.name = "list", .type = OPT_FLAG, .offset = FIELD(list),
	 .help = "print the output formats and exit"},
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] = "DIR [--format FORM | --certificate] [--redact]\n--list";
static const char about[] =
	"Makes the report in DIR/report again from the results directory DIR. The same\n"
	"machine and versions give the same bytes. DIR/report/index.html is the page to\n"
	"read. The new report replaces the old one only when it is complete.\n"
	"\n"
	"Exit status, as of the campaign: 0 every replayer is trusted, 1 a replayer is\n"
	"not trusted, 4 inconclusive, 3 failed. Results that were changed afterwards get\n"
	"no verdict (status 3).";

static int report_run(int argc, char **argv, struct err *e)
{
	struct report_config config = {.format = "terminal"};
	const struct report_form *form;
	struct results r;
	struct analysis a;
	int n_positional;
	int status = command_parse(&cmd_report, synopsis, about, report_options, &config, argc,
				   argv, 0, 1, &n_positional, e);
	if (status >= 0)
		return status;
	if (config.list) {
		for (const struct report_form *const *f = report_forms; *f; f++)
			printf("%-12s%s\n", (*f)->name, (*f)->help);
		return EXIT_OK;
	}
	if (n_positional < 1) {
		err_set(e, EINVAL, "which results directory? usage is validate report DIR");
		return EXIT_USAGE;
	}
	if (report_form_choose(config.certificate ? "certificate" : config.format, &form, e) < 0)
		return EXIT_USAGE;
	if (results_load(&r, argv[1], e) < 0)
		return EXIT_FAILED;
	status = EXIT_FAILED;
	if (config.redact)
		results_redact(&r);
	if (analysis_compute(&a, &r, e) < 0) {
		/* Names the cause if a change made the analysis impossible. */
		seal_require(&r.seal, argv[1], e);
		goto out;
	}
	analysis_propagate(&a);
	analysis_word(&a);
	if (analysis_describe(&a, e) == 0 && report_write_all(&a, argv[1], e) == 0 &&
	    form->print(&a, stdout, e) == 0 && seal_require(&r.seal, argv[1], e) == 0)
		status = a.verdict == VERDICT_TRUSTED ? EXIT_OK
			: a.verdict == VERDICT_NOT_TRUSTED ? EXIT_NOT_TRUSTED : EXIT_INCONCLUSIVE;
	analysis_release(&a);
out:
	results_release(&r);
	return status;
}

const struct command cmd_report = {"report", "make and print the report of a campaign again",
				   report_run};
