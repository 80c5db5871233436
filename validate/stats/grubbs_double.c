/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Critical values of Grubbs' double test, by simulation (group_classes.h): p = 4..40, at 5 % and 1
 * %. */
#include "validate/stats/group_classes.h"

static const double critical[][2] = {
    {0.00019, 0.00001}, {0.00898, 0.00178}, {0.03489, 0.01160}, {0.07083, 0.03076}, {0.11024, 0.05646},
    {0.14929, 0.08502}, {0.18632, 0.11448}, {0.22122, 0.14500}, {0.25345, 0.17345}, {0.28364, 0.20154},
    {0.31129, 0.22840}, {0.33660, 0.25296}, {0.36035, 0.27676}, {0.38204, 0.29881}, {0.40276, 0.32058},
    {0.42136, 0.33937}, {0.43906, 0.35863}, {0.45554, 0.37591}, {0.47124, 0.39287}, {0.48576, 0.40832},
    {0.49930, 0.42350}, {0.51239, 0.43756}, {0.52462, 0.45094}, {0.53607, 0.46388}, {0.54715, 0.47610},
    {0.55740, 0.48762}, {0.56724, 0.49846}, {0.57681, 0.50929}, {0.58563, 0.51920}, {0.59410, 0.52883},
    {0.60223, 0.53782}, {0.61014, 0.54692}, {0.61761, 0.55556}, {0.62478, 0.56355}, {0.63162, 0.57159},
    {0.63832, 0.57939}, {0.64454, 0.58616},
};
enum { FIRST_P = 4, LAST_P = FIRST_P + (int)(sizeof critical / sizeof *critical) - 1 };

enum stat_status grubbs_double_critical(double alpha, size_t p, double *g)
{
	if (p < FIRST_P)
		return STAT_TOO_FEW;
	if (p > LAST_P || (alpha != 0.05 && alpha != 0.01))
		return STAT_OUT_OF_RANGE;
	*g = critical[p - FIRST_P][alpha == 0.01];
	return STAT_OK;
}
