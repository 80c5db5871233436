/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a protocol with expanded grids, for people; it can be read as a protocol again. */
#include "common/units.h"
#include "validate/protocol/protocol.h"

static void key_add(struct strbuf *out, const char *key, const char *value)
{
	if (value)
		strbuf_addf(out, "%s = %s\n", key, value);
}

/* Appends a text. Replayers in [compare] get the names that they have in this file. */
static void text_add(const struct protocol *p, const char *key, const char *value,
		     struct strbuf *out)
{
	size_t index;
	bool replayer = !strcmp(key, "old") || !strcmp(key, "new");
	if (value && replayer && protocol_replayer_find(p, value, &index, NULL) == 0)
		strbuf_addf(out, "%s = replayer-%zu\n", key, index);
	else
		key_add(out, key, value);
}

static void whole_add(const struct option_spec *o, const void *field, struct strbuf *out)
{
	/* 0 means that the protocol does not have the key */
	static const char *const if_set[] = {"budget", "sessions", "size", NULL};
	const uint64_t value = *(const uint64_t *)field;
	const bool none = value > INT64_MAX; /* UINT64_MAX, or a negative duration */
	if (!value && word_in(o->name, if_set))
		return;
	strbuf_addf(out, "%s = ", o->name);
	if (none)
		strbuf_addstr(out, "none\n");
	else
		strbuf_addf(out, "%" PRIu64 "%s\n", value,
			    value && o->type == OPT_DURATION ? "ns" : "");
}

/* Appends the keys of a table with the values in the struct `s`. */
static void keys_add(const struct protocol *p, const struct option_spec *keys, const void *s,
		     struct strbuf *out)
{
	for (const struct option_spec *o = keys; o->name; o++) {
		const void *field = (const char *)s + o->offset;
		if (o->type == OPT_STRING)
			text_add(p, o->name, *(char *const *)field, out);
		else if (o->type == OPT_CHOICE)
			key_add(out, o->name, o->choices[*(const int *)field]);
		else if (o->type == OPT_FLAG)
			key_add(out, o->name, *(const bool *)field ? "yes" : NULL);
		else if (o->type != OPT_RATIO && o->type != OPT_DOUBLE)
			whole_add(o, field, out);
		else if (isnan(*(const double *)field))
			key_add(out, o->name, "none");
		else
			strbuf_addf(out, "%s = %.17g\n", o->name, *(const double *)field);
	}
}

static void settings_add(const struct setting *option, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++) {
		const char *value = option[i].value;
		SCOPED_FREE char *words =
		    *value == '[' ? protocol_command_value(value, NULL) : NULL;
		/* quotes occur only in brackets, where commas separate nothing */
		const bool quote = !words && strchr(value, ',') && !strchr(value, '"');
		strbuf_addf(out, quote ? "%s = \"%s\"\n" : "%s = %s\n", option[i].key,
			    words ? words : value);
	}
}

/* Appends a key that lists the chosen scenarios, unless all are chosen. */
static void scenarios_add(const struct protocol *p, const char *key, const bool *chosen,
			  struct strbuf *out)
{
	bool all = true;
	for (size_t s = 0; s < p->n_scenarios; s++)
		all &= chosen[s];
	if (all)
		return;
	strbuf_addf(out, "%s = ", key);
	for (size_t s = 0, n = 0; s < p->n_scenarios; s++)
		if (chosen[s])
			strbuf_addf(out, "%sscenario-%zu", n++ ? ",\n  " : "", s);
	strbuf_addch(out, '\n');
}

static void replayer_section(const struct protocol *p, size_t i, struct strbuf *out)
{
	const struct replayer *r = &p->replayer[i];
	strbuf_addf(out, "\n; %s\n[replayer replayer-%zu]\nengine = %s\n", r->name, i, r->engine);
	if (r->optional)
		strbuf_addstr(out, "optional = yes\n");
	if (r->control)
		strbuf_addstr(out, "control = yes\n");
	if (r->comparison)
		strbuf_addstr(out, "comparison = yes\n");
	settings_add(r->option, r->n_options, out);
	scenarios_add(p, "workloads", r->applies, out);
	if (replayer_option(r, "mutant"))
		scenarios_add(p, "mutant-workloads", r->mutant_acts, out);
}

void protocol_print_resolved(const struct protocol *p, struct strbuf *out)
{
	struct protocol with_bank = *p;
	with_bank.n_bank = protocol_n_bank(p);
	strbuf_addstr(out, "[protocol]\n");
	keys_add(p, protocol_keys, &with_bank, out);
	for (size_t i = 0; i < p->n_targets; i++) {
		struct target t = p->target[i];
		t.size_bytes = t.volume ? t.size_bytes : 0;
		strbuf_addf(out, "\n[target %s]\n", t.name);
		keys_add(p, target_keys, &t, out);
	}
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const struct scenario *s = &p->scenario[i];
		strbuf_addf(out, "\n; %s\n[workload scenario-%zu]\ntype = %s\ntarget = %s\n",
			    s->name, i, s->type, p->target[s->target].name);
		if (s->recorded_on != s->target)
			key_add(out, "recorded-on", p->target[s->recorded_on].name);
		key_add(out, "observe", observe_names[s->observe]);
		key_add(out, "observe-from", observe_from_names[s->observe_from]);
		settings_add(s->option, s->n_options, out);
	}
	for (size_t i = 0; i < p->n_replayers; i++)
		replayer_section(p, i, out);
	strbuf_addstr(out, "\n[accept]\n");
	keys_add(p, accept_keys, p, out);
	strbuf_addstr(out, "\n[compare]\n");
	keys_add(p, compare_keys, p, out);
	for (size_t i = 0; i < p->n_claims; i++) {
		strbuf_addf(out, "\n[claim %s]\n", p->claim[i].name);
		keys_add(p, claim_keys, &p->claim[i], out);
	}
}
