/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/columns/estimates.h"

#define PARAMS_MAX 8

static struct named_estimate *estimate_next(struct estimates *list, const char *name,
					    const char *params)
{
	GROW(list->e, list->n, list->cap);
	struct named_estimate *e = &list->e[list->n++];
	*e = (struct named_estimate){.name = name};
	snprintf(e->params, sizeof e->params, "%s", params);
	return e;
}

void estimates_add(struct estimates *list, const char *name, const char *params, enum stat_status s,
		   double value)
{
	struct named_estimate *e = estimate_next(list, name, params);
	e->status = s;
	if (!s && !isfinite(value))
		e->status = isinf(value) ? STAT_UNBOUNDED : STAT_NOT_FINITE;
	if (!e->status)
		e->value = value == 0 ? 0 : value; /* no -0 */
}

void estimates_add_word(struct estimates *list, const char *name, const char *params,
			enum stat_status s, const char *word)
{
	struct named_estimate *e = estimate_next(list, name, params);
	e->status = s;
	e->word = s ? NULL : word;
}

struct estimate_params params_text(const char *fmt, ...)
{
	struct estimate_params p;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(p.s, sizeof p.s, fmt, ap);
	va_end(ap);
	return p;
}

void estimates_named(const struct estimate_source *of, const char *params, ...)
{
	char text[ESTIMATE_PARAMS], *rest;
	struct named_param param[PARAMS_MAX];
	struct named_call call = {of->role, of->role[1].role ? 2 : 1, .param = param};
	va_list names;
	snprintf(text, sizeof text, "%s", params);
	for (char *item = strtok_r(text, ";", &rest); item; item = strtok_r(NULL, ";", &rest)) {
		char *equals = strchr(item, '=');
		*equals = 0;
		param[call.n_params++] = (struct named_param){item, equals + 1};
	}
	va_start(names, params);
	for (const char *name; (name = va_arg(names, const char *));) {
		struct named_result r = {NULL, 0};
		enum stat_status s = of->none ? of->none : named_compute(name, &call, &r);
		if (r.word)
			estimates_add_word(of->list, name, params, s, r.word);
		else
			estimates_add(of->list, name, params, s, r.number);
	}
	va_end(names);
}

const struct named_estimate *estimates_find(const struct estimates *list, const char *name,
					    const char *params)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->e[i].name, name) &&
		    (!params || !strcmp(list->e[i].params, params)))
			return &list->e[i];
	return NULL;
}

void estimates_release(struct estimates *list)
{
	free(list->e);
	*list = (struct estimates){0};
}
