/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Barriers of many nodes, found while the edges of a capture's runs are read. If a barrier has n
 * nodes, n runs find n - 1 edges each. All these edges say the same: while a request of one node
 * was held, the others waited at the same places. A *join* replaces them by n edges to a node that
 * does not exist and n edges from it. */
#pragma once

#include "capture/causality/causality.h"

struct joins;

void joins_open(struct joins **j, uint32_t n_nodes);
/* Takes edges of a run that may belong to a barrier. edge[n]: in the order in which the requests
 * were held. Returns the number of the other edges, which are then the first in edge[]. */
uint64_t joins_take(struct joins *j, struct causality_edge *edge, uint64_t n);
/* Makes the last run of a merge (causality_run.n_joins) from the edges that were taken. The caller
 * frees to->edge. */
void joins_finish(const struct joins *j, struct causality_run *to);
void joins_close(struct joins *j);
