/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate stats: compares or describes columns of replicate results. */
#include "commands/commands.h"
#include "commands/stats.h"
#include "validate/stats/paper.h"

static const char *const header_words[] = {"auto", "yes", "no", NULL};

#define FIELD(name) offsetof(struct stats_config, name)
static const struct option_spec stats_options[] = {
	OPTION(LIST, "column", FIELD(column), .group = "Input", .letter = 'C',
	       .arg = "COLUMN[,COLUMN...]", .help = "number or name of the column that has the "
	       "values. With several files: one column for all files, or one for each file. With "
	       "one file or --files-are-sessions: all columns to compare (default: the first "
	       "column of a text file, the only column of a CSV file)"),
	OPTION(CHOICE, "header", FIELD(header), .choices = header_words,
	       .help = "whether the first line names the columns (default auto)"),
	OPTION(FLAG, "paired", FIELD(paired),
	       .help = "compare line i of the replay with line i of the reference"),
	OPTION(FLAG, "time-ordered", FIELD(time_ordered), .help = "treat the values as "
	       "successive, dependent values of one run (means of 25 batches, block bootstrap)"),
	OPTION(STRING, "sessions", FIELD(sessions), .arg = "COLUMN",
	       .help = "column that names the session (day or machine) of each value; adds the "
	       "statistics of ISO 5725-2"),
	OPTION(FLAG, "files-are-sessions", FIELD(files_are_sessions),
	       .help = "treat each file as a session (day or machine), and each column that -C "
	       "names as a sample; adds the statistics of ISO 5725-2"),
	OPTION(STRING, "where", FIELD(where), .arg = "COLUMN=TEXT,...",
	       .help = "use only lines in which each COLUMN equals its TEXT (with !=: differs "
	       "from it)"),
	OPTION(DOUBLE, "alpha", FIELD(alpha), .group = "Limits and verdict", .arg = "A",
	       .min = 1e-6, .max = 0.25,
	       .help = "significance level; intervals have confidence 1 - A (default 0.05)"),
	OPTION(RATIO, "limit-bias", FIELD(limit_bias), .arg = "SHARE", .min = 1e-9, .max = 0.99,
	       .help = "largest accepted bias, as a share of the reference mean (default 10%)"),
	OPTION(DOUBLE, "limit-precision", FIELD(limit_precision), .arg = "RATIO", .min = 1e-3,
	       .max = 1e6, .help = "largest accepted standard deviation of the replay, divided "
	       "by that of the reference (default 2)"),
	OPTION(FLAG, "judge", FIELD(judge), .help = "print a verdict, and return it as exit "
	       "status: 0 trusted, 1 not trusted, 4 inconclusive"),
	OPTION(CHOICE, "paper-mode", FIELD(paper_mode), .group = "Uncertainty and bootstrap",
	       .choices = paper_mode_names, .help = "formula for the uncertainty on the output "
	       "line \"as in Pereira and others\". paper: the formula in the text of their paper "
	       "of 2016; papertab: the formula of its tables; strict: the formula \"paper\" with "
	       "two changes; see the manual page (default paper)"),
	OPTION(DOUBLE, "clock", FIELD(clock), .arg = "HALFWIDTH", .min = 0, .max = -1,
	       .help = "half-width of the interval that contains the clock's error, in the unit "
	       "of the data, for the uncertainty budget (default 0)"),
	OPTION(UINT, "bootstrap", FIELD(n_resamples), .letter = 'B', .arg = "N", .min = 0,
	       .max = 1e7,
	       .help = "number of resamples for BCa intervals, at least 100; 0: no bootstrap "
	       "(default 10000)"),
	OPTION(UINT, "block", FIELD(block), .arg = "N", .min = 1, .max = 1e9,
	       .help = "number of values in a block of the bootstrap (default: 1; if "
	       "--time-ordered is given, computed from the data)"),
	OPTION(UINT, "seed", FIELD(seed), .arg = "N",
	       .help = "seed of all random numbers (default 1)"),
	OPTION(STRING, "units", FIELD(units), .group = "Output", .arg = "TEXT",
	       .help = "unit of the data, used only as a label in the output"),
	OPTION(FLAG, "all", FIELD(all), .letter = 'a', .help = "print every statistic"),
	OPTION(FLAG, "json", FIELD(json), .help = "print one JSON object with every statistic"),
	OPTION(STRING, "compute", FIELD(compute), .arg = "NAME",
	       .help = "print one statistic, computed from the given inputs and parameters"),
	OPTION(FLAG, "list", FIELD(list), .help = "print the names for --compute and exit"),
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] = "REFERENCE REPLAY... [-C COLUMN] [--paired] [--json]\n"
	"FILE [-C COLUMN,COLUMN] [--sessions COLUMN]\n"
	"--files-are-sessions FILE FILE... [-C COLUMN,COLUMN] [--where COLUMN=TEXT]\n"
	"--compute NAME [INPUT=VALUES]... [PARAMETER=VALUE]...\n"
	"--list";
