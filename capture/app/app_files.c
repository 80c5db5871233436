/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/fnv1a.h"
#include "common/xalloc.h"

void files_init(struct app_files *f)
{
	*f = (struct app_files){.n_slots = 1024};
	f->slot = xcalloc(f->n_slots, sizeof *f->slot);
}

void files_release(struct app_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->file[i].path);
		free(f->file[i].link);
		free(f->file[i].hole);
	}
	free(f->file);
	free(f->slot);
}

static uint64_t hash(const char *s)
{
	const uint64_t h = fnv1a(FNV1A_START, s, strlen(s));
	return h ^ h >> 29;
}

static uint32_t *slot_of(const struct app_files *f, const char *path)
{
	size_t at = hash(path) & (f->n_slots - 1);
	while (f->slot[at] && strcmp(f->file[f->slot[at] - 1].path, path))
		at = (at + 1) & (f->n_slots - 1);
	return &f->slot[at];
}

static void grow(struct app_files *f)
{
	free(f->slot);
	f->n_slots *= 2;
	f->slot = xcalloc(f->n_slots, sizeof *f->slot);
	for (size_t i = 0; i < f->n; i++)
		*slot_of(f, f->file[i].path) = (uint32_t)i + 1;
}

/* A new entry, or NULL where there is one already. */
static struct known_file *add(struct app_files *f, const char *path)
{
	uint32_t *slot = slot_of(f, path);
	if (*slot)
		return NULL;
	GROW(f->file, f->n, f->cap);
	f->file[f->n] = (struct known_file){.path = xstrdup(path)};
	*slot = (uint32_t)++f->n;
	if (f->n * 2 > f->n_slots)
		grow(f);
	return &f->file[f->n - 1];
}

void files_made(struct app_files *f, const char *path)
{
	add(f, path);
}

/* Ascending and inside the file, or they are none: the record is the program's memory. */
static void holes_see(struct known_file *k, const struct merge_record *r)
{
	uint64_t end = 0;
	k->n_holes = r->extra_len / sizeof *k->hole;
	k->hole = xcalloc(k->n_holes, sizeof *k->hole);
	memcpy(k->hole, r->extra, k->n_holes * sizeof *k->hole);
	for (size_t i = 0; i < k->n_holes; end = k->hole[i].offset + k->hole[i].length, i++)
		if (k->size > INT64_MAX || k->hole[i].offset < end || k->hole[i].offset > k->size ||
		    k->hole[i].length > k->size - k->hole[i].offset) {
			k->n_holes = 0;
			return;
		}
}

void files_see(struct app_files *f, const char *path, const struct merge_record *r)
{
	struct known_file *k = add(f, path);
	if (!k)
		return;
	k->mode = r->r->flags;
	k->size = r->r->length;
	k->holes_cut = r->r->fd == 1;
	if (S_ISLNK(k->mode)) {
		k->link = xcalloc(1, r->extra_len + 1);
		if (r->extra_len)
			memcpy(k->link, r->extra, r->extra_len);
	} else if (S_ISREG(k->mode) && r->extra_len >= sizeof *k->hole) {
		holes_see(k, r);
	}
}

void files_digest(struct app_files *f, const char *path, const struct merge_record *r)
{
	uint32_t slot = *slot_of(f, path);
	struct known_file *k = slot ? &f->file[slot - 1] : NULL;
	if (!k || k->has_digest || !S_ISREG(k->mode) || k->size != r->r->length || r->extra_len != sizeof k->digest)
		return;
	k->has_digest = true;
	memcpy(k->digest, r->extra, sizeof k->digest);
}

static int compare(const void *a, const void *b)
{
	const struct known_file *const *x = a, *const *y = b;
	return strcmp((*x)->path, (*y)->path);
}

/* A link on the way to another entry would be in the way when the set is made: the way is made of directories. */
static bool leads_on(const struct fileset *s, size_t i)
{
	size_t len = strlen(s->entry[i].path);
	for (size_t k = i + 1; k < s->n && !strncmp(s->entry[k].path, s->entry[i].path, len); k++)
		if (s->entry[k].path[len] == '/')
			return true;
	return false;
}

/* What lies in a directory that was not there cannot have been there either: it was brought with the directory. */
static bool below_made(const struct app_files *f, const char *path)
{
	bool made = false;
	char *parent = xstrdup(path);
	for (char *slash = strrchr(parent, '/'); slash && !made; slash = strrchr(parent, '/')) {
		*slash = '\0';
		uint32_t i = *slot_of(f, parent);
		made = i && !f->file[i - 1].mode;
	}
	free(parent);
	return made;
}

static bool is_wanted(const struct app_files *f, const struct known_file *k)
{
	if (below_made(f, k->path))
		return false;
	return (S_ISREG(k->mode) || S_ISDIR(k->mode) || (S_ISLNK(k->mode) && *k->link)) && strcmp(k->path, ".");
}

void files_list(const struct app_files *f, struct fileset *to)
{
	const struct known_file **order = xcalloc(f->n + 1, sizeof *order);
	*to = (struct fileset){.entry = xcalloc(f->n + 1, sizeof *to->entry), .detail = xcalloc(f->n + 1, sizeof *to->detail)};
	for (size_t i = 0; i < f->n; i++)
		if (is_wanted(f, &f->file[i]))
			order[to->n++] = &f->file[i];
	qsort(order, to->n, sizeof *order, compare);
	for (size_t i = 0; i < to->n; i++) {
		const struct known_file *k = order[i];
		to->entry[i].path = k->path;
		to->entry[i].directory = S_ISDIR(k->mode);
		to->entry[i].size = S_ISREG(k->mode) ? k->size : 0;
		to->detail[i] = (struct fileset_detail){.mode = k->mode & 07777,
							.link = k->link,
							.hole = k->hole,
							.n_holes = k->n_holes,
							.holes_cut = k->holes_cut,
							.has_digest = k->has_digest};
		memcpy(to->detail[i].digest, k->digest, sizeof k->digest);
	}
	for (size_t i = 0; i < to->n; i++)
		if (to->detail[i].link && leads_on(to, i)) {
			to->detail[i].link = NULL;
			to->entry[i].directory = true;
		}
	free(order);
}
