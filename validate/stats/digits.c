/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The decimal conversion of the C library rounds correctly, which log10 and division do not at 0.95
 * or 1e22. */
static enum stat_status rounded_text(double u, int digits, char *text, size_t size)
{
	if (!(u > 0) || !isfinite(u) || digits < 1 || digits > 15)
		return STAT_OUT_OF_RANGE;
	snprintf(text, size, "%.*e", digits - 1, u);
	return STAT_OK;
}

enum stat_status round_to_digits(double u, int digits, double *rounded)
{
	char text[40];
	enum stat_status s = rounded_text(u, digits, text, sizeof text);
	if (!s)
		*rounded = strtod(text, NULL);
	return s;
}

enum stat_status numerical_tolerance(double u, int digits, double *delta)
{
	char text[40], tenth[40], *e = text;
	enum stat_status s = rounded_text(u, digits, text, sizeof text);
	if (s)
		return s;
	while (*e && *e != 'e')
		e++;
	snprintf(tenth, sizeof tenth, "0.5e%d", atoi(e + 1) - (digits - 1));
	*delta = strtod(tenth, NULL);
	return STAT_OK;
}
