/* SPDX-License-Identifier: GPL-3.0-or-later */
/* If an open of "d/x" gave the file "e/x", either d is a link to e, or d/x is a link to e/x. The
 * shortest path that can be the link is chosen: a directory that is a link is more frequent than
 * links of the same name to each of its files. A path cannot be a link
 * - if it occurs in the name of an open file, which contains no links;
 * - if lstat, mkdir, readlink (EINVAL) or an open with O_NOFOLLOW shows that it is no link;
 * - if another open below it gave a file other than the link would have given. */
#include "capture/formats/strace_private.h"

#include "common/fnv1a.h"

#define SHOWN_MAX 16384u /* each candidate is compared with each path */

static uint64_t path_hash(const char *path, size_t len)
{
	return fnv1a(FNV1A_START, path, len);
}

char *strace_links_real(struct strace_links *l, const struct app_files *f, const char *real)
{
	char *first_real = files_first_path(f, real);
	for (size_t len = strlen(first_real); len; len--)
		if (!first_real[len] || first_real[len] == '/')
			u64_map_at(&l->real, path_hash(first_real, len), 0);
	return first_real;
}

void strace_links_see(struct strace_links *l, const struct app_files *f, const char *name,
		      const char *real, bool made)
{
	char *first_real = strace_links_real(l, f, real);
	char *first_name = strcmp(name, real) ? files_first_path(f, name) : NULL;
	const size_t n = l->n;
	if (first_name && n < SHOWN_MAX &&
	    *u64_map_at(&l->by_name, fnv1a_text(first_name), (uint32_t)n) == n) {
		GROW(l->shown, l->n, l->cap);
		l->shown[l->n++] = (struct shown_path){first_name, first_real, made};
		return;
	}
	FREE_EACH(first_name, first_real);
}

void strace_links_none(struct strace_links *l, const struct app_files *f, const char *name)
{
	SCOPED_FREE char *first = files_first_path(f, name);
	u64_map_at(&l->real, fnv1a_text(first), 0);
}

/* Whether a link from name[len] to `real` would give the file that each open below it gave. */
static bool link_fits(const struct strace_links *l, const char *name, size_t len, const char *real,
		      size_t real_len)
{
	SCOPED_STRBUF path = STRBUF_INIT;
	bool fits = true;
	for (size_t i = 0; i < l->n && fits; i++) {
		const struct shown_path *s = &l->shown[i];
		if (strncmp(s->name, name, len) || s->name[len] != '/')
			continue;
		strbuf_reset(&path);
		strbuf_add(&path, real, real_len);
		strbuf_addstr(&path, s->name + len);
		const uint64_t at = path_hash(path.s, path.len);
		const uint32_t *known = u64_map_find(&l->by_name, at);
		if (known)
			fits = !strcmp(l->shown[*known].real, s->real);
		else if (u64_map_find(&l->real, at))
			fits = !strcmp(path.s, s->real);
	}
	return fits;
}

/* Text of a link at `name` that leads to `real`, relative to the link's directory. */
static void link_text(struct strbuf *to, const char *name, const char *real)
{
	size_t common = 0;
	for (size_t i = 0; name[i] && name[i] == real[i]; i++)
		if (name[i] == '/')
			common = i + 1;
	strbuf_reset(to);
	for (const char *slash = name + common; (slash = strchr(slash, '/')); slash++)
		strbuf_addstr(to, "../");
	strbuf_addstr(to, real + common);
}

/* Length of the common end of both paths in bytes, in whole components; never a whole path. */
static size_t common_end(const char *name, const char *real)
{
	size_t same = 0, n = strlen(name), m = strlen(real);
	for (size_t i = 1; i < n && i < m && name[n - i] == real[m - i]; i++)
		if (name[n - i] == '/')
			same = i;
	return same;
}

/* Length of the part of the name that is the link; 0: no part can be the link. `links`: hashes of
 * the paths decided so far; the value tells whether the path is a link. */
static size_t link_choose(const struct strace_links *l, const struct shown_path *s,
			  struct u64_map *links)
{
	const size_t name_len = strlen(s->name), real_len = strlen(s->real);
	const size_t end = common_end(s->name, s->real);
	for (size_t len = name_len - end; len <= name_len; len++) {
		if (s->name[len] && s->name[len] != '/')
			continue;
		const size_t target = real_len - (name_len - len);
		const bool into_itself = !strncmp(s->real, s->name, len) &&
					 (target == len || s->real[len] == '/');
		const uint64_t at = path_hash(s->name, len);
		uint32_t *is_link = u64_map_at(links, at, 2);
		if (*is_link == 2)
			*is_link = !into_itself && !u64_map_find(&l->real, at) &&
				   (len < name_len ? link_fits(l, s->name, len, s->real, target)
						   : !s->made);
		if (*is_link)
			return len;
	}
	return 0;
}

/* Whether a directory in `name` is a link. */
static bool below_link(struct u64_map *links, const char *name, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (name[i] == '/' && *u64_map_at(links, path_hash(name, i), 0) == 1)
			return true;
	return false;
}

void strace_links_settle(struct strace_links *l, struct app_files *f)
{
	struct u64_map links = {.cell = NULL};
	struct strbuf text = STRBUF_INIT;
	size_t *len = xcalloc(l->n + 1, sizeof *len);
	for (size_t i = 0; i < l->n; i++)
		len[i] = link_choose(l, &l->shown[i], &links);
	for (size_t i = 0; i < l->n; i++) {
		struct shown_path *s = &l->shown[i];
		if (!len[i])
			continue;
		s->real[strlen(s->real) - (strlen(s->name) - len[i])] = '\0';
		s->name[len[i]] = '\0';
		if (below_link(&links, s->name, len[i])) { /* its directory is a link */
			strbuf_reset(&text);
			strbuf_addf(&text, "/%s", s->real);
		} else {
			link_text(&text, s->name, s->real);
		}
		files_link_to(f, s->name, text.s);
	}
	free(len);
	strbuf_release(&text);
	u64_map_release(&links);
}

void strace_links_release(struct strace_links *l)
{
	for (size_t i = 0; i < l->n; i++)
		FREE_EACH(l->shown[i].name, l->shown[i].real);
	free(l->shown);
	u64_map_release(&l->by_name);
	u64_map_release(&l->real);
	*l = (struct strace_links){.n = 0};
}
