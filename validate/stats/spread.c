/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/spread.h"

double spread_df(const double *x, size_t n, const struct sample_moments *m, double least_excess)
{
	double fourth = 0, k = (double)n;
	if (n < 4 || m->sd <= 0)
		return 1;
	for (size_t i = 0; i < n; i++)
		fourth += pow((x[i] - m->mean) / m->sd, 4);
	double excess = k * (k + 1) / ((k - 1) * (k - 2) * (k - 3)) * fourth -
			3 * (k - 1) * (k - 1) / ((k - 2) * (k - 3));
	excess = fmax(excess, least_excess);
	return excess <= 0 ? k - 1 : fmax(1, 2 * k / (excess + 2 * k / (k - 1)));
}

double spread_df_most(double n)
{
	return fmax(1, 1.15 * sqrt(n));
}

void spread_allow_hidden(size_t n, const struct serial *order, double *sd, double *nu)
{
	struct serial square = serial_product(order, order, n);
	double k = (double)n, left = fmax(1e-9, k - order->inflation);
	*sd *= sqrt((k - 1) / left);
	*nu = fmin(fmax(1, *nu / square.inflation), spread_df_most(k));
}
