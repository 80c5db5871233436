/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/tree.h"

#include <gsl/gsl_randist.h>

#include "microbench/draw.h"

enum { MAX_DEPTH = 32 };
#define MAX_SIZE (UINT64_C(1) << 30)

struct layout {
	struct tree *tree;
	gsl_rng *rng;
	double width, depth; /* means */
	size_t n_wanted;
};

uint64_t tree_size(gsl_rng *rng, double mean, double shape)
{
	double n = round(gsl_ran_gamma(rng, shape, mean / shape));
	return n < 1 ? 1 : n > (double)MAX_SIZE ? MAX_SIZE : (uint64_t)n;
}

/* Fills `path` with directories or files. The top directory (level 0) is filled until there are
 * enough files. */
static void dir_fill(const struct layout *l, const char *path, unsigned int level)
{
	uint64_t width = tree_size(l->rng, l->width, TREE_SHAPE),
		 depth = tree_size(l->rng, l->depth, TREE_SHAPE);
	struct tree *t = l->tree;
	bool holds_files = level > 0 && (level + 1 >= depth || level == MAX_DEPTH);
	for (uint64_t i = 1; (level == 0 || i <= width) && t->n_files < l->n_wanted; i++) {
		char *entry = xasprintf("%s/%08llu", path, (unsigned long long)i);
		if (holds_files) {
			APPEND(t->file, t->n_files, t->files_cap, (struct tree_file){entry, 0});
			continue;
		}
		APPEND(t->dir, t->n_dirs, t->dirs_cap, entry);
		dir_fill(l, entry, level + 1);
	}
}

void tree_draw(struct tree *t, const char *top, const struct microbench_config *c)
{
	gsl_rng *rng = draw_stream(c->fileset_seed, 0, DRAW_TREE);
	double width = (double)c->dir_width;
	*t = (struct tree){.dir = NULL};
	const struct layout l = {t, rng, width,
				 width > 1 ? log((double)c->n_files) / log(width) : 2, c->n_files};
	APPEND(t->dir, t->n_dirs, t->dirs_cap, xstrdup(top));
	dir_fill(&l, top, 0);
	for (size_t i = 0; i < t->n_files; i++)
		t->file[i].n_bytes = tree_size(rng, (double)c->file_bytes, c->size_shape);
	gsl_rng_free(rng);
}

void tree_release(struct tree *t)
{
	for (size_t i = 0; i < t->n_dirs; i++)
		free(t->dir[i]);
	for (size_t i = 0; i < t->n_files; i++)
		free(t->file[i].path);
	FREE_EACH(t->dir, t->file);
	*t = (struct tree){.dir = NULL};
}

void fileset_add_directory(struct fileset *s, size_t *cap, char *path)
{
	APPEND(s->entry, s->n, *cap, (struct fileset_entry){path, 0, true});
}

void fileset_add_file(struct fileset *s, size_t *cap, char *path, uint64_t n_bytes)
{
	APPEND(s->entry, s->n, *cap, (struct fileset_entry){path, n_bytes, false});
}
