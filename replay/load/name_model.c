/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/name_model.h"

#include "common/fnv1a.h"

/* limit of links followed in one look-up, as in the kernel; a limit per level would permit endless
 * loops */
#define MAX_LINKS 40

static char *text_copy(const char *s, size_t len)
{
	char *copy = xmalloc(len + 1);
	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

static uint64_t bond_hash(uint32_t directory, const char *name, size_t len)
{
	return fnv1a(FNV1A_START ^ (uint64_t)directory * 0x9e3779b97f4a7c15u, name, len);
}

static bool bond_is(const struct bond *b, uint32_t directory, const char *name, size_t len)
{
	return b->directory == directory && !strncmp(b->name, name, len) && !b->name[len];
}

static void bond_refer(struct name_model *m, struct bond *b, uint32_t node)
{
	b->node = node;
	if (node == NODE_NONE || m->past[b->past].node == node)
		return;
	APPEND(m->past, m->n_past, m->past_cap, (struct past){node, b->past});
	b->past = m->n_past - 1;
}

/* Returns the entry of a name in a directory. A new entry of a directory that existed at first gets
 * a node that existed at first. */
static struct bond *bond_of(struct name_model *m, uint32_t directory, const char *name, size_t len)
{
	for (uint64_t hash = bond_hash(directory, name, len);; hash++) {
		uint32_t *known = u64_map_at(&m->entry, hash, m->n_bonds);
		if (*known < m->n_bonds) {
			if (bond_is(&m->bond[*known], directory, name, len))
				return &m->bond[*known];
			continue;
		}
		GROW(m->bond, m->n_bonds, m->bonds_cap);
		struct bond made = {directory, NODE_NONE, 0, text_copy(name, len)};
		if (m->node[directory].initial) {
			const uint32_t node = name_model_make(m, INITIAL_UNKNOWN);
			m->node[node].initial = true;
			m->node[node].parent = directory;
			m->node[node].name = text_copy(name, len);
			bond_refer(m, &made, node);
		}
		m->bond[m->n_bonds] = made;
		return &m->bond[m->n_bonds++];
	}
}

static size_t component_next(const char **path)
{
	while (**path == '/')
		++*path;
	return strcspn(*path, "/");
}

static bool component_is(const char *name, size_t len, const char *what)
{
	return strlen(what) == len && !memcmp(name, what, len);
}

uint32_t name_model_walk(struct name_model *m, uint32_t at, const char *path, bool follow,
			 bool parent, unsigned int *n_links, const char **last, size_t *last_len)
{
	for (size_t len; (len = component_next(&path)) > 0; path += len) {
		const char *rest = path + len;
		bool is_last = !rest[strspn(rest, "/")];
		if (is_last && parent) {
			*last = path;
			*last_len = len;
			return at;
		}
		if (component_is(path, len, "."))
			continue;
		if (component_is(path, len, "..")) {
			at = m->node[at].parent ? m->node[at].parent : NODE_ROOT;
			continue;
		}
		uint32_t next = bond_of(m, at, path, len)->node;
		if (next == NODE_NONE)
			return NODE_NONE;
		if (m->node[next].link && (follow || !is_last)) {
			const char *to = m->node[next].link;
			if (++*n_links > MAX_LINKS)
				return NODE_NONE;
			next = name_model_walk(m, *to == '/' ? NODE_ROOT : at, to, true, false,
					       n_links, NULL, NULL);
			if (next == NODE_NONE)
				return NODE_NONE;
		}
		if (!is_last && m->node[next].kind != INITIAL_LINK)
			m->node[next].kind = INITIAL_DIRECTORY;
		m->node[next].followed |= follow || !is_last;
		at = next;
	}
	return at;
}

uint32_t name_model_parent(struct name_model *m, const char *path, const char **last, size_t *len)
{
	unsigned int n_links = 0;
	*last = NULL;
	uint32_t at = name_model_walk(m, NODE_ROOT, path, false, true, &n_links, last, len);
	return *last && !component_is(*last, *len, ".") && !component_is(*last, *len, "..")
		   ? at
		   : NODE_NONE;
}

void name_model_set(struct name_model *m, const char *path, uint32_t node)
{
	const char *last;
	size_t len;
	uint32_t directory = name_model_parent(m, path, &last, &len);
	if (directory != NODE_NONE)
		name_model_enter(m, directory, last, len, node);
}

void name_model_enter(struct name_model *m, uint32_t directory, const char *name, size_t len,
		      uint32_t node)
{
	bond_refer(m, bond_of(m, directory, name, len), node);
	if (node && !m->node[node].parent)
		m->node[node].parent = directory;
}

const struct bond *name_model_entry(const struct name_model *m, uint32_t directory,
				    const char *name, size_t len)
{
	for (uint64_t hash = bond_hash(directory, name, len);; hash++) {
		const uint32_t *known = u64_map_find(&m->entry, hash);
		if (!known || bond_is(&m->bond[*known], directory, name, len))
			return known ? &m->bond[*known] : NULL;
	}
}

char *name_model_first_path(const struct name_model *m, uint32_t node)
{
	uint32_t chain[512];
	size_t n = 0;
	for (; node != NODE_ROOT; node = m->node[node].parent) {
		if (!node || !m->node[node].name || n == sizeof chain / sizeof *chain)
			return NULL;
		chain[n++] = node;
	}
	struct strbuf path = STRBUF_INIT;
	while (n--) {
		if (path.len)
			strbuf_addch(&path, '/');
		strbuf_addstr(&path, m->node[chain[n]].name);
	}
	return path.len ? strbuf_detach(&path) : NULL;
}
