/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/first_screen.h"

#include "reports/escape.h"
#include "reports/reasons.h"
#include "reports/words.h"
#include "validate/analysis/analysis.h"

#define MOST_REASON 160 /* columns of a verdict's reason */
#define NAME 48		/* columns for a scenario's name in a sentence */

/* --- the verdict --- */

static void count_tendencies(size_t n[TENDENCY_N], const struct analysis *a)
{
	memset(n, 0, TENDENCY_N * sizeof *n);
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].verdict == VERDICT_INCONCLUSIVE && cell_counts(a, &a->cell[i]))
			n[cell_tendency(&a->cell[i])]++;
}

/* Appends " (1 looks wrong, 2 too noisy)"; if all inconclusive cases have the same tendency:
 * " (too noisy here)". */
static void add_tendencies(struct strbuf *out, const struct analysis *a)
{
	static const char *const one[] = {NULL, "looks right", "looks wrong", "too noisy",
					  "differs from the recording"};
	static const char *const many[] = {NULL, "look right", "look wrong", "too noisy",
					   "differ from the recording"};
	static const char *const all[] = {NULL, "look right, not proven", "look wrong, not proven",
					  NULL, "differ from the recording"};
	size_t n[TENDENCY_N], n_shown = 0;
	count_tendencies(n, a);
	for (size_t l = TENDENCY_RIGHT; l < TENDENCY_N; l++) {
		if (!n[l])
			continue;
		if (n[l] == a->n_inconclusive) {
			const bool singular = n[l] == 1 || l == TENDENCY_NOISY;
			strbuf_addf(out, " (%s)",
				    singular ? words_tendency((enum tendency)l) : all[l]);
			return;
		}
		strbuf_addf(out, "%s%zu %s", n_shown++ ? ", " : " (", n[l],
			    n[l] == 1 ? one[l] : many[l]);
	}
	if (n_shown)
		strbuf_addch(out, ')');
}

/* Appends "trusted in both scenarios", "trusted in all 3 scenarios". */
static void add_all(struct strbuf *out, const char *word, size_t n, const char *what)
{
	if (n == 2)
		strbuf_addf(out, "%s in both %s", word, what);
	else
		strbuf_addf(out, "%s in all %zu %s", word, n, what);
}

static const char *word_trusted(const struct analysis *a)
{
	return words_claim_verdict(a, VERDICT_TRUSTED);
}

static const char *word_not_trusted(const struct analysis *a)
{
	return words_claim_verdict(a, VERDICT_NOT_TRUSTED);
}

void first_screen_verdict(struct strbuf *out, const struct analysis *a)
{
	const char *claim = a->results->protocol.claimed;
	const size_t n_counted = cells_counted(a);
	const char *word = claim ? "shown" : "Trusted";
	if (claim) {
		strbuf_addstr(out, "Claim \"");
		escape_line(out, claim);
		strbuf_addstr(out, "\": ");
	}
	if (!n_counted)
		strbuf_addstr(out, claim ? "nothing could be judged" : "Nothing could be judged");
	else if (a->n_trusted == n_counted && n_counted == 1)
		strbuf_addf(out, "%s in the only case", word);
	else if (a->n_trusted == n_counted)
		add_all(out, word, n_counted, "cases");
	else
		strbuf_addf(out, "%s in %zu of %zu case%s", word, a->n_trusted, n_counted,
			    n_counted == 1 ? "" : "s");
	if (a->n_not_trusted)
		strbuf_addf(out, "; %zu %s", a->n_not_trusted, word_not_trusted(a));
	if (a->n_inconclusive) {
		strbuf_addf(out, "; %zu inconclusive", a->n_inconclusive);
		add_tendencies(out, a);
	}
	if (n_counted < a->n_cells)
		strbuf_addf(out, "; %zu more case%s for comparison only", a->n_cells - n_counted,
			    a->n_cells - n_counted == 1 ? "" : "s");
}

/* --- the main cause of a replayer --- */

