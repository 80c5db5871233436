/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate baseline: stores the data of a campaign that later comparisons need. */
#include "commands/commands.h"
#include "reports/compare/compare_forms.h"
#include "reports/output.h"

struct baseline_config {
	const char *output, *replayer;
	bool redact;
};

#define FIELD(name) offsetof(struct baseline_config, name)
static const struct option_spec baseline_options[] = {
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "FILE",
	       .help = "save: write the baseline to FILE; - is standard output (default)"),
	OPTION(STRING, "replayer", FIELD(replayer), .arg = "NAME",
	       .help = "save or show only the cases of this replayer (default all)"),
	OPTION(FLAG, "redact", FIELD(redact),
	       .help = "hide host names, serial numbers, UUIDs, labels of file systems "
	       "and partitions, and paths"),
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] =
    "save DIR [--replayer NAME] [--redact] [-o FILE]\nshow FILE|DIR [--replayer NAME] [--redact]";
static const char about[] =
	"save: writes a baseline of the results directory DIR: a JSON file with the data\n"
	"that later comparisons need. The file takes a few kilobytes for each replayer in\n"
	"each scenario, so you can keep it in a source code repository. A comparison with\n"
	"the baseline gives the same numbers as a comparison with DIR.\n"
	"\n"
	"show: prints the date, host, protocol, cases and environment of a baseline or of\n"
	"a results directory.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 failed.";

static int baseline_save(const struct baseline *b, const char *path, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	int ret = baseline_print(b, &text, e);
	if (!ret)
		ret = output_path(path ? path : "-", &text, e);
	return ret;
}

static int baseline_show(const struct baseline *b, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	baseline_text_add(&text, b);
	return output_stream(stdout, &text, e);
}

static int baseline_run(int argc, char **argv, struct err *e)
{
	struct baseline_config config = {0};
	SCOPED(baseline_release) struct baseline b = {0};
	int n_positional;
	int status = command_parse(&cmd_baseline, synopsis, about, baseline_options, &config, argc,
				   argv, 0, 2, &n_positional, e);
	if (status >= 0)
		return status;
	bool saves = n_positional && !strcmp(argv[1], "save"),
	     shows = n_positional && !strcmp(argv[1], "show");
	if (n_positional < 2 || (!saves && !shows))
		return command_fail(EXIT_USAGE, e, EINVAL, "wrong arguments: usage is validate "
			"baseline save DIR or validate baseline show FILE|DIR");
	if (shows && config.output)
		return command_fail(EXIT_USAGE, e, EINVAL, "--output applies only to \"save\"");
	if (baseline_input(&b, argv[2], e) < 0)
		return EXIT_FAILED;
	const char *replayer =
	    config.redact ? baseline_redact(&b, config.replayer) : config.replayer;
	int ret = replayer ? baseline_choose(&b, replayer, e) : 0;
	if (!ret)
		ret = saves ? baseline_save(&b, config.output, e) : baseline_show(&b, e);
	return ret ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_baseline = {
    "baseline", "save the data of a campaign for later comparisons", baseline_run};
