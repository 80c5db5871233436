/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/run_index.h"

#include <stdlib.h>

#include "common/xalloc.h"

void results_index(struct results *r)
{
	const size_t n_scenarios = r->protocol.n_scenarios;
	results_index_release(r);
	r->first_of = xcalloc(n_scenarios + 1, sizeof *r->first_of);
	r->next_of = xcalloc(r->n_runs + 1, sizeof *r->next_of);
	for (size_t i = r->n_runs; i-- > 0;) {
		const uint32_t scenario = r->run[i].scenario;
		if (scenario >= n_scenarios)
			continue;
		r->next_of[i] = r->first_of[scenario];
		r->first_of[scenario] = &r->run[i];
	}
}

void results_index_release(struct results *r)
{
	free(r->first_of);
	free(r->next_of);
	r->first_of = r->next_of = NULL;
}

const struct run *run_of_scenario(const struct results *r, size_t scenario,
				  const struct run *before)
{
	if (r->first_of && scenario < r->protocol.n_scenarios)
		return before ? r->next_of[before - r->run] : r->first_of[scenario];
	for (size_t i = before ? (size_t)(before - r->run) + 1 : 0; i < r->n_runs; i++)
		if (r->run[i].scenario == scenario)
			return &r->run[i];
	return NULL;
}
