/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/describe.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "common/options.h"
#include "common/strbuf.h"

static const void *field(const struct option_spec *o, const struct replay_config *c)
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
	return json_null();
}

static json_t *options_to_json(const struct replay_config *c)
{
	json_t *all = json_object();
	for (const struct option_spec *o = replay_options; o->name; o++)
		if (!(o->flags & OPT_CLI_ONLY))
			json_object_set_new(all, o->name, value_to_json(o, field(o, c)));
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

char *replay_describe_command(const struct replay_config *c, const char *input_path)
{
	struct strbuf out = STRBUF_INIT;
	strbuf_addf(&out, "validate replay --engine %s --order %s --timing %s", c->engine, replay_order_names[c->order],
		    replay_timing_names[c->timing]);
	struct replay_config standard;
	replay_config_init(&standard);
	for (const struct option_spec *o = replay_options; o->name; o++) {
		const void *value = field(o, c), *usual = field(o, &standard);
		if (o->flags & OPT_CLI_ONLY || !strcmp(o->name, "order") || !strcmp(o->name, "timing"))
			continue;
		if (o->type == OPT_FLAG && *(const bool *)value)
			strbuf_addf(&out, " --%s", o->name);
		else if (o->type == OPT_UINT && *(const uint64_t *)value != *(const uint64_t *)usual)
			strbuf_addf(&out, " --%s %" PRIu64, o->name, *(const uint64_t *)value);
		else if (o->type == OPT_DURATION && *(const int64_t *)value != *(const int64_t *)usual)
			strbuf_addf(&out, " --%s %" PRId64 "ns", o->name, *(const int64_t *)value);
		else if (o->type == OPT_DOUBLE && *(const double *)value != *(const double *)usual)
			strbuf_addf(&out, " --%s %.17g", o->name, *(const double *)value);
		else if (o->type == OPT_CHOICE && *(const int *)value != *(const int *)usual)
			strbuf_addf(&out, " --%s %s", o->name, o->choices[*(const int *)value]);
		else if (o->type == OPT_STRING && *(const char *const *)value) {
			strbuf_addf(&out, " --%s ", o->name);
			add_word(&out, *(const char *const *)value);
		}
	}
	strbuf_addstr(&out, c->blank ? " --blank --dir " : " --dir ");
	add_word(&out, c->dir);
	strbuf_addch(&out, ' ');
	add_word(&out, input_path);
	return strbuf_detach(&out);
}

static void set_count(json_t *to, const char *key, uint64_t n)
{
	json_object_set_new(to, key, json_integer((json_int_t)n));
}

/* Text that is no UTF-8 cannot stand in JSON: its bad bytes become question marks. */
static json_t *text_to_json(const char *text)
{
	json_t *good = json_string(text);
	if (good)
		return good;
	struct strbuf out = STRBUF_INIT;
	for (; *text; text++)
		strbuf_addch(&out, (unsigned char)*text < 0x80 ? *text : '?');
	good = json_string(out.s);
	strbuf_release(&out);
	return good;
}

char *replay_describe_extra(const struct replay_config *c, const struct replay_plan *p, const struct replay_summary *s,
		     const struct trace_meta *input, const char *input_path)
{
	static const char *const kept[] = {"descriptors", "workload", NULL};
	json_t *all = json_object(), *replay = json_object();
	json_object_set_new(replay, "engine", json_string(c->engine));
	json_object_set_new(replay, "options", options_to_json(c));
	json_object_set_new(replay, "input", text_to_json(input_path));
	json_object_set_new(replay, "input_command", input->command ? text_to_json(input->command) : json_null());
	set_count(replay, "n_records", s->n_records);
	set_count(replay, "n_issued", s->n_issued);
	set_count(replay, "n_lost", s->n_records - s->n_issued);
	set_count(replay, "n_repeated", s->n_repeated);
	set_count(replay, "n_failed", s->n_failed);
	set_count(replay, "n_mismatches", s->n_mismatches);
	set_count(replay, "n_unknown_descriptor", s->n_unknown_fd);
	set_count(replay, "n_workers", p->n_workers);
	set_count(replay, "n_futex_sleeps", p->n_futex_sleeps);
	set_count(replay, "n_timed_sleeps", p->n_timed_sleeps);
	set_count(replay, "n_late_wakes", p->n_late_wakes);
	json_object_set_new(replay, "blank", json_boolean(c->blank));
	json_object_set_new(replay, "stopped", json_boolean(s->stopped));
	json_object_set_new(all, "replay", replay);
	struct run_facts facts = p->facts;
	facts.wall_ns = s->elapsed_ns;
	json_object_set_new(all, "facts", run_facts_to_json(&facts));
	json_t *old = input->extra_json ? json_loads(input->extra_json, 0, NULL) : NULL;
	for (const char *const *key = kept; *key; key++)
		if (json_object_get(old, *key))
			json_object_set(all, *key, json_object_get(old, *key));
	char *text = json_dumps(all, JSON_COMPACT);
	json_decref(old);
	json_decref(all);
	return text;
}
