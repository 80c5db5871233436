/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to do next: a single command, which depends on what the inconclusive cases need. */

#include "common/options.h"
#include "common/units.h"
#include "reports/escape.h"
#include "reports/words.h"
#include "reports/first_screen.h"
#include "validate/analysis/analysis.h"
#include "validate/analysis/tendency.h"

#define MOST_REASON 240 /* columns of a reason */

static void add_time(struct strbuf *out, double seconds)
{
	if (seconds <= 0)
		return;
	strbuf_addstr(out, " (about ");
	if (seconds > 7200)
		strbuf_addf(out, "%.0f h)", ceil(seconds / 3600));
	else if (seconds > 90)
		strbuf_addf(out, "%.0f min)", ceil(seconds / 60));
	else
		strbuf_addf(out, "%.0f s)", ceil(seconds));
}

/* Number of further pairs that would decide the case; 0: it is decided, no practical number is
 * known, or its verdict does not count. `recorded`: if each replicate has its own recording. */
static uint64_t cell_needs(const struct analysis *a, const struct cell *c, bool recorded)
{
	const bool is_open = c->verdict == VERDICT_INCONCLUSIVE && cell_counts(a, c) &&
			     !cell_claims_unjudged(c);
	const uint64_t more = is_open ? cell_further(&a->results->protocol, c, recorded) : 0;
	return more == FURTHER_IMPRACTICAL ? 0 : more;
}

/* The largest cell_needs() of all cases. *n: the number of cases that a practical number of pairs
 * decides. */
static uint64_t pairs_needed(const struct analysis *a, size_t *n, bool recorded)
{
	uint64_t most = 0;
	*n = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		uint64_t more = cell_needs(a, &a->cell[i], recorded);
		*n += more > 0;
		most = more > most ? more : most;
	}
	return most;
}

static size_t runs_left(const struct results *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n_runs; i++)
		n += r->run[i].state == RUN_PENDING;
	return n;
}

/* Seconds until the inconclusive cases are decided. In a campaign with a budget, only their
 * scenarios run. */
static double more_s(const struct analysis *a, double seconds, bool recorded)
{
	const struct results *r = a->results;
	double n_groups = 0, more = 0;
	for (size_t i = 0; i < r->n_runs; i++)
		n_groups += r->run[i].role == ROLE_PROGRAM && r->run[i].state != RUN_PENDING;
	for (size_t s = 0; s < r->protocol.n_scenarios; s++) {
		uint64_t most = 0;
		for (size_t i = 0; i < a->n_cells; i++) {
			const struct cell *c = &a->cell[i];
			uint64_t n = c->scenario == s ? cell_needs(a, c, recorded) : 0;
			most = n > most ? n : most;
		}
		more += (double)most;
	}
	return n_groups > 0 ? seconds * more / n_groups : 0;
}

static void add_decides(struct strbuf *text, const struct analysis *a, size_t n)
{
	if (n < a->n_inconclusive)
		strbuf_addf(text, ". That will probably decide %zu of the %zu inconclusive cases. "
			    "One rejected component is enough to decide a case.",
			    n, a->n_inconclusive);
	else
		strbuf_addf(text,
			    n == 1 ? ". That will probably decide the inconclusive case."
				   : ". That will probably decide the %zu inconclusive cases.",
			    n);
}

static void next_of_budget(struct strbuf *text, struct strbuf *command, const struct analysis *a,
			   const char *dir, double seconds, size_t n)
{
	const double more = more_s(a, seconds, false),
		     spent = fmax(seconds, (double)a->results->protocol.budget_ns * 1e-9);
	strbuf_addstr(text, "Give the inconclusive cases more time");
	add_time(text, more);
	add_decides(text, a, n);
	strbuf_addf(command, "validate run -o %s --resume --budget %.0fmin", dir,
		    ceil((spent + more) / 60));
}

/* Whether the inconclusive cases have as many pairs as the protocol allows. Then more time does not
 * help. */
static bool is_exhausted(const struct analysis *a)
{
	for (const struct cell *c = a->cell; c < a->cell + a->n_cells; c++)
		if (c->verdict == VERDICT_INCONCLUSIVE && cell_needs(a, c, false) &&
		    c->n_pairs < a->results->protocol.n_replicates_max)
			return false;
	return true;
}

static void next_of_replicates(struct strbuf *text, const struct analysis *a, double seconds,
			       uint64_t more, size_t n)
{
	const struct protocol *p = &a->results->protocol;
	const uint64_t most = p->n_replicates_max, wanted = most + (more > most ? more : most);
	const double spent = fmax(seconds, (double)p->budget_ns * 1e-9);
	strbuf_addf(text, "Set replicates = %llu..%llu and budget = %.0fmin in the protocol "
		"and run it again", (unsigned long long)p->n_replicates_min,
		(unsigned long long)wanted, ceil((spent + more_s(a, seconds, false)) / 60));
	add_decides(text, a, n);
}

