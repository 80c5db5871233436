/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include "reports/number.h"

static void add_rate(struct strbuf *out, const struct rated_point *q)
{
	strbuf_addf(out, q->rate < 9999.5 ? "%.4g requests/s" : "%.0f requests/s", q->rate);
}

static void add_gap(struct strbuf *out, const struct rated_point *q)
{
	number_add(out, q->gap_ns, q->gap_ns / 10, number_unit_time(q->gap_ns), false);
}

/* The words for a limit by rate or by gap. */
static const struct limit_words {
	const char *to, *last, *first, *beyond;
	void (*add)(struct strbuf *, const struct rated_point *);
} by_rate = {"up to", "highest rate", "lowest rate", "a higher rate", add_rate},
  by_gap = {"down to", "shortest gap", "longest gap", "a shorter gap", add_gap};

static void add_limit(struct strbuf *out, const struct analysis *a, const struct rated_range *r,
		      const struct rated_limit *l, const struct limit_words *w, bool of_claim)
{
	const struct analysis *named = of_claim ? a : NULL;
	const char *trusted = words_claim_verdict(named, VERDICT_TRUSTED);
	const struct rated_point *last = l->last == RATED_NONE ? NULL : &r->point[l->last],
				 *next = l->next == RATED_NONE ? NULL : &r->point[l->next];
	if (!next)
		strbuf_addf(out, "%s %s the %s tried, ", trusted, w->to, w->last);
	else if (last)
		strbuf_addf(out, "%s %s ", trusted, w->to);
	if (last)
		w->add(out, last);
	if (!next)
		return;
	if (last)
		strbuf_addf(out, ", %s at ", words_claim_verdict(named, next->verdict));
	else
		strbuf_addf(out, "%s in no range, %s at the %s tried, ", trusted,
			    words_claim_verdict(named, next->verdict), w->first);
	w->add(out, next);
	strbuf_addf(out, " (%s)",
		    a->results->protocol.scenario[a->cell[next->cell].scenario].name);
	if (l->n_beyond)
		strbuf_addf(out, ", although %zu case%s with %s %s %s", l->n_beyond,
			    l->n_beyond == 1 ? "" : "s", w->beyond,
			    l->n_beyond == 1 ? "is" : "are", trusted);
}

/* Smallest gap that counts as a pause, as a share of the time between the starts of a thread's
 * requests: shorter gaps of a program without pauses mean nothing. */
#define PAUSE_SHARE 0.5

static bool has_pauses(const struct rated_range *r)
{
	bool any = false;
	for (size_t i = 0; i < r->n; i++) {
		const struct rated_point *q = &r->point[i];
		if (isnan(q->gap_ns))
			return false; /* without pauses there is no range by gap */
		any |= q->gap_ns * q->rate >= PAUSE_SHARE * 1e9 * (double)q->level;
	}
	return any;
}

void rated_add_words(struct strbuf *out, const struct analysis *a, const struct rated_range *r,
		     bool of_claim)
{
	strbuf_addf(out, "%s, %s: ", r->name, r->replayer);
	add_limit(out, a, r, &r->rate, &by_rate, of_claim);
	if (r->rate.last == RATED_NONE && r->gap.last == RATED_NONE)
		return; /* neither a rate nor a gap is trusted */
	if (!has_pauses(r))
		return;
	const bool no_next = r->rate.next == RATED_NONE && r->gap.next == RATED_NONE;
	strbuf_addstr(out, no_next ? ", and " : ". By the gap between requests: ");
	add_limit(out, a, r, &r->gap, &by_gap, of_claim);
}

const struct parallel_case *parallel_case_of(const struct analysis *a, size_t cell)
{
	for (size_t i = 0; a->parallel && i < a->parallel->n_cases; i++)
		if (a->parallel->of_case[i].cell == cell)
			return &a->parallel->of_case[i];
	return NULL;
}

void parallel_add_application(struct strbuf *out, const struct scenario *s)
{
	const char *slash = strrchr(s->script, '/'), *base = slash ? slash + 1 : s->script,
		   *dot = strrchr(base, '.');
	strbuf_addf(out, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
	if (s->size != 1)
		strbuf_addf(out, " size=%llu", (unsigned long long)s->size);
	if (s->parallel.n_ranks)
		strbuf_addf(out, " ranks=%llu", (unsigned long long)s->parallel.n_ranks);
}

void parallel_add_period(struct strbuf *out, const struct scenario *s,
			 const struct causality_summary *recording)
{
	if (s->parallel.period)
		strbuf_addf(out, "%llu", (unsigned long long)s->parallel.period);
	else if (recording && recording->period)
		strbuf_addf(out, "auto (%llu)", (unsigned long long)recording->period);
	else
		strbuf_addstr(out, "auto");
}

void parallel_add_nodes(struct strbuf *out, const struct scenario *s)
{
	if (s->parallel.n_throttled)
		strbuf_addf(out, "%llu", (unsigned long long)s->parallel.n_throttled);
	else
		strbuf_addstr(out, "all");
}