/* Cases of one replayer in which one component has the same decision. */
struct main_cause {
	enum component_kind kind;
	enum decision decision;
	enum tendency tendency; /* of inconclusive cases */
	/* number of these cases, and the cell whose deviation exceeds its limit most */
	size_t n, worst;
};

static bool is_part(const struct analysis *a, size_t i, size_t replayer, const struct main_cause *k)
{
	const struct cell *c = &a->cell[i];
	const struct component *m = &c->component[k->kind];
	return c->replayer == replayer && m->decision == k->decision &&
	       (k->decision == DECISION_REJECT ? c->verdict == VERDICT_NOT_TRUSTED
					       : c->verdict == VERDICT_INCONCLUSIVE &&
							 component_tendency(c, m) == k->tendency);
}

static double excess_of(const struct component *c)
{
	return isfinite(c->limit) && c->limit > 0 ? fabs(c->estimate.value) / c->limit
						  : fabs(c->estimate.value);
}

static void cause_count(struct main_cause *k, const struct analysis *a, size_t replayer)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		if (!is_part(a, i, replayer, k))
			continue;
		if (!k->n++ || excess_of(&a->cell[i].component[k->kind]) >
				       excess_of(&a->cell[k->worst].component[k->kind]))
			k->worst = i;
	}
}

/* Whether the replays lost at least half of the requests: they did other work than the program, so
 * their times say nothing. */
static bool did_other_work(const struct cell *c)
{
	return c->n_lost && c->n_lost >= c->n_requests / 2;
}

/* Returns the component that decides most cases: rejections first, then components that differ from
 * the recording, look wrong, are too noisy and look right. */
static struct main_cause main_cause_of(const struct analysis *a, size_t replayer)
{
	static const struct {
		enum decision decision;
		enum tendency tendency;
	} order[] = {{DECISION_REJECT, TENDENCY_NONE},
		     {DECISION_INCONCLUSIVE, TENDENCY_DIFFERS},
		     {DECISION_INCONCLUSIVE, TENDENCY_WRONG},
		     {DECISION_INCONCLUSIVE, TENDENCY_NOISY},
		     {DECISION_INCONCLUSIVE, TENDENCY_RIGHT}};
	struct main_cause best = {.n = 0};
	for (size_t o = 0; !best.n && o < sizeof order / sizeof *order; o++)
		for (int kind = 0; kind < COMPONENT_N; kind++) {
			struct main_cause k = {(enum component_kind)kind, order[o].decision,
					       order[o].tendency, 0, 0};
			cause_count(&k, a, replayer);
			if (k.n && !o && kind == COMPONENT_FIDELITY &&
			    did_other_work(&a->cell[k.worst]))
				return k;
			if (k.n > best.n)
				best = k;
		}
	return best;
}

/* Whether a case of the replayer with the same decision exceeds the limit of another component by
 * more than the worst case of `k` exceeds its limit. */
static bool other_is_worse(const struct analysis *a, size_t replayer, const struct main_cause *k)
{
	const double excess = excess_of(&a->cell[k->worst].component[k->kind]);
	for (int kind = 0; kind < COMPONENT_N; kind++) {
		struct main_cause other = {(enum component_kind)kind, k->decision, k->tendency, 0,
					   0};
		cause_count(&other, a, replayer);
		if (other.n && excess_of(&a->cell[other.worst].component[kind]) > excess)
			return true;
	}
	return false;
}

static const char *scenario_name(const struct analysis *a, size_t cell)
{
	return a->results->protocol.scenario[a->cell[cell].scenario].name;
}

static bool has_word(const char *name, const char *word, size_t len)
{
	for (const char *at = name; (at = strstr(at, word)); at++)
		if ((at == name || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

/* Whether the word is in the names of exactly the cases of the cause. */
static bool word_distinguishes(const struct analysis *a, size_t replayer,
			       const struct main_cause *k, const char *word, size_t len)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].replayer == replayer &&
		    has_word(scenario_name(a, i), word, len) != is_part(a, i, replayer, k))
			return false;
	return true;
}

