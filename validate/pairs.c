/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs count, and with which they are compared. */
#include <stdio.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/analysis_private.h"

static bool is_replicate(const struct run *run)
{
	return run->block > 0 && run->role != ROLE_RECORD;
}

unsigned int blocks_complete(const struct results *r)
{
	unsigned int n_blocks = 0;
	for (size_t i = 0; i < r->n_runs; i++)
		if (is_replicate(&r->run[i]) && r->run[i].block > n_blocks && r->run[i].block <= r->n_runs)
			n_blocks = r->run[i].block; /* a larger number than there are runs is damage */
	bool *seen = xcalloc((size_t)n_blocks + 1, sizeof *seen),
	     *pending = xcalloc((size_t)n_blocks + 1, sizeof *pending);
	for (size_t i = 0; i < r->n_runs; i++)
		if (is_replicate(&r->run[i]) && r->run[i].block <= n_blocks) {
			seen[r->run[i].block] = true;
			pending[r->run[i].block] |= r->run[i].state == RUN_PENDING;
		}
	unsigned int m = 0;
	while (m < n_blocks && seen[m + 1] && !pending[m + 1])
		m++;
	free(seen);
	free(pending);
	return m;
}

static bool is_good(const struct run *run)
{
	return run && run->state == RUN_OK && run->has_summary;
}

/* The recording of a scenario's bank trace; NULL when it is not there. */
static const struct run *recording(const struct results *r, size_t scenario, uint32_t bank)
{
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->run[i].role == ROLE_RECORD && r->run[i].scenario == scenario && r->run[i].bank == bank)
			return &r->run[i];
	return NULL;
}

static void note_failure(struct cell *c, const struct run *run, const char *who)
{
	if (!c->first_failure[0])
		snprintf(c->first_failure, sizeof c->first_failure, "block %u, %s: %s", run->block, who,
			 run->reason        ? run->reason
			 : run->has_summary ? "failed"
					    : "no summary");
}

static bool has_outcome(const struct run *run)
{
	return run && run->state != RUN_PENDING;
}

/* Takes one block's two runs: a pair, a failure that is counted, or nothing yet. */
static void take_block(struct pairs *p, struct cell *c, const struct run *x, const struct run *r)
{
	if (!has_outcome(x) || !has_outcome(r))
		return;
	c->n_blocks++;
	if (!is_good(r)) {
		c->n_failed_program++;
		note_failure(c, r, "program");
	}
	if (!is_good(x)) {
		c->n_failed_replayer++;
		note_failure(c, x, "replayer");
	}
	if (is_good(x) && is_good(r)) {
		p->x[p->n] = x;
		p->r[p->n++] = r;
	}
}

void pairs_collect(struct pairs *p, struct cell *c, const struct results *r, unsigned int n_blocks)
{
	unsigned int last = 0;
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->run[i].block <= n_blocks && r->run[i].block > last)
			last = r->run[i].block;
	const struct run **x = xcalloc((size_t)last + 1, sizeof *x), **ref = xcalloc((size_t)last + 1, sizeof *ref);
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct run *run = &r->run[i];
		if (!is_replicate(run) || run->block > last || run->scenario != c->scenario)
			continue;
		if (run->role == ROLE_PROGRAM)
			ref[run->block] = run;
		else if (run->role >= 0 && (size_t)run->role == c->replayer)
			x[run->block] = run;
	}
	*p = (struct pairs){xcalloc((size_t)last + 1, sizeof *p->x), xcalloc((size_t)last + 1, sizeof *p->r), 0};
	for (unsigned int b = 1; b <= last; b++) {
		if (r->protocol.reference == REFERENCE_TRACE && x[b])
			ref[b] = recording(r, c->scenario, x[b]->bank);
		take_block(p, c, x[b], ref[b]);
	}
	free(x);
	free(ref);
	c->n_pairs = (unsigned int)p->n;
	/* replays of one recording share its one reference value: their scatter says nothing about the reference's */
	for (size_t i = 1; i < p->n && r->protocol.reference == REFERENCE_TRACE; i++)
		for (size_t j = 0; j < i; j++)
			c->single_reference |= p->r[i] == p->r[j];
}

void pairs_release(struct pairs *p)
{
	free(p->x);
	free(p->r);
	*p = (struct pairs){0};
}
