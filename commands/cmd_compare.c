/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate compare: what changed between two versions of a replayer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/commands.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "reports/compare/compare_forms.h"
#include "validate/compare/compare.h"

struct compare_config {
	const char *format, *allow;
	bool list;
};

#define FIELD(name) offsetof(struct compare_config, name)
static const struct option_spec compare_options[] = {
    {.name = "format",
     .letter = 'f',
     .type = OPT_STRING,
     .offset = FIELD(format),
     .arg = "FORM",
     .help = "what is printed: a form of --list (text)"},
    {.name = "allow",
     .type = OPT_STRING,
     .offset = FIELD(allow),
     .arg = "LIST",
     .help = "differences that do not refuse the comparison: protocol, requests, environment, missing, all (none)"},
    {.name = "list", .type = OPT_FLAG, .offset = FIELD(list), .help = "print the forms and end"},
    {.name = NULL},
};
#undef FIELD

static const char synopsis[] = "OLD NEW [--format FORM] [--allow LIST]\nDIR [--format FORM]\n--list";
static const char about[] =
    "Compares two campaigns of one protocol, or two replayers of one campaign. OLD and NEW are results directories or\n"
    "baselines (\"validate baseline save\"), each with :REPLAYER behind it where only that one is meant. DIR alone is a\n"
    "results directory whose protocol names both in [compare]. Each scenario and component gets a word: better, same (shown to\n"
    "be within the limits of [compare]), worse, inconclusive.\n"
    "\n"
    "Exit status: 0 the same or better, 1 something is worse, 4 inconclusive, 5 not comparable, 3 failed.";

/* "PATH" or "PATH:REPLAYER": the longest beginning that is there. */
static int side_open(struct baseline *b, const char *text, struct err *e)
{
	char *path = xstrdup(text), *colon = NULL;
	struct stat st;
	int ret;
	for (char *c = path + strlen(path); stat(path, &st) < 0 && c > path; c--)
		if (*c == ':') {
			if (colon)
				*colon = ':';
			colon = c;
			*c = 0;
		}
	if (stat(path, &st) < 0)
		ret = err_set(e, ENOENT, "%s: there is no such results directory or baseline", text);
	else
		ret = baseline_open(b, path, e);
	if (!ret && colon && (ret = baseline_choose(b, colon + 1, e)))
		baseline_release(b);
	if (!ret) {
		free(b->source);
		b->source = xstrdup(text);
	}
	free(path);
	return ret;
}

static int status_of(const struct campaign_change *c)
{
	if (c->n_refusing)
		return EXIT_NOT_COMPARABLE;
	return c->word == CHANGE_WORSE ? EXIT_NOT_TRUSTED : c->word == CHANGE_INCONCLUSIVE ? EXIT_INCONCLUSIVE : EXIT_OK;
}

static int compare(const struct baseline *was, const struct baseline *is, const struct compare_config *config,
		   const struct compare_form *form, struct err *e)
{
	struct campaign_change c;
	struct compare_options o = {.allow = config->allow};
	int ret = compare_compute(&c, was, is, &o, e);
	if (ret == -EINVAL)
		return EXIT_USAGE;
	if (ret)
		return ret == -ENODATA ? EXIT_NOT_COMPARABLE : EXIT_FAILED;
	int status = compare_form_print(form, &c, stdout, e) < 0 ? EXIT_FAILED : status_of(&c);
	if (status == EXIT_NOT_COMPARABLE)
		err_set(e, EINVAL, "not comparable: %zu difference%s, the first in %s (--allow %s compares all the same)", c.n_refusing,
			c.n_refusing == 1 ? "" : "s", c.difference[0].what, difference_names[c.difference[0].kind]);
	campaign_change_release(&c);
	return status;
}

/* Both replayers that [compare] of one campaign names. */
static int sides_of_one(struct baseline *was, struct baseline *is, const char *text, struct err *e)
{
	int ret = side_open(was, text, e);
	if (ret)
		return ret;
	if (!was->limits.old || !was->limits.new)
		ret = err_set(e, EINVAL, "%s: its [compare] names no \"old\" and \"new\": compare with what?", text);
	if (!ret)
		ret = side_open(is, text, e);
	if (ret) {
		baseline_release(was);
		return ret;
	}
	ret = baseline_choose(was, was->limits.old, e);
	if (!ret)
		ret = baseline_choose(is, is->limits.new, e);
	if (ret) {
		baseline_release(was);
		baseline_release(is);
	}
	return ret;
}

static int sides_of_two(struct baseline *was, struct baseline *is, char **argv, struct err *e)
{
	int ret = side_open(was, argv[1], e);
	if (ret)
		return ret;
	ret = side_open(is, argv[2], e);
	if (ret)
		baseline_release(was);
	return ret;
}

static int compare_run(int argc, char **argv, struct err *e)
{
	struct compare_config config = {.format = "text"};
	const struct compare_form *form;
	struct baseline was, is;
	int n_positional;
	int status = command_parse(&cmd_compare, synopsis, about, compare_options, &config, argc, argv, 0, 2, &n_positional, e);
	if (status >= 0)
		return status;
	if (config.list) {
		for (const struct compare_form *const *f = compare_forms; *f; f++)
			printf("%-12s%s\n", (*f)->name, (*f)->help);
		return EXIT_OK;
	}
	if (n_positional < 1) {
		err_set(e, EINVAL, "compare what? usage is validate compare OLD NEW");
		return EXIT_USAGE;
	}
	if (compare_form_choose(config.format, &form, e) < 0)
		return EXIT_USAGE;
	int ret = n_positional == 1 ? sides_of_one(&was, &is, argv[1], e) : sides_of_two(&was, &is, argv, e);
	if (ret)
		return EXIT_FAILED;
	status = compare(&was, &is, &config, form, e);
	baseline_release(&was);
	baseline_release(&is);
	return status;
}

const struct command cmd_compare = {"compare", "compare two versions of a replayer, or two campaigns", compare_run};
