/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks whether two baselines are comparable, that is, whether they differ in anything other than
 * the measured values. */
#include "common/sort.h"
#include "common/units.h"
#include "common/words.h"
#include "validate/compare/compare_private.h"
#include "validate/provenance/provenance.h"

const char *const difference_names[] = {"protocol", "requests", "environment", "missing",
					"settings", "limits",   NULL};

static void difference_add(struct campaign_change *c, enum difference_kind kind, char *what,
			   const char *was, const char *is, bool refuses)
{
	c->difference = xreallocarray(c->difference, c->n_differences + 1, sizeof *c->difference);
	c->difference[c->n_differences++] = (struct difference){
	    kind, what, was ? xstrdup(was) : NULL, is ? xstrdup(is) : NULL, refuses, false};
	c->n_missing += kind == DIFFERENCE_MISSING;
}

bool is_same_campaign(const struct baseline *a, const struct baseline *b)
{
	return !strcmp(a->campaign, b->campaign) && !strcmp(a->protocol_hash, b->protocol_hash);
}

static char *text_hidden(const struct campaign_change *c, const char *text)
{
	char *once = provenance_redact_text(text, c->old_side->host),
	     *both = provenance_redact_text(once, c->new_side->host);
	free(once);
	return both;
}

bool text_is_same(const struct campaign_change *c, const char *was, const char *is)
{
	if (!strcmp(was, is) || !(strstr(was, PROVENANCE_HIDDEN) || strstr(is, PROVENANCE_HIDDEN)))
		return !strcmp(was, is);
	SCOPED_FREE char *a = text_hidden(c, was), *b = text_hidden(c, is);
	return !strcmp(a, b);
}

static bool has_line(const struct campaign_change *c, char *const *line, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (text_is_same(c, line[i], text))
			return true;
	return false;
}

/* Adds lines "key = value" that only one side has; lines with the same key make one difference. */
static void lines_compare(struct campaign_change *c, const char *where, char *const *was,
			  size_t n_was, char *const *is, size_t n_is)
{
	for (size_t i = 0; i < n_was; i++) {
		const char *equals = strstr(was[i], " = "), *other = NULL;
		size_t key = equals ? (size_t)(equals - was[i]) + 3 : strlen(was[i]);
		if (has_line(c, is, n_is, was[i]))
			continue;
		for (size_t k = 0; k < n_is; k++)
			if (!strncmp(is[k], was[i], key) && !has_line(c, was, n_was, is[k]))
				other = is[k] + key;
		difference_add(c, DIFFERENCE_PROTOCOL,
			       xasprintf("%s%.*s", where, (int)(equals ? key - 3 : key), was[i]),
			       equals ? was[i] + key : NULL, other ? other : "not there", true);
	}
	for (size_t i = 0; i < n_is; i++) {
		const char *equals = strstr(is[i], " = ");
		size_t key = equals ? (size_t)(equals - is[i]) + 3 : strlen(is[i]);
		bool reported = has_line(c, was, n_was, is[i]);
		for (size_t k = 0; k < n_was; k++)
			reported |= !strncmp(was[k], is[i], key) && !has_line(c, is, n_is, was[k]);
		if (!reported)
			difference_add(
			    c, DIFFERENCE_PROTOCOL,
			    xasprintf("%s%.*s", where, (int)(equals ? key - 3 : key), is[i]),
			    "not there", equals ? is[i] + key : NULL, true);
	}
}

/* Compares recordings with the same number in the bank. */
static void requests_compare(struct campaign_change *c, const struct baseline_scenario *was,
			     const struct baseline_scenario *is)
{
	size_t n = was->n_requests < is->n_requests ? was->n_requests : is->n_requests,
	       n_unknown = 0;
	for (size_t i = 0; i < n; i++) {
		n_unknown += !was->requests[i] || !is->requests[i];
		if (was->requests[i] && is->requests[i] && was->requests[i] != is->requests[i]) {
			difference_add(c, DIFFERENCE_REQUESTS, xasprintf("requests of %s",
				was->name), NULL, NULL, true);
			return;
		}
	}
	if (!n || n_unknown == n) {
		difference_add(c, DIFFERENCE_REQUESTS, xasprintf("requests of %s", was->name),
			       NULL, NULL, true);
		c->difference[c->n_differences - 1].unknown = true;
	}
}