/* Whether more recordings decide more cases, or save a third of the replicates. */
static bool recordings_help(const struct analysis *a)
{
	const uint64_t have = a->n_replicates;
	size_t n, n_recorded;
	const uint64_t more = pairs_needed(a, &n, false),
		       recorded = pairs_needed(a, &n_recorded, true);
	return n_recorded > n || 3 * (have + recorded) <= 2 * (have + more);
}

static void next_of_recordings(struct strbuf *text, const struct analysis *a, double seconds)
{
	const struct protocol *p = &a->results->protocol;
	size_t n;
	const uint64_t most = p->budget_ns ? p->n_replicates_max : 0,
		       needed = a->n_replicates + pairs_needed(a, &n, true),
		       wanted = needed > most ? needed : most;
	const double spent = fmax(seconds, (double)p->budget_ns * 1e-9);
	strbuf_addf(text, "Set bank = %llu", (unsigned long long)wanted);
	if (p->budget_ns)
		strbuf_addf(text, ", replicates = %llu..%llu and budget = %.0fmin",
			    (unsigned long long)p->n_replicates_min,
			    (unsigned long long)wanted,
			    ceil((spent + more_s(a, seconds, true)) / 60));
	else
		strbuf_addf(text, " and replicates = %llu", (unsigned long long)wanted);
	strbuf_addstr(text, " in the protocol, so that each replicate has its own recording, and "
			    "run it again");
	add_decides(text, a, n);
}

/* Whether all inconclusive cases are first_screen_is_excluded(). */
static bool all_excluded(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].verdict == VERDICT_INCONCLUSIVE &&
		    !first_screen_is_excluded(&a->cell[i]))
			return false;
	return true;
}

/* Appends the next step before the first look. `seconds`: time until every case has the pairs that
 * a verdict needs. */
static void next_of_early(struct strbuf *text, struct strbuf *command, const struct analysis *a,
			  const char *dir, double seconds)
{
	const struct protocol *p = &a->results->protocol;
	unsigned int fewest = UINT_MAX;
	for (size_t i = 0; i < a->n_cells; i++)
		fewest = a->cell[i].n_pairs < fewest ? a->cell[i].n_pairs : fewest;
	const double wanted =
		p->budget_ns || !p->n_looks ? (double)p->n_replicates_min : (double)p->look[0];
	const double total = seconds * wanted / fmax(fewest, 1);
	strbuf_addf(text, "Too few pairs were made for a verdict: one case has %u, and at least "
		"%.0f are needed. Continue the campaign", fewest, wanted);
	add_time(text, total - seconds);
	strbuf_addch(text, '.');
	strbuf_addf(command, "validate run -o %s --resume", dir);
	if (p->budget_ns)
		strbuf_addf(command, " --budget %.0fmin",
			    ceil(fmax(total, (double)p->budget_ns * 1e-9) / 60) + 1);
}

/* Returns the first case that differs from a recording of another campaign; NULL: none. */
static const struct cell *first_differing(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (cell_tendency(&a->cell[i]) == TENDENCY_DIFFERS)
			return &a->cell[i];
	return NULL;
}

static void next_of_differing(struct strbuf *text, struct strbuf *command, const struct protocol *p,
			      const struct cell *c)
{
	if (c->no_responses) {
		strbuf_addstr(text, "The recording has no response times. Record the program "
				    "itself and judge the new trace.");
		strbuf_addstr(command, scenario_is_below(p, &p->scenario[c->scenario])
					   ? "validate capture block -o TRACE DEVICE -- COMMAND"
					   : "validate capture app --snapshot -o TRACE -- COMMAND");
		return;
	}
	SCOPED_FREE char *trace = scenario_trace_path(p, &p->scenario[c->scenario]);
	strbuf_addstr(text, "If the control replay differs from the recording as much as the "
		"replayer does, the differences do not show a fault of the replayer. Judge against "
		"new runs of the program.");
	strbuf_addstr(command, "validate judge --rerun ");
	shell_word(command, trace);
}

/* True if neither more pairs nor a quieter machine decide the component: a number is missing, or
 * the program's times are too short. */
