/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for the sections whose keys are options of a program. */
#include "common/units.h"
#include "validate/protocol/protocol_programs.h"

/* Whether a protocol may set the option. */
static bool is_key(const struct option_spec *table, const char *name, const char *const *reserved)
{
	const struct option_spec *o = options_find(table, name);
	return o && !(o->flags & OPT_CLI_ONLY) && !word_in(name, reserved);
}

static int unknown_key(const struct protocol_file *f, const struct ini_section *s,
		       const struct ini_key *k, const struct option_spec *table,
		       const char *const *own, const char *const *reserved, struct err *e)
{
	SCOPED_FREE const char **names = NULL;
	size_t n = 0, cap = 0;
	for (; *own; own++)
		APPEND(names, n, cap, *own);
	for (const struct option_spec *o = table; o->name; o++) {
		GROW(names, n, cap);
		if (is_key(table, o->name, reserved))
			names[n++] = o->name;
	}
	GROW(names, n, cap);
	names[n] = NULL;
	name_refuse(e, EINVAL, k->name, names, " (\"validate init --full -\" shows most keys)",
		    "unknown key \"%s\" in [%s %s]", k->name, s->kind, s->name);
	return err_context(e, "%s:%u", f->path, k->line);
}

/* Checks every item of every list separately, so that the message has the line of the key. */
int items_check(const struct protocol_file *f, const struct key_grid *g,
		const struct option_spec *table, void *scratch, const char *const *own,
		const char *const *reserved, struct err *e)
{
	for (size_t i = 0; i < g->n_keys; i++) {
		const struct grid_key *k = &g->key[i];
		if (word_in(k->key->name, own))
			continue;
		if (!is_key(table, k->key->name, reserved))
			return unknown_key(f, g->section, k->key, table, own, reserved, e);
		for (size_t v = 0; v < k->item.n; v++)
			if (options_set(table, scratch, k->key->name, k->item.v[v], e) < 0)
				return err_context(e, "%s:%u", f->path, k->key->line);
	}
	return 0;
}

void settings_take(const struct key_grid *g, const char *const *own, struct setting **option,
		   size_t *n)
{
	*option = xcalloc(g->n_keys + 1, sizeof **option);
	*n = 0;
	for (size_t i = 0; i < g->n_keys; i++)
		if (!word_in(g->key[i].key->name, own))
			(*option)[(*n)++] = (struct setting){
			    xstrdup(g->key[i].key->name), xstrdup(g->key[i].item.v[g->key[i].at])};
}

int settings_apply(const struct option_spec *table, void *config, const struct setting *option,
		   size_t n, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = options_set(table, config, option[i].key, option[i].value, e);
	return ret;
}

const struct grid_key *grid_find(const struct key_grid *g, const char *name)
{
	for (size_t i = 0; i < g->n_keys; i++)
		if (!strcmp(g->key[i].key->name, name))
			return &g->key[i];
	return NULL;
}

const char *item_now(const struct key_grid *g, const char *name, const char *otherwise)
{
	const struct grid_key *k = grid_find(g, name);
	return k ? k->item.v[k->at] : otherwise;
}
