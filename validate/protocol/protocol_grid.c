/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/protocol_grid.h"

#include "common/units.h"

static int key_split(struct grid_key *k, struct err *e)
{
	int ret = words_split(&k->item, k->key->value, e);
	for (size_t i = 0; !ret && i < k->item.n; i++)
		for (size_t j = 0; !ret && j < i; j++)
			if (!strcmp(k->item.v[i], k->item.v[j]))
				ret = err_set(e, EINVAL, "\"%s\" occurs twice in the list",
					      k->item.v[i]);
	return ret;
}

int grid_make(struct key_grid *g, const struct ini_section *s, const char *const *without,
	      const char *path, struct err *e)
{
	*g = (struct key_grid){.section = s};
	g->key = xcalloc(s->n_keys + 1, sizeof *g->key);
	for (size_t i = 0; i < s->n_keys; i++) {
		if (word_in(s->key[i].name, without))
			continue;
		struct grid_key *k = &g->key[g->n_keys++];
		k->key = &s->key[i];
		if (key_split(k, e) < 0) {
			int ret = err_context(e, "%s:%u: %s", path, k->key->line, k->key->name);
			grid_release(g);
			return ret;
		}
	}
	return 0;
}

void grid_release(struct key_grid *g)
{
	for (size_t i = 0; i < g->n_keys; i++)
		words_list_release(&g->key[i].item);
	free(g->key);
	*g = (struct key_grid){0};
}

size_t grid_size(const struct key_grid *g)
{
	size_t n = 1;
	for (size_t i = 0; i < g->n_keys; i++)
		if (__builtin_mul_overflow(n, g->key[i].item.n, &n))
			return SIZE_MAX;
	return n;
}

bool grid_next(struct key_grid *g)
{
	for (size_t i = g->n_keys; i-- > 0;) {
		if (++g->key[i].at < g->key[i].item.n)
			return true;
		g->key[i].at = 0;
	}
	return false;
}

void grid_name(const struct key_grid *g, const char *but, struct strbuf *out)
{
	strbuf_addstr(out, g->section->name);
	for (size_t i = 0; i < g->n_keys; i++) {
		const struct grid_key *k = &g->key[i];
		if (k->item.n > 1 && !(but && !strcmp(k->key->name, but)))
			strbuf_addf(out, " %s=%s", k->key->name, k->item.v[k->at]);
	}
}
