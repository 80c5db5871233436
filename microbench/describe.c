/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/describe.h"

#include <inttypes.h>
#include <string.h>

static const void *field(const struct option_spec *o, const struct microbench_config *c)
{
	return (const char *)c + o->offset;
}

static json_t *value_to_json(const struct option_spec *o, const void *value)
{
	switch (o->type) {
	case OPT_FLAG:
		return json_boolean(*(const bool *)value);
	case OPT_UINT:
	case OPT_SIZE:
		return json_integer((json_int_t) * (const uint64_t *)value);
	case OPT_INT:
	case OPT_DURATION:
		return json_integer(*(const int64_t *)value);
	case OPT_DOUBLE:
	case OPT_RATIO:
		return json_real(*(const double *)value);
	case OPT_CHOICE:
		return json_string(o->choices[*(const int *)value]);
	case OPT_STRING:
		return *(const char *const *)value ? json_string(*(const char *const *)value) : json_null();
	}
	return NULL;
}

json_t *describe_options(const struct microbench_config *c)
{
	json_t *all = json_object();
	for (const struct option_spec *o = microbench_options; all && o->name; o++)
		if (!(o->flags & OPT_CLI_ONLY) &&
		    json_object_set_new(all, o->name, value_to_json(o, field(o, c))) < 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

/* In single quotes where a shell would take the word for something else. */
static void add_word(struct strbuf *out, const char *word)
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

static bool is_default(const struct option_spec *o, const void *value, const void *standard)
{
	switch (o->type) {
	case OPT_FLAG:
		return *(const bool *)value == *(const bool *)standard;
	case OPT_CHOICE:
		return *(const int *)value == *(const int *)standard;
	case OPT_STRING:
		return *(const char *const *)value == NULL;
	default:
		return !memcmp(value, standard, sizeof(uint64_t));
	}
}

void describe_command(const struct workload *w, const struct microbench_config *c, struct strbuf *out)
{
	struct microbench_config standard;
	microbench_config_init(&standard);
	strbuf_addf(out, "validate microbench %s", w->name);
	for (const struct option_spec *o = microbench_options; o->name; o++) {
		const void *value = field(o, c);
		if (is_default(o, value, field(o, &standard)))
			continue;
		bool no = o->type == OPT_FLAG && !*(const bool *)value;
		strbuf_addf(out, " --%s%s", no ? "no-" : "", o->name);
		if (o->type == OPT_UINT || o->type == OPT_SIZE)
			strbuf_addf(out, " %" PRIu64, *(const uint64_t *)value);
		else if (o->type == OPT_DURATION)
			strbuf_addf(out, " %" PRId64 "ns", *(const int64_t *)value);
		else if (o->type == OPT_CHOICE)
			strbuf_addf(out, " %s", o->choices[*(const int *)value]);
		if (o->type == OPT_STRING) {
			strbuf_addch(out, ' ');
			add_word(out, *(const char *const *)value);
		}
	}
}
