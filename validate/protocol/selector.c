/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/selector.h"

static const char blanks[] = " \t\r\n";

/* Returns a lower-case copy of s[len] with '-' for '_', as in the keys of protocols. */
static char *key_copy(const char *s, size_t len)
{
	char *key = xasprintf("%.*s", (int)len, s);
	for (char *c = key; *c; c++)
		*c = *c == '_' ? '-' : *c;
	return key;
}

static int term_add(struct selector *s, const char *word, size_t len, struct err *e)
{
	const char *equals = memchr(word, '=', len);
	size_t key_len = equals ? (size_t)(equals - word) : 0;
	if (equals && (!key_len || key_len + 1 == len))
		return err_set(e, EINVAL, "\"%.*s\": expected KEY=VALUE or the name of a section",
			       (int)len, word);
	struct setting term = {
	    key_copy(word, key_len),
	    xasprintf("%.*s", (int)(len - (equals ? key_len + 1 : 0)), equals ? equals + 1 : word)};
	for (size_t i = 0; i < s->n_terms; i++)
		if (!strcmp(s->term[i].key, term.key)) {
			int ret = err_set(e, EINVAL, "\"%.*s\": %s occurs twice", (int)len, word,
					  key_len ? term.key : "the section");
			FREE_EACH(term.key, term.value);
			return ret;
		}
	s->term = xreallocarray(s->term, s->n_terms + 1, sizeof *s->term);
	s->term[s->n_terms++] = term;
	return 0;
}

int selector_parse(struct selector *s, const char *text, struct err *e)
{
	int ret = 0;
	*s = (struct selector){0};
	for (const char *p = text + strspn(text, blanks); !ret && *p; p += strspn(p, blanks)) {
		size_t len = strcspn(p, blanks);
		ret = term_add(s, p, len, e);
		p += len;
	}
	if (!ret && !s->n_terms)
		ret = err_set(e, EINVAL,
			      "the selector is empty: expected KEY=VALUE or the name of a section");
	if (ret)
		selector_release(s);
	return ret;
}

void selector_release(struct selector *s)
{
	for (size_t i = 0; i < s->n_terms; i++)
		FREE_EACH(s->term[i].key, s->term[i].value);
	free(s->term);
	*s = (struct selector){0};
}

const char *setting_find(const struct setting *option, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(option[i].key, key))
			return option[i].value;
	return NULL;
}

static const char *scenario_value(const struct scenario *s, const char *key)
{
	if (!*key)
		return s->workload;
	if (!strcmp(key, "period") && s->parallel.is && !setting_find(s->option, s->n_options, key))
		return "1";
	if (!strcmp(key, "nodes") && s->parallel.is && !setting_find(s->option, s->n_options, key))
		return "all";
	if (!strcmp(key, "observe"))
		return observe_names[s->observe];
	return !strcmp(key, "type") ? s->type : setting_find(s->option, s->n_options, key);
}

static const char *replayer_value(const struct replayer *r, const char *key)
{
	if (!*key)
		return r->section;
	return !strcmp(key, "engine") ? r->engine : setting_find(r->option, r->n_options, key);
}

bool texts_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool selector_fits_scenario(const struct selector *s, const struct protocol *p,
			    const struct scenario *scenario)
{
	for (size_t i = 0; i < s->n_terms; i++) {
		const struct setting *t = &s->term[i];
		bool target = !strcmp(t->key, "target"), on = !strcmp(t->key, "recorded-on");
		if (!texts_same(target ? p->target[scenario->target].name
				: on   ? p->target[scenario->recorded_on].name
				       : scenario_value(scenario, t->key),
				t->value))
			return false;
	}
	return true;
}

bool selector_fits_replayer(const struct selector *s, const struct replayer *r)
{
	for (size_t i = 0; i < s->n_terms; i++)
		if (!texts_same(replayer_value(r, s->term[i].key), s->term[i].value))
			return false;
	return true;
}

static bool selector_names(const struct selector *a, const struct selector *b, const char *key)
{
	return setting_find(a->term, a->n_terms, key) || setting_find(b->term, b->n_terms, key);
}

/* Whether every option in `of` that neither selector names has the same value in `other`. */
static bool options_agree(const struct selector *a, const struct selector *b,
	const struct setting *of, size_t n_of, const struct setting *other, size_t n_other)
{
	for (size_t i = 0; i < n_of; i++)
		if (!selector_names(a, b, of[i].key) &&
		    !texts_same(of[i].value, setting_find(other, n_other, of[i].key)))
			return false;
	return true;
}

bool selector_replayers_agree(const struct selector *a, const struct replayer *ra,
			      const struct selector *b, const struct replayer *rb)
{
	return (selector_names(a, b, "engine") || texts_same(ra->engine, rb->engine)) &&
	       options_agree(a, b, ra->option, ra->n_options, rb->option, rb->n_options) &&
	       options_agree(a, b, rb->option, rb->n_options, ra->option, ra->n_options);
}

bool selector_scenarios_agree(const struct selector *a, const struct scenario *sa,
			      const struct selector *b, const struct scenario *sb)
{
	return (selector_names(a, b, "type") || texts_same(sa->type, sb->type)) &&
	       (selector_names(a, b, "observe") || sa->observe == sb->observe) &&
	       (selector_names(a, b, "target") || sa->target == sb->target) &&
	       (selector_names(a, b, "recorded-on") || !sa->parallel.is || !sb->parallel.is ||
		sa->recorded_on == sb->recorded_on) &&
	       options_agree(a, b, sa->option, sa->n_options, sb->option, sb->n_options) &&
	       options_agree(a, b, sb->option, sb->n_options, sa->option, sa->n_options);
}
