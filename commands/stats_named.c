/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate stats --list and --compute: single statistics by name. */
#include "commands/commands.h"
#include "commands/stats.h"
#include "common/units.h"
#include "common/words.h"
#include "reports/table.h"
#include "validate/stats/named.h"

enum { MAX_ARGUMENTS = 64 };

struct named_inputs { /* values from the arguments */
	struct named_role role[MAX_ARGUMENTS];
	struct named_param param[MAX_ARGUMENTS];
	struct values *group[MAX_ARGUMENTS]; /* groups of each role; owned */
	double *x[MAX_ARGUMENTS];	     /* owned; the groups point into this memory */
	size_t n_roles, n_params;
};

static void name_list(void *context, const char *name, const struct named_statistic *s)
{
	(void)context;
	printf("%-32s  %-14s  %s\n", name, s->inputs[0] ? s->inputs : "-",
	       s->params[0] ? s->params : "-");
}

int stats_list(void)
{
	printf("%-32s  %-14s  %s\n", "name", "inputs", "parameters");
	named_each(name_list, NULL);
	return EXIT_OK;
}

static void name_add(void *context, const char *name, const struct named_statistic *s)
{
	(void)s;
	words_list_add(context, name);
}

static const struct named_statistic *statistic_find(const char *name, struct err *e)
{
	const struct named_statistic *found = named_find(name);
	if (found)
		return found;
	SCOPED(words_list_release) struct words_list names = {0};
	named_each(name_add, &names);
	name_refuse(e, ENOENT, name, (const char *const *)names.v, " (--list lists the statistics)",
		    "no statistic \"%s\"", name);
	return NULL;
}

/* Whether `word` is one of the blank-separated words, with or without brackets. */
static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = words; (at = strstr(at, word)); at++) {
		bool begins = at == words || at[-1] == ' ' || at[-1] == '[';
		if (begins && (at[n] == 0 || at[n] == ' ' || at[n] == ']'))
			return true;
	}
	return false;
}

/* --- values -------------------------------------------------------------- */

static bool is_list(const char *text)
{
	return *text && strspn(text, "+-.0123456789eE,/ ") == strlen(text) &&
	       strpbrk(text, "0123456789");
}

/* Reads groups of numbers: "1,2/3,4". */
static int list_read(struct named_inputs *in, const char *text, struct err *e)
{
	size_t k = in->n_roles, n = 0, n_groups = 1, cap = strlen(text) + 1;
	double *x = in->x[k] = xcalloc(cap, sizeof *x);
	struct values *group = in->group[k] = xcalloc(cap, sizeof *group);
	group[0].x = x;
	for (const char *at = text;;) {
		char *end;
		x[n] = strtod(at, &end);
		if (end == at || (*end && *end != ',' && *end != '/'))
			return err_set(e, EINVAL, "\"%s\": expected a number at \"%s\"", text, at);
		n++;
		group[n_groups - 1].n++;
		if (!*end)
			break;
		if (*end == '/')
			group[n_groups++].x = x + n;
		at = end + 1;
	}
	in->role[k].n_groups = n_groups;
	return 0;
}

static void groups_by_label(struct named_inputs *in, const struct columns *c)
{
	const size_t k = in->n_roles;
	struct stats_sessions g = {.n = 0};
	stats_sessions_find(&g, c);
	in->x[k] = g.x;
	in->group[k] = g.group;
	in->role[k].n_groups = g.n;
	free(g.label);
}

static void lines_take(struct named_inputs *in, const struct columns *c)
{
	size_t k = in->n_roles;
	in->x[k] = xcalloc(c->n, sizeof *in->x[k]);
	memcpy(in->x[k], c->column[0].x, c->n * sizeof *in->x[k]);
	in->group[k] = xcalloc(1, sizeof *in->group[k]);
	in->group[k][0] = (struct values){in->x[k], c->n};
	in->role[k].n_groups = 1;
}

/* Reads FILE[:COLUMN[:OTHERCOLUMN=TEXT,...]]; for groups, FILE:COLUMN:GROUPCOLUMN. `text` is
 * modified. */
