/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#define COUNT_MAX 1e15 /* limit of parameters that are counts: far below 2^53 */

static const struct named_statistic *const families[] = {
    named_descriptive, named_distribution, named_two_sample, named_series,    named_protocol,
    named_gum,         named_linear,       named_planning,   named_ranks,     named_dependence,
    named_precision,   named_control,      named_intervals,  named_metrology, NULL,
};

static const struct named_statistic *statistic_find(const char *name, unsigned int *which)
{
	const size_t len = strlen(name);
	for (const struct named_statistic *const *f = families; *f; f++)
		for (const struct named_statistic *s = *f; s->names; s++) {
			*which = s->first;
			for (const char *at = s->names; *at; at += strspn(at, " "), ++*which) {
				const size_t n = strcspn(at, " ");
				if (n == len && !memcmp(at, name, len))
					return s;
				at += n;
			}
		}
	return NULL;
}

const struct named_statistic *named_find(const char *name)
{
	unsigned int which;
	return statistic_find(name, &which);
}

void named_each(void (*take)(void *context, const char *name, const struct named_statistic *s),
		void *context)
{
	for (const struct named_statistic *const *f = families; *f; f++)
		for (const struct named_statistic *s = *f; s->names; s++) {
			SCOPED_FREE char *names = xstrdup(s->names);
			for (char *rest, *name = strtok_r(names, " ", &rest); name;
			     name = strtok_r(NULL, " ", &rest))
				take(context, name, s);
		}
}

enum stat_status named_compute(const char *name, struct named_call *c, struct named_result *r)
{
	const struct named_statistic *statistic = statistic_find(name, &c->which);
	if (!statistic)
		return STAT_NOT_APPLICABLE;
	*r = (struct named_result){NULL, 0};
	c->bad_param = false;
	enum stat_status s = statistic->compute(c, r);
	if (c->bad_param)
		return STAT_OUT_OF_RANGE;
	return !s && !r->word && isnan(r->number) ? STAT_NOT_FINITE : s;
}

const struct named_role *named_groups(const struct named_call *c, const char *role)
{
	for (size_t i = 0; i < c->n_roles; i++)
		if (!strcmp(c->role[i].role, role))
			return &c->role[i];
	return NULL;
}

struct values named_values(const struct named_call *c, const char *role)
{
	const struct named_role *r = named_groups(c, role);
	return r && r->n_groups ? r->group[0] : (struct values){NULL, 0};
}

static const char *param_value(const struct named_call *c, const char *key)
{
	for (size_t i = 0; i < c->n_params; i++)
		if (!strcmp(c->param[i].key, key))
			return c->param[i].value;
	return NULL;
}

bool named_given(const struct named_call *c, const char *key)
{
	return param_value(c, key) != NULL;
}

double named_number(struct named_call *c, const char *key)
{
	const char *text = param_value(c, key);
	char *end = NULL;
	double value = text ? strtod(text, &end) : 0;
	if (text && end != text && !*end && !isnan(value))
		return value;
	c->bad_param = true;
	return 0;
}

double named_number_or(struct named_call *c, const char *key, double otherwise)
{
	return param_value(c, key) ? named_number(c, key) : otherwise;
}

size_t named_count(struct named_call *c, const char *key)
{
	double i = named_number(c, key);
	if (i >= 0 && i <= COUNT_MAX && i == floor(i))
		return (size_t)i;
	c->bad_param = true;
	return 0;
}

size_t named_index(struct named_call *c, const char *key)
{
	size_t i = named_count(c, key);
	c->bad_param |= i == 0;
	return i ? i - 1 : 0;
}

const char *named_word(struct named_call *c, const char *key)
{
	const char *text = param_value(c, key);
	c->bad_param |= !text;
	return text ? text : "";
}

int named_choice(struct named_call *c, const char *key, const char *const *words)
{
	const char *text = named_word(c, key);
	for (int i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	c->bad_param = true;
	return 0;
}
