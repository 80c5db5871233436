/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/rectangular.h"

#include <math.h>

static double above(unsigned int n, double x)
{
	double sum = 0, choose = 1, factorial = 1;
	for (unsigned int k = 0; k < n && n - x - k > 0; k++) {
		sum += (k % 2 ? -1 : 1) * choose * pow(n - x - k, n);
		choose *= (double)(n - k) / (k + 1);
	}
	for (unsigned int k = 2; k <= n; k++)
		factorial *= k;
	return sum / factorial;
}

enum stat_status rectangular_sum_halfwidth(unsigned int n, double sd, double coverage, double *h)
{
	if (n < 1 || n > 20 || !(sd > 0) || !isfinite(sd) || !(coverage > 0 && coverage < 1))
		return STAT_OUT_OF_RANGE;
	double low = n / 2.0, high = n, tail = (1 - coverage) / 2;
	for (int i = 0; i < 200 && high > low; i++) {
		double middle = (low + high) / 2;
		if (middle == low || middle == high)
			break;
		if (above(n, middle) > tail)
			low = middle;
		else
			high = middle;
	}
	/* a width of 1 has standard deviation 1/sqrt 12 */
	*h = (high - n / 2.0) * 2 * sqrt(3) * sd;
	return STAT_OK;
}