static const char about[] =
	"Compares columns of numbers. Each number is the result of one run. Tests whether\n"
	"the mean of each REPLAY is within 10 % of the mean of the REFERENCE\n"
	"(--limit-bias). Also tests whether the standard deviation of the REPLAY is at\n"
	"most twice that of the REFERENCE (--limit-precision). For each REPLAY, prints\n"
	"the uncertainty of the result of one future run. If there is only one column,\n"
	"prints its statistics. Files are text (columns separated by spaces or tabs, #\n"
	"comments), CSV with a header, or JSON of hyperfine, pytest-benchmark or fio.\n"
	"The file name - stands for standard input. Without --paired, the samples are\n"
	"treated as independent.\n"
	"\n"
	"With --compute, VALUES are numbers (1,2,3), or groups of numbers with a slash\n"
	"between them (1,2/3,4). They can also come from a file:\n"
	"  FILE                         the first column (text) or the only column (CSV)\n"
	"  FILE:COLUMN                  this column\n"
	"  FILE:COLUMN:OTHER=TEXT,...   only lines that have TEXT in column OTHER\n"
	"  FILE:COLUMN:OTHER            groups of lines with equal text in column OTHER\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 bad input; with --judge also 1 not\n"
	"trusted and 4 inconclusive.";

static void sample_describe(struct stats *s, struct stats_sample *sample)
{
	column_sample_describe(&sample->sample,
			       (struct values){sample->column->x, sample->columns.n}, &s->plan);
	if (sample->columns.n_columns <= 1 || !sample->columns.column[1].label)
		return;
	struct stats_sessions *g = &sample->sessions;
	stats_sessions_find(g, &sample->columns);
	sessions_describe(g->group, g->n, &g->estimates);
}

static void stats_compute_all(struct stats *s)
{
	for (size_t i = 0; i < s->n; i++)
		sample_describe(s, &s->sample[i]);
	size_t n = s->n - 1;
	s->comparison = xcalloc(n + 1, sizeof *s->comparison);
	s->reject = xcalloc(2 * n + 1, sizeof *s->reject);
	for (size_t i = 0; i < n; i++)
		comparison_compute(&s->comparison[i], &s->sample[0].sample,
				   &s->sample[i + 1].sample, &s->plan);
	s->verdict = comparisons_judge(s->comparison, n, s->reject);
}

static void stats_release(struct stats *s)
{
	for (size_t i = 0; s->comparison && i + 1 < s->n; i++)
		comparison_release(&s->comparison[i]);
	for (size_t i = 0; i < s->n; i++)
		stats_sample_release(&s->sample[i]);
	FREE_EACH(s->sample, s->comparison, s->reject);
}

static struct comparison_plan plan_of(const struct stats_config *config)
{
	return (struct comparison_plan){
	    .alpha = config->alpha, .limit_bias_pct = 100 * config->limit_bias,
	    .limit_precision = config->limit_precision, .paired = config->paired,
	    .time_ordered = config->time_ordered, .block = config->block,
	    .clock_halfwidth = config->clock, .n_resamples = config->n_resamples,
	    .seed = config->seed, .all = config->all || config->json,
	    .monte_carlo = config->all || config->json,
	};
}

static int verdict_status(const struct stats *s)
{
	if (!s->config->judge)
		return EXIT_OK;
	return s->verdict == DECIDED_ACCEPT ? EXIT_OK
	       : s->verdict == DECIDED_REJECT ? EXIT_NOT_TRUSTED
					      : EXIT_INCONCLUSIVE;
}

static int stats_files(const struct stats_config *config, char **path, size_t n, struct err *e)
{
	SCOPED(stats_release) struct stats s = {.config = config, .plan = plan_of(config)};
	int ret = stats_read(&s, path, n, e), status = ret == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	if (!ret && config->judge && s.n < 2) {
		err_set(e, EINVAL, "--judge needs a reference and a replay");
		status = EXIT_USAGE;
		ret = -EINVAL;
	}
	if (!ret) {
		stats_compute_all(&s);
		if (config->json)
			stats_print_json(&s);
		else
			stats_print_text(&s, terminal_columns());
		status = verdict_status(&s);
	}
	return status;
}

static int stats_run(int argc, char **argv, struct err *e)
{
	struct stats_config config = {
	    .alpha = 0.05, .limit_bias = 0.1, .limit_precision = 2, .n_resamples = RESAMPLE_DEFAULT,
	    .seed = 1,
	};
	int n;
	int status = command_parse(&cmd_stats, synopsis, about, stats_options, &config, argc, argv,
				   0, STATS_MAX_SAMPLES, &n, e);
	if (status >= 0)
		return status;
	if (config.list)
		return stats_list();
	if (config.compute)
		return stats_compute(&config, argv + 1, (size_t)n, e);
	if (config.n_resamples && config.n_resamples < 100)
		return command_fail(EXIT_USAGE, e, EINVAL,
				    "--bootstrap needs 100 resamples or more, or 0");
	if (n < 1)
		return command_fail(EXIT_USAGE, e, EINVAL,
			"the argument REFERENCE is missing: usage is validate stats REFERENCE "
			"REPLAY... [-C COLUMN]");
	return stats_files(&config, argv + 1, (size_t)n, e);
}

const struct command cmd_stats = {"stats", "compare columns of numbers from files", stats_run};