/* Appends "scenarios with level=2" or "scenarios of random-read" if such a word exists, and not all
 * cases of the replayer have the cause. Returns whether such a word exists. */
static bool add_common(struct strbuf *out, const struct analysis *a, size_t replayer,
		       const struct main_cause *k, size_t n_cells)
{
	if (k->n == n_cells || k->n < 2)
		return false;
	for (const char *at = scenario_name(a, k->worst), *end; *at; at = *end ? end + 1 : end) {
		SCOPED_STRBUF word = STRBUF_INIT;
		end = at + strcspn(at, " ");
		strbuf_add(&word, at, (size_t)(end - at));
		if (!word.len || !word_distinguishes(a, replayer, k, word.s, word.len))
			continue;
		strbuf_addf(out, "scenarios %s %s", strchr(word.s, '=') ? "with" : "of", word.s);
		return true;
	}
	return false;
}

/* Appends the name of the worst scenario. The number of the others follows only if no deviation
 * was stated: the others may deviate in the other direction. */
static void add_worst(struct strbuf *out, const struct analysis *a, const struct main_cause *k,
		      size_t n_cells, bool is_deviation)
{
	if (k->n == n_cells)
		return;
	strbuf_addstr(out, " in ");
	text_cut_name(out, scenario_name(a, k->worst), NAME);
	if (k->n > 1 && !is_deviation)
		strbuf_addf(out, " and %zu more scenario%s", k->n - 1, k->n == 2 ? "" : "s");
}

bool first_screen_is_excluded(const struct cell *c)
{
	if (c->verdict == VERDICT_INCONCLUSIVE && cell_claims_unjudged(c))
		return true;
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].decision == DECISION_INCONCLUSIVE)
			return false;
	return c->verdict == VERDICT_INCONCLUSIVE;
}

static void add_bar(struct strbuf *out, const struct analysis *a, size_t replayer)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].replayer == replayer && first_screen_is_excluded(&a->cell[i])) {
			strbuf_addstr(out, "; ");
			text_cut(out, a->cell[i].verdict_reason, MOST_REASON);
			return;
		}
}

/* Appends the failures of the replayer's first inconclusive case in which most runs failed. Returns
 * whether there is such a case. */
static bool add_failures(struct strbuf *out, const struct analysis *a, size_t replayer)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		if (c->replayer != replayer || c->verdict != VERDICT_INCONCLUSIVE ||
		    !cell_mostly_failed(c))
			continue;
		strbuf_addf(out, "; %u of %u %s failed",
			    c->n_failed_replayer ? c->n_failed_replayer : c->n_failed_program,
			    c->n_blocks,
			    c->n_failed_replayer ? "replays" : "runs of the program");
		if (*c->first_failure) {
			strbuf_addstr(out, ", the first: ");
			text_cut(out, c->first_failure, sizeof c->first_failure);
		}
		return true;
	}
	return false;
}

/* Whether a cause only repeats the deviation of a component. */
static bool is_repetition(enum component_kind kind, enum why_name cause)
{
	switch (kind) {
	case COMPONENT_CONCURRENCY:
	case COMPONENT_IN_FLIGHT:
	case COMPONENT_IN_FLIGHT_MAX:
		return cause == WHY_MORE_CONCURRENCY || cause == WHY_LESS_CONCURRENCY;
	case COMPONENT_ISSUE_ERROR:
	case COMPONENT_SHARE_LATE: return cause == WHY_LATE_ISSUE;
	case COMPONENT_REORDERING: return cause == WHY_REORDERING;
	default: return false;
	}
}

/* Appends "main reason (worst case of the scenarios with level=4): "; before a deviation without a
 * rejection: "in the scenarios with level=4, at worst, ". Returns whether the scenarios are
 * stated. */
