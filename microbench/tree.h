/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A random tree of files, laid out as a filebench file set. The number of entries per directory is
 * gamma-distributed around the mean width; depths are gamma-distributed around ln(files) /
 * ln(width). The deepest directories contain the files, other directories contain directories.
 * Sizes are gamma-distributed. The default of the shape parameter is 1.5, as in filebench.
 *
 * Source: metrology paper, section III-D (sizes); filebench 1.5, its manual's section on file sets
 * and its fileserver personality (dirwidth 20, shape 1.5). */
#pragma once

#include <gsl/gsl_rng.h>

#include "microbench/microbench.h"

#define TREE_SHAPE 1.5

struct tree_file {
	char *path; /* relative to the target directory */
	uint64_t n_bytes;
};

struct tree {
	char **dir; /* dir[n_dirs], parents before their content */
	size_t n_dirs, dirs_cap;
	struct tree_file *file; /* file[n_files] */
	size_t n_files, files_cap;
};

/* Draws --files files below directory `top`, with directories of --dir-width entries and sizes with
 * mean --file-size and shape --size-shape, from --fileset-seed. Ownership:
 * tree_release. */
void tree_draw(struct tree *t, const char *top, const struct microbench_config *c);
void tree_release(struct tree *t);

/* A gamma-distributed size in bytes, at least 1 and at most 2^30. */
uint64_t tree_size(gsl_rng *rng, double mean, double shape);

/* Appends an entry to a set, which takes ownership of the string. */
void fileset_add_directory(struct fileset *s, size_t *cap, char *path);
void fileset_add_file(struct fileset *s, size_t *cap, char *path, uint64_t n_bytes);