static bool is_blocked(const struct cell *c, const struct component *m)
{
	const enum tendency tendency = component_tendency(c, m);
	if (m->decision != DECISION_INCONCLUSIVE)
		return false;
	const bool has_plan = m->n_more || m->n_more_recorded || m->impractical;
	return tendency == TENDENCY_NONE || (tendency != TENDENCY_NOISY && !has_plan) ||
	       (m->n_reasons && m->reasons[0].code == REASON_BELOW_LOQ);
}

/* What blocks most of the inconclusive cases: their number, and the component and reason of the
 * first case. */
struct block {
	size_t n;
	const char *what, *reason;
};

static struct block block_of(const struct analysis *a)
{
	struct block most = {0}, excluded = {.what = "the verdict"};
	for (int k = 0; k < COMPONENT_N; k++) {
		struct block b = {.what = component_names[k]};
		for (size_t i = 0; i < a->n_cells; i++) {
			const struct cell *c = &a->cell[i];
			if (c->verdict != VERDICT_INCONCLUSIVE ||
			    !is_blocked(c, &c->component[k]) || cell_needs(a, c, false) ||
			    cell_needs(a, c, true))
				continue;
			b.reason = b.n++ ? b.reason : c->component[k].reason;
		}
		most = b.n > most.n ? b : most;
	}
	for (size_t i = 0; i < a->n_cells; i++)
		if (first_screen_is_excluded(&a->cell[i]))
			excluded.reason =
			    excluded.n++ ? excluded.reason : a->cell[i].verdict_reason;
	return excluded.n > most.n ? excluded : most;
}

static void next_of_blocked(struct strbuf *text, const struct analysis *a, const struct block *b)
{
	SCOPED_STRBUF reason = STRBUF_INIT;
	text_cut(&reason, b->reason, MOST_REASON);
	strbuf_addstr(text, "More replicates will not decide ");
	if (b->n < a->n_inconclusive)
		strbuf_addf(text, "%zu of the %zu inconclusive cases", b->n, a->n_inconclusive);
	else
		strbuf_addstr(text, b->n == 1 ? "the inconclusive case" : "the inconclusive cases");
	strbuf_addf(text, " (%s: %s). Remove that cause and run the protocol again", b->what,
		    reason.s);
}

/* Number of the inconclusive cases in which most runs failed. */
static size_t failing_count(const struct analysis *a)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n_cells; i++)
		n += a->cell[i].verdict == VERDICT_INCONCLUSIVE && cell_counts(a, &a->cell[i]) &&
		     cell_mostly_failed(&a->cell[i]);
	return n;
}

static void next_of_failing(struct strbuf *text, const struct analysis *a, size_t n)
{
	if (a->n_inconclusive == 1)
		strbuf_addstr(text, "Most runs of the inconclusive case failed");
	else
		strbuf_addf(text, "In %zu of the %zu inconclusive cases, most runs failed", n,
			    a->n_inconclusive);
	strbuf_addstr(text,
		      ". Remove the cause, which is stated above, and run the protocol again");
}

/* The first inconclusive case whose claim names a component that was not judged, if these are at
 * least half of the inconclusive cases; otherwise NULL. */
static const struct cell *first_unjudged(const struct analysis *a)
{
	const struct cell *first = NULL;
	size_t n = 0;
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].verdict == VERDICT_INCONCLUSIVE && cell_counts(a, &a->cell[i]) &&
		    cell_claims_unjudged(&a->cell[i]) && !n++)
			first = &a->cell[i];
	return 2 * n >= a->n_inconclusive ? first : NULL;
}

static void next_of_unjudged(struct strbuf *text, const struct cell *c, double seconds)
{
	static const char *const need_requests[] = {"tail", "median", "p90", "p99", "p99.9", NULL};
	strbuf_addf(text, "More replicates cannot show the claim: it names %s, which was not "
		"judged. Remove %s from the key \"claim\" of the protocol", c->bar.text,
		c->bar.text);
	if (word_in(c->bar.text, need_requests))
		strbuf_addstr(text, ", or let each run make more requests");
	strbuf_addstr(text, ". Then run the protocol again");
	add_time(text, seconds);
	strbuf_addch(text, '.');
}

