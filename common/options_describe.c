/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/options_describe.h"

#include "common/json_count.h"

static const void *field(const struct option_spec *o, const void *config)
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
	case OPT_RATIO: /* "none" is NaN, for which JSON has null */
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
		    json_object_set_new(all, o->name, value_to_json(o, field(o, config))) < 0) {
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
		if (!is_same(o, field(o, config), field(o, standard)))
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
	for (const struct option_spec *o = table; o->name; o++) {
		const void *value = field(o, config);
		if ((o->flags & OPT_CLI_ONLY && !with_cli_only) ||
		    is_same(o, value, field(o, standard)))
			continue;
		bool no = o->type == OPT_FLAG && !*(const bool *)value;
		strbuf_addf(out, " --%s%s", no ? "no-" : "", o->name);
		value_print(out, o, value);
	}
}
