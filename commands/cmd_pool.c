/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate pool: compares the results of one protocol in several laboratories. */
#include "commands/commands.h"
#include "reports/pool/pool_report.h"
#include "validate/pool/pool_league.h"

struct pool_config {
	const char *output, *format, *replayer;
	int measure;
	bool allow;
};

#define FIELD(name) offsetof(struct pool_config, name)
static const struct option_spec pool_options[] = {
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "DIR",
	       .flags = OPT_NOT_STDOUT,
	       .help = "also write a report (page, plots, tables and JSON) into the directory "
	       "DIR"),
	OPTION(STRING, "format", FIELD(format), .letter = 'f', .arg = "FORM",
	       .help = "output format: terminal, html, csv, latex or json (default terminal)"),
	OPTION(CHOICE, "measure", FIELD(measure), .choices = pool_measure_names,
	       .help = "quantity to compare: mean, median, p90 or p99 of the response times of a "
	       "run, or its execution time (default mean)"),
	OPTION(STRING, "replayer", FIELD(replayer), .arg = "NAME",
	       .help = "compare only the cases of this replayer (default all)"),
	OPTION(FLAG, "allow", FIELD(allow), .help = "compare the laboratories even if their "
	       "protocols, settings or requests differ; the report states the difference"),
	{.name = NULL},
};
#undef FIELD

#define POOL_MAX 256

static const char synopsis[] = "PATH PATH... [-o DIR] [--format FORM]";
static const char about[] =
	"Compares the results of several laboratories that ran the same protocol. Each\n"
	"PATH is one laboratory: a results directory or a baseline (\"validate baseline\n"
	"save\"). Prints for each replayer and scenario how far results differ within a\n"
	"laboratory (repeatability) and between laboratories (reproducibility), and the\n"
	"outliers among the laboratories (ISO 5725-2). A league table ranks the\n"
	"replayers by their verdicts.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 failed, 5 the protocols, settings or\n"
	"requests differ.";

/* Gives all campaigns the same names. Returns the new name of `replayer` (NULL: all) from the first
 * campaign that has it; borrowed. */
static const char *names_align(struct baseline *b, size_t n, const char *replayer)
{
	const char *named = replayer;
	bool hidden = false;
	for (size_t i = 0; i < n; i++)
		hidden |= baseline_is_redacted(&b[i]);
	for (size_t i = 0; i < n && hidden; i++)
		if (!baseline_is_redacted(&b[i])) {
			const char *name = baseline_redact_names(&b[i], replayer);
			named = named == replayer ? name : named;
		}
	return named;
}

/* The exit status for the worst verdict of all cases of all laboratories. */
static int verdicts_status(const struct pool *p)
{
	SCOPED(pool_league_release) struct pool_league l;
	size_t n_inconclusive = 0, n_not_trusted = 0;
	pool_league_make(&l, p);
	for (size_t i = 0; i < l.n_ranks; i++) {
		n_inconclusive += l.rank[i].n_inconclusive;
		n_not_trusted += l.rank[i].n_not_trusted;
	}
	return n_not_trusted ? EXIT_NOT_TRUSTED : n_inconclusive ? EXIT_INCONCLUSIVE : EXIT_OK;
}

static int pool_them(const struct pool_config *c, const struct baseline *b, size_t n, int *status,
		     struct err *e)
{
	SCOPED(pool_release) struct pool p;
	int ret = pool_make(&p, b, n, (enum pool_measure)c->measure, c->allow, e);
	if (!ret && c->output)
		ret = study_write(&pool_form, &p, c->output, e);
	ret = ret ? ret : study_print(&pool_form, &p, c->format, stdout, e);
	*status = ret ? EXIT_FAILED : verdicts_status(&p);
	return ret;
}

/* Returns an exit status. *verdict: exit status of the verdicts. */
static int paths_pool(const struct pool_config *c, char *const *path, size_t n_paths, int *verdict,
		      struct err *e)
{
	int ret = 0;
	SCOPED_FREE struct baseline *b = xcalloc(n_paths, sizeof *b);
	size_t n = 0;
	for (; n < n_paths && !ret; n += !ret)
		ret = baseline_input(&b[n], path[n], e);
	const char *replayer = ret ? NULL : names_align(b, n, c->replayer);
	for (size_t i = 0; i < n && replayer && !ret; i++)
		ret = baseline_choose(&b[i], replayer, e);
	ret = ret ? ret : pool_them(c, b, n, verdict, e);
	for (size_t i = 0; i < n; i++)
		baseline_release(&b[i]);
	return !ret ? EXIT_OK : ret == -EPROTO ? EXIT_NOT_COMPARABLE : EXIT_FAILED;
}

int pool_results(char *const *dir, size_t n, const char *output, const char *format, struct err *e)
{
	const struct pool_config c = {.output = output, .format = format};
	int verdict;
	const int status = paths_pool(&c, dir, n, &verdict, e);
	return status == EXIT_OK ? verdict : status;
}

static int pool_run(int argc, char **argv, struct err *e)
{
	struct pool_config config = {.format = "terminal"};
	int n_positional, verdict;
	int status = command_parse(&cmd_pool, synopsis, about, pool_options, &config, argc, argv, 0,
				   POOL_MAX, &n_positional, e);
	if (status >= 0)
		return status;
	if (n_positional < 2)
		return command_fail(EXIT_USAGE, e, EINVAL,
			"at least two paths are needed: usage is validate pool PATH PATH...");
	if (study_form_check(config.format, e))
		return EXIT_USAGE;
	return paths_pool(&config, argv + 1, (size_t)n_positional, &verdict, e);
}

const struct command cmd_pool = {"pool", "compare the results of several laboratories", pool_run};
