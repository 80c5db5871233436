/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/units.h"
#include "reports/first_screen.h"

#include "reports/words.h"

static void add_to_group(struct finding_group *g, const struct component *p, size_t cell)
{
	size_t i = 0;
	while (i < g->n_findings && strcmp(g->finding[i].reason, p->reason))
		i++;
	if (i == g->n_findings) {
		GROW(g->finding, g->n_findings, g->cap_findings);
		g->finding[g->n_findings++] = (struct finding){.reason = p->reason};
	}
	struct finding *f = &g->finding[i];
	APPEND(f->cell, f->n_cells, f->cap_cells, cell);
	g->n_cells++;
	if (p->impractical)
		g->n_impractical++;
	else if (!p->n_more && p->n_more_recorded)
		g->n_unrecorded++;
	else if (p->n_more > g->n_more)
		g->n_more = p->n_more;
}

static void collect_group(struct findings *f, const struct analysis *a, enum component_kind k,
			  enum decision d)
{
	struct finding_group g = {.kind = k, .decision = d};
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].component[k].decision == d)
			add_to_group(&g, &a->cell[i].component[k], i);
	if (!g.n_cells)
		return;
	APPEND(f->group, f->n_groups, f->cap_groups, g);
}

static void add_warning(struct findings *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void add_warning(struct findings *f, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	APPEND(f->warning, f->n_warnings, f->cap_warnings, strbuf_detach(&b));
}

static void warn_runs(struct findings *f, const struct analysis *a)
{
	const struct results *r = a->results;
	size_t n_failed = 0, n_pending = 0;
	const struct run *first = NULL;
	for (size_t i = 0; i < r->n_runs; i++) {
		n_pending += r->run[i].state == RUN_PENDING;
		n_failed += r->run[i].state == RUN_FAILED;
		if (r->run[i].state == RUN_FAILED && !first)
			first = &r->run[i];
	}
	/* in a complete campaign, pending runs belong to looks that were not needed */
	if (!a->complete)
		add_warning(f, "The campaign is incomplete: %zu of %zu planned runs %s not made. "
			"\"validate run -o DIR --resume\" continues it.", n_pending, r->n_runs,
			n_pending == 1 ? "was" : "were");
	if (first)
		add_warning(f, "%zu of %zu runs failed. The first is run %u: %s", n_failed,
			r->n_runs, (unsigned int)first->id,
			first->reason && *first->reason ? first->reason : "no reason was recorded");
	if (r->seal.state == SEAL_BROKEN)
		add_warning(f, "The results were changed after the campaign, so they have no "
			"verdict: %s%s.", r->seal.changes,
			r->seal.n_changes > 3 ? "; and more" : "");
	if (r->seal.state == SEAL_ABSENT)
		add_warning(f, "The results are not sealed: an earlier version of validate wrote "
			"part of them, or the start of the journal was damaged. So changes to "
			"some result files cannot be detected.");
	if (r->n_damaged_journal_lines)
		add_warning(f, "The journal has %zu damaged line%s, which this report ignores.",
			    r->n_damaged_journal_lines, r->n_damaged_journal_lines == 1 ? "" : "s");
}

/* Whether the warnings about runs already describe this kind of source, with the first reason and
 * the remedy. */
static bool said_already(enum source_kind k)
{
	return k == SOURCE_FAILED_RUNS || k == SOURCE_JOURNAL || k == SOURCE_UNFINISHED ||
	       k == SOURCE_EVENTS_LOST;
}

static void collect_warnings(struct findings *f, const struct analysis *a)
{
	if (!a->n_cells)
		add_warning(f, "No replayer has a complete block (one run of the program and one "
			"of the replayer) in any scenario: nothing could be judged.");
	warn_runs(f, a);
	if (a->n_events_lost)
		add_warning(f, "The capture lost %llu event%s: the traces are incomplete.",
			    (unsigned long long)a->n_events_lost, a->n_events_lost == 1 ? "" : "s");
	if (!a->look && a->n_cells)
		add_warning(f, "The campaign has not reached its first planned decision (look). "
			"The numbers are preliminary, and there is no verdict yet.");
	for (size_t i = 0; i < a->n_sources; i++)
		if (a->source[i].warning && !said_already(a->source[i].kind))
			add_warning(f, "%s: %s", a->source[i].name,
				*a->source[i].note ? a->source[i].note
						   : "could not be controlled as requested");
	if (!protocol_in_detail(&a->results->protocol))
		add_warning(f, "The campaign has more than %d cases, so the report leaves out the "
			"Monte Carlo intervals, and the figures that show the course of a run.",
			PROTOCOL_DETAIL_CASES);
	if (a->results->protocol.reference == REFERENCE_TRACE)
		add_warning(f, "The reference is the recorded trace. The program was not run again "
			"between the replays, so drift of the machine is part of the bias.");
}

void findings_collect(struct findings *f, const struct analysis *a)
{
	*f = (struct findings){0};
	for (int k = 0; k < COMPONENT_N; k++)
		collect_group(f, a, k, DECISION_REJECT);
	/* before the first look, nothing is decided */
	for (int k = 0; k < COMPONENT_N && a->look; k++)
		collect_group(f, a, k, DECISION_INCONCLUSIVE);
	collect_warnings(f, a);
}

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		for (size_t k = 0; k < f->group[i].n_findings; k++)
			free(f->group[i].finding[k].cell);
		free(f->group[i].finding);
	}
	for (size_t i = 0; i < f->n_warnings; i++)
		free(f->warning[i]);
	FREE_EACH(f->group, f->warning);
	*f = (struct findings){0};
}
