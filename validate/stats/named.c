/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include <stdlib.h>
#include <string.h>

static const struct named_statistic *const families[] = {
    named_descriptive, named_distribution, named_two_sample, named_series,     named_protocol,  named_gum,
    named_linear,      named_planning,     named_ranks,      named_dependence, named_precision, named_control,
};

static const struct named_statistic *find(const char *name)
{
	for (size_t f = 0; f < sizeof families / sizeof *families; f++)
		for (const struct named_statistic *s = families[f]; s->name; s++)
			if (!strcmp(s->name, name))
				return s;
	return NULL;
}

bool named_exists(const char *name)
{
	return find(name) != NULL;
}

enum stat_status named_compute(const char *name, struct named_call *c, struct named_result *r)
{
	const struct named_statistic *s = find(name);
	if (!s)
		return STAT_NOT_APPLICABLE;
	*r = (struct named_result){NULL, 0};
	c->bad_param = false;
	enum stat_status status = s->compute(c, r);
	return c->bad_param ? STAT_OUT_OF_RANGE : status;
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

static const char *param(const struct named_call *c, const char *key)
{
	for (size_t i = 0; i < c->n_params; i++)
		if (!strcmp(c->param[i].key, key))
			return c->param[i].value;
	return NULL;
}

double named_number(struct named_call *c, const char *key)
{
	const char *text = param(c, key);
	char *end = NULL;
	double value = text ? strtod(text, &end) : 0;
	if (!text || end == text || *end)
		c->bad_param = true;
	return value;
}

double named_number_or(struct named_call *c, const char *key, double otherwise)
{
	return param(c, key) ? named_number(c, key) : otherwise;
}

size_t named_index(struct named_call *c, const char *key)
{
	double i = named_number(c, key);
	if (!(i >= 1 && i < 1e15)) {
		c->bad_param = true;
		return 0;
	}
	return (size_t)i - 1;
}

bool named_is(struct named_call *c, const char *key, const char *word)
{
	const char *text = param(c, key);
	if (!text)
		c->bad_param = true;
	return text && !strcmp(text, word);
}
