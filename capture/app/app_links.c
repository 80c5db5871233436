/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves names that were reached through a link to the link's target. Afterwards, no entry of the
 * set is below a link. */

#include "capture/app/app_files.h"
#include "common/sort.h"

#define LINKS_MAX 40 /* the kernel's limit of links in a path */

/* Index of the link with the path path[len], or `s->n`. The set is sorted by path. */
static size_t link_find(const struct fileset *s, const char *path, size_t len)
{
	size_t at = 0;
	BISECT(at, s->n, i, strncmp(s->entry[i].path, path, len) < 0)
	const bool found = at < s->n && !strncmp(s->entry[at].path, path, len) &&
			   !s->entry[at].path[len]; /* longer paths follow */
	return found && s->detail[at].link ? at : s->n;
}

/* The first link in the path. *len: length of the path up to this link. */
static size_t link_on_way(const struct fileset *s, const char *path, size_t *len)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*len = (size_t)(slash - path);
		const size_t i = link_find(s, path, *len);
		if (i < s->n)
			return i;
	}
	return s->n;
}

/* Resolves all links in the path below the root. NULL: no link, or too many links. */
static char *path_resolved(const struct fileset *s, const char *path)
{
	struct strbuf now = STRBUF_INIT, next = STRBUF_INIT, joined = STRBUF_INIT;
	size_t len, link;
	unsigned int n = 0;
	strbuf_addstr(&now, path);
	while (n <= LINKS_MAX && (link = link_on_way(s, now.s, &len)) < s->n) {
		const char *last = memrchr(now.s, '/', len);
		strbuf_reset(&next);
		strbuf_addf(&next, "%s%s", s->detail[link].link, now.s + len);
		now.s[last ? last - now.s : 0] = '\0';
		path_join(&joined, now.s, next.s, next.len);
		strbuf_reset(&now);
		strbuf_addstr(&now, joined.s + 1);
		n++;
	}
	strbuf_release(&next);
	strbuf_release(&joined);
	if (n && n <= LINKS_MAX && now.len)
		return strbuf_detach(&now);
	strbuf_release(&now);
	return NULL;
}

static bool leads_on(const struct fileset *s, size_t i)
{
	size_t len = strlen(s->entry[i].path);
	for (size_t k = i + 1; k < s->n && !strncmp(s->entry[k].path, s->entry[i].path, len); k++)
		if (s->entry[k].path[len] == '/')
			return true;
	return false;
}

struct app_found {
	struct fileset_entry entry;
	struct fileset_detail detail;
	size_t at; /* number of the file in the order of time */
};

static int compare_found(const void *a, const void *b)
{
	const struct app_found *x = a, *y = b;
	const int order = strcmp(x->entry.path, y->entry.path);
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Whether the path is `of`, or below it. */
static bool is_below(const char *path, const char *of, size_t len)
{
	return !strncmp(path, of, len) && (!path[len] || path[len] == '/');
}

/* Excludes the files that were found at `path`, or below it, after the program made this name at
 * `at`. */
static void made_exclude(struct app_found *all, size_t n, const char *path, size_t at)
{
	const size_t len = strlen(path);
	size_t from = 0;
	BISECT(from, n, i, strcmp(all[i].entry.path, path) < 0)
	for (; from < n && !strncmp(all[from].entry.path, path, len); from++)
		if (is_below(all[from].entry.path, path, len) && all[from].at > at)
			all[from].at = SIZE_MAX;
}

void files_through_links(struct app_files *f, const struct known_file **order, struct fileset *s)
{
	SCOPED_FREE struct app_found *all = xcalloc(s->n + 1, sizeof *all);
	SCOPED_FREE char **made = xcalloc(f->n + 1, sizeof *made);
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++)
		if (!f->file[i].mode && !f->file[i].unknown)
			made[i] = path_resolved(s, f->file[i].path);
	for (size_t i = 0; i < s->n; i++) {
		char *path = path_resolved(s, s->entry[i].path);
		all[i] = (struct app_found){s->entry[i], s->detail[i],
					    (size_t)(order[i] - f->file)};
		if (!path)
			continue;
		GROW(f->moved, f->n_moved, f->moved_cap);
		all[i].entry.path = f->moved[f->n_moved++] = path;
	}
	qsort(all, s->n, sizeof *all, compare_found);
	for (size_t i = 0; i < f->n; i++) {
		if (made[i])
			made_exclude(all, s->n, made[i], i);
		free(made[i]);
	}
	for (size_t i = 0; i < s->n; i++) {
		if (all[i].at == SIZE_MAX ||
		    (n && !strcmp(s->entry[n - 1].path, all[i].entry.path)))
			continue;
		s->entry[n] = all[i].entry;
		s->detail[n++] = all[i].detail;
	}
	s->n = n;
	for (size_t i = 0; i < s->n; i++)
		if (s->detail[i].link && leads_on(s, i)) { /* links that form a circle */
			s->detail[i].link = NULL;
			s->entry[i].directory = true;
		}
}
