/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [claim NAME]: claims of the literature that the campaign checks. */
#include "validate/protocol/protocol_read.h"
#include "validate/protocol/selector.h"

#define MARGIN_DEFAULT 0.10

const char *const claim_direction_names[] = {"larger", "smaller", "alike", NULL};

#define FIELD(field) offsetof(struct claim, field)

const struct option_spec claim_keys[] = {
    OPTION(STRING, "text", FIELD(text), .arg = "TEXT", .help = "the finding as a sentence"),
    OPTION(STRING, "source", FIELD(source), .arg = "TEXT",
           .help = "origin of the finding, such as a publication"),
    OPTION(STRING, "published", FIELD(published), .arg = "TEXT",
           .help = "text that states the published values (default none)"),
    OPTION(STRING, "measure", FIELD(measure_name), .arg = "NAME",
	   .help = "quantity to compare, such as response-time, bias, cv, execution-time, iops or "
	       "issue-error"),
    OPTION(STRING, "operation", FIELD(operation), .arg = "NAME",
           .help = "kind of request to compare: read, write (default all)"),
    OPTION(STRING, "scenario", FIELD(scenario_text), .arg = "SETTINGS",
           .help = "scenarios, selected by settings: \"type=random-read level=2\" (default all)"),
    OPTION(STRING, "replayer", FIELD(replayer_text), .arg = "SETTINGS",
           .help = "replayers, selected by settings: \"engine=event order=fs\""),
    OPTION(CHOICE, "direction", FIELD(direction), .arg = "HOW", .choices = claim_direction_names,
           .help = "how the selected cases compare with the cases of `than`, according to the "
	       "finding"),
    OPTION(STRING, "than", FIELD(than_text), .arg = "SETTINGS|NUMBER",
           .help = "replayers to compare with, selected by settings, or a number to compare with. "
	       "Two cases are compared only if they have the same value of each setting that "
	       "this claim does not name"),
    OPTION(STRING, "than-scenario", FIELD(than_scenario_text), .arg = "SETTINGS",
           .help = "scenarios to compare with (default: the same scenario)"),
    OPTION(STRING, "reproduce", FIELD(reproduce), .arg = "COMMANDS",
           .help = "commands for a check by hand, which the report prints (default none)"),
    OPTION(STRING, "margin", FIELD(margin_text), .arg = "RATIO",
           .help = "for a comparison \"alike\": largest permitted difference (default 10%)"),
    {.name = NULL},
};
#undef FIELD

static int key_wrong(const struct protocol_file *f, const struct ini_section *s, const char *key,
		     struct err *e)
{
	return key_refuse(f, ini_key_find(s, key), e);
}

static int selector_read(struct selector *to, const struct protocol_file *f,
	const struct ini_section *s, const char *key, const char *text, struct err *e)
{
	return !text || selector_parse(to, text, e) == 0 ? 0 : key_wrong(f, s, key, e);
}

/* Parses the key "than": a selector if it contains "=", else a value of the claim's measure. */
static int than_read(struct claim *c, const struct protocol_file *f, const struct ini_section *s,
		     struct err *e)
{
	c->limit = NAN;
	if (!c->than_text || strpbrk(c->than_text, "="))
		return selector_read(&c->than, f, s, "than", c->than_text, e);
	if (measure_value_parse(c->measure, c->than_text, &c->limit, e) == 0)
		return 0;
	err_context(e, "expected KEY=VALUE, which selects replayers, or a number for measure %s",
		    measure_info[c->measure].name);
	return key_wrong(f, s, "than", e);
}

static int missing_check(const struct protocol_file *f, const struct ini_section *s, struct err *e)
{
	static const char *const needed[] = {"text",     "source",    "measure",
					     "replayer", "direction", NULL};
	for (const char *const *k = needed; *k; k++)
		if (!ini_key_find(s, *k))
			return err_set(e, EINVAL, "%s:%u: [claim %s]: the key \"%s\" is "
				       "missing", f->path, s->line, s->name, *k);
	if (!ini_key_find(s, "than") && !ini_key_find(s, "than-scenario"))
		return err_set(
		    e, EINVAL,
		    "%s:%u: [claim %s] has neither the key \"than\" nor the key "
		    "\"than-scenario\": one of them must name what to compare with",
		    f->path, s->line, s->name);
	return 0;
}

static int claim_read(struct claim *c, const struct protocol_file *f, const struct ini_section *s,
		      struct err *e)
{
	*c = (struct claim){.name = xstrdup(s->name), .margin = MARGIN_DEFAULT};
	int ret = 0;
	for (size_t i = 0; !ret && i < s->n_keys; i++)
		ret = key_set(f, claim_keys, c, &s->key[i], e);
	ret = ret ? ret : missing_check(f, s, e);
	if (ret)
		return ret;
	if (measure_find(c->measure_name, &c->measure, e) < 0)
		return key_wrong(f, s, "measure", e);
	if (c->operation && !measure_info[c->measure].by_operation) {
		err_set(e, EINVAL, "remove this key: measure %s has no separate values for "
			"reads, writes and other operations", c->measure_name);
		return key_wrong(f, s, "operation", e);
	}
	if (c->margin_text && measure_value_parse(MEASURE_CV, c->margin_text, &c->margin, e) < 0)
		return key_wrong(f, s, "margin", e);
	ret = selector_read(&c->scenario, f, s, "scenario", c->scenario_text, e);
	ret = ret ? ret : selector_read(&c->replayer, f, s, "replayer", c->replayer_text, e);
	ret =
	    ret ? ret
		: selector_read(&c->than_scenario, f, s, "than-scenario", c->than_scenario_text, e);
	return ret ? ret : than_read(c, f, s, e);
}

int claims_read(struct protocol *p, const struct protocol_file *f, struct err *e)
{
	p->claim = xcalloc(f->ini.n_sections + 1, sizeof *p->claim);
	for (size_t i = 0; i < f->ini.n_sections; i++) {
		if (strcmp(f->ini.section[i].kind, "claim"))
			continue;
		int ret = claim_read(&p->claim[p->n_claims++], f, &f->ini.section[i], e);
		if (ret)
			return ret;
	}
	return 0;
}

void claims_release(struct protocol *p)
{
	for (size_t i = 0; i < p->n_claims; i++) {
		struct claim *c = &p->claim[i];
		for (const struct option_spec *o = claim_keys; o->name; o++)
			if (o->type == OPT_STRING)
				free(*(char **)((char *)c + o->offset));
		free(c->name);
		selector_release(&c->scenario);
		selector_release(&c->replayer);
		selector_release(&c->than);
		selector_release(&c->than_scenario);
	}
	free(p->claim);
	p->claim = NULL;
	p->n_claims = 0;
}

/* --- large campaigns ----------------------------------------------------- */

static bool is_of_course(enum measure m)
{
	return m == MEASURE_ERROR_RATE_CORRELATION || m == MEASURE_TIMELINE_DISTANCE;
}

bool protocol_in_detail(const struct protocol *p)
{
	size_t n_cases = 0;
	for (size_t i = 0; i < p->n_replayers; i++)
		for (size_t s = 0; s < p->n_scenarios; s++)
			n_cases += !p->replayer[i].applies || p->replayer[i].applies[s];
	for (size_t i = 0; i < p->n_claims; i++)
		if (is_of_course(p->claim[i].measure))
			return true;
	for (size_t i = 0; i < p->n_published; i++)
		if (is_of_course(p->published[i].measure))
			return true;
	return n_cases <= PROTOCOL_DETAIL_CASES;
}
