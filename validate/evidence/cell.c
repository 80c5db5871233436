/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/evidence/cell.h"

const double analysis_quantiles[QUANTILES_N] = {0.5, 0.9, 0.99, 0.999};

const char *const decision_names[] = {"accept", "reject", "inconclusive", "not assessed",
				      "not applicable", NULL};
const char *const verdict_names[] = {"trusted", "not trusted", "inconclusive", NULL};

const char *decision_name(enum decision d)
{
	return decision_names[d];
}

const char *verdict_name(enum verdict v)
{
	return verdict_names[v];
}
