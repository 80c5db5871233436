/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits paths before the run into a directory, which the run looks up inside the target, and a
 * name in it. */

#include "common/fnv1a.h"
#include "replay/plan/call_table_private.h"

static uint32_t place_find(struct call_table *c, struct call_places *t, const char *path,
			   size_t len)
{
	for (uint64_t hash = fnv1a(FNV1A_START, path, len);; hash++) {
		uint32_t *known = u64_map_at(&t->of_hash, hash, c->n_places);
		if (*known < c->n_places) {
			if (strlen(c->place[*known]) == len && !memcmp(c->place[*known], path, len))
				return *known;
			continue;
		}
		GROW(c->place, c->n_places, c->places_cap);
		char *copy = xcalloc(1, len + 1);
		memcpy(copy, path, len);
		c->place[c->n_places] = copy;
		return c->n_places++;
	}
}

/* The directory and the last component. Trailing slash: the name must be a directory unless
 * `on_name` is set; then the slash stays in the name and the kernel decides, without following a
 * link. */
static struct call_path path_split(struct call_table *c, const char *whole, bool on_name)
{
	size_t end = strlen(whole);
	while (on_name && end > 1 && whole[end - 1] == '/')
		end--;
	const char *slash = memrchr(whole, '/', end), *last = slash ? slash + 1 : whole;
	const size_t len = (size_t)(whole + end - last);
	const bool is_place =
	    !len || (len == 1 && *last == '.') || (len == 2 && !memcmp(last, "..", 2));
	struct call_path p = {.whole = whole, .last = is_place ? "." : last};
	if (is_place)
		p.place = place_find(c, c->places_laid, whole, strlen(whole));
	else if (slash)
		p.place = place_find(c, c->places_laid, whole,
				     slash == whole ? 1 : (size_t)(slash - whole));
	return p;
}

uint32_t call_path_lay(struct call_table *c, const struct slots *s, uint32_t name, bool on_name)
{
	if (name == NONE32)
		return 0;
	const char *whole = s->file[name].name;
	const size_t len = strlen(whole);
	uint32_t *known = &c->places_laid->path_of[name], own = 0;
	if (on_name && len && whole[len - 1] == '/')
		known = &own; /* differs from the path that look-ups use */
	if (!*known) {
		GROW(c->path, c->n_paths, c->paths_cap);
		c->path[c->n_paths] = path_split(c, whole, on_name);
		*known = c->n_paths++;
	}
	return *known;
}

uint32_t call_path_lay_inside(struct call_table *c, const struct slots *s, uint32_t name)
{
	if (name == NONE32)
		return 0;
	const char *whole = s->file[name].name;
	GROW(c->path, c->n_paths, c->paths_cap);
	c->path[c->n_paths] = (struct call_path){
		.whole = whole,
		.last = ".",
		.place = place_find(c, c->places_laid, whole, strlen(whole)),
	};
	return c->n_paths++;
}

void call_paths_begin(struct call_table *c, const struct slots *s)
{
	c->places_laid = xcalloc(1, sizeof *c->places_laid);
	c->places_laid->path_of = xcalloc((size_t)s->n_files + 1, sizeof *c->places_laid->path_of);
	place_find(c, c->places_laid, "", 0);
	GROW(c->path, c->n_paths, c->paths_cap);
	c->path[c->n_paths++] = (struct call_path){.whole = "", .last = ""};
}

