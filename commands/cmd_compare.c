/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate compare: compares two versions of a replayer. */

#include "commands/commands.h"
#include "reports/compare/compare_forms.h"

struct compare_config {
	const char *format, *allow;
	int inconclusive;
	bool list;
};

#define FIELD(name) offsetof(struct compare_config, name)
static const struct option_spec compare_options[] = {
	OPTION(STRING, "format", FIELD(format), .letter = 'f', .arg = "FORM",
	       .help = "output format, see --list (default text)"),
	OPTION(STRING, "allow", FIELD(allow), .arg = "LIST", .help = "compare in "
	       "spite of these differences: protocol, requests, environment, missing "
	       "(scenarios or replayers that one campaign lacks), all; see the manual page "
	       "(default: none)"),
	OPTION(CHOICE, "inconclusive", FIELD(inconclusive), .arg = "WHAT",
	       .choices = inconclusive_names, .help = "exit status of an inconclusive outcome: "
	       "error gives 4, fail gives 1, pass and skip give 0; see the manual page (default "
	       "error)"),
	OPTION(FLAG, "list", FIELD(list), .help = "print the output formats and exit"),
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] =
    "OLD[:REPLAYER] NEW[:REPLAYER] [--format FORM] [--allow LIST]\n"
    "DIR [--format FORM]\n--list";
static const char about[] =
	"Compares two campaigns that ran the same protocol, or two replayers of one\n"
	"campaign. OLD and NEW are results directories or baselines (\"validate baseline\n"
	"save\"). :REPLAYER selects one replayer. A single DIR is a results directory or\n"
	"baseline whose protocol names both replayers in its section [compare]. A\n"
	"component is a property with a limit, such as bias or precision. Each component\n"
	"of each scenario gets an outcome: same (the change is shown to lie within the\n"
	"limits of [compare]), better, worse, inconclusive, or not judged.\n"
	"\n"
	"Exit status: 0 the same or better, 1 a component is worse, 2 wrong usage, 3\n"
	"failed, 4 inconclusive (--inconclusive changes this), 5 not comparable.";

struct side { /* "PATH" or "PATH:REPLAYER"; PATH is the longest part that exists */
	const char *text;
	char *path;
	const char *replayer; /* points into `path`; NULL: all replayers */
};

static int side_parse(struct side *s, const char *text, struct err *e)
{
	struct stat st;
	char *colon = NULL;
	*s = (struct side){text, xstrdup(text), NULL};
	for (char *c = s->path + strlen(s->path); stat(s->path, &st) < 0 && c > s->path; c--)
		if (*c == ':') {
			if (colon)
				*colon = ':';
			colon = c;
			*c = 0;
		}
	s->replayer = colon ? colon + 1 : NULL;
	return stat(s->path, &st) < 0
		   ? err_set(e, ENOENT, "%s is neither a results directory nor a baseline", text)
		   : 0;
}

/* Chooses the replayer of this side from its baseline. `hide`: removes its names, as on the other
 * side. */
static int side_choose(const struct side *s, struct baseline *b, bool hide, struct err *e)
{
	const char *replayer = hide ? baseline_redact_names(b, s->replayer) : s->replayer;
	int ret = replayer ? baseline_choose(b, replayer, e) : 0;
	free(b->source);
	b->source = xstrdup(s->text);
	return ret;
}

static int status_of(const struct campaign_change *c)
{
	if (c->n_refusing)
		return EXIT_NOT_COMPARABLE;
	if (c->word == CHANGE_WORSE)
		return EXIT_NOT_TRUSTED;
	if (c->word != CHANGE_INCONCLUSIVE)
		return EXIT_OK;
	if (c->inconclusive == INCONCLUSIVE_ERROR || c->n_unmeasured || c->n_missing)
		return EXIT_INCONCLUSIVE;
	return c->inconclusive == INCONCLUSIVE_FAIL ? EXIT_NOT_TRUSTED : EXIT_OK;
}

/* Names the first difference that prevents the comparison, and the value of --allow that permits
 * all of them. `allowed`: the given value; may be NULL. */
