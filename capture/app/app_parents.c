/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves ".." as the kernel does: after a symbolic link, it leads to the parent of the link's
 * target. Links are known from calls that made or read them. A capture also reads the links of this
 * machine when it converts the records. */
#include <limits.h>

#include "capture/app/app_state.h"
#include "common/fnv1a.h"

#define LINKS_FOLLOWED_MAX 40	/* the kernel's limit of links in a path */
#define LINKS_KNOWN_MAX 65536u	/* bounds the memory that a trace can require */

uint64_t state_link_key(const char *path)
{
	return fnv1a_text(path + (*path == '/'));
}

/* NULL: the path is not in the table. */
static struct known_link *link_find(const struct state_links *l, const char *path)
{
	const uint32_t *i = u64_map_find(&l->by_path, state_link_key(path));
	return i && !strcmp(l->link[*i].path, path) ? &l->link[*i] : NULL;
}

void state_link_set(struct app_state *s, const char *path, const char *text, size_t len)
{
	struct state_links *l = &s->links;
	struct known_link *k = link_find(l, path);
	if (!k && (!len || l->n >= LINKS_KNOWN_MAX))
		return;
	if (!k) {
		if (*u64_map_at(&l->by_path, state_link_key(path), (uint32_t)l->n) != l->n)
			return; /* another path has this key */
		GROW(l->link, l->n, l->cap);
		l->link[l->n] = (struct known_link){.path = xstrdup(path)};
		k = &l->link[l->n++];
	}
	free(k->text);
	k->text = len ? xasprintf("%.*s", (int)len, text) : NULL;
}

void state_link_change(struct app_state *s, const char *path, const char *text, size_t len)
{
	struct known_link *k = link_find(&s->links, path);
	if (k && !k->changed)
		k->first = k->text ? xstrdup(k->text) : NULL;
	state_link_set(s, path, text, len);
	k = k ? k : link_find(&s->links, path);
	if (k)
		k->changed = true;
}

void state_links_restore(struct state_links *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct known_link *k = &l->link[i];
		if (!k->changed)
			continue;
		free(k->text);
		k->text = k->first;
		k->first = NULL;
		k->changed = false;
	}
}

void state_link_renamed(struct app_state *s, const char *from, const char *to, bool exchange)
{
	const struct known_link *a = link_find(&s->links, from), *b = link_find(&s->links, to);
	SCOPED_FREE char *text = a && a->text ? xstrdup(a->text) : NULL;
	SCOPED_FREE char *other = exchange && b && b->text ? xstrdup(b->text) : NULL;
	state_link_change(s, to, text, text ? strlen(text) : 0);
	state_link_change(s, from, other, other ? strlen(other) : 0);
}

void state_links_release(struct state_links *l)
{
	for (size_t i = 0; i < l->n; i++)
		FREE_EACH(l->link[i].path, l->link[i].text, l->link[i].first);
	free(l->link);
	u64_map_release(&l->by_path);
	u64_map_release(&l->unclear);
}

void state_link_none(struct app_state *s, const char *path)
{
	if (s->links.unclear.n < LINKS_KNOWN_MAX)
		*u64_map_at(&s->links.unclear, state_link_key(path), 0) = 2;
}

size_t state_links_unclear(const struct state_links *l, const struct u64_map *plain)
{
	size_t n = 0;
	for (uint64_t i = 0; l->unclear.cell && i <= l->unclear.mask; i++) {
		const struct u64_map_cell *c = &l->unclear.cell[i];
		n += c->used && c->value == 1 && !u64_map_find(plain, c->key) &&
		     !u64_map_find(&l->by_path, c->key);
	}
	return n;
}

/* Whether the link was made before the capture. A link made later shows nothing about earlier
 * calls, and the call that made it is in the table. */
static bool is_old(const struct state_links *l, const char *path)
{
	struct statx x;
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_CTIME | STATX_BTIME, &x))
		return false;
	const struct statx_timestamp t = x.stx_mask & STATX_BTIME ? x.stx_btime : x.stx_ctime;
	return t.tv_sec * 1000000000 + t.tv_nsec < l->since_ns;
}

/* Writes the text of the link to text[PATH_MAX]. False: the path is not a link, or unknown. */
static bool link_read(struct app_state *s, const char *path, char *text)
{
	const struct known_link *k = link_find(&s->links, path);
	const uint64_t key = state_link_key(path);
	if (k && k->text) {
		snprintf(text, PATH_MAX, "%s", k->text);
		return true;
	}
	if (!s->links.reads && !k && s->links.unclear.n < LINKS_KNOWN_MAX)
		u64_map_at(&s->links.unclear, key, 1);
	if (!s->links.reads || !strncmp(path, "/proc/", 6))
		return false;
	uint64_t *plain = &s->links.plain[key % (sizeof s->links.plain / sizeof key)];
	if (*plain == key)
		return false;
	const ssize_t n = is_old(&s->links, path) ? readlink(path, text, PATH_MAX - 1) : 0;
	if (n <= 0)
		*plain = key;
	else
		text[n] = '\0';
	return n > 0;
}

/* While `to` names a link, replaces it by the target. */
static void links_follow(void *context, struct strbuf *to)
{
	const struct links_way *way = context;
	char text[PATH_MAX];
	while (to->len && way->s->links.n_followed < LINKS_FOLLOWED_MAX &&
	       link_read(way->s, to->s, text)) {
		way->s->links.n_followed++;
		if (*text == '/') {
			strbuf_reset(to);
			strbuf_addstr(to, way->root);
		} else {
			const char *slash = strrchr(to->s, '/');
			to->len = slash ? (size_t)(slash - to->s) : 0;
			to->s[to->len] = '\0';
		}
		path_add(to, text, strlen(text), &(struct path_links){links_follow, context});
	}
}

bool state_leads_to(struct app_state *s, const struct process_state *p, const char *path,
		    const char *real, size_t len)
{
	struct links_way way = {s, p->fs->root ? p->fs->root : ""};
	const struct path_links links = {links_follow, &way};
	len = state_name_length(real, len);
	if (strlen(path) == len && !memcmp(path, real, len))
		return true;
	if (*path != '/' || *real != '/')
		return false;
	s->links.n_followed = 0;
	strbuf_reset(&s->path);
	for (const char *part = path; *part; part += strspn(part, "/")) {
		const size_t n = strcspn(part, "/");
		path_add(&s->path, part, n, &links);
		links_follow(&way, &s->path);
		part += n;
	}
	return s->path.len == len && !memcmp(s->path.s, real, len);
}

void state_join(struct app_state *s, const struct process_state *p, const char *base,
		const char *path, size_t len)
{
	struct links_way way = {s, p->fs->root ? p->fs->root : ""};
	s->links.n_followed = 0;
	strbuf_reset(&s->path);
	if (!len || path[0] != '/')
		path_add(&s->path, base, strlen(base), NULL);
	path_add(&s->path, path, len, &(struct path_links){links_follow, &way});
	if (!s->path.len)
		strbuf_addch(&s->path, '/');
}