static void scenarios_compare(struct campaign_change *c)
{
	const struct baseline *a = c->old_side, *b = c->new_side;
	for (size_t i = 0; i < a->n_scenarios; i++) {
		const struct baseline_scenario *was = &a->scenario[i],
					       *is = baseline_scenario_find(b, was->name);
		if (!is) {
			difference_add(c, DIFFERENCE_MISSING, xasprintf("scenario %s", was->name),
				       NULL, "not there", false);
			continue;
		}
		SCOPED_FREE char *where = xasprintf("%s: ", was->name);
		lines_compare(c, where, was->condition, was->n_conditions, is->condition,
			      is->n_conditions);
		if (strcmp(a->campaign, b->campaign))
			requests_compare(c, was, is);
	}
	for (size_t i = 0; i < b->n_scenarios; i++)
		if (!baseline_scenario_find(a, b->scenario[i].name))
			difference_add(c, DIFFERENCE_MISSING, xasprintf("scenario %s",
				b->scenario[i].name), "not there", NULL, false);
}

/* --- the environment ----------------------------------------------------- */

static bool is_below(const char *name, const char *list)
{
	SCOPED(words_list_release) struct words_list item = {0};
	bool found = false;
	if (list)
		words_split(&item, list, NULL);
	for (size_t i = 0; i < item.n; i++) {
		size_t len = strlen(item.v[i]);
		found |= !strcmp(item.v[i], "all") ||
			 (!strncmp(name, item.v[i], len) && (!name[len] || name[len] == '.'));
	}
	return found;
}

ORDER_BY_TEXT(by_name, struct baseline_fact, name)

static struct baseline_fact *lines_sorted(const struct baseline *b)
{
	struct baseline_fact *f = xcalloc(b->n_facts + 1, sizeof *f);
	if (b->n_facts)
		memcpy(f, b->fact, b->n_facts * sizeof *f);
	qsort(f, b->n_facts, sizeof *f, by_name);
	return f;
}

/* Whether two values may differ only because one side is redacted: hosts and serial numbers are
 * hidden as a whole. */
static bool is_hidden(const struct campaign_change *c, const char *name, const char *was,
		      const char *is)
{
	if (!strstr(was, PROVENANCE_HIDDEN) && !strstr(is, PROVENANCE_HIDDEN))
		return false;
	SCOPED_FREE char *a = provenance_redact_member(name, was, c->old_side->host),
			 *b = provenance_redact_member(name, is, c->new_side->host);
	return text_is_same(c, a, b);
}

static void environment_compare(struct campaign_change *c)
{
	const struct baseline *a = c->old_side, *b = c->new_side;
	SCOPED_FREE struct baseline_fact *was = lines_sorted(a), *is = lines_sorted(b);
	for (size_t i = 0, j = 0; i < a->n_facts || j < b->n_facts;) {
		int order = i >= a->n_facts   ? 1
			    : j >= b->n_facts ? -1
					      : strcmp(was[i].name, is[j].name);
		const char *name = order <= 0 ? was[i].name : is[j].name;
		if (order || strcmp(was[i].value, is[j].value))
			difference_add(
			    c, DIFFERENCE_ENVIRONMENT, xstrdup(name),
			    order <= 0 ? was[i].value : "not available",
			    order >= 0 ? is[j].value : "not available",
			    is_below(name, c->limits.environment) &&
				(order || !is_hidden(c, name, was[i].value, is[j].value)));
		i += order <= 0;
		j += order >= 0;
	}
}

/* --- permitted differences ----------------------------------------------- */

static int differences_allow(struct campaign_change *c, const char *list, struct err *e)
{
	SCOPED(words_list_release) struct words_list item = {0};
	const char *names[sizeof difference_names / sizeof *difference_names + 1] = {"all"};
	for (size_t i = 0; difference_names[i]; i++)
		names[i + 1] = difference_names[i];
	int ret = list ? words_split(&item, list, e) : 0;
	for (size_t i = 0; i < item.n && !ret; i++) {
		const bool all = !strcmp(item.v[i], "all");
		for (size_t k = 0; k < c->n_differences; k++) {
			struct difference *d = &c->difference[k];
			bool meant = all || !strcmp(item.v[i], difference_names[d->kind]);
			d->refuses &= !meant;
			c->n_missing -= meant && d->kind == DIFFERENCE_MISSING && c->n_missing;
		}
		if (!word_in(item.v[i], names))
			ret = name_refuse(e, EINVAL, item.v[i], names, NULL,
				"--allow: \"%s\" is not a kind of difference", item.v[i]);
	}
	return ret;
}

int differences_find(struct campaign_change *c, const struct compare_options *o, struct err *e)
{
	const struct baseline *a = c->old_side, *b = c->new_side;
	lines_compare(c, "", a->condition, a->n_conditions, b->condition, b->n_conditions);
	scenarios_compare(c);
	environment_compare(c);
	int ret = differences_allow(c, o->allow, e);
	for (size_t i = 0; i < c->n_differences; i++)
		c->n_refusing += c->difference[i].refuses;
	return ret;
}