static void next_of_inconclusive(struct strbuf *text, struct strbuf *command,
				 const struct analysis *a, const char *dir, double seconds)
{
	const struct cell *differing = first_differing(a), *unjudged = first_unjudged(a);
	size_t n, n_recorded;
	const size_t n_failing = failing_count(a);
	const uint64_t more = pairs_needed(a, &n, false);
	pairs_needed(a, &n_recorded, true);
	const struct block block = block_of(a);
	const bool more_helps = n && 2 * n >= a->n_inconclusive,
		   has_budget = a->results->protocol.budget_ns;
	if (n_failing && 2 * n_failing >= a->n_inconclusive) {
		next_of_failing(text, a, n_failing);
		add_time(text, seconds);
		strbuf_addch(text, '.');
	} else if (differing) {
		next_of_differing(text, command, &a->results->protocol, differing);
	} else if (unjudged) {
		next_of_unjudged(text, unjudged, seconds);
	} else if (!a->look) {
		next_of_early(text, command, a, dir, seconds);
	} else if (all_excluded(a)) {
		strbuf_addstr(text, "The causes named above prevent the verdict \"trusted\". "
				    "Remove these causes and run the protocol again");
		add_time(text, seconds);
		strbuf_addch(text, '.');
	} else if (2 * n_recorded >= a->n_inconclusive && recordings_help(a)) {
		next_of_recordings(text, a, seconds);
	} else if (more_helps && has_budget && is_exhausted(a)) {
		next_of_replicates(text, a, seconds, more, n);
	} else if (more_helps && has_budget) {
		next_of_budget(text, command, a, dir, seconds, n);
	} else if (more_helps) {
		double wanted = (double)(a->n_replicates + more);
		strbuf_addf(text,
			    "Set replicates = %.0f instead of %u in the protocol and run it again",
			    wanted, a->n_replicates);
		add_time(text, seconds * wanted / fmax(a->n_replicates, 1));
		add_decides(text, a, n);
	} else if (2 * block.n >= a->n_inconclusive) {
		next_of_blocked(text, a, &block);
		add_time(text, seconds);
		strbuf_addch(text, '.');
	} else {
		SCOPED_STRBUF others = STRBUF_INIT;
		facts_add_others(&others, a);
		strbuf_addf(text, "No practical number of replicates would decide %s on this "
				  "machine. ",
			    a->n_inconclusive == 1 ? "the inconclusive case"
			    : n			   ? "most of the inconclusive cases"
						   : "any of the inconclusive cases");
		if (others.len)
			strbuf_addf(text, "%s. ", others.s);
		strbuf_addf(text, "Run the protocol again on a %s",
			    facts_are_quiet(a) ? "machine with less scatter" : "quieter machine");
		add_time(text, seconds);
		strbuf_addstr(text, a->results->protocol.claimed
					    ? ", or set wider limits in the key \"claim\"."
					    : ", or set wider limits in [accept].");
	}
	if (!command->len)
		strbuf_addf(command, "validate run %s/protocol.conf", dir);
	if (!strncmp(command->s, "validate run ", 13))
		protocol_add_devices(command, &a->results->protocol);
}

/* Whether the report has the section "Why the replays differ" for a case that is not trusted. */
static bool has_causes(const struct analysis *a)
{
	for (size_t i = 0; a->why && i < a->n_cells; i++)
		if (a->why[i].shown && a->why[i].rejected)
			return true;
	return false;
}

void first_screen_next(struct strbuf *text, struct strbuf *command, const struct analysis *a,
		       const char *dir)
{
	const size_t left = runs_left(a->results);
	SCOPED_STRBUF word = STRBUF_INIT; /* dir for a shell, never read as an option */
	SCOPED_FREE char *named = xasprintf("%s%s", *dir == '-' ? "./" : "", dir);
	shell_word(&word, named);
	const double seconds = words_elapsed_s(a->results);
	if (!a->complete && left) {
		strbuf_addf(text, "The campaign is not finished: %zu of %zu runs %s left", left,
			    a->results->n_runs, left == 1 ? "is" : "are");
		add_time(text,
			 seconds * (double)left / fmax(1, (double)(a->results->n_runs - left)));
		strbuf_addstr(text, ".");
		strbuf_addf(command, "validate run -o %s --resume", word.s);
		protocol_add_devices(command, &a->results->protocol);
	} else if (a->n_not_trusted) {
		strbuf_addstr(text, a->results->protocol.claimed
			? "Do not rely on the claim in a scenario in which it is refuted."
			: "Do not use a replayer for a scenario in which it is not trusted.");
		if (has_causes(a))
			strbuf_addstr(text,
				      " The section \"Why the replays differ\" states the causes.");
		if (a->n_inconclusive) {
			strbuf_addch(text, ' ');
			next_of_inconclusive(text, command, a, word.s, seconds);
		}
	} else if (a->n_inconclusive) {
		next_of_inconclusive(text, command, a, word.s, seconds);
	} else if (a->n_trusted) {
		strbuf_addf(
		    text,
		    "Cite the certificate together with your measurements: "
		    "%s/report/certificate.html. The certificate is valid for these scenarios on "
		    "this machine%s.",
		    dir,
		    a->n_not_visible ? ", and only for the requests that the recordings "
		    	"contain" : "");
	}
}
