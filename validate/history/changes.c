/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/history/changes.h"

#include "common/sort.h"

static bool texts_differ(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) != 0 : a != b;
}

bool history_changed(const struct history *h, const struct history_series *s, size_t i)
{
	if (!i || i >= s->n)
		return false;
	const struct history_campaign *old = &h->campaign[s->entry[i - 1].campaign],
				      *new = &h->campaign[s->entry[i].campaign];
	return old->environment != new->environment || texts_differ(old->host, new->host) ||
	       texts_differ(old->protocol_hash, new->protocol_hash) ||
	       texts_differ(old->program_version, new->program_version) ||
	       texts_differ(s->entry[i - 1].settings, s->entry[i].settings);
}

static void change_add(struct history_changes *c, const char *fact, const char *old,
		       const char *new)
{
	if (!texts_differ(old, new))
		return;
	APPEND(c->one, c->n, c->cap, (struct history_change){xstrdup(fact),
		old ? xstrdup(old) : NULL, new ? xstrdup(new) : NULL});
}

ORDER_BY_TEXT(by_fact, struct history_change, fact)

static void facts_compare(struct history_changes *c, const char *old_text, const char *new_text)
{
	json_auto_t *old = json_loads(old_text ? old_text : "{}", 0, NULL),
		    *new = json_loads(new_text ? new_text : "{}", 0, NULL);
	size_t named = c->n;
	const char *name;
	json_t *value;
	json_object_foreach(old, name, value) change_add(
	    c, name, json_string_value(value), json_string_value(json_object_get(new, name)));
	json_object_foreach(new, name, value)
		if (!json_object_get(old, name))
			change_add(c, name, NULL, json_string_value(value));
	if (c->n > named)
		qsort(c->one + named, c->n - named, sizeof *c->one, by_fact);
}

void history_changes_find(struct history_changes *c, const struct history *h,
			  const struct history_series *s, size_t i)
{
	*c = (struct history_changes){0};
	if (!history_changed(h, s, i))
		return;
	const struct history_campaign *old = &h->campaign[s->entry[i - 1].campaign],
				      *new = &h->campaign[s->entry[i].campaign];
	change_add(c, "host", old->host, new->host);
	change_add(c, "protocol", old->protocol_hash, new->protocol_hash);
	change_add(c, "replayer's settings", s->entry[i - 1].settings, s->entry[i].settings);
	change_add(c, "validate", old->program_version, new->program_version);
	if (old->environment != new->environment)
		facts_compare(c, h->environment[old->environment],
			      h->environment[new->environment]);
}

void history_changes_release(struct history_changes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		FREE_EACH(c->one[i].fact, c->one[i].old, c->one[i].new);
	}
	free(c->one);
	*c = (struct history_changes){0};
}
