/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/columns/estimates.h"

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

void estimates_addf(struct estimates *list, const char *name, enum stat_status s, double value,
		    const char *params, ...)
{
	char text[ESTIMATE_PARAMS];
	va_list ap;
	va_start(ap, params);
	vsnprintf(text, sizeof text, params, ap);
	va_end(ap);
	estimates_add(list, name, text, s, value);
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
