/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the response times of all requests of a cell's replays are from those of the program, runs pooled: they depend on each
 * other, so there is no test. */
#ifndef VALIDATE_ANALYSIS_DISTANCES_H
#define VALIDATE_ANALYSIS_DISTANCES_H

#include "validate/analysis/analysis.h"

/* Sets ks_distance and wasserstein of every cell, from the runs' histograms, which are read for it; they stay NaN in large campaigns
 * (protocol_in_detail()) and where a run's histogram cannot be had. */
void distances_compute(struct analysis *a);

#endif
