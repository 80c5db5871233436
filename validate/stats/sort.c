/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/sort.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;
	if (a != b)
		return a < b ? -1 : 1;
	return (signbit(b) != 0) - (signbit(a) != 0);
}

void doubles_sort(double *x, size_t n)
{
	qsort(x, n, sizeof *x, compare);
}