static bool add_reason_head(struct strbuf *out, const struct analysis *a, size_t replayer,
			    const struct main_cause *k, size_t n_cells)
{
	const bool worse = other_is_worse(a, replayer, k);
	SCOPED_STRBUF common = STRBUF_INIT;
	const bool has_common = add_common(&common, a, replayer, k, n_cells);
	if (k->decision == DECISION_REJECT)
		strbuf_addf(out, "%s reason%s%s%s%s: ", worse ? "one" : "main",
			    k->n > 1 ? " (worst case" : "", has_common ? " of the " : "", common.s,
			    k->n > 1 ? ")" : "");
	else
		strbuf_addf(out, "%s%s%s%s", has_common ? "in the " : "", common.s,
			    has_common ? ", " : "",
			    k->n < 2 ? "" : worse ? "for example, " : "at worst, ");
	return has_common;
}

static void add_cause(struct strbuf *out, const struct analysis *a, size_t replayer, size_t n_cells)
{
	struct main_cause k = main_cause_of(a, replayer);
	if (k.decision != DECISION_REJECT && add_failures(out, a, replayer))
		return;
	if (!k.n || (k.decision != DECISION_REJECT && cell_claims_unjudged(&a->cell[k.worst]))) {
		add_bar(out, a, replayer);
		return;
	}
	const struct component *c = &a->cell[k.worst].component[k.kind];
	strbuf_addstr(out, "; ");
	if (k.decision == DECISION_REJECT || k.tendency == TENDENCY_WRONG ||
	    k.tendency == TENDENCY_DIFFERS) {
		/* find the deviation of the part that decides */
		const char *part = "";
		for (size_t i = 0; i < c->n_parts; i++)
			if (c->part[i].estimate.value == c->estimate.value)
				part = c->part[i].label;
		const bool common = add_reason_head(out, a, replayer, &k, n_cells);
		if (!words_add_shares(out, c->n_reasons ? c->reasons : NULL))
			words_add_deviation(out, c->kind, part, c->estimate.value);
		if (!common)
			add_worst(out, a, &k, n_cells, true);
	} else {
		strbuf_addf(out, "\"%s\" is inconclusive", component_names[k.kind]);
		SCOPED_STRBUF common = STRBUF_INIT;
		if (add_common(&common, a, replayer, &k, n_cells))
			strbuf_addf(out, " in the %s", common.s);
		else
			add_worst(out, a, &k, n_cells, false);
	}
	if (k.decision != DECISION_REJECT)
		strbuf_addf(out, " (%s)", words_tendency(k.tendency));
	else if (a->why && a->why[k.worst].main != CAUSE_N &&
		 !is_repetition(k.kind, a->why[k.worst].main_name)) {
		strbuf_addstr(out, " (");
		words_add_main_cause(out, a->why[k.worst].main_name);
		strbuf_addch(out, ')');
	}
}

void first_screen_replayer(struct strbuf *out, const struct analysis *a, size_t replayer)
{
	size_t n[3] = {0}, n_cells = 0;
	if (a->results->protocol.replayer[replayer].comparison)
		strbuf_addstr(out, "for comparison only: ");
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].replayer == replayer) {
			n[a->cell[i].verdict]++;
			n_cells++;
		}
	if (!n_cells)
		strbuf_addstr(out, "no complete block");
	else if (n[0] == n_cells || n[1] == n_cells || n[2] == n_cells) {
		const char *word = n[VERDICT_TRUSTED]       ? word_trusted(a)
				   : n[VERDICT_NOT_TRUSTED] ? word_not_trusted(a)
							    : "inconclusive";
		if (n_cells == 1)
			strbuf_addstr(out, word);
		else
			add_all(out, word, n_cells, "scenarios");
	} else {
		strbuf_addf(out, "%s in %zu of %zu scenarios", word_trusted(a), n[VERDICT_TRUSTED],
			    n_cells);
		if (n[VERDICT_NOT_TRUSTED])
			strbuf_addf(out, ", %s in %zu", word_not_trusted(a),
				    n[VERDICT_NOT_TRUSTED]);
		if (n[VERDICT_INCONCLUSIVE])
			strbuf_addf(out, ", inconclusive in %zu", n[VERDICT_INCONCLUSIVE]);
	}
	add_cause(out, a, replayer, n_cells);
}
