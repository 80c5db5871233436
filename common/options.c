/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/options.h"

#include <float.h>

#include "common/json_count.h"
#include "common/units.h"

const struct option_spec *options_find(const struct option_spec *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

const struct option_spec *options_nearest(const struct option_spec *table, const char *name)
{
	SCOPED_FREE const char **names = NULL;
	size_t n = 0, cap = 0;
	for (const struct option_spec *o = table; o->name; o++)
		APPEND(names, n, cap, o->name);
	APPEND(names, n, cap, NULL);
	const char *near = nearest_name(name, names);
	return near ? options_find(table, near) : NULL;
}

/* --- values -------------------------------------------------------------- */

static void add_bound(struct strbuf *out, enum option_type type, double v)
{
	if (type == OPT_SIZE)
		format_size(out, (uint64_t)v);
	else if (type == OPT_DURATION)
		format_duration(out, v);
	else
		strbuf_addf(out, v > 0 && v < 1e-4 ? "%.6f" : "%.10g", v);
}

static int check_range(const struct option_spec *o, const char *text, double v, struct err *e)
{
	bool any = o->min != 0 || o->max != 0;
	bool upper = o->max >= o->min && o->max < DBL_MAX;
	if (!any || (v >= o->min && (!upper || v <= o->max)))
		return 0;
	SCOPED_STRBUF range = STRBUF_INIT;
	add_bound(&range, o->type, o->min);
	if (upper) {
		strbuf_addstr(&range, " to ");
		add_bound(&range, o->type, o->max);
	} else {
		strbuf_addstr(&range, " or more");
	}
	return err_set(e, ERANGE, "\"%s\" is out of range: expected %s", text, range.s);
}

static int set_choice(const struct option_spec *o, int *field, const char *text, struct err *e)
{
	SCOPED_STRBUF all = STRBUF_INIT;
	const int first = o->flags & OPT_UNSET ? 1 : 0;
	for (int i = first; o->choices[i]; i++) {
		if (!strcmp(o->choices[i], text)) {
			*field = i;
			return 0;
		}
		strbuf_addf(&all, "%s%s", i > first ? ", " : "", o->choices[i]);
	}
	return name_refuse(e, EINVAL, text, o->choices + first, "", "\"%s\" is not one of %s", text,
			   all.s);
}

static void set_none(const struct option_spec *o, void *field)
{
	if (o->type == OPT_UINT || o->type == OPT_SIZE)
		*(uint64_t *)field = UINT64_MAX;
	else if (o->type == OPT_INT || o->type == OPT_DURATION)
		*(int64_t *)field = -1;
	else if (o->type == OPT_DOUBLE || o->type == OPT_RATIO)
		*(double *)field = NAN;
}

/* Sets the row's field. The error message does not contain the name of the option; the caller adds
 * it. */
static int set_value(const struct option_spec *o, void *config, const char *text, struct err *e)
{
	union {
		uint64_t u;
		int64_t i;
		double d;
		int flag;
	} v;
	void *field = (char *)config + o->offset;
	int ret;
	if ((o->flags & OPT_NONE) && !strcmp(text, "none")) {
		set_none(o, field);
		return 0;
	}
	switch (o->type) {
	case OPT_FLAG:
		ret = parse_bool(text, &v.flag, e);
		if (!ret)
			*(bool *)field = v.flag;
		return ret;
	case OPT_STRING:
		if (o->flags & OPT_NOT_STDOUT && !strcmp(text, "-"))
			return err_set(e, EINVAL, "\"-\" does not mean standard output here: name "
				"a file or directory (./- if its name is -)");
		*(const char **)field = text;
		return 0;
	case OPT_LIST: {
		struct option_list *list = field;
		if (list->n == sizeof list->text / sizeof *list->text)
			return err_set(e, E2BIG,
				       "\"%s\": this option can be given at most %zu times", text,
				       list->n);
		list->text[list->n++] = text;
		return 0;
	}
	case OPT_CHOICE:
		return set_choice(o, field, text, e);
	case OPT_UINT:
	case OPT_SIZE:
		ret = o->type == OPT_UINT ? parse_uint(text, &v.u, e) : parse_size(text, &v.u, e);
		ret = ret ? ret : check_range(o, text, (double)v.u, e);
		if (!ret)
			*(uint64_t *)field = v.u;
		return ret;
	case OPT_INT:
	case OPT_DURATION:
		ret = o->type == OPT_INT ? parse_int(text, &v.i, e) : parse_duration(text, &v.i, e);
		ret = ret ? ret : check_range(o, text, (double)v.i, e);
		if (!ret)
			*(int64_t *)field = v.i;
		return ret;
	case OPT_DOUBLE:
	case OPT_RATIO:
		ret = o->type == OPT_DOUBLE ? parse_double(text, &v.d, e)
					    : parse_ratio(text, &v.d, e);
		ret = ret ? ret : check_range(o, text, v.d, e);
		if (!ret)
			*(double *)field = v.d;
		return ret;
	}
	return err_set(e, EINVAL, "the program defines this option with the unknown type %d",
		       (int)o->type);
}

int options_set(const struct option_spec *table, void *config, const char *name, const char *value,
		struct err *e)
{
	const struct option_spec *o = options_find(table, name);
	if (o) {
		int ret = set_value(o, config, value, e);
		return ret ? err_context(e, "%s", name) : 0;
	}
	const struct option_spec *near = options_nearest(table, name);
	if (near)
		return err_set(e, ENOENT, "unknown key \"%s\" (did you mean \"%s\"?)", name,
			       near->name);
	return err_set(e, ENOENT, "unknown key \"%s\"", name);
}

int options_set_item(const struct option_spec *table, void *config, char *item, struct err *e)
{
	char *equals = strchr(item, '=');
	if (!equals)
		return err_set(e, EINVAL, "\"%s\" is not of the form KEY=VALUE", item);
	*equals = 0;
	return options_set(table, config, item, equals + 1, e);
}

/* --- command lines ------------------------------------------------------- */

struct options_parse {
	const struct option_spec *table;
	void *config;
	int argc;
	char **argv;
	int at; /* index of the current word */
};

static int unknown_option(const struct options_parse *p, const char *name, struct err *e)
{
	const struct option_spec *near = options_nearest(p->table, name);
	if (near)
		return err_set(e, ENOENT, "unknown option --%s (did you mean --%s?)", name,
			       near->name);
	return err_set(e, ENOENT, "unknown option --%s (--help lists the options)", name);
}

static int take_value(struct options_parse *p, const struct option_spec *o, const char *value,
		      struct err *e)
{
	if (!value) {
		if (p->at + 1 >= p->argc)
			return err_set(e, EINVAL, "--%s needs a value (%s)", o->name,
				       o->arg ? o->arg : "VALUE");
		value = p->argv[++p->at];
	}
	int ret = set_value(o, p->config, value, e);
	return ret ? err_context(e, "--%s", o->name) : 0;
}

/* "--name", "--name=value", "--no-name" */
static int parse_long(struct options_parse *p, struct err *e)
{
	const char *word = p->argv[p->at] + 2;
	const char *equals = strchr(word, '=');
	SCOPED_FREE char *name = xstrdup(word);
	if (equals)
		name[equals - word] = 0;
	const char *value = equals ? equals + 1 : NULL;
	const struct option_spec *o = options_find(p->table, name);
	if (o)
		return take_value(p, o, value || o->type != OPT_FLAG ? value : "yes", e);
	if (!strncmp(name, "no-", 3) && (o = options_find(p->table, name + 3)) &&
	    o->type == OPT_FLAG)
		return equals ? err_set(e, EINVAL, "--%s takes no value", name)
			      : take_value(p, o, "no", e);
	return !strcmp(name, "help") && !equals ? 1 : unknown_option(p, name, e);
}

/* "-n value", "-nvalue", "-vq" */
static int parse_letters(struct options_parse *p, struct err *e)
{
	for (const char *c = p->argv[p->at] + 1; *c; c++) {
		const struct option_spec *o = p->table;
		while (o->name && o->letter != *c)
			o++;
		if (!o->name && *c == 'h')
			return 1;
		if (!o->name)
			return err_set(e, ENOENT, "unknown option -%c (--help lists the options)",
				       *c);
		const bool flag = o->type == OPT_FLAG;
		int ret = take_value(p, o, flag ? "yes" : c[1] ? c + 1 : NULL, e);
		if (ret || !flag)
			return ret;
	}
	return 0;
}

int options_parse_command(const struct option_spec *table, void *config, int argc, char **argv,
			  int max_positional, int *n_positional, int *command, struct err *e)
{
	struct options_parse p = {table, config, argc, argv, 1};
	bool ended = false; /* by "--" or by the command */
	*n_positional = 0;
	for (; p.at < argc && !(ended && command); p.at++) {
		char *word = argv[p.at];
		int ret = 0;
		if (!ended && !strcmp(word, "--")) {
			ended = true;
		} else if (!ended && word[0] == '-' && word[1] == '-') {
			ret = parse_long(&p, e);
		} else if (!ended && word[0] == '-' && word[1]) {
			ret = parse_letters(&p, e);
		} else if (*n_positional == max_positional) {
			break;
		} else {
			argv[++*n_positional] = word; /* this slot of argv was already read */
		}
		if (ret)
			return ret;
	}
	if (command)
		*command = p.at;
	return 0;
}

/* --- help ---------------------------------------------------------------- */

#define HELP_COLUMN 28

/* Writes the words of `text`, beginning in column `at`. Breaks lines before HELP_WIDTH and indents
 * them to HELP_COLUMN. */
static void put_wrapped(FILE *out, const char *text, size_t at)
{
	bool first = true;
	while (*text) {
		size_t len = strcspn(text, " ");
		if (!first && at + 1 + len > HELP_WIDTH) {
			fprintf(out, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
			first = true;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", (int)len, text);
		at += len + !first;
		first = false;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

void help_row(FILE *out, const char *left, const char *right)
{
	if (strlen(left) + 2 > HELP_COLUMN)
		fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
	else
		fprintf(out, "%-*s", HELP_COLUMN, left);
	put_wrapped(out, right, HELP_COLUMN);
}

void options_help(const struct option_spec *table, FILE *out)
{
	for (; table->name; table++) {
		if (table->group)
			fprintf(out, "\n%s:\n", table->group);
		struct strbuf left = STRBUF_INIT, right = STRBUF_INIT;
		if (table->letter)
			strbuf_addf(&left, "  -%c, --%s", table->letter, table->name);
		else
			strbuf_addf(&left, "      --%s", table->name);
		if (table->type != OPT_FLAG)
			strbuf_addf(&left, " %s", table->arg ? table->arg : "VALUE");
		strbuf_addstr(&right, table->help ? table->help : "");
		const size_t first = table->flags & OPT_UNSET ? 1 : 0;
		for (size_t i = first; table->type == OPT_CHOICE && table->choices[i]; i++)
			strbuf_addf(&right, "%s%s",
				    i > first   ? ", "
				    : right.len ? "; one of: "
						: "",
				    table->choices[i]);
		help_row(out, left.s, right.s);
		strbuf_release(&left);
		strbuf_release(&right);
	}
}

/* --- a configuration as JSON and as a command line ------------------------ */

static const void *field_of(const struct option_spec *o, const void *config)
{
	return (const char *)config + o->offset;
}

static json_t *value_to_json(const struct option_spec *o, const void *value)
{
	switch (o->type) {
	case OPT_FLAG:
		return json_boolean(*(const bool *)value);
	case OPT_UINT:
	case OPT_SIZE:
		if (o->flags & OPT_NONE && *(const uint64_t *)value == UINT64_MAX)
			return json_integer(-1);
		return json_of_count(*(const uint64_t *)value);
	case OPT_INT:
	case OPT_DURATION:
		return json_integer(*(const int64_t *)value);
	case OPT_DOUBLE:
	case OPT_RATIO: /* "none" is NaN, which JSON lacks: null */
		return isfinite(*(const double *)value) ? json_real(*(const double *)value)
							: json_null();
	case OPT_CHOICE:
		return json_string(o->choices[*(const int *)value]);
	case OPT_LIST:
	case OPT_STRING:
		return *(const char *const *)value ? json_string(*(const char *const *)value)
						   : json_null();
	}
	return NULL;
}

json_t *options_to_json(const struct option_spec *table, const void *config)
{
	json_t *all = json_object();
	for (const struct option_spec *o = table; all && o->name; o++)
		if (!(o->flags & OPT_CLI_ONLY) &&
		    json_object_set_new(all, o->name, value_to_json(o, field_of(o, config))) < 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

void shell_word(struct strbuf *out, const char *word)
{
	if (*word && !word[strcspn(word, " \t\n\"'\\$`!*?[]{}()<>|&;#~")]) {
		strbuf_addstr(out, word);
		return;
	}
	strbuf_addch(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_addstr(out, "'\\'");
		strbuf_addch(out, *word);
	}
	strbuf_addch(out, '\'');
}

static bool is_same(const struct option_spec *o, const void *a, const void *b)
{
	switch (o->type) {
	case OPT_FLAG:
		return *(const bool *)a == *(const bool *)b;
	case OPT_CHOICE:
		return *(const int *)a == *(const int *)b;
	case OPT_LIST:
	case OPT_STRING: {
		const char *x = *(const char *const *)a, *y = *(const char *const *)b;
		return x == y || (x && y && !strcmp(x, y));
	}
	default:
		return !memcmp(a, b, sizeof(uint64_t));
	}
}

const struct option_spec *options_changed(const struct option_spec *table, const void *config,
					  const void *standard)
{
	for (const struct option_spec *o = table; o->name; o++)
		if (!is_same(o, field_of(o, config), field_of(o, standard)))
			return o;
	return NULL;
}

static void value_print(struct strbuf *out, const struct option_spec *o, const void *value)
{
	switch (o->type) {
	case OPT_FLAG:
		return;
	case OPT_UINT:
	case OPT_SIZE:
		strbuf_addf(out, " %" PRIu64, *(const uint64_t *)value);
		return;
	case OPT_INT:
		strbuf_addf(out, " %" PRId64, *(const int64_t *)value);
		return;
	case OPT_DURATION:
		strbuf_addf(out, " %" PRId64 "ns", *(const int64_t *)value);
		return;
	case OPT_DOUBLE:
	case OPT_RATIO:
		strbuf_addf(out, " %.17g", *(const double *)value);
		return;
	case OPT_CHOICE:
		strbuf_addf(out, " %s", o->choices[*(const int *)value]);
		return;
	case OPT_LIST:
	case OPT_STRING:
		strbuf_addch(out, ' ');
		shell_word(out, *(const char *const *)value ? *(const char *const *)value : "");
	}
}

void options_command(struct strbuf *out, const struct option_spec *table, const void *config,
		     const void *standard, bool with_cli_only)
{
	for (const struct option_spec *o = table; (o = options_changed(o, config, standard)); o++) {
		const void *value = field_of(o, config);
		if (o->flags & OPT_CLI_ONLY && !with_cli_only)
			continue;
		bool no = o->type == OPT_FLAG && !*(const bool *)value;
		strbuf_addf(out, " --%s%s", no ? "no-" : "", o->name);
		value_print(out, o, value);
	}
}
