/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VALIDATE_STATS_SORT_H
#define VALIDATE_STATS_SORT_H

#include <stddef.h>

/* Ascending, in place; x[n] holds no NaN. -0 comes before 0. */
void doubles_sort(double *x, size_t n);

#endif
