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

/* Returns the entry of a name in a directory. A new entry of a directory that existed at first gets
 * a node that existed at first. */
static struct bond *bond_of(struct name_model *m, uint32_t directory, const char *name, size_t len)
{
	uint64_t hash = fnv1a(FNV1A_START ^ (uint64_t)directory * 0x9e3779b97f4a7c15u, name, len);
	for (;; hash++) {
		uint32_t *known = u64_map_at(&m->entry, hash, m->n_bonds);
		if (*known < m->n_bonds) {
			struct bond *b = &m->bond[*known];
			if (b->directory == directory && !strncmp(b->name, name, len) &&
			    !b->name[len])
				return b;
			continue;
		}
		GROW(m->bond, m->n_bonds, m->bonds_cap);
		struct bond made = {directory, NODE_NONE, text_copy(name, len)};
		if (m->node[directory].initial) {
			made.node = name_model_make(m, INITIAL_UNKNOWN);
			m->node[made.node].initial = true;
			m->node[made.node].parent = directory;
			m->node[made.node].name = text_copy(name, len);
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
	if (directory == NODE_NONE)
		return;
	bond_of(m, directory, last, len)->node = node;
	if (node && !m->node[node].parent)
		m->node[node].parent = directory;
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
