/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>

#include "capture/causality/merge_private.h"
#include "common/xalloc.h"

/* What the waiters were seen to go on behind is not all that they waited for: rather too little than what cannot be. */
static int links_gather(struct causality_links *l, const struct causality_run *run, uint32_t n_runs, uint32_t n_nodes, const uint64_t *n_requests,
			struct causality_merge_counts *counts, struct err *e)
{
	struct err first = ERR_INIT;
	int rc = edges_gather(l, run, n_runs, n_nodes, n_requests, true, &counts->n_edges_seen, e);
	if (rc)
		return rc;
	rc = causality_links_reduce(l, &first);
	counts->at_once = rc == -ELOOP;
	if (!counts->at_once)
		return rc ? err_set(e, -rc, "%s", first.msg) : 0;
	causality_links_release(l);
	rc = edges_gather(l, run, n_runs, n_nodes, n_requests, false, &counts->n_edges_seen, e);
	return rc ? rc : causality_links_reduce(l, e);
}

static int gather(struct causality_links *l, struct computes *c, const struct causality_run *run, uint32_t n_runs, const struct causality_facts *facts,
		  const char *output, struct causality_merge_counts *counts, uint64_t *n_requests, struct err *e)
{
	struct causality_barriers barriers = {0};
	char *copy = xstrdup(output);
	int rc = requests_compare(run, n_runs, facts->n_nodes, n_requests, e);
	rc = rc ? rc : links_gather(l, run, n_runs, facts->n_nodes, n_requests, counts, e);
	rc = rc ? rc : causality_barriers_find(&barriers, l, e);
	if (!rc && facts->by_throttling)
		rc = computes_gather(c, run, n_runs, n_requests, facts->n_nodes, dirname(copy), e);
	for (uint32_t i = 0; !rc && i < facts->n_nodes; i++)
		counts->n_requests += n_requests[i];
	counts->n_edges_left = l->n;
	counts->n_barriers = barriers.n;
	causality_barriers_release(&barriers);
	free(copy);
	return rc;
}

int causality_merge(const struct causality_run *run, uint32_t n_runs, const struct causality_facts *facts, const char *output,
		    struct causality_merge_counts *counts, struct err *e)
{
	struct causality_links l = {0};
	struct computes c = {0};
	*counts = (struct causality_merge_counts){0};
	if (!n_runs || !facts->n_nodes || facts->n_nodes > CAUSALITY_MAX_NODES)
		return err_set(e, EINVAL, "%" PRIu32 " runs of %" PRIu32 " nodes cannot be merged", n_runs, facts->n_nodes);
	uint64_t *n_requests = xcalloc(facts->n_nodes, sizeof *n_requests);
	int rc = gather(&l, &c, run, n_runs, facts, output, counts, n_requests, e);
	rc = rc ? rc : merge_write(&run[0], &l, &c, facts, output, &counts->n_left_out, e);
	computes_release(&c);
	causality_links_release(&l);
	free(n_requests);
	return rc;
}