static void refusal_set(const struct campaign_change *c, const char *allowed, struct err *e)
{
	SCOPED_STRBUF list = STRBUF_INIT;
	const char *first = NULL;
	unsigned int kinds = 0;
	strbuf_addstr(&list, allowed ? allowed : "");
	for (size_t i = 0; i < c->n_differences; i++) {
		const struct difference *d = &c->difference[i];
		if (!d->refuses)
			continue;
		first = first ? first : d->what;
		if (!(kinds >> d->kind & 1))
			strbuf_addf(&list, "%s%s", list.len ? "," : "", difference_names[d->kind]);
		kinds |= 1u << d->kind;
	}
	err_set(e, EINVAL,
		"not comparable: %zu difference%s%s (--allow %s compares anyway)", c->n_refusing,
		c->n_refusing == 1 ? " in " : "s, the first in ", first ? first : "", list.s);
}

static int baselines_compare(const struct baseline *was, const struct baseline *is,
	const struct compare_config *config, const struct compare_form *form, struct err *e)
{
	struct campaign_change c;
	struct compare_options o = {.allow = config->allow,
				    .inconclusive = config->inconclusive};
	int ret = compare_compute(&c, was, is, &o, e);
	if (ret == -EINVAL)
		return EXIT_USAGE;
	if (ret)
		return ret == -ENODATA ? EXIT_NOT_COMPARABLE : EXIT_FAILED;
	int status = compare_form_print(form, &c, stdout, e) < 0 ? EXIT_FAILED : status_of(&c);
	if (status == EXIT_NOT_COMPARABLE)
		refusal_set(&c, config->allow, e);
	campaign_change_release(&c);
	return status;
}

/* Finds the two replayers that [compare] of one campaign names. */
static int sides_of_one(struct baseline *was, struct baseline *is, const char *text, struct err *e)
{
	struct side s;
	int ret = side_parse(&s, text, e);
	ret = ret ? ret : baseline_input(was, s.path, e);
	ret = ret ? ret : side_choose(&s, was, false, e);
	if (!ret && (!was->limits.old || !was->limits.new))
		ret = err_set(e, EINVAL, "%s: its protocol has no section [compare] with the "
			"keys \"old\" and \"new\": name a second results directory", text);
	if (!ret) {
		baseline_borrow(is, was);
		ret = baseline_choose(was, was->limits.old, e);
		ret = ret ? ret : baseline_choose(is, is->limits.new, e);
	}
	free(s.path);
	return ret;
}

static int sides_of_two(struct baseline *was, struct baseline *is, char **argv, struct err *e)
{
	struct side a = {0}, b = {0};
	int ret = side_parse(&a, argv[1], e);
	ret = ret ? ret : side_parse(&b, argv[2], e);
	ret = ret ? ret : baseline_input(was, a.path, e);
	if (!ret && !strcmp(a.path, b.path))
		baseline_borrow(is, was);
	else if (!ret)
		ret = baseline_input(is, b.path, e);
	const bool differ = !ret && baseline_is_redacted(was) != baseline_is_redacted(is),
		   new_hidden = differ && baseline_is_redacted(is);
	ret = ret ? ret : side_choose(&a, was, new_hidden, e);
	ret = ret ? ret : side_choose(&b, is, differ && !new_hidden, e);
	FREE_EACH(a.path, b.path);
	return ret;
}

static int compare_run(int argc, char **argv, struct err *e)
{
	struct compare_config config = {.format = "text"};
	const struct compare_form *form;
	SCOPED(baseline_release) struct baseline was = {0}, is = {0};
	int n_positional;
	int status = command_parse(&cmd_compare, synopsis, about, compare_options, &config, argc,
				   argv, 0, 2, &n_positional, e);
	if (status >= 0)
		return status;
	if (config.list) {
		for (const struct compare_form *const *f = compare_forms; *f; f++)
			printf("%-12s%s\n", (*f)->name, (*f)->help);
		return EXIT_OK;
	}
	if (n_positional < 1)
		return command_fail(EXIT_USAGE, e, EINVAL,
			"the arguments OLD and NEW are missing: usage is validate compare OLD NEW");
	if (compare_form_choose(config.format, &form, e) < 0)
		return EXIT_USAGE;
	int ret = n_positional == 1 ? sides_of_one(&was, &is, argv[1], e)
				    : sides_of_two(&was, &is, argv, e);
	return ret ? EXIT_FAILED : baselines_compare(&was, &is, &config, form, e);
}

const struct command cmd_compare = {
    "compare", "compare two versions of a replayer, or two campaigns", compare_run};
