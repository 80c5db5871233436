/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting many paths, most of which begin alike. */
#ifndef REPLAY_PATH_SORT_H
#define REPLAY_PATH_SORT_H

#include <stdint.h>

/* The order of strcmp: order[n] are the indices into path[n], which may not have two that are
 * equal. Ownership: the caller frees. */
uint32_t *path_sort(const char *const *path, uint32_t n);

#endif
