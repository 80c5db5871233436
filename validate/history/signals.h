/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Excursions of charts that have limits. */
#ifndef VALIDATE_HISTORY_SIGNALS_H
#define VALIDATE_HISTORY_SIGNALS_H

#include "validate/history/charts.h"

/* Fills c->signal from x, z, cusum and ewma. */
void signals_find(struct history_charts *c, const struct history *h);

#endif