static int file_read(struct named_inputs *in, const struct stats_config *config, char *text,
		     struct err *e)
{
	char *column = strchr(text, ':'), *third = column ? strchr(column + 1, ':') : NULL;
	struct stats_conditions w = {.item = {0}};
	struct columns c;
	if (column)
		*column++ = 0;
	if (third)
		*third++ = 0;
	bool grouped = third && !strchr(third, '=');
	int ret = third && !grouped ? stats_conditions_split(third, &w, e) : 0;
	if (ret)
		return ret;
	struct column_choice choice[STATS_MAX_CONDITIONS + 1] = {
	    {column && *column ? column : NULL, false, NULL, false}};
	stats_conditions_choose(&w, choice + 1);
	if (grouped)
		choice[1] = (struct column_choice){third, true, NULL, false};
	ret = columns_read(&c, text, choice, 1 + w.item.n + grouped,
			   (enum columns_header)config->header, e);
	words_list_release(&w.item);
	if (ret)
		return ret;
	if (grouped)
		groups_by_label(in, &c);
	else
		lines_take(in, &c);
	columns_release(&c);
	return 0;
}

/* --- arguments ----------------------------------------------------------- */

static int argument_take(struct named_inputs *in, const struct named_statistic *s,
			 const struct stats_config *config, char *text, struct err *e)
{
	char *value = strchr(text, '=');
	if (!value || value == text || !value[1]) {
		err_set(e, EINVAL, "\"%s\": expected INPUT=VALUES or PARAMETER=VALUE", text);
		return -EINVAL;
	}
	*value++ = 0;
	if (has_word(s->params, text) && !(has_word(s->inputs, text) && !is_list(value))) {
		for (size_t i = 0; i < in->n_params; i++)
			if (!strcmp(in->param[i].key, text))
				return err_set(e, EINVAL, "%s is given twice", text);
		in->param[in->n_params++] = (struct named_param){text, value};
		return 0;
	}
	if (!has_word(s->inputs, text))
		return err_set(e, EINVAL,
			       "%s has no input or parameter \"%s\". Inputs: %s. Parameters: %s",
			       config->compute, text, s->inputs[0] ? s->inputs : "none",
			       s->params[0] ? s->params : "none");
	for (size_t i = 0; i < in->n_roles; i++)
		if (!strcmp(in->role[i].role, text))
			return err_set(e, EINVAL, "%s is given twice", text);
	int ret = is_list(value) ? list_read(in, value, e) : file_read(in, config, value, e);
	in->role[in->n_roles].role = text;
	in->role[in->n_roles].group = in->group[in->n_roles];
	in->n_roles++;
	return ret;
}

static int result_print(const char *name, const struct named_statistic *s, struct named_call *call,
			struct err *e)
{
	struct named_result r = {NULL, 0};
	enum stat_status status = named_compute(name, call, &r);
	if (call->bad_param)
		return command_fail(EXIT_USAGE, e, EINVAL,
				    "%s: a parameter is missing or out of range. Parameters: %s. "
				    "doc/statistic-names.md describes them", name,
				    s->params[0] ? s->params : "none");
	if (status)
		return command_fail(EXIT_FAILED, e, EDOM, "%s is undefined: %s (%s)", name,
				    table_status_text(status), stat_status_name(status));
	if (r.word)
		printf("%s\n", r.word);
	else
		printf("%.15g\n", r.number);
	return EXIT_OK;
}

int stats_compute(const struct stats_config *config, char **argument, size_t n, struct err *e)
{
	const struct named_statistic *s = statistic_find(config->compute, e);
	struct named_inputs *in;
	int ret = 0, status;
	if (!s)
		return EXIT_USAGE;
	if (n > MAX_ARGUMENTS)
		return command_fail(EXIT_USAGE, e, E2BIG,
				    "--compute accepts at most %d arguments", MAX_ARGUMENTS);
	in = xcalloc(1, sizeof *in);
	for (size_t i = 0; i < n && !ret; i++)
		ret = argument_take(in, s, config, argument[i], e);
	status = ret == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	if (!ret) {
		struct named_call call = {in->role, in->n_roles, in->param, in->n_params, false};
		status = result_print(config->compute, s, &call, e);
	}
	for (size_t i = 0; i < MAX_ARGUMENTS; i++)
		FREE_EACH(in->group[i], in->x[i]);
	free(in);
	return status;
}
